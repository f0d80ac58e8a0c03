"""Planted worlds: graphs whose classes are decided by motifs planted in them, and by whether a pattern holds.

Plain Python, nothing shared with the library.

A graph has as many nodes and edges as are drawn for it, whatever its class: what its motifs leave of them, its
background takes. What came about by chance is looked for, and a graph in which another reason holds than the one meant
is drawn again.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from torch_geometric.data import Data

Edge = tuple[int, int]
# Of the same numbers of nodes and edges, before others are drawn: few draws favour what is easy to plant.
MOST_TRIES = 100
MOST_DRAWS = 50


@dataclass(frozen=True, kw_only=True)
class Sketch:
    """A small graph as plain data.

    Attributes:
        num_nodes: Number of nodes.
        edges: Each undirected edge once.
        colours: Colour of each node; none where any will do.
        edge_kinds: Kind of each edge; none where any will do.
        anchors: Nodes by which it may be linked to a background; none for all.
    """

    num_nodes: int
    edges: tuple[Edge, ...]
    colours: tuple[int, ...] = ()
    edge_kinds: tuple[int, ...] = ()
    anchors: tuple[int, ...] = ()

    @property
    def num_cycles(self) -> int:
        """Edges beyond those of a tree."""
        return len(self.edges) - self.num_nodes + 1


@dataclass(frozen=True, kw_only=True)
class PlantedPattern:
    """A pattern as :class:`protograph.Pattern` says it: as a part or induced, with closed nodes, in so many places."""

    sketch: Sketch
    kind: str = "part"
    closed: tuple[int, ...] = ()
    at_least: int = 1


class Adjacency:
    """A graph as its neighbours, with colours of nodes and kinds of edges where it has them."""

    def __init__(self, num_nodes: int, edges: Sequence[Edge], colours: Sequence[int], edge_kinds: Sequence[int]):
        self.neighbours: list[dict[int, int | None]] = [{} for _ in range(num_nodes)]
        kinds: Sequence[int | None] = edge_kinds or [None] * len(edges)
        for (u, v), kind in zip(edges, kinds, strict=True):
            self.neighbours[u][v] = self.neighbours[v][u] = kind
        self.colours = colours

    @classmethod
    def of(cls, sketch: Sketch) -> "Adjacency":
        """The adjacency of a sketch."""
        return cls(sketch.num_nodes, sketch.edges, sketch.colours, sketch.edge_kinds)

    @classmethod
    def of_graph(cls, graph: Data) -> "Adjacency":
        """The adjacency of a graph whose ``x`` and ``edge_attr`` are one-hot."""
        edges = [tuple(edge) for edge in graph.edge_index.T.tolist()]
        colours = [] if graph.x is None else graph.x.argmax(dim=1).tolist()
        kinds = [] if graph.edge_attr is None else graph.edge_attr.argmax(dim=1).tolist()
        return cls(graph.num_nodes, edges, colours, kinds)


def holds(pattern: PlantedPattern, graph: Adjacency) -> bool:
    """Whether a pattern is in a graph in as many places as it asks for, places having different nodes.

    >>> pair = PlantedPattern(sketch=Sketch(num_nodes=2, edges=((0, 1),)), at_least=2)
    >>> holds(pair, Adjacency(3, [(0, 1), (1, 2)], [], [])), holds(pair, Adjacency(2, [(0, 1)], [], []))
    (True, False)
    """
    places: set[frozenset[int]] = set()
    for place in placements(pattern, graph):
        places.add(frozenset(place))
        if len(places) >= pattern.at_least:
            return True
    return False


def placements(pattern: PlantedPattern, graph: Adjacency) -> Iterator[tuple[int, ...]]:
    """All ways to lay the pattern's nodes on nodes of the graph, one after another along its edges."""
    wanted = Adjacency.of(pattern.sketch)
    order = _connected_order(wanted)
    induced = pattern.kind == "induced"

    def fits(node: int, place: int, at: dict[int, int]) -> bool:
        if pattern.sketch.colours and wanted.colours[node] != graph.colours[place]:
            return False
        if node in pattern.closed and len(graph.neighbours[place]) != len(wanted.neighbours[node]):
            return False
        for other, position in at.items():
            if other in wanted.neighbours[node]:
                kind = wanted.neighbours[node][other]
                if position not in graph.neighbours[place]:
                    return False
                if kind is not None and graph.neighbours[place][position] != kind:
                    return False
            elif induced and position in graph.neighbours[place]:
                return False
        return True

    def extended(at: dict[int, int]) -> Iterator[tuple[int, ...]]:
        if len(at) == len(order):
            yield tuple(at[node] for node in range(len(order)))
            return
        node = order[len(at)]
        before = [at[other] for other in wanted.neighbours[node] if other in at]
        taken = set(at.values())
        for place in graph.neighbours[before[0]] if before else range(len(graph.neighbours)):
            if place not in taken and fits(node, place, at):
                yield from extended({**at, node: place})

    return extended({})


def _connected_order(graph: Adjacency) -> list[int]:
    order = [max(range(len(graph.neighbours)), key=lambda node: len(graph.neighbours[node]))]
    while len(order) < len(graph.neighbours):
        beside = {other for node in order for other in graph.neighbours[node]} - set(order)
        order.append(max(sorted(beside), key=lambda node: len(graph.neighbours[node].keys() & set(order))))
    return order


# A background: its number of nodes and of edges beyond those of a tree, and the generator; None where that cannot be.
Background = Callable[[int, int, np.random.Generator], "list[Edge] | None"]


def random_tree(num_nodes: int, num_cycles: int, rng: np.random.Generator) -> list[Edge] | None:
    """A tree in which each node joins any of those before it, with long rings."""
    tree = [(int(rng.integers(node)), node) for node in range(1, num_nodes)]
    return with_long_rings(tree, num_nodes, num_cycles, rng)


def barabasi_albert_1(num_nodes: int, num_cycles: int, rng: np.random.Generator) -> list[Edge] | None:
    """A Barabási-Albert tree, with long rings."""
    ends, edges = [0], []
    for node in range(1, num_nodes):
        edges.append((ends[rng.integers(len(ends))], node))
        ends += edges[-1]
    return with_long_rings(edges, num_nodes, num_cycles, rng)


def barabasi_albert_2(num_nodes: int, num_cycles: int, rng: np.random.Generator) -> list[Edge] | None:
    """A Barabási-Albert graph in which nodes bring two edges each until there are enough, then one."""
    if num_cycles > num_nodes - 2:
        return None
    ends, edges = [0, 0, 1], [(0, 1)]
    for node in range(2, num_nodes):
        targets: set[int] = set()
        while len(targets) < (2 if num_cycles > 0 else 1):
            targets.add(ends[rng.integers(len(ends))])
        num_cycles -= len(targets) - 1
        edges += [(target, node) for target in sorted(targets)]
        ends += [end for target in sorted(targets) for end in (target, node)]
    return edges


def erdos_renyi(num_nodes: int, num_cycles: int, rng: np.random.Generator) -> list[Edge] | None:
    """A connected graph with edges anywhere."""
    edges = {(int(rng.integers(node)), node) for node in range(1, num_nodes)}
    free = [pair for pair in combinations(range(num_nodes), 2) if pair not in edges]
    if num_cycles > len(free):
        return None
    chosen: Sequence[int] = rng.choice(len(free), size=num_cycles, replace=False).tolist() if num_cycles else ()
    return sorted(edges) + [free[number] for number in chosen]


def chain(num_nodes: int, num_cycles: int, rng: np.random.Generator) -> list[Edge] | None:
    """A path with a few nodes beside it, with long rings."""
    edges = []
    for node in range(1, num_nodes):
        edges.append((node - 1 if node < 3 or rng.random() < 0.8 else int(rng.integers(node - 1)), node))
    return with_long_rings(edges, num_nodes, num_cycles, rng)


def ladder(num_nodes: int, num_cycles: int, rng: np.random.Generator) -> list[Edge] | None:
    """A ladder with as many squares as rings are wanted, and a path at its end."""
    length = 2 * (num_cycles + 1) if num_cycles else 1
    if length > num_nodes:
        return None
    edges = [(node - 2, node) for node in range(2, length)] + [(node, node + 1) for node in range(0, length - 1, 2)]
    return edges + [(node - 1, node) for node in range(length, num_nodes)]


def with_long_rings(
    edges: list[Edge], num_nodes: int, num_cycles: int, rng: np.random.Generator, least: int = 7
) -> list[Edge] | None:
    """Edges, and further ones between nodes so far from each other that rings have at least so many nodes."""
    edges = list(edges)
    for _ in range(num_cycles):
        graph = Adjacency(num_nodes, edges, [], [])
        start = rng.permutation(num_nodes)
        pair = next(((int(u), v) for u in start[:5] for v in _beyond(graph, int(u), least - 1, rng)), None)
        if pair is None:
            return None
        edges.append(pair)
    return edges


def _beyond(graph: Adjacency, start: int, distance: int, rng: np.random.Generator) -> list[int]:
    """A node at least so far from another, if there is one."""
    near, border = {start}, {start}
    for _ in range(distance - 1):
        border = {other for node in border for other in graph.neighbours[node]} - near
        near |= border
    far = [node for node in range(len(graph.neighbours)) if node not in near]
    return [far[rng.integers(len(far))]] if far else []


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What motifs are planted in.

    Attributes:
        background: Makes the edges.
        palette: How often each colour is drawn; one column of ones where it is empty.
        edge_palette: How often each kind of edge is drawn; no edge attributes where it is empty.
        sizes: Least and most nodes of a graph.
        cycles: Least and most edges beyond those of a tree and of the way with the most of them.
        cycles_per_node: Further ones for each node.
        second_link: How often a motif is linked to the background twice.
    """

    background: Background
    palette: tuple[float, ...] = ()
    edge_palette: tuple[float, ...] = ()
    sizes: tuple[int, int] = (18, 36)
    cycles: tuple[int, int] = (0, 1)
    cycles_per_node: float = 0.0
    second_link: float = 0.2


@dataclass(frozen=True, kw_only=True)
class RawGraph:
    """A graph with its colours and kinds of edges, before it is a ``Data``."""

    num_nodes: int
    edges: list[Edge]
    colours: list[int]
    edge_kinds: list[int]

    @property
    def adjacency(self) -> Adjacency:
        """Its neighbours."""
        return Adjacency(self.num_nodes, self.edges, self.colours, self.edge_kinds)


def drawn_size(ground: Ground, most_cycles: int, rng: np.random.Generator) -> tuple[int, int]:
    """A number of nodes, and of edges beyond those of a tree, of which motifs take at most ``most_cycles``."""
    num_nodes = int(rng.integers(ground.sizes[0], ground.sizes[1] + 1))
    beyond = int(rng.integers(ground.cycles[0], ground.cycles[1] + 1))
    return num_nodes, most_cycles + beyond + round(ground.cycles_per_node * num_nodes)


def planted(
    motifs: Sequence[Sketch], ground: Ground, num_nodes: int, num_cycles: int, rng: np.random.Generator
) -> RawGraph | None:
    """A background with motifs linked to it; ``None`` where the numbers leave no room."""
    size = num_nodes - sum(motif.num_nodes for motif in motifs)
    rings = num_cycles - sum(motif.num_cycles for motif in motifs)
    twice = [rng.random() < ground.second_link and motif.num_nodes > 1 for motif in motifs]
    while sum(twice) > max(rings, 0):
        twice[twice.index(True)] = False
    edges = ground.background(size, rings - sum(twice), rng) if size >= 3 and rings >= 0 else None
    if edges is None:
        return None
    colours, kinds = [-1] * size, [-1] * len(edges)
    for motif, is_twice in zip(motifs, twice, strict=True):
        start = len(colours)
        links = _links(motif, size, 1 + is_twice, rng)
        if links is None:
            return None
        edges += [(u + start, v + start) for u, v in motif.edges] + [(place, node + start) for place, node in links]
        colours += motif.colours or [-1] * motif.num_nodes
        kinds += [*(motif.edge_kinds or [-1] * len(motif.edges)), *[-1] * len(links)]
    return _shuffled(edges, _drawn(colours, ground.palette, rng), _drawn(kinds, ground.edge_palette, rng), rng)


def _links(motif: Sketch, size: int, number: int, rng: np.random.Generator) -> list[Edge] | None:
    """Pairs of a node of the background and one of the motif, all nodes different."""
    anchors = motif.anchors or tuple(range(motif.num_nodes))
    if number > len(anchors) or number > size:
        return None
    places = rng.choice(size, size=number, replace=False)
    return list(zip(places.tolist(), rng.choice(anchors, size=number, replace=False).tolist(), strict=True))


def _drawn(given: Sequence[int], palette: Sequence[float], rng: np.random.Generator) -> list[int]:
    """What is given, and draws from the palette in place of -1; nothing where there is no palette."""
    if not palette:
        return []
    drawn = rng.choice(len(palette), size=len(given), p=np.array(palette) / sum(palette)).tolist()
    return [own if own >= 0 else other for own, other in zip(given, drawn, strict=True)]


def _shuffled(edges: list[Edge], colours: list[int], kinds: list[int], rng: np.random.Generator) -> RawGraph:
    num_nodes = 1 + max(node for edge in edges for node in edge)
    place = rng.permutation(num_nodes).tolist()
    by_place = sorted(range(num_nodes), key=place.__getitem__)
    return RawGraph(
        num_nodes=num_nodes,
        edges=[(place[u], place[v]) for u, v in edges],
        colours=[colours[node] for node in by_place] if colours else [],
        edge_kinds=kinds,
    )


def as_data(raw: RawGraph, label: int, ground: Ground) -> Data:
    """The graph with its label: one-hot colours or a column of ones, and one-hot kinds of edges where there are any."""
    pairs = torch.tensor(raw.edges).T
    edge_index = torch.cat([pairs, pairs.flip(0)], dim=1)
    order = (edge_index[0] * raw.num_nodes + edge_index[1]).argsort()
    graph = Data(
        x=_one_hot(raw.colours, len(ground.palette)) if raw.colours else torch.ones(raw.num_nodes, 1),
        edge_index=edge_index[:, order].contiguous(),
        y=torch.tensor([label]),
    )
    if raw.edge_kinds:
        graph.edge_attr = _one_hot(raw.edge_kinds * 2, len(ground.edge_palette))[order]
    return graph


def _one_hot(values: Collection[int], num_columns: int) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.tensor(list(values)), num_columns).float()


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
    ways: np.ndarray


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


def labels_of(graphs: Sequence[Data]) -> np.ndarray:
    """The class of each graph."""
    return np.array([int(graph.y) for graph in graphs])


def cues(graphs: Sequence[Data]) -> dict[str, np.ndarray]:
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


def best_cut(values: np.ndarray, labels: np.ndarray) -> float:
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
