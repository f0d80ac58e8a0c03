"""All small connected sets of nodes of graphs, with the edges between them."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from protograph._base.arrays import Kinds
from protograph.patterns.flat_graphs import FlatGraphs, Pairs


class NodeSets(NamedTuple):
    """Sets of as many nodes each, graph by graph, as :mod:`.fragment_kernels` writes them down."""

    size: int
    rows: Kinds

    @property
    def nodes(self) -> Kinds:
        """Nodes of each set, the lowest first."""
        return self.rows[:, : self.size]

    @property
    def pairs(self) -> Pairs:
        """Places of two nodes each, as edges are told."""
        return list(combinations(range(self.size), 2))

    def edges(self, row: int) -> Pairs:
        """The places in a set that are joined."""
        kinds = self.rows[row, self.size : -1].tolist()
        return [pair for pair, kind in zip(self.pairs, kinds, strict=True) if kind]


def connected_sets(flat: FlatGraphs, max_nodes: int, max_sets: int) -> Iterator[NodeSets]:
    """All sets of 1, 2, ... nodes that hang together.

    Args:
        flat: The graphs.
        max_nodes: Most nodes of a set.
        max_sets: Most steps to a neighbour from all nodes of all sets of a size; where there are more, sets of a node
            more are not looked for.
    """
    singles = np.arange(flat.kinds.size, dtype=np.int32)
    sets = NodeSets(1, np.column_stack([singles, np.zeros_like(singles)]))
    yield sets
    while sets.size < max_nodes:
        steps = int(flat.degrees[sets.nodes].sum())
        if not 0 < steps <= max_sets:
            return
        # Of each set at least two nodes can be left out so that the others hang together: two steps lead to it.
        sets = _grown_sets(flat, sets.size + 1, steps // 2)
        if not len(sets.rows):
            return
        yield sets


def _grown_sets(flat: FlatGraphs, size: int, most: int) -> NodeSets:
    from protograph.patterns.fragment_kernels import ROOM_ROWS, grow_sets

    rows = np.empty((most, size + size * (size - 1) // 2 + 1), np.int32)
    room = np.zeros((ROOM_ROWS + size, max(flat.kinds.size, size + 1)), np.int64)
    return NodeSets(size, rows[: grow_sets(flat.nodes, flat.around, size, rows, room)])
