"""k graphs laid out together for the compiled searches, and which of their nodes may stand for each other."""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Ints
from protograph.graphs.conditions import Match
from protograph.graphs.encoding import EncodedGraphs


class JointGraphs:
    """k graphs in one place.

    Args:
        graphs: The k graphs, of which each edge counts once, whichever way it goes.
        match_features: Which nodes may stand for each other. ``True``: those with equal rows of ``x``. ``False``: all.
            A reading: those with equal codes. Without ``x`` all may.
        match_edges: Whether edges with different ``edge_attr`` are of different kinds, or a rule for that.

    Attributes:
        offsets: Node ``i`` of graph ``q`` has the joint number ``offsets[q] + i``; length k + 1.
        starts: The neighbours of joint node ``v`` are ``neighbours[starts[v]:starts[v + 1]]``.
        neighbours: Numbers of neighbours within their own graph, ascending, without the node itself.
        edge_kinds: Kind of each of those edges; only edges of one kind may stand for each other.
        reversed_edges: The kind of each kind of edge as seen from its other end.
        kinds: Of each graph the kinds of its nodes; all the same unless features must be equal.
        encoded: The graphs, with these kinds.
    """

    def __init__(self, graphs: Sequence[Data], match_features: Match = True, *, match_edges: Match = False) -> None:
        encoded = EncodedGraphs(graphs, match_features=match_features, match_edges=match_edges)
        self.encoded, self.k = [encoded[q] for q in range(len(graphs))], len(graphs)
        self.sizes = tuple(graph.num_nodes for graph in self.encoded)
        self.offsets, self.starts = encoded.nodes, encoded.starts
        self.neighbours, self.edge_kinds = encoded.neighbours.astype(np.int64), encoded.edge_kinds.astype(np.int64)
        self.reversed_edges: Ints = encoded.reversed_edges.astype(np.int64)
        self.kinds: list[Ints] = [graph.node_kinds.astype(np.int64) for graph in self.encoded]
        self._agree: dict[tuple[int, int], Bools] = {}

    def agree(self, q: int, r: int) -> Bools:
        """Which nodes of graph ``q`` agree with which of graph ``r``, ``[num_nodes_q, num_nodes_r]``."""
        if q > r:
            return self.agree(r, q).T
        if (q, r) not in self._agree:
            self._agree[q, r] = self.kinds[q][:, None] == self.kinds[r][None, :]
        return self._agree[q, r]

    def mask(self) -> Bools:
        """Which tuples agree, every two of their nodes, an axis a graph."""
        return self.agrees(np.ix_(*map(np.arange, self.sizes)))

    def fits(self, choices: Ints, axis: int, among: Iterable[int] | None = None) -> Bools:
        """Which nodes of graph ``axis`` agree with each tuple's nodes of the other graphs, or of those ``among``.

        Args:
            choices: ``[num_tuples, k]``; the nodes of one tuple agree with each other.
            axis: The graph.
            among: Graphs that count; all but ``axis`` by default.

        Returns:
            ``[num_tuples, num_nodes]``.
        """
        fits: Bools = np.ones((len(choices), self.sizes[axis]), dtype=np.bool_)
        for q in range(self.k) if among is None else among:
            if q != axis:
                fits = fits & self.agree(q, axis)[choices[:, q]]
        return fits

    def agrees(self, nodes: Sequence[Ints]) -> Bools:
        """Which tuples agree, every two of their nodes; of each graph an array of nodes, broadcast with the others."""
        agrees: Bools = np.ones((1,) * nodes[0].ndim, dtype=np.bool_)
        for q, r in combinations(range(self.k), 2):
            agrees = agrees & self.agree(q, r)[nodes[q], nodes[r]]
        return agrees

    def around(self, q: int, node: int) -> tuple[Ints, Ints]:
        """Neighbours of a node of graph ``q``, and the kinds of the edges to them."""
        number = self.offsets[q] + node
        window = slice(self.starts[number], self.starts[number + 1])
        return self.neighbours[window], self.edge_kinds[window]

    def edges(self, q: int) -> tuple[Ints, Ints, Ints]:
        """Both ends, the lower first, and the kind of each edge of graph ``q``."""
        first, last = self.offsets[q], self.offsets[q + 1]
        window = slice(self.starts[first], self.starts[last])
        source = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        target = self.neighbours[window]
        once = source < target
        return source[once], target[once], self.edge_kinds[window][once]
