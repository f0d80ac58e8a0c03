"""What is to be drawn of prototypes: each by itself, and in the graph it was cut from. Laid out once, drawn often."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from torch_geometric.data import Data

from protograph.explanation import Explanation, Prototype
from protograph.graphs.cutting import induced_subgraph
from protograph.report.layout import Edges, Positions, layout, node_count, undirected_edges

# Of a larger source graph only the surroundings of the prototype are drawn: more nodes cannot be told apart.
MAX_SOURCE_NODES = 500


@dataclass(frozen=True)
class Highlight:
    """The part of a graph that is drawn in full colour, everything else pale.

    Attributes:
        nodes: Its nodes.
        edges: Its edges, ``[num_edges, 2]``.
        loops: Its nodes that are joined to themselves.
    """

    nodes: Sequence[int]
    edges: Edges
    loops: Edges


@dataclass(frozen=True)
class View:
    """A graph, where its nodes are, and how strongly each part of it is drawn.

    Attributes:
        graph: The graph.
        positions: Where its nodes are.
        part: What is highlighted; ``None`` draws everything in full colour.
        node_shares: 1 draws a node in full, less draws it paler; where it is empty, all are drawn in full.
        edge_shares: The same for edges, by their two nodes, the lower one first; others are drawn in full.
    """

    graph: Data
    positions: Positions
    part: Highlight | None = None
    node_shares: Sequence[float] = ()
    edge_shares: Mapping[tuple[int, int], float] = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    """A prototype's pictures.

    Attributes:
        prototype: The prototype.
        number: Its number in its class, from 1.
        alone: The prototype itself.
        within: The source graph with the prototype highlighted; ``None`` where it was not cut from a graph.
        num_source_nodes: Number of nodes of the source graph, drawn or not.
    """

    prototype: Prototype
    number: int
    alone: View
    within: View | None = None
    num_source_nodes: int | None = None

    @property
    def views(self) -> list[View]:
        """All that is drawn."""
        return [self.alone] if self.within is None else [self.alone, self.within]


@dataclass(frozen=True)
class ClassScenes:
    """A class and the scenes of its prototypes, best first."""

    explanation: Explanation
    scenes: list[Scene]


def lay_out(explanations: Iterable[Explanation]) -> list[ClassScenes]:
    """Lay out all prototypes of some classes."""
    return [
        ClassScenes(one, [scene_of(one, prototype, number) for number, prototype in enumerate(one.prototypes, start=1)])
        for one in explanations
    ]


def scene_of(explanation: Explanation, prototype: Prototype, number: int = 1) -> Scene:
    """Lay out a prototype and its source graph; nodes have the same places in both where there is a source."""
    shares = _shares(prototype)
    source = None if prototype.source is None else explanation.source_graphs.get(prototype.source)
    if source is None or prototype.nodes is None:
        return Scene(prototype, number, View(prototype.graph, layout(prototype.graph), None, *shares))
    num_nodes, nodes = node_count(source), list(prototype.nodes)
    if num_nodes > MAX_SOURCE_NODES:
        # The prototype's nodes come first, in their own order.
        source = induced_subgraph(source, nearest_nodes(source, nodes, MAX_SOURCE_NODES))
        nodes = list(range(len(nodes)))
    edges, loops = undirected_edges(prototype.graph)
    index = np.asarray(nodes, dtype=np.int64)
    part = Highlight(nodes, index[edges], index[loops])
    positions = layout(source, nodes, part.edges)
    alone = View(prototype.graph, positions[index], None, *shares)
    return Scene(prototype, number, alone, View(source, positions, part), num_nodes)


def _shares(prototype: Prototype) -> tuple[list[float], dict[tuple[int, int], float]]:
    """In which share of the graphs looked at each node and each edge is found; nothing where none were."""
    evidence = prototype.evidence
    if evidence is None or not evidence.num_looked_at:
        return [], {}
    total = evidence.num_looked_at
    edges = zip(prototype.edges, (number / total for number in evidence.edge_graphs), strict=False)
    return [number / total for number in evidence.node_graphs], dict(edges)


def nearest_nodes(graph: Data, nodes: Sequence[int], limit: int) -> list[int]:
    """The given nodes and those around them, nearest first, at most ``limit``.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]), num_nodes=5)
    >>> nearest_nodes(path, [3], 4)
    [3, 2, 4, 1]
    """
    edges, _ = undirected_edges(graph)
    both_ways = np.concatenate([edges, edges[:, ::-1]])
    nearest = list(dict.fromkeys(nodes))
    is_new = np.ones(node_count(graph), dtype=bool)
    ring = np.array(nearest, dtype=np.int64)
    while len(ring) and len(nearest) < limit:
        is_new[ring] = False
        around = both_ways[np.isin(both_ways[:, 0], ring), 1]
        ring = np.unique(around[is_new[around]])
        nearest.extend(ring.tolist())
    return nearest[: max(limit, len(set(nodes)))]
