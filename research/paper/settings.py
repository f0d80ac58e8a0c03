"""What a reproduction is asked to measure, and how much of each data set of the paper."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")
# A quick run shows that all works, not what comes out: so many seeds, graphs and epochs.
QUICK_SEEDS, QUICK_GRAPHS, QUICK_EPOCHS = 2, 160, 12
WORLDS = "worlds"  # what planted worlds are left out by, as data sets are by their names
# Of a large set on a GPU so many seeds, since each takes minutes to train; on a CPU fewer, and every so many-th width
# and level of wrong labels.
LARGE_SEEDS, CPU_SEEDS, CPU_EVERY = 5, 2, 2
# Widths of a layer in the consistency sweep, by the number of layers, and percents of wrong labels for faithfulness.
WIDTHS = {2: (4, 8, 16, 32, 64), 3: (4, 8, 16, 32)}
WRONG_PERCENT = tuple(range(0, 51, 5))


@dataclass(frozen=True, kw_only=True)
class PaperSet:
    """A data set of the paper.

    Attributes:
        title: Its name in the paper.
        targets: The classes that the paper explains: those with a ground truth, and the digit that it shows.
        num_layers: Layers of the paper's GCN for it.
        num_sweeps: How many seeds have sweeps; one where they take long.
        cpu_stride: On a CPU only every so many-th graph is taken, else training would take hours.
    """

    title: str
    targets: tuple[int, ...]
    num_layers: int = 3
    num_sweeps: int = 1
    cpu_stride: int = 1


SETS = {
    "ba-house": PaperSet(title="BA-house", targets=(1,), num_layers=2, num_sweeps=5),
    "ba-grid": PaperSet(title="BA-grid", targets=(1,), num_layers=2, num_sweeps=5),
    "solubility": PaperSet(title="Solubility", targets=(0, 1), num_sweeps=5),
    "mutagenicity": PaperSet(title="MUTAG", targets=(0,)),
    "benzene": PaperSet(title="Benzene", targets=(1,)),
    "mnist-sp": PaperSet(title="MNIST-sp", targets=(0,), cpu_stride=35),
}
WITH_TRUTH = ("ba-house", "ba-grid", "solubility", "mutagenicity", "benzene")
# Further data sets, which the paper does not have, by the names that they are shown by.
OTHERS = {"ba-2motifs": "BA-2motifs", "bbbp": "BBBP", "nci1": "NCI1", "imdb-binary": "IMDB-BINARY"}


def title_of(name: str, target: int | None = None) -> str:
    """What a data set is shown by, with the class where several of it are explained.

    >>> title_of("mutagenicity"), title_of("bbbp"), title_of("star-er"), title_of("solubility", 1)
    ('MUTAG', 'BBBP', 'star-er', 'Solubility, class 1')
    """
    title = SETS[name].title if name in SETS else OTHERS.get(name, name)
    return f"{title}, class {target}" if target is not None and len(SETS[name].targets) > 1 else title


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to measure, and by which means.

    Attributes:
        num_seeds: Seeds of all items but table1 and the sweeps, counted from 0.
        num_world_seeds: How many of these planted worlds have in the arena, where one takes a minute a seed; ``None``
            for all.
        is_quick: Whether fewer seeds, sets, graphs, models and epochs are taken, which all output is marked with.
        device: Where models are trained.
        data_root: Folder with the data sets' files; ``None`` for the default places.
        without: Data sets that are left out; ``"worlds"`` for the planted worlds.
    """

    num_seeds: int = 10
    num_world_seeds: int | None = None
    is_quick: bool = False
    device: str = "cpu"
    data_root: Path | None = None
    without: tuple[str, ...] = ()

    @property
    def seeds(self) -> tuple[int, ...]:
        """Of all items but table1 and the sweeps.

        >>> Settings(is_quick=True).seeds, Settings(num_seeds=3).seeds
        ((0, 1), (0, 1, 2))
        """
        return tuple(range(min(self.num_seeds, QUICK_SEEDS) if self.is_quick else self.num_seeds))

    def sets(self, names: Iterable[str]) -> tuple[str, ...]:
        """The data sets that are not left out; in a quick run the first of them.

        >>> Settings(without=("mnist-sp",)).sets(["ba-house", "mnist-sp"])
        ('ba-house',)
        """
        return self.fewer(tuple(name for name in names if name not in self.without))

    def fewer(self, values: tuple[Value, ...], num: int = 1) -> tuple[Value, ...]:
        """All values, or in a quick run the first ``num``."""
        return values[:num] if self.is_quick else values

    @property
    def num_graphs(self) -> int | None:
        """How many graphs of a data set are taken; ``None`` for all."""
        return QUICK_GRAPHS if self.is_quick else None

    @property
    def max_epochs(self) -> int:
        """Most epochs of a training."""
        return QUICK_EPOCHS if self.is_quick else 1000

    def stride(self, name: str) -> int:
        """Every so many-th graph of a data set is taken."""
        return SETS[name].cpu_stride if name in SETS and self.device == "cpu" and not self.is_quick else 1

    def seeds_of(self, name: str) -> tuple[int, ...]:
        """The seeds that are measured on a data set.

        >>> Settings().seeds_of("mnist-sp"), Settings(device="cuda").seeds_of("mnist-sp")
        ((0, 1), (0, 1, 2, 3, 4))
        """
        if self.stride(name) > 1:
            return self.seeds[:CPU_SEEDS]
        return self.seeds[:LARGE_SEEDS] if name in SETS and SETS[name].cpu_stride > 1 else self.seeds

    def sweep_seeds(self, name: str) -> tuple[int, ...]:
        """The seeds of its sweeps, among those that are measured."""
        return self.fewer(self.seeds_of(name)[: SETS[name].num_sweeps])

    def widths(self, name: str) -> tuple[int, ...]:
        """The widths of a layer in its consistency sweep."""
        widths = WIDTHS[SETS[name].num_layers]
        return widths[1::CPU_EVERY] if self.stride(name) > 1 else self.fewer(widths, 2)

    def wrong_percent(self, name: str) -> tuple[int, ...]:
        """The levels of wrong labels in its faithfulness sweep."""
        return WRONG_PERCENT[:: 5 if self.is_quick else CPU_EVERY if self.stride(name) > 1 else 1]

    def what_is_cut(self, name: str) -> str:
        """What is left out of a data set on a CPU, in words; empty where nothing is."""
        stride = self.stride(name)
        return f"on a CPU every {stride}th graph, few seeds and models" if stride > 1 else ""
