"""The data sets of the paper: what it calls them, and how much of each is measured."""

from dataclasses import dataclass

from protograph.evaluation.sweeps import PAPER_SHARES, PAPER_WIDTHS
from research.paper.settings import Settings


@dataclass(frozen=True, kw_only=True)
class PaperSet:
    """A data set of the paper.

    Attributes:
        name: Its name here.
        title: Its name in the paper.
        targets: The classes that the paper explains: those with a ground truth, and the digit that it shows.
        num_layers: Layers of the paper's GCN for it.
        sweep_seeds: Seeds of the sweeps; one where they take long.
        train_seconds: About how long one training takes on one core.
        cpu_stride: On a CPU only every so many-th graph is taken, else training would take hours.
        is_large: Whether on a CPU also few seeds and models of a sweep are taken.
    """

    name: str
    title: str
    targets: tuple[int, ...]
    num_layers: int
    sweep_seeds: tuple[int, ...]
    train_seconds: float
    cpu_stride: int = 1
    is_large: bool = False


_FIVE, _ONE = (0, 1, 2, 3, 4), (0,)
SETS = {
    one.name: one
    for one in (
        PaperSet(
            name="ba-house",
            title="BA-house",
            targets=(1,),
            num_layers=2,
            sweep_seeds=_FIVE,
            train_seconds=6,
        ),
        PaperSet(
            name="ba-grid",
            title="BA-grid",
            targets=(1,),
            num_layers=2,
            sweep_seeds=_FIVE,
            train_seconds=10,
        ),
        PaperSet(
            name="solubility",
            title="Solubility",
            targets=(0, 1),
            num_layers=3,
            sweep_seeds=_FIVE,
            train_seconds=3,
        ),
        PaperSet(
            name="mutagenicity",
            title="MUTAG",
            targets=(0,),
            num_layers=3,
            sweep_seeds=_ONE,
            train_seconds=15,
        ),
        PaperSet(
            name="benzene",
            title="Benzene",
            targets=(1,),
            num_layers=3,
            sweep_seeds=_ONE,
            train_seconds=40,
        ),
        PaperSet(
            name="mnist-sp",
            title="MNIST-sp",
            targets=(0,),
            num_layers=3,
            sweep_seeds=_ONE,
            train_seconds=120,
            cpu_stride=35,
            is_large=True,
        ),
    )
}
# Further data sets, which the paper does not have, by the names that they are shown by.
OTHERS = {"ba-2motifs": "BA-2motifs", "bbbp": "BBBP", "nci1": "NCI1", "imdb-binary": "IMDB-BINARY"}
# Of a large set on a GPU: so many seeds, as table1 has, since each takes minutes to train.
LARGE_SEEDS = 5
# Of a large set on a CPU: so many seeds, and every so many-th width and level of wrong labels.
CPU_SEEDS, CPU_EVERY = 2, 2
# Levels of wrong labels in the faithfulness sweep, in percent.
WRONG_PERCENT = tuple(round(100 * share) for share in PAPER_SHARES)


def title_of(name: str) -> str:
    """What a data set is shown by; a name that is none of theirs is shown as it is.

    >>> title_of("mutagenicity"), title_of("bbbp"), title_of("star-er")
    ('MUTAG', 'BBBP', 'star-er')
    """
    return SETS[name].title if name in SETS else OTHERS.get(name, name)


def seeds_of(name: str, settings: Settings) -> tuple[int, ...]:
    """The seeds that are measured on a data set.

    >>> seeds_of("mnist-sp", Settings()), seeds_of("ba-grid", Settings(seeds=(0, 1, 2)))
    ((0, 1), (0, 1, 2))
    >>> seeds_of("mnist-sp", Settings(device="cuda"))
    (0, 1, 2, 3, 4)
    """
    if _is_cut(name, settings):
        return settings.seeds[:CPU_SEEDS]
    return settings.seeds[:LARGE_SEEDS] if name in SETS and SETS[name].is_large else settings.seeds


def sweep_seeds_of(name: str, settings: Settings) -> tuple[int, ...]:
    """The seeds of its sweeps, among those that are measured."""
    asked = seeds_of(name, settings)
    return settings.fewer(tuple(seed for seed in SETS[name].sweep_seeds if seed in asked))


def widths_of(name: str, settings: Settings) -> tuple[int, ...]:
    """The widths of a layer in its consistency sweep."""
    widths = PAPER_WIDTHS[SETS[name].num_layers]
    return widths[1::CPU_EVERY] if _is_cut(name, settings) else settings.fewer(widths, 2)


def wrong_percent_of(name: str, settings: Settings) -> tuple[int, ...]:
    """The levels of wrong labels in its faithfulness sweep."""
    if settings.is_quick:
        return WRONG_PERCENT[::5]
    return WRONG_PERCENT[::CPU_EVERY] if _is_cut(name, settings) else WRONG_PERCENT


def stride_of(name: str, settings: Settings) -> int:
    """Every so many-th graph is taken."""
    one = SETS.get(name)
    return one.cpu_stride if one and settings.device == "cpu" and not settings.is_quick else 1


def what_is_cut(name: str, settings: Settings) -> str:
    """What is left out of a data set on a CPU, in words; empty where nothing is."""
    if stride_of(name, settings) == 1:
        return ""
    return f"on a CPU every {stride_of(name, settings)}th graph, few seeds and models"


def _is_cut(name: str, settings: Settings) -> bool:
    one = SETS.get(name)
    return one is not None and one.is_large and settings.device == "cpu" and not settings.is_quick
