"""The models that consistency and faithfulness ask, as the paper has them."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from torch import Tensor

from protograph.datasets import GraphDataset
from protograph.evaluation.keeping import KeptModel
from protograph.explanation import Explanation
from protograph.metrics.robustness import Consistency, Faithfulness, consistency, corrupted_labels, faithfulness
from protograph.training import Trained
from protograph.training.ensemble import ModelSpec

# Widths that each convolution has in turn: with two convolutions 25 models, with three 64.
PAPER_WIDTHS = {2: (4, 8, 16, 32, 64), 3: (4, 8, 16, 32)}
# Shares of wrong labels: eleven models.
PAPER_SHARES = tuple(step / 20 for step in range(11))


def width_specs(depth: int, random_state: int, widths: Sequence[int] | None = None) -> list[ModelSpec]:
    """Models with every combination of widths, for consistency (paper, Section "Experimental results", RQ2).

    Args:
        depth: Number of convolutions.
        random_state: Seed of all of them, so that they have the same split and order of graphs.
        widths: Widths of each convolution; the paper's if ``None``, and for depths that it has not those of three.

    >>> [spec.hidden for spec in width_specs(2, random_state=0, widths=(4, 8))]
    [(4, 4), (4, 8), (8, 4), (8, 8)]
    >>> [len(width_specs(depth, random_state=0)) for depth in (2, 3)]
    [25, 64]
    """
    chosen = PAPER_WIDTHS.get(depth, PAPER_WIDTHS[3]) if widths is None else widths
    return [ModelSpec(hidden=hidden, random_state=random_state) for hidden in product(chosen, repeat=depth)]


def wrong_label_specs(
    data: GraphDataset,
    train_indices: Sequence[int] | Tensor,
    random_state: int,
    shares: Sequence[float] = PAPER_SHARES,
) -> list[ModelSpec]:
    """Models of the data's widths with a share of wrong training labels each, for faithfulness (the same section).

    Args:
        data: The graphs with their right labels.
        train_indices: Graphs that are trained on with this seed; no other's label is made wrong.
        random_state: Seed of the models, and of which labels are wrong; a larger share keeps those of a smaller one.
        shares: Shares of the training labels.
    """
    labels = data.labels.tolist()
    return [
        ModelSpec(
            hidden=tuple(data.hidden),
            random_state=random_state,
            labels=corrupted_labels(labels, share, random_state, among=train_indices),
        )
        for share in shares
    ]


def robustness_of(
    explanation: Explanation, widths: Sequence[Trained | KeptModel], wrong: Sequence[Trained | KeptModel]
) -> tuple[Consistency, Faithfulness]:
    """What other models say of an explanation: those of other widths, and those trained on wrong labels.

    Args:
        explanation: With at least one prototype.
        widths: For consistency.
        wrong: For faithfulness; their test accuracies are on right labels.
    """
    options: Any = {
        "target": explanation.target,
        "return_type": "raw",
        "reference_graphs": list(explanation.source_graphs.values()) or None,
    }
    accuracies = [math.nan if one.test_accuracy is None else one.test_accuracy for one in wrong]
    return (
        consistency(explanation, [one.model for one in widths], **options),
        faithfulness(explanation, [one.model for one in wrong], accuracies, **options),
    )
