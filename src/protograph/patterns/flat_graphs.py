"""Graphs end to end, for what goes through the nodes of all of them at once."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Ints
from protograph._base.growing import give_back
from protograph.graphs.encoding import EncodedGraphs, ranges
from protograph.patterns.pattern import Edge, Subgraph

Codes = NDArray[np.uint64]
Pairs = Sequence[tuple[int, int]]
_STIR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(31)
# Of the cells of all graphs' adjacency matrices that are looked up rather than searched for.
_MOST_CELLS = 2**26


class FlatGraphs:
    """The chosen graphs end to end, their nodes numbered throughout.

    Args:
        graphs: The graphs that they are of.
        chosen: Their indices.
        num_codes: Of how many kinds of nodes and of edges codes are drawn; by default of those that there are.
    """

    def __init__(self, graphs: EncodedGraphs, chosen: Ints, num_codes: tuple[int, int] | None = None) -> None:
        self.encoded, self.chosen = graphs, chosen
        sizes = graphs.nodes[chosen + 1] - graphs.nodes[chosen]
        old = ranges(graphs.nodes[chosen], sizes)
        self.sizes, self.first = sizes, sizes.cumsum() - sizes
        self.graph = np.repeat(np.arange(chosen.size), sizes)
        self.kinds = graphs.node_kinds[old].astype(np.int64)
        self.degrees = graphs.starts[old + 1] - graphs.starts[old]
        self.starts = self.degrees.cumsum() - self.degrees
        entries = ranges(graphs.starts[old], self.degrees)
        self.neighbours = graphs.neighbours[entries] + np.repeat(self.first[self.graph], self.degrees)
        self.edge_kinds = graphs.edge_kinds[entries].astype(np.int64)
        draw = np.random.default_rng(0)
        self.kind_codes, self.edge_codes, self.node_codes = (
            draw.integers(1, 2**63, size, dtype=np.uint64)
            for size in (*(num_codes or (_num_kinds(self.kinds), _num_kinds(self.edge_kinds))), self.kinds.size)
        )
        self._cells = np.concatenate([[0], (sizes * sizes).cumsum()])
        self._is_dense = bool(self._cells[-1] <= _MOST_CELLS)
        self._cell_base = (
            self._cells[self.graph] + (np.arange(self.kinds.size) - self.first[self.graph]) * sizes[self.graph]
        )
        self._cell_base -= self.first[self.graph]
        ends = np.repeat(np.arange(self.kinds.size), self.degrees)
        if self._is_dense:
            self._table = np.zeros(self._cells[-1], np.int32)
            self._table[self._cell(ends, self.neighbours)] = self.edge_kinds + 1
        else:
            self._keys = ends * self.kinds.size + self.neighbours

    @cached_property
    def nodes(self) -> Ints:
        """For each node where its neighbours begin and end, and its graph, as compiled loops read them."""
        return np.column_stack([self.starts, self.starts + self.degrees, self.graph])

    @cached_property
    def around(self) -> Ints:
        """The neighbours of all nodes, and the kinds of the edges to them."""
        return np.stack([self.neighbours, self.edge_kinds])

    def joined(self, one: Ints, other: Ints) -> Ints:
        """Kind of the edge between two nodes of one graph plus 1; 0 where there is none."""
        if self._is_dense:
            return self._table[self._cell(one, other)].astype(np.int64)
        if not self._keys.size:
            return np.zeros_like(one)
        keys = one * self.kinds.size + other
        place = np.searchsorted(self._keys, keys).clip(max=self._keys.size - 1)
        return np.where(self._keys[place] == keys, self.edge_kinds[place] + 1, 0)

    def _cell(self, one: Ints, other: Ints) -> Ints:
        cells: Ints = self._cell_base[one] + other
        return cells

    def own_numbers(self, nodes: Ints) -> list[int]:
        """Nodes of one graph by their numbers there."""
        return (nodes - self.first[self.graph[nodes]]).tolist()  # type: ignore[no-any-return]

    def pattern(self, nodes: Ints, edges: Iterable[tuple[int, int]]) -> tuple[int, Subgraph]:
        """The graph that nodes belong to, and they with some of its edges, by their places among them."""
        own = self.own_numbers(nodes)
        ends = frozenset[Edge]((min(own[i], own[j]), max(own[i], own[j])) for i, j in edges)
        return int(self.chosen[self.graph[nodes[0]]]), Subgraph(frozenset(own), ends)


def _num_kinds(kinds: NDArray[Any]) -> int:
    return int(kinds.max(initial=0)) + 1


def stirred(*columns: Codes) -> Codes:
    """A number that depends on all of them and their order."""
    code = np.zeros_like(columns[0])
    for column in columns:
        code = (code ^ column) * _STIR
        code ^= code >> _SHIFT
    return code


def graph_codes(flat: FlatGraphs, num_rounds: int = 3) -> Codes:
    """A number for each graph, equal where graphs differ only in the order of their nodes, and for few others."""
    colors = flat.kind_codes[flat.kinds]
    ends = np.repeat(np.arange(flat.kinds.size), flat.degrees)
    for _ in range(num_rounds):
        around = np.zeros_like(colors)
        np.add.at(around, ends, stirred(flat.edge_codes[flat.edge_kinds], colors[flat.neighbours]))
        colors = stirred(colors, around)
    codes = np.zeros(flat.chosen.size, np.uint64)
    np.add.at(codes, flat.graph, stirred(colors))
    return stirred(codes)


def all_graph_codes(graphs: EncodedGraphs, at_a_time: int = 2**13) -> Codes:
    """As :func:`graph_codes`, of all graphs, some at a time: what lies end to end takes many times their memory."""
    num_codes = _num_kinds(graphs.node_kinds), _num_kinds(graphs.edge_kinds)
    codes = np.zeros(len(graphs), np.uint64)
    for first in range(0, len(graphs), at_a_time):
        some = np.arange(first, min(first + at_a_time, len(graphs)))
        codes[some] = graph_codes(FlatGraphs(graphs, some, num_codes))
        give_back(graphs.nodes, graphs.starts, graphs.node_kinds, graphs.neighbours, graphs.edge_kinds)
    return codes
