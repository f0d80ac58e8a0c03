"""Graphs end to end, and sets of their nodes in arrays: grown a node at a time, told apart by a number, counted.

What a set of nodes looks like is told by colours that are refined as Weisfeiler and Leman do; of up to five nodes that
tells all graphs apart.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Bools, Ints
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.pattern import Edge, Pattern

Codes = NDArray[np.uint64]
Pairs = Sequence[tuple[int, int]]
# Beyond, refined colours no longer tell all graphs apart.
MOST_NODES = 5
_STIR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(31)
_CLOSED = np.uint64(0xD1B54A32D192ED03)
# Of the cells of all graphs' adjacency matrices that are looked up rather than searched for.
_MOST_CELLS = 2**26


class FlatGraphs:
    """The chosen graphs end to end, their nodes numbered throughout."""

    def __init__(self, graphs: EncodedGraphs, chosen: Ints) -> None:
        self.encoded, self.chosen = graphs, chosen
        sizes = (graphs.nodes[1:] - graphs.nodes[:-1])[chosen]
        old = ranges(graphs.nodes[chosen], sizes)
        self.sizes, self.first = sizes, sizes.cumsum() - sizes
        self.graph = np.repeat(np.arange(chosen.size), sizes)
        self.kinds = graphs.node_kinds[old].astype(np.int64)
        self.degrees = (graphs.starts[1:] - graphs.starts[:-1])[old]
        self.starts = self.degrees.cumsum() - self.degrees
        entries = ranges(graphs.starts[old], self.degrees)
        self.neighbours = graphs.neighbours[entries] + np.repeat(self.first[self.graph], self.degrees)
        self.edge_kinds = graphs.edge_kinds[entries].astype(np.int64)
        draw = np.random.default_rng(0)
        self.kind_codes, self.edge_codes, self.node_codes = (
            draw.integers(1, 2**63, size, dtype=np.uint64)
            for size in (int(self.kinds.max(initial=0)) + 1, int(self.edge_kinds.max(initial=0)) + 1, self.kinds.size)
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

    def pattern(self, nodes: Ints, edges: Iterable[tuple[int, int]]) -> tuple[int, Pattern]:
        """The graph that nodes belong to, and they with some of its edges, by their places among them."""
        own = self.own_numbers(nodes)
        ends = frozenset[Edge]((min(own[i], own[j]), max(own[i], own[j])) for i, j in edges)
        return int(self.chosen[self.graph[nodes[0]]]), Pattern(frozenset(own), ends)


def ranges(first: Ints, sizes: Ints) -> Ints:
    """The numbers from each first one on, so many each, end to end."""
    return np.arange(int(sizes.sum())) + np.repeat(first - (sizes.cumsum() - sizes), sizes)


def stirred(*columns: Codes) -> Codes:
    """A number that depends on all of them and their order."""
    code = np.zeros_like(columns[0])
    for column in columns:
        code = (code ^ column) * _STIR
        code ^= code >> _SHIFT
    return code


def connected_sets(flat: FlatGraphs, max_nodes: int, max_sets: int) -> Iterator[Ints]:
    """All sets of 1, 2, ... nodes that hang together, a row each, ascending."""
    sets = np.arange(flat.kinds.size)[:, None]
    yield sets
    while sets.shape[1] < max_nodes and flat.degrees[sets].sum() <= max_sets:
        sets = _grown_sets(flat, sets)
        if not sets.size:
            return
        yield sets


def _grown_sets(flat: FlatGraphs, sets: Ints) -> Ints:
    """All sets of a node more."""
    size = sets.shape[1]
    degrees = flat.degrees[sets].ravel()
    rows = np.repeat(np.arange(sets.size) // size, degrees)
    fresh = flat.neighbours[ranges(flat.starts[sets].ravel(), degrees)]
    is_new = (sets[rows] != fresh[:, None]).all(axis=1)
    rows, fresh = rows[is_new], fresh[is_new]
    codes = flat.node_codes[sets].sum(axis=1)[rows] + flat.node_codes[fresh]
    first = first_of_each(codes)
    return np.sort(np.column_stack([sets[rows[first]], fresh[first]]), axis=1)


def first_of_each(codes: Codes) -> Ints:
    """A place of each different code, in the order of the codes."""
    order = np.argsort(codes)
    ascending = codes[order]
    is_first = np.ones(codes.size, np.bool_)
    is_first[1:] = ascending[1:] != ascending[:-1]
    return order[is_first]


def codes_of(flat: FlatGraphs, sets: Ints, pairs: Pairs, edges: Ints, closed: Bools | None = None) -> Codes:
    """A number for each row that is equal where what it stands for is.

    Args:
        flat: The graphs.
        sets: Nodes, a row each.
        pairs: Pairs of columns.
        edges: For each pair and row the kind of the edge plus 1, or 0.
        closed: For each column and row whether the node must have no other neighbours.
    """
    size = sets.shape[1]
    colors = [flat.kind_codes[flat.kinds[sets[:, i]]] for i in range(size)]
    if closed is not None:
        colors = [np.where(flags, color ^ _CLOSED, color) for color, flags in zip(colors, closed, strict=True)]
    for _ in range(0 if size == 1 else 1 if size < 4 else 2):
        around = [np.zeros(len(sets), np.uint64) for _ in range(size)]
        for (i, j), kinds in zip(pairs, edges, strict=True):
            is_joined = kinds > 0
            codes = np.where(is_joined, flat.edge_codes[np.maximum(kinds - 1, 0)], np.uint64(0))
            around[i] += np.where(is_joined, stirred(codes, colors[j]), np.uint64(0))
            around[j] += np.where(is_joined, stirred(codes, colors[i]), np.uint64(0))
        colors = [stirred(color, sums) for color, sums in zip(colors, around, strict=True)]
    return stirred(sum((stirred(color) for color in colors), np.zeros(len(sets), np.uint64)))


class CountedRows:
    """Rows of nodes by their codes: for each code an example, the graphs and the number of places in each.

    Places differ unless they have the same nodes.
    """

    def __init__(self, flat: FlatGraphs, rows: Ints, codes: Codes, *, are_distinct: bool = True) -> None:
        different = np.arange(len(rows))
        if not are_distinct:
            different = first_of_each(stirred(codes, flat.node_codes[rows].sum(axis=1)))
        rows, codes = rows[different], codes[different]
        graph = flat.graph[rows[:, 0]]
        order = np.lexsort((graph, codes))
        codes, graph = codes[order], graph[order]
        is_new = np.ones(codes.size, np.bool_)
        is_new[1:] = (codes[1:] != codes[:-1]) | (graph[1:] != graph[:-1])
        at = np.flatnonzero(is_new)
        self._graphs, self._places = graph[at], np.diff(np.append(at, codes.size))
        is_first = np.ones(at.size, np.bool_)
        is_first[1:] = codes[at][1:] != codes[at][:-1]
        self._bounds = np.append(np.flatnonzero(is_first), at.size)
        self.examples: Ints = different[order[at[is_first]]]

    def num_graphs(self, number: int) -> int:
        """How many graphs a code was found in."""
        return int(self._bounds[number + 1] - self._bounds[number])

    def add_to(self, places: Ints, number: int) -> None:
        """Add the number of places of a code to those of each graph."""
        own = slice(self._bounds[number], self._bounds[number + 1])
        places[self._graphs[own]] += self._places[own]


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
