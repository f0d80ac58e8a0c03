"""The many models of the consistency and faithfulness sweeps: which they are, and how they are trained."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from protograph.datasets import GraphDataset
from protograph.metrics.robustness import corrupted
from protograph.reproduce.sets import widths_of, wrong_percent_of
from protograph.reproduce.settings import Settings
from protograph.training import Trained, train

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
    train_indices: Sequence[int],
    models: Sequence[SweptModel],
    seed: int,
    settings: Settings,
    keep: Callable[[int, Trained], None],
) -> None:
    """Train models with the split of the explained one; ``keep`` is called with the number of each as it is finished.

    Only labels of training graphs are made wrong: test accuracies are on right ones.
    """
    for number, one in enumerate(models):
        labelled = data
        if one.wrong_percent:
            wrong = corrupted(data, one.wrong_percent / 100, seed, among=train_indices)
            labelled = replace(data, graphs=wrong)
        keep(
            number,
            train(
                labelled,
                hidden=one.hidden,
                random_state=seed,
                max_epochs=settings.max_epochs,
                device=settings.device,
            ),
        )
