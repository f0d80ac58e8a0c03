"""What a planted world is: the ways in which graphs of each class come about, and the reasons that decide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from research.paper.worlds.planting import (
    Ground,
    PlantedPattern,
    RawGraph,
    Sketch,
    as_data,
    drawn_size,
    holds,
    planted,
)

# Of the same numbers of nodes and edges, before others are drawn: few draws favour what is easy to plant.
MOST_TRIES = 100
MOST_DRAWS = 50


@dataclass(frozen=True, kw_only=True)
class PlantedReason:
    """Patterns that are all there, and patterns of which none is."""

    has: tuple[PlantedPattern, ...] = ()
    lacks: tuple[PlantedPattern, ...] = ()

    def holds(self, graph: RawGraph) -> bool:
        """Whether it holds in a graph."""
        adjacency = graph.adjacency
        return all(holds(one, adjacency) for one in self.has) and not any(holds(one, adjacency) for one in self.lacks)


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way in which graphs of a class come about.

    Attributes:
        share: Of the class.
        motifs: What is planted.
        reason: Which of the class's reasons holds, and no other of any class; ``None`` where none does.
    """

    share: float
    motifs: tuple[Sketch, ...]
    reason: int | None = None


@dataclass(frozen=True, kw_only=True)
class WorldClass:
    """The reasons of a class, and the ways in which its graphs come about."""

    reasons: tuple[PlantedReason, ...] = ()
    ways: tuple[Way, ...]


@dataclass(frozen=True, kw_only=True)
class PlantedGraphs:
    """Graphs in random order; for each the way it came about, counted over all classes."""

    graphs: list[Data]
    ways: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class World:
    """Classes that are decided by known reasons.

    Attributes:
        name: Of the world.
        kind: What sort of reason decides.
        ground: What motifs are planted in.
        classes: One entry a class.
        num_graphs: Of all classes together.
    """

    name: str
    kind: str
    ground: Ground
    classes: tuple[WorldClass, ...]
    num_graphs: int = 800

    @property
    def reasons(self) -> list[tuple[int, PlantedReason]]:
        """All planted reasons, each with its class."""
        return [(label, reason) for label, one in enumerate(self.classes) for reason in one.reasons]

    def make(self, rng: np.random.Generator) -> PlantedGraphs:
        """The graphs, in random order."""
        rows = [row for label in range(len(self.classes)) for row in self._of_class(label, rng)]
        order = rng.permutation(len(rows))
        return PlantedGraphs(graphs=[rows[i][0] for i in order], ways=np.array([rows[i][1] for i in order]))

    def summary(self, rng: np.random.Generator) -> str:
        """A line that says what it holds, and how far plain numbers tell its classes apart."""
        graphs = self.make(rng).graphs
        cuts = {name: round(best_cut(values, labels_of(graphs)), 2) for name, values in cues(graphs).items()}
        return f"{self.name:26} {self.kind:14} {len(graphs)} graphs, {len(self.reasons)} reasons, {cuts}"

    def _of_class(self, label: int, rng: np.random.Generator) -> Iterator[tuple[Data, int]]:
        ways = self.classes[label].ways
        first = sum(len(one.ways) for one in self.classes[:label])
        number = self.num_graphs // len(self.classes)
        ends = np.rint(np.cumsum([way.share for way in ways]) / sum(way.share for way in ways) * number).astype(int)
        for position, (way, count) in enumerate(zip(ways, np.diff(ends, prepend=0), strict=True)):
            for _ in range(count):
                yield as_data(self._one(label, way, rng), label, self.ground), first + position

    def _one(self, label: int, way: Way, rng: np.random.Generator) -> RawGraph:
        most = max(sum(motif.num_cycles for motif in way.motifs) for one in self.classes for way in one.ways)
        for _ in range(MOST_DRAWS):
            size = drawn_size(self.ground, most, rng)
            for _ in range(MOST_TRIES):
                graph = planted(way.motifs, self.ground, *size, rng)
                if graph is not None and self._is_as_meant(graph, label, way):
                    return graph
        raise ValueError(f"{self.name}: class {label} cannot be made in {MOST_DRAWS} draws of its size, {way}")

    def _is_as_meant(self, graph: RawGraph, label: int, way: Way) -> bool:
        """Whether the reason that is meant holds, and no other."""
        return all(
            reason.holds(graph) == (number == way.reason and owner == label)
            for owner, one in enumerate(self.classes)
            for number, reason in enumerate(one.reasons)
        )


def labels_of(graphs: Sequence[Data]) -> NDArray[np.int64]:
    """The class of each graph."""
    return np.array([int(graph.y) for graph in graphs])


def cues(graphs: Sequence[Data]) -> dict[str, NDArray[np.float64]]:
    """What needs no pattern: numbers of nodes and edges, degrees, colours and kinds of edges."""
    degrees = [np.bincount(graph.edge_index[0].numpy(), minlength=graph.num_nodes) for graph in graphs]
    values = {
        "nodes": [graph.num_nodes for graph in graphs],
        "edges": [graph.num_edges // 2 for graph in graphs],
        "largest degree": [one.max() for one in degrees],
        "leaves": [(one == 1).sum() for one in degrees],
    }
    if graphs[0].x.shape[1] > 1:
        values |= {f"colour {c}": [float(g.x[:, c].sum()) for g in graphs] for c in range(graphs[0].x.shape[1])}
    if graphs[0].edge_attr is not None:
        columns = range(graphs[0].edge_attr.shape[1])
        values |= {f"edge kind {c}": [float(g.edge_attr[:, c].sum()) for g in graphs] for c in columns}
    return {name: np.array(column, dtype=float) for name, column in values.items()}


def best_cut(values: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """Balanced accuracy of the best cut between two classes, over all pairs of classes.

    >>> best_cut(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    best = 0.5
    for one in range(labels.max()):
        for other in range(one + 1, labels.max() + 1):
            own, theirs = values[labels == one], values[labels == other]
            for cut in np.unique(values):
                best = max(best, 0.5 + abs((own <= cut).mean() - (theirs <= cut).mean()) / 2)
    return float(best)
