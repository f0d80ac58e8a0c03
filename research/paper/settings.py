"""What a reproduction is asked to measure."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")
# A quick run shows that all works, not what comes out: so many seeds, graphs and epochs.
QUICK_SEEDS, QUICK_GRAPHS, QUICK_EPOCHS = 2, 160, 12
# What planted worlds are left out by, as data sets are by their names.
WORLDS = "worlds"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to measure, and by which means.

    Attributes:
        seeds: Of all items but table1 and the sweeps.
        table1_seeds: Of table1.
        num_world_seeds: How many of ``seeds`` planted worlds have in the arena, where one takes a minute a seed;
            ``None`` for all.
        is_quick: Whether fewer seeds, sets, graphs, models and epochs are taken, which all output is marked with.
        device: Where models are trained.
        data_root: Folder with the data sets' files; ``None`` for the default places.
        without: Data sets that are left out; ``"worlds"`` for the planted worlds.
        any_versions: Whether a finished cell counts whatever versions measured it; its origin is shown.
        jobs: How many cells are measured at once, each in a process of its own; no result depends on it.

    >>> Settings(is_quick=True).seeds
    (0, 1)
    """

    seeds: tuple[int, ...] = tuple(range(10))
    table1_seeds: tuple[int, ...] = tuple(range(5))
    num_world_seeds: int | None = None
    is_quick: bool = False
    device: str = "cpu"
    data_root: Path | None = None
    without: tuple[str, ...] = ()
    any_versions: bool = False
    jobs: int = 1

    def __post_init__(self) -> None:
        if self.num_world_seeds is not None and not 1 <= self.num_world_seeds <= len(self.seeds):
            raise ValueError(
                f"num_world_seeds must be from 1 to the number of seeds, {len(self.seeds)}, got {self.num_world_seeds}"
            )
        for name in ("seeds", "table1_seeds"):
            seeds = getattr(self, name)
            if not seeds or len(set(seeds)) != len(seeds) or min(seeds) < 0:
                raise ValueError(f"{name} must be different whole numbers of at least 0, at least one, got {seeds}")
            if self.is_quick:
                object.__setattr__(self, name, seeds[:QUICK_SEEDS])
        if self.jobs < 1:
            raise ValueError(f"jobs must be at least 1, got {self.jobs}")

    @property
    def world_seeds(self) -> tuple[int, ...]:
        """The seeds of planted worlds in the arena.

        >>> Settings(num_world_seeds=3).world_seeds
        (0, 1, 2)
        """
        return self.seeds[: self.num_world_seeds]

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
