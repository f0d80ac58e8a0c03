"""The many models of the consistency and faithfulness sweeps: which they are, and how they are trained."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from protograph.datasets import GraphDataset
from protograph.metrics.robustness import corrupted_labels
from protograph.training import Trained
from protograph.training.ensemble import ModelSpec, train_many
from protograph.training.split import make_split
from protograph.training.training import seeds_of
from research.paper.sets import widths_of, wrong_percent_of
from research.paper.settings import Settings

WIDTHS, WRONG_LABELS = "widths", "wrong labels"


@dataclass(frozen=True)
class SweptModel:
    """One model of a sweep, before it is trained.

    Attributes:
        hidden: Widths of its layers.
        wrong_percent: How many of its training labels are wrong.
    """

    hidden: tuple[int, ...]
    wrong_percent: int = 0

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.hidden))}, {self.wrong_percent}% wrong"


def swept_models(name: str, kind: str, hidden: tuple[int, ...], settings: Settings) -> list[SweptModel]:
    """The models of a sweep: every combination of widths, or every level of wrong labels.

    Args:
        name: The data set.
        kind: ``"widths"`` or ``"wrong labels"``.
        hidden: The widths that the paper's model has for it.
        settings: Fewer models in a quick run.

    >>> [str(one) for one in swept_models("ba-house", "widths", (32, 32), Settings(is_quick=True))]
    ['4x4, 0% wrong', '4x8, 0% wrong', '8x4, 0% wrong', '8x8, 0% wrong']
    >>> len(swept_models("benzene", "widths", (32, 32, 32), Settings()))
    64
    """
    if kind == WIDTHS:
        return [SweptModel(one) for one in product(widths_of(name, settings), repeat=len(hidden))]
    if kind == WRONG_LABELS:
        return [SweptModel(hidden, percent) for percent in wrong_percent_of(name, settings)]
    raise ValueError(f"kind must be {WIDTHS!r} or {WRONG_LABELS!r}, got {kind!r}")


def train_swept(
    data: GraphDataset,
    models: Sequence[SweptModel],
    seed: int,
    settings: Settings,
    keep: Callable[[int, Trained], None],
) -> None:
    """Train models; ``keep`` is called with the number of each as it is finished.

    Their split is that of the explained model, which has the same seed: none of them need wait for it.

    All at once, as they share their mini-batches; what comes of each does not depend on the others. Only labels of
    training graphs are made wrong: test accuracies are on right ones.
    """
    right = data.labels.tolist()
    train_indices = make_split("paper", data, len(data), np.random.default_rng(seeds_of(seed).split)).train.tolist()
    specs = [
        ModelSpec(
            hidden=one.hidden,
            random_state=seed,
            labels=corrupted_labels(right, one.wrong_percent / 100, seed, among=train_indices),
        )
        for one in models
    ]
    train_many(data, specs, max_epochs=settings.max_epochs, device=settings.device, on_finished=keep)
