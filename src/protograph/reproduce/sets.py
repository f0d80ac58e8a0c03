"""The data sets of the paper: what it calls them, and how much of each is measured."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PaperSet:
    """A data set of the paper.

    Attributes:
        name: Its name here.
        title: Its name in the paper.
        widths: Widths of a layer in the consistency sweep, which takes every combination.
        sweep_seeds: Seeds of the sweeps; one where they take long.
        train_seconds: About how long one training takes on one core.
        cpu_stride: On a CPU only every so many-th graph is taken, else training would take hours.
    """

    name: str
    title: str
    widths: tuple[int, ...]
    sweep_seeds: tuple[int, ...]
    train_seconds: float
    cpu_stride: int = 1


_FIVE, _ONE = (0, 1, 2, 3, 4), (0,)
_TO_64, _TO_32 = (4, 8, 16, 32, 64), (4, 8, 16, 32)
SETS = {
    one.name: one
    for one in (
        PaperSet(name="ba-house", title="BA-house", widths=_TO_64, sweep_seeds=_FIVE, train_seconds=6),
        PaperSet(name="ba-grid", title="BA-grid", widths=_TO_64, sweep_seeds=_FIVE, train_seconds=10),
        PaperSet(name="solubility", title="Solubility", widths=_TO_32, sweep_seeds=_FIVE, train_seconds=3),
        PaperSet(name="mutagenicity", title="MUTAG", widths=_TO_32, sweep_seeds=_ONE, train_seconds=15),
        PaperSet(name="benzene", title="Benzene", widths=_TO_32, sweep_seeds=_ONE, train_seconds=40),
        PaperSet(name="mnist-sp", title="MNIST-sp", widths=_TO_32, sweep_seeds=_ONE, train_seconds=300, cpu_stride=10),
    )
}
# Levels of wrong labels in the faithfulness sweep, in percent.
WRONG_PERCENT = tuple(range(0, 55, 5))
