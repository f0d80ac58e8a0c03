"""What is to be drawn of a prototype: itself, and the graph it was cut from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch_geometric.data import Data

from protograph.explanation.explanation import Explanation, Prototype
from protograph.graphs.cutting import induced_subgraph
from protograph.report.layout import Positions, layout, node_count, undirected_edges
from protograph.report.panel import Highlight, Shares

# Of a larger source graph only the surroundings of the prototype are drawn: more nodes cannot be told apart.
MAX_SOURCE_NODES = 500


@dataclass(frozen=True)
class View:
    """A graph, where its nodes are, what is highlighted, and how strongly each part is drawn."""

    graph: Data
    positions: Positions
    part: Highlight | None = None
    shares: Shares | None = None


@dataclass(frozen=True)
class Scene:
    """A prototype's pictures.

    Attributes:
        prototype: The prototype.
        alone: The prototype itself.
        within: The source graph with the prototype highlighted; ``None`` where it was not cut from a graph.
        num_source_nodes: Number of nodes of the source graph, drawn or not.
    """

    prototype: Prototype
    alone: View
    within: View | None = None
    num_source_nodes: int | None = None

    @property
    def graphs(self) -> list[Data]:
        """All graphs that are drawn."""
        return [self.alone.graph] if self.within is None else [self.alone.graph, self.within.graph]


def scene_of(explanation: Explanation, prototype: Prototype) -> Scene:
    """Lay out a prototype and its source graph; nodes have the same places in both where there is a source."""
    source = None if prototype.source is None else explanation.source_graphs.get(prototype.source)
    if source is None or prototype.nodes is None:
        return Scene(prototype, View(prototype.graph, layout(prototype.graph), shares=shares_of(prototype)))
    num_nodes = node_count(source)
    nodes = list(prototype.nodes)
    if num_nodes > MAX_SOURCE_NODES:
        drawn = nearest_nodes(source, nodes, MAX_SOURCE_NODES)
        # The prototype's nodes come first, in their own order.
        source, nodes = induced_subgraph(source, drawn), list(range(len(nodes)))
    edges, loops = undirected_edges(prototype.graph)
    index = np.asarray(nodes, dtype=np.int64)
    part = Highlight(nodes, index[edges], index[loops])
    positions = layout(source, nodes, part.edges)
    alone = View(prototype.graph, positions[index], shares=shares_of(prototype))
    return Scene(prototype, alone, View(source, positions, part), num_nodes)


def shares_of(prototype: Prototype) -> Shares | None:
    """In which share of the graphs looked at each node and edge is found; ``None`` where none were."""
    evidence = prototype.evidence
    if evidence is None or not evidence.num_looked_at:
        return None
    total = evidence.num_looked_at
    edges = dict(zip(prototype.edges, (found / total for found in evidence.edge_graphs), strict=False))
    return Shares([found / total for found in evidence.node_graphs], edges)


def nearest_nodes(graph: Data, nodes: Sequence[int], limit: int) -> list[int]:
    """The given nodes and those around them, nearest first, at most ``limit``.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]), num_nodes=5)
    >>> nearest_nodes(path, [3], 4)
    [3, 2, 4, 1]
    """
    edges, _ = undirected_edges(graph)
    found = list(dict.fromkeys(nodes))
    is_found = np.zeros(node_count(graph), dtype=bool)
    is_found[found] = True
    ring = is_found.copy()
    while len(found) < limit and ring.any():
        reached = np.concatenate([edges[ring[edges[:, 0]], 1], edges[ring[edges[:, 1]], 0]])
        fresh = np.unique(reached[~is_found[reached]])
        ring = np.zeros_like(is_found)
        ring[fresh] = True
        is_found |= ring
        found.extend(fresh.tolist())
    return found[: max(limit, len(set(nodes)))]
