"""What a search did, and in how many graphs a prototype is found."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from protograph.explanation.codec import unfit

# Numbers that may be below 0 or in between; all others are counts.
_AMOUNTS = ("information", "contributions", "contribution_share")
# Counts of a part, and the field that counts the whole.
_WHOLES = {
    "num_in_class": "num_class",
    "num_elsewhere": "num_others",
    "node_graphs": "num_looked_at",
    "edge_graphs": "num_looked_at",
}


@dataclass(frozen=True, kw_only=True)
class Session:
    """One search session.

    Attributes:
        start: The tuple of nodes, one in each source graph, that it began with.
        probability: The model's probability of the target class for its best candidate.
        margin: The log-odds of the target class for that candidate.
        size: Number of nodes of that candidate.
        source: Index of the graph that candidate was cut from.
        stopped: Why it ended: ``"full"``, ``"exhausted"``, ``"dead end"`` or ``"max_iterations"``; ``"consensus"``
            for a session of that search, which always runs to its end.
        num_iterations: Steps made; parts weighed, in a session of the consensus search.
        is_exact: Whether the start and all steps, or the consensus, are proven to be the best ones.
    """

    start: tuple[int, ...]
    probability: float
    margin: float
    size: int
    source: int
    stopped: str
    num_iterations: int
    is_exact: bool = True


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """How a prototype is borne out by the graphs it was found in and the model's predictions for all of them.

    Attributes:
        num_in_class: How many of the graphs predicted as the class contain the prototype.
        num_class: How many graphs are predicted as the class.
        num_elsewhere: How many of the graphs predicted as another class contain it.
        num_others: How many graphs are predicted as another class.
        num_in_cluster: How many of the graphs of its cluster contain it.
        information: What knowing whether a graph contains it tells about whether the graph is of its cluster or of
            another class, in bits: 1 if everything, 0 where no graph is predicted as another class.
        node_sources: In how many of the k sources each node is found.
        edge_sources: In how many of the k sources each of :attr:`Prototype.edges` is found.
        node_graphs: In how many of ``num_looked_at`` graphs of the cluster each node is found: as a part of the largest
            connected part of the prototype that lies there; empty for a walk.
        edge_graphs: The same of each edge.
        num_looked_at: How many graphs of the cluster were searched for that.
        contributions: What each node adds to the class margin in its source graphs, the mean over its k counterparts;
            empty where it is not known.
        contribution_share: Share that its nodes have in the contributions of all nodes of its source graphs; ``None``
            where it is not known.
        steps: What led to it, a sentence a step.
    """

    num_in_class: int
    num_class: int
    num_elsewhere: int
    num_others: int
    num_in_cluster: int
    information: float
    node_sources: tuple[int, ...] = ()
    edge_sources: tuple[int, ...] = ()
    node_graphs: tuple[int, ...] = ()
    edge_graphs: tuple[int, ...] = ()
    num_looked_at: int = 0
    contributions: tuple[float, ...] = ()
    contribution_share: float | None = None
    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, place, number in self._numbers():
            if not math.isfinite(number):
                raise unfit(place, "a finite number", number)
            if name not in _AMOUNTS and number < 0:
                raise unfit(place, "a whole number of at least 0", number)
            whole = _WHOLES.get(name)
            if whole is not None and number > getattr(self, whole):
                raise unfit(place, f"at most {getattr(self, whole)}, which is {whole}", number)

    def _numbers(self) -> Iterator[tuple[str, str, float]]:
        """Every number with its field, and its place there."""
        for name, value in vars(self).items():
            is_list = isinstance(value, tuple | list)
            places = {f"{name}[{place}]": item for place, item in enumerate(value)} if is_list else {name: value}
            yield from ((name, place, item) for place, item in places.items() if not isinstance(item, str | None))

    @property
    def support(self) -> float:
        """Share of the graphs predicted as the class that contain it; NaN where there are none."""
        return self.num_in_class / self.num_class if self.num_class else math.nan

    @property
    def support_elsewhere(self) -> float:
        """Share of the graphs predicted as another class that contain it; NaN where there are none."""
        return self.num_elsewhere / self.num_others if self.num_others else math.nan
