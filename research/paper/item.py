"""An item of the paper: the cells it is measured by, and how they become tables, figures and findings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from research.paper.settings import Settings

if TYPE_CHECKING:
    from research.paper.lab import Lab
    from research.paper.sheet import Sheet

# Plain data: dict with text as keys, list, str, int, float (finite), bool, None.
JSON = Any
Key = tuple[str, ...]


@dataclass(frozen=True)
class Need:
    """Models that a cell works with, so that they are trained once and before the cells that share them.

    Attributes:
        kind: ``"model"``, or the kind of a sweep: ``"widths"`` or ``"wrong labels"``.
        name: The data set.
        seed: Of data, split and weights.
    """

    kind: str
    name: str
    seed: int

    def __str__(self) -> str:
        what = "training" if self.kind == "model" else f"training a sweep of {self.kind}"
        return f"{what}, {self.name}, seed {self.seed}"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The unit that is kept: a run that was broken off goes on after the last finished cell.

    Attributes:
        key: Unique within the item, such as ``("ba-house", "page", "seed 3")``.
        compute: Measures it; plain data, without numbers that are not finite.
        made_from: Options that the result depends on, beyond the key, versions and whether the run is quick.
        needs: Models that it works with. One that is not named is trained when it is asked for.
        seconds: About how long it takes on one core, without training; only for what is told of the time.
    """

    key: Key
    compute: Callable[["Lab"], JSON]
    made_from: Mapping[str, JSON] = field(default_factory=dict)
    needs: tuple[Need, ...] = ()
    seconds: float = 1.0


class Results(Mapping[Key, JSON]):
    """What the cells of an item gave, by key.

    Args:
        values: Result of each cell.
        settings: What was asked to be measured.
        seconds: How long each cell took.
        training_seconds: How long the models took that they need.
        origins: Where each cell was measured.
    """

    def __init__(
        self,
        values: Mapping[Key, JSON],
        settings: Settings,
        seconds: Mapping[Key, float],
        training_seconds: float = 0.0,
        origins: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._values, self.settings, self.seconds = dict(values), settings, dict(seconds)
        self.training_seconds, self.origins = training_seconds, origins

    def __getitem__(self, key: Key) -> JSON:
        return self._values[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def under(self, *start: str) -> dict[Key, JSON]:
        """Results whose keys begin so, by the rest of their keys.

        >>> results = Results({("a", "x"): 1, ("b", "x"): 2}, Settings(), {})
        >>> results.under("a")
        {('x',): 1}
        """
        return {key[len(start) :]: value for key, value in self.items() if key[: len(start)] == start}


@dataclass(frozen=True, kw_only=True)
class Item:
    """One table, figure or question of the paper.

    Attributes:
        name: What it is asked for by, in small letters.
        title: Its headline.
        question: What the paper asks.
        cells: What there is to measure; cheap.
        write: Turns the cells' results into tables, figures and findings.
        seeds: The seeds that it takes of those that are asked for; all by default.
    """

    name: str
    title: str
    question: str
    cells: Callable[[Settings], Sequence[Cell]]
    write: Callable[[Results, "Sheet"], None]
    seeds: Callable[[Settings], Sequence[int]] = lambda settings: settings.seeds
