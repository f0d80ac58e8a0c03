"""Neighbours of the nodes of k graphs, laid out for compiled loops."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph.graphs.cleaning import node_count
from protograph.patterns.agreement import Agreement, equal_rows

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Structure:
    """Neighbour lists of k graphs in one place.

    Attributes:
        offsets: Node ``i`` of graph ``q`` has the joint number ``offsets[q] + i``; length k + 1.
        starts: The neighbours of joint node ``v`` are ``neighbours[starts[v]:starts[v + 1]]``.
        neighbours: Numbers of neighbours within their own graph, ascending, without the node itself.
        edge_kinds: A number for each of those edges; only edges of one kind may be walked together.
    """

    offsets: Ints
    starts: Ints
    neighbours: Ints
    edge_kinds: Ints

    def kinds_within(self, groups: Ints) -> Ints:
        """The kinds of edges told further apart by the feature groups (of all nodes) that they lead to."""
        per_graph = np.diff(self.starts[self.offsets])
        targets = self.neighbours + np.repeat(self.offsets[:-1], per_graph)
        kinds: Ints = self.edge_kinds * (groups.max() + 1) + groups[targets]
        return kinds

    def of(self, graph: int, node: int) -> tuple[Ints, Ints]:
        """Neighbours of a node, and the kinds of the edges to them."""
        number = self.offsets[graph] + node
        window = slice(self.starts[number], self.starts[number + 1])
        return self.neighbours[window], self.edge_kinds[window]


def build_structure(graphs: Sequence[Data], *, match_edges: bool = False) -> Structure:
    """Lay out the neighbours of ``graphs``.

    Args:
        graphs: Undirected graphs without repeated edges.
        match_edges: Whether edges with different ``edge_attr`` are of different kinds.
    """
    sizes = [node_count(graph) for graph in graphs]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    edges = [graph.edge_index.cpu().numpy() for graph in graphs]
    kinds = _edge_kinds(graphs) if match_edges else [np.zeros(e.shape[1], dtype=np.int64) for e in edges]
    source = np.concatenate([e[0] + offset for e, offset in zip(edges, offsets, strict=False)])
    target, kind = np.concatenate([e[1] for e in edges]), np.concatenate(kinds)
    own = np.concatenate([e[0] for e in edges]) == target
    source, target, kind = source[~own], target[~own], kind[~own]
    order = np.lexsort((target, source))
    starts = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=int(offsets[-1])))])
    return Structure(offsets, starts.astype(np.int64), target[order].astype(np.int64), kind[order].astype(np.int64))


def _edge_kinds(graphs: Sequence[Data]) -> list[Ints]:
    missing = [number for number, graph in enumerate(graphs) if graph.edge_attr is None]
    if missing:
        raise ValueError("match_edges=True needs edge_attr on every graph; the graphs have none")
    attributes = [graph.edge_attr.detach().cpu().unsqueeze(-1).flatten(1) for graph in graphs]
    return equal_rows([values.numpy() for values in attributes])


def reachable_counts(structure: Structure, agreement: Agreement, start: Sequence[int]) -> Ints:
    """Upper bound on how many nodes of each graph a walk from ``start`` can ever visit.

    A walk stays in its component, among nodes of a feature group that it can reach in every graph. Once a list has
    that many nodes, no step can make it grow. (Where a tolerance or a function decides, all nodes are one group.)
    """
    from protograph.page.walk.kernels import reachable

    groups = np.concatenate(agreement.groups)
    first = np.array(start, dtype=np.int64)
    counts: Ints = reachable(structure.offsets, structure.starts, structure.neighbours, groups, first)
    return counts
