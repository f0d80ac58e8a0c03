"""How explanations of one model fare under others: of other widths, and trained on wrong labels."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from protograph._base.progress import Progress
from protograph.datasets import GraphDataset
from protograph.explanation import Explanation
from protograph.metrics.consistency import consistency
from protograph.metrics.faithfulness import corrupted, faithfulness
from protograph.training import GCN, train

Value = TypeVar("Value")

# A few of the paper's: it takes every combination of widths, which is 25 or 64 models.
WIDTHS = (4, 8, 16, 32)
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True, eq=False)
class OtherModels:
    """Models of the same task.

    Attributes:
        widths: Trained alike, of other widths.
        corrupted: Trained with a share of wrong labels each.
        accuracies: Test accuracy of the latter, on right labels.
    """

    widths: tuple[GCN, ...]
    corrupted: tuple[GCN, ...]
    accuracies: tuple[float, ...]


def train_others(
    data: GraphDataset,
    *,
    train_indices: Sequence[int],
    random_state: int,
    progress: Progress,
    max_epochs: int = 1000,
) -> OtherModels:
    """Train the other models, each with the split of the explained one; only training labels are made wrong."""
    widths = [
        train(data, hidden=(width,) * len(data.hidden), random_state=random_state, max_epochs=max_epochs).model
        for width in _reported(WIDTHS, "training other widths", progress)
    ]
    wrong = [
        train(
            replace(data, graphs=corrupted(data, share, random_state, among=train_indices)),
            hidden=data.hidden,
            random_state=random_state,
            max_epochs=max_epochs,
        )
        for share in _reported(SHARES, "training on wrong labels", progress)
    ]
    accuracies = tuple(math.nan if one.test_accuracy is None else one.test_accuracy for one in wrong)
    return OtherModels(tuple(widths), tuple(one.model for one in wrong), accuracies)


def robustness(explanation: Explanation, others: OtherModels) -> dict[str, float | None]:
    """Consistency and faithfulness of an explanation; ``None`` where one is not defined."""
    if not explanation.prototypes:
        return {"consistency": None, "faithfulness": None}
    target = explanation.target
    sources = list(explanation.source_graphs.values()) or None
    steady = consistency(explanation, others.widths, target, return_type="raw", reference_graphs=sources).value
    faithful = faithfulness(
        explanation, others.corrupted, others.accuracies, target, return_type="raw", reference_graphs=sources
    ).value
    return {"consistency": steady, "faithfulness": faithful if math.isfinite(faithful) else None}


def _reported(values: Sequence[Value], stage: str, progress: Progress) -> Iterator[Value]:
    """The values one by one, with how many are done reported before each."""
    for number, value in enumerate(values):
        progress(stage, number, len(values))
        yield value
    progress(stage, len(values), len(values))
