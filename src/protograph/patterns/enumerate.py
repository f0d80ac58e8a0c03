"""All small connected patterns of graphs at once: which graphs have them, and in how many places.

Connected sets of nodes are grown and given numbers (codes) for what they make by the loops of
:mod:`.enumerate_kernels`; equal codes are the same pattern, and are counted graph by graph.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, groupby, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from protograph._utils.arrays import Bools, Ints, Kinds
from protograph.graphs.dataset import BLOCK
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs, ranges
from protograph.patterns.pattern import Edge, Subgraph, edge
from protograph.patterns.subgraph_isomorphism import neighbours_of

Codes = NDArray[np.uint64]
Pairs = Sequence[tuple[int, int]]
# Nodes of a set; beyond, codes no longer tell all graphs apart.
MOST_NODES = 5
# The edges that up to three nodes may have and hang together: of three a path around each of them, and the triangle.
_SHAPES: dict[int, tuple[Pairs, ...]] = {
    1: ((),),
    2: (((0, 1),),),
    3: (((0, 1), (0, 2)), ((0, 1), (1, 2)), ((0, 2), (1, 2)), ((0, 1), (0, 2), (1, 2))),
}
_STIR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(31)


@dataclass(frozen=True, eq=False)
class Fragment:
    """A small pattern, and where it lies.

    Attributes:
        source: A graph that has it.
        pattern: Its nodes and edges there.
        is_induced: Whether it was counted only where nodes that it does not join are not joined.
        closed: Those of its nodes that have no other neighbours, wherever it was counted.
        graphs: The graphs that have it, ascending.
        places: In how many different places each of them has it; two places differ unless they have the same nodes.
    """

    source: int
    pattern: Subgraph
    is_induced: bool
    closed: frozenset[int]
    graphs: Ints
    places: Ints

    @property
    def is_ring(self) -> bool:
        """Whether every node is joined to two others."""
        return all(len(others) == 2 for others in self.pattern.neighbours.values())


def fragments_by_reading(
    readings: Sequence[EncodedGraphs],
    chosen: Ints,
    *,
    max_nodes: int,
    max_ring: int,
    max_sets: int,
    min_graphs: int,
    min_nodes: int = 1,
) -> list[list[Fragment]]:
    """The connected patterns of few nodes, and rings, that lie in enough of the chosen graphs.

    Args:
        readings: All graphs, read in one or more ways, which differ in the kinds of nodes alone; the result has a list
            of patterns for each.
        chosen: Which of the graphs to look at, ascending.
        max_nodes: Most nodes of a pattern, at most five; three where some nodes have no other neighbours.
        max_ring: Most nodes of a ring.
        max_sets: Most steps to a neighbour from all nodes of all sets of a size; where there are more, larger sets are
            left out. So are longer rings where there are more from the ends of all paths.
        min_graphs: Fewest graphs that must have a pattern.
        min_nodes: Patterns of fewer nodes are left out.
    """
    countings = [_Counting(_FlatGraphs(graphs, chosen), min_graphs) for graphs in readings]
    result: list[list[Fragment]] = [[] for _ in readings]
    flat, largest = countings[0].flat, 0
    for sets in _connected_sets(flat, min(max_nodes, MOST_NODES), max_sets):
        largest = sets.size
        if largest < min_nodes:
            continue
        for counting, own in zip(countings, result, strict=True):
            own += counting.of_sets(sets)
            if largest in _SHAPES:
                own += counting.of_closed(sets)
    for rings in _rings(flat, max(largest + 1, min_nodes), max_ring, max_sets):
        for counting, own in zip(countings, result, strict=True):
            own += counting.of_rings(rings)
    return result


def graph_codes(graphs: EncodedGraphs, num_rounds: int = 3) -> Codes:
    """A number for each graph, equal where graphs differ only in the order of their nodes, and for few others."""
    draw = np.random.default_rng(0)
    kind_codes, edge_codes = (
        draw.integers(1, 2**63, 1 + kinds.max(initial=0), dtype=np.uint64)
        for kinds in (graphs.node_kinds, graphs.edge_kinds)
    )
    codes = np.zeros(len(graphs), np.uint64)
    for first in range(0, len(graphs), BLOCK):
        chosen = np.arange(first, min(first + BLOCK, len(graphs)))
        flat = _FlatGraphs(graphs, chosen)
        colors = kind_codes[flat.kinds]
        for _ in range(num_rounds):
            around = np.zeros_like(colors)
            np.add.at(around, flat.ends, stirred(edge_codes[flat.edge_kinds], colors[flat.neighbours]))
            colors = stirred(colors, around)
        np.add.at(codes, chosen[flat.graph], stirred(colors))
    return stirred(codes)


def stirred(*columns: Codes) -> Codes:
    """A number that depends on all of them and their order."""
    code = np.zeros_like(columns[0])
    for column in columns:
        code = (code ^ column) * _STIR
        code ^= code >> _SHIFT
    return code


# ---- graphs end to end ----------------------------------------------------------------------------------------------


class _FlatGraphs:
    """The chosen graphs end to end, their nodes numbered throughout.

    Args:
        graphs: The graphs that they are of.
        chosen: Their indices.
    """

    def __init__(self, graphs: EncodedGraphs, chosen: Ints) -> None:
        self.encoded, self.chosen, part = graphs, chosen, graphs.part(chosen)
        self.graph = np.repeat(np.arange(chosen.size), np.diff(part.nodes))
        self.first = part.nodes[self.graph]  # of each node, where its graph begins
        self.kinds, self.edge_kinds = part.node_kinds.astype(np.int64), part.edge_kinds.astype(np.int64)
        self.starts, self.degrees = part.starts, np.diff(part.starts)
        self.ends = np.repeat(np.arange(self.kinds.size), self.degrees)
        self.neighbours = part.neighbours + self.first[self.ends]
        self._keys = self.ends * self.kinds.size + self.neighbours  # ascending
        draw, numbers = np.random.default_rng(0), [1 + kinds.max(initial=0) for kinds in (self.kinds, self.edge_kinds)]
        self.kind_codes, self.edge_codes, self.node_codes = (
            draw.integers(1, 2**63, size, dtype=np.uint64) for size in (*numbers, self.kinds.size)
        )
        self.back_codes = self.edge_codes[graphs.reversed_edges[: self.edge_codes.size]]

    def joined(self, one: Ints, other: Ints) -> Ints:
        """Kind of the edge between two nodes of one graph plus 1; 0 where there is none."""
        if not self._keys.size:
            return np.zeros_like(one)
        keys = one * self.kinds.size + other
        place = np.searchsorted(self._keys, keys).clip(max=self._keys.size - 1)
        return np.where(self._keys[place] == keys, self.edge_kinds[place] + 1, 0)

    def pattern(self, nodes: Ints, edges: Iterable[tuple[int, int]]) -> tuple[int, Subgraph]:
        """The graph that nodes belong to, and they with some of its edges, by their places among them."""
        own = self.own_numbers(nodes)
        ends = frozenset[Edge](edge(own[i], own[j]) for i, j in edges)
        return int(self.chosen[self.graph[nodes[0]]]), Subgraph(frozenset(own), ends)

    def own_numbers(self, nodes: Ints) -> list[int]:
        """Nodes of one graph by their numbers there."""
        return (nodes - self.first[nodes]).tolist()  # type: ignore[no-any-return]


class _NodeSets(NamedTuple):
    """Sets of as many nodes each, graph by graph, as :mod:`.enumerate_kernels` writes them down."""

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


def _connected_sets(flat: _FlatGraphs, max_nodes: int, max_sets: int) -> Iterator[_NodeSets]:
    """All sets of 1, 2, ... nodes that hang together, up to a size where too many steps lead on from them."""
    from protograph.patterns.enumerate_kernels import ROOM_ROWS, grow_sets

    singles = np.arange(flat.kinds.size, dtype=np.int32)
    sets = _NodeSets(1, np.column_stack([singles, np.zeros_like(singles)]))
    yield sets
    while sets.size < max_nodes:
        steps, size = int(flat.degrees[sets.nodes].sum()), sets.size + 1
        if not 0 < steps <= max_sets:
            return
        # Of each set at least two nodes can be left out so that the others hang together: two steps lead to it.
        rows = np.empty((steps // 2, size + size * (size - 1) // 2 + 1), np.int32)
        room = np.zeros((ROOM_ROWS + size, max(flat.kinds.size, size + 1)), np.int64)
        around = np.stack([flat.neighbours, flat.edge_kinds])
        sets = _NodeSets(size, rows[: grow_sets(flat.starts, around, size, rows, room)])
        if not len(sets.rows):
            return
        yield sets


def _rings(flat: _FlatGraphs, min_nodes: int, max_nodes: int, max_sets: int) -> Iterator[Ints]:
    """All rings of so many nodes, a row each in the order around, begun at the lowest node."""
    paths = np.arange(flat.kinds.size)[:, None]
    while paths.shape[1] < max_nodes and flat.degrees[paths[:, -1]].sum() <= max_sets:
        last = paths[:, -1]
        rows = np.repeat(np.arange(len(paths)), flat.degrees[last])
        fresh = flat.neighbours[ranges(flat.starts[last], flat.degrees[last])]
        is_higher: Bools = fresh > paths[rows, 0]
        begun, fresh = paths[rows[is_higher]], fresh[is_higher]
        is_new: Bools = (begun != fresh[:, None]).all(axis=1)
        paths = np.column_stack([begun[is_new], fresh[is_new]])
        if not paths.size:
            return
        if paths.shape[1] >= max(3, min_nodes):
            one_way = paths[paths[:, 1] < paths[:, -1]]
            yield one_way[flat.joined(one_way[:, -1], one_way[:, 0]) > 0]


# ---- counting -------------------------------------------------------------------------------------------------------


class _Counts:
    """Codes, for each of them an example, the graphs that have it, and the number of places in each.

    Args:
        codes: Codes of what was found on sets of nodes, set by set; the same code counts once on a set.
        rows: The number of each set.
        graphs: The graph of each set, ascending.

    Attributes:
        examples: For each different code, ascending, where it was found first.
        num_graphs: How many graphs each was found in.
    """

    def __init__(self, codes: Codes, rows: Ints, graphs: Ints) -> None:
        order = np.argsort(codes, kind="stable")
        order = order[_are_new(codes[order], rows[order])]
        begins = np.flatnonzero(_are_new(codes[order], graphs[rows[order]]))
        self._places = np.diff(np.append(begins, order.size))
        order = order[begins]
        is_first = _are_new(codes[order])
        self._graphs, self._bounds = graphs[rows[order]], np.append(np.flatnonzero(is_first), order.size)
        self.examples: Ints = order[is_first]
        self.num_graphs: Ints = np.diff(self._bounds)

    def add_to(self, places: Ints, number: int) -> None:
        """Add the number of places of a code to those of each graph."""
        own = slice(self._bounds[number], self._bounds[number + 1])
        places[self._graphs[own]] += self._places[own]


def _are_new(*columns: Codes | Ints) -> Bools:
    """Where one of the columns differs from what is before."""
    is_new = np.ones(columns[0].size, np.bool_)
    is_new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return is_new


@dataclass(frozen=True, eq=False)
class _Counting:
    """Counts what sets of nodes and rings stand for."""

    flat: _FlatGraphs
    min_graphs: int

    def of_sets(self, sets: _NodeSets) -> Iterator[Fragment]:
        """The patterns that sets of nodes make, induced and as parts."""
        from protograph.patterns.enumerate_kernels import ALL, ANY

        looks = np.array([[ALL, *[ANY] * sets.size]])
        counts, rows, _ = self._counted(sets, looks, np.ones(len(sets.rows), np.int64))
        shapes: dict[int, tuple[int, Subgraph]] = {}
        larger: dict[int, list[int]] = {}
        for rivals in self._rivals(counts, sets.nodes[rows]):
            own = {number: self.flat.pattern(sets.nodes[rows[number]], sets.edges(rows[number])) for number in rivals}
            # What lies induced on a set of nodes lies there as a part too, and so does all that it contains.
            encoded = [pattern.encoded(self.flat.encoded[source]) for source, pattern in own.values()]
            larger |= {
                number: [rivals[other] for other in others]
                for number, others in zip(rivals, _spanning_parts(encoded), strict=True)
            }
            shapes |= own
        for number in sorted(shapes):
            yield from self._fragment(counts, [number, *larger[number]], *shapes[number])
            if larger[number]:
                yield from self._fragment(counts, [number], *shapes[number], is_induced=True)

    def of_closed(self, sets: _NodeSets) -> Iterator[Fragment]:
        """The patterns that sets of up to three nodes make, as parts, some of them without other neighbours."""
        from protograph.patterns.enumerate_kernels import ANY

        looks, table = [], []
        for shape in _SHAPES[sets.size]:
            edges = sum(1 << number for number, pair in enumerate(sets.pairs) if pair in shape)
            degrees = [sum(node in pair for pair in shape) for node in range(sets.size)]
            for number in range(1, sets.size + 1):
                for closed in combinations(range(sets.size), number):
                    looks.append((shape, closed))
                    table.append([edges, *(degrees[node] if node in closed else ANY for node in range(sets.size))])
        # A closed node has no neighbours beyond the set. A path can have any of those closed; a triangle too, and taken
        # for a path, of which there are three, its middle.
        able = (self.flat.degrees[sets.nodes] < sets.size).sum(axis=1)
        some = _NodeSets(sets.size, sets.rows[able > 0])
        counts, rows, found = self._counted(some, np.array(table), (2**able - 1 + able)[able > 0])
        for number in np.flatnonzero(counts.num_graphs >= self.min_graphs).tolist():
            nodes, (shape, closed) = some.nodes[rows[number]], looks[found[number]]
            ends = frozenset(self.flat.own_numbers(nodes[list(closed)]))
            yield from self._fragment(counts, [number], *self.flat.pattern(nodes, shape), closed=ends)

    def of_rings(self, rings: Ints) -> Iterator[Fragment]:
        """Rings as parts and, where some have chords, induced."""
        size = rings.shape[1]
        around = [(i, (i + 1) % size) for i in range(size)]
        codes = self._ring_codes(rings, around)
        has_chord = np.zeros(len(rings), np.bool_)
        for i, j in combinations(range(size), 2):
            if j - i not in (1, size - 1):
                has_chord |= self.flat.joined(rings[:, i], rings[:, j]) > 0
        for is_induced in (False, True) if has_chord.any() else (False,):
            chosen = np.flatnonzero(~has_chord) if is_induced else np.arange(len(rings))
            # Rings of the same nodes count once.
            nodes = self.flat.node_codes[rings[chosen]].sum(axis=1)
            chosen = chosen[np.sort(np.unique(stirred(codes[chosen], nodes), return_index=True)[1])]
            counts = _Counts(codes[chosen], np.arange(chosen.size), self.flat.graph[rings[chosen, 0]])
            for number, at in enumerate(chosen[counts.examples].tolist()):
                yield from self._fragment(
                    counts, [number], *self.flat.pattern(rings[at], around), is_induced=is_induced
                )

    def _counted(self, sets: _NodeSets, looks: Ints, most: Ints) -> tuple[_Counts, Ints, Ints]:
        """What sets make if looked at so, at most so many different things each; of each example its row and look."""
        from protograph.patterns.enumerate_kernels import CODE, LOOK, ROW, code_sets

        flat, found = self.flat, np.empty((int(most.sum()), 3), np.int64)
        room = np.zeros(2 * sets.size, np.uint64)
        edges = [stirred(codes) for codes in (flat.edge_codes, flat.back_codes)]
        colors = np.concatenate([flat.kind_codes[flat.kinds], *edges, room])
        found = found[: code_sets(flat.starts, colors, sets.rows, looks, found)]
        counts = _Counts(found[:, CODE].astype(np.uint64), found[:, ROW], flat.graph[sets.nodes[:, 0]])
        return counts, found[counts.examples, ROW], found[counts.examples, LOOK]

    def _rivals(self, counts: _Counts, examples: Kinds) -> list[list[int]]:
        """The codes of each choice of kinds of nodes, where those lie in enough graphs if taken together."""
        if not len(examples):
            return []
        _, choice = np.unique(np.sort(self.flat.kinds[examples], axis=1), axis=0, return_inverse=True)
        choice = choice.reshape(-1)  # some versions of NumPy give a column
        num_graphs = np.bincount(choice, weights=counts.num_graphs)
        codes = np.split(np.argsort(choice, kind="stable"), np.cumsum(np.bincount(choice))[:-1])
        return [own.tolist() for own, number in zip(codes, num_graphs, strict=True) if number >= self.min_graphs]

    def _ring_codes(self, rings: Ints, around: Pairs) -> Codes:
        """A number for each ring, wherever it begins and whichever way it goes."""
        columns: list[Codes] = []
        turned: list[Codes] = []
        for i, j in around:
            nodes, kinds = (
                self.flat.kind_codes[self.flat.kinds[rings[:, i]]],
                self.flat.joined(rings[:, i], rings[:, j]),
            )
            columns += [nodes, self.flat.edge_codes[np.maximum(kinds - 1, 0)]]
            turned += [nodes, self.flat.back_codes[np.maximum(kinds - 1, 0)]]
        codes = np.full(len(rings), np.iinfo(np.uint64).max, np.uint64)
        for start in range(0, len(columns), 2):
            one_way, back = (some[start:] + some[:start] for some in (columns, turned))
            other_way = [back[0], *reversed(back[1:])]
            codes = np.minimum(codes, np.minimum(stirred(*one_way), stirred(*other_way)))
        return codes

    def _fragment(
        self,
        counts: _Counts,
        numbers: list[int],
        source: int,
        pattern: Subgraph,
        *,
        is_induced: bool = False,
        closed: frozenset[int] = frozenset(),
    ) -> Iterator[Fragment]:
        """A pattern that is there wherever one of these codes is, if that is in enough graphs."""
        places = np.zeros(self.flat.chosen.size, np.int64)
        for number in numbers:
            counts.add_to(places, number)
        has = np.flatnonzero(places)
        if has.size >= self.min_graphs:
            yield Fragment(source, pattern, is_induced, closed, self.flat.chosen[has], places[has])


def _spanning_parts(graphs: Sequence[EncodedGraph]) -> list[list[int]]:
    """For each graph those of the others that contain it: some order of its nodes puts its edges among theirs.

    Args:
        graphs: Different graphs with the same kinds of nodes, as many of each.
    """
    if len({graph.num_edges for graph in graphs}) == 1:  # none of them larger
        return [[] for _ in graphs]
    kinds = np.sort(graphs[0].node_kinds).tolist()
    blocks = [list(block) for _, block in groupby(range(len(kinds)), key=kinds.__getitem__)]
    orders = [tuple(chain.from_iterable(order)) for order in product(*map(permutations, blocks))]
    ways = []
    for graph in graphs:
        place = np.argsort(np.argsort(graph.node_kinds, kind="stable")).tolist()
        edges = [
            (place[node], place[other], kind)
            for node, row in enumerate(neighbours_of(graph))
            for other, kind in row.items()
        ]
        ways.append([frozenset((order[u], order[v], kind) for u, v, kind in edges) for order in orders])
    wholes = [own[0] for own in ways]  # the first order leaves all as it is
    return [
        [at for at, whole in enumerate(wholes) if len(whole) > len(own[0]) and any(way <= whole for way in set(own))]
        for own in ways
    ]
