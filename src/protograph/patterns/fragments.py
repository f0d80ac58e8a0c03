"""All small connected patterns of graphs at once: which graphs have them, and in how many places."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.patterns.flat_graphs import (
    MOST_NODES,
    Codes,
    CountedRows,
    FlatGraphs,
    Pairs,
    codes_of,
    connected_sets,
    ranges,
    stirred,
)
from protograph.patterns.pattern import Pattern
from protograph.patterns.spanning import spanning_parts

# The edges that three nodes may have and hang together: a path around each of them, and the triangle.
_PATHS = (((0, 1), (0, 2)), ((0, 1), (1, 2)), ((0, 2), (1, 2)))
_TRIANGLE = ((0, 1), (0, 2), (1, 2))


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
    pattern: Pattern
    is_induced: bool
    closed: frozenset[int]
    graphs: Ints
    places: Ints

    @property
    def is_ring(self) -> bool:
        """Whether every node is joined to two others."""
        return all(len(others) == 2 for others in self.pattern.neighbours.values())


def fragments(
    graphs: EncodedGraphs, chosen: Ints, *, max_nodes: int, max_ring: int, max_sets: int, min_graphs: int
) -> list[Fragment]:
    """The connected patterns of few nodes, and rings, that lie in enough of the chosen graphs.

    Args:
        graphs: All graphs.
        chosen: Which of them to look at, ascending.
        max_nodes: Most nodes of a pattern, at most five; three where some nodes have no other neighbours.
        max_ring: Most nodes of a ring.
        max_sets: Most sets of nodes to look at in a step; larger patterns are left out where there would be more.
        min_graphs: Fewest graphs that must have a pattern.
    """
    limits = {"max_nodes": max_nodes, "max_ring": max_ring, "max_sets": max_sets, "min_graphs": min_graphs}
    return fragments_by_reading([graphs], chosen, **limits)[0]


def fragments_by_reading(
    readings: Sequence[EncodedGraphs], chosen: Ints, *, max_nodes: int, max_ring: int, max_sets: int, min_graphs: int
) -> list[list[Fragment]]:
    """The same for several readings of the graphs, which differ in the kinds of nodes alone; sets are grown once."""
    countings = [_Counting(FlatGraphs(graphs, chosen), min_graphs) for graphs in readings]
    result: list[list[Fragment]] = [[] for _ in readings]
    flat, largest = countings[0].flat, 0
    for sets in connected_sets(flat, min(max_nodes, MOST_NODES), max_sets):
        largest = sets.shape[1]
        edges = _edges(flat, sets)
        for counting, own in zip(countings, result, strict=True):
            own += counting.of_sets(sets, edges)
            if largest <= len(_TRIANGLE):
                own += counting.of_closed(sets, edges)
    for rings in _rings(flat, largest + 1, max_ring, max_sets):
        has_chord = _have_chords(flat, rings)
        for counting, own in zip(countings, result, strict=True):
            own += counting.of_rings(rings, has_chord)
    return result


def _edges(flat: FlatGraphs, rows: Ints) -> Ints:
    """For each pair of columns and each row the kind of the edge plus 1, or 0."""
    pairs = list(combinations(range(rows.shape[1]), 2))
    edges = np.zeros((len(pairs), len(rows)), np.int64)
    for row, (i, j) in zip(edges, pairs, strict=True):
        row[:] = flat.joined(rows[:, i], rows[:, j])
    return edges


def _have_chords(flat: FlatGraphs, rings: Ints) -> Bools:
    """Which rings have nodes that are joined across."""
    size = rings.shape[1]
    has_chord = np.zeros(len(rings), np.bool_)
    for i, j in combinations(range(size), 2):
        if j - i not in (1, size - 1):
            has_chord |= flat.joined(rings[:, i], rings[:, j]) > 0
    return has_chord


@dataclass(frozen=True, eq=False)
class _Counting:
    """Counts what rows of nodes stand for."""

    flat: FlatGraphs
    min_graphs: int

    def of_sets(self, sets: Ints, edges: Ints) -> Iterator[Fragment]:
        """The patterns that sets of nodes make, induced and as parts."""
        pairs = list(combinations(range(sets.shape[1]), 2))
        counted = CountedRows(self.flat, sets, codes_of(self.flat, sets, pairs, edges))
        shapes = []
        for number, at in enumerate(counted.examples.tolist()):
            joined = [pair for pair, kind in zip(pairs, edges[:, at].tolist(), strict=True) if kind]
            shapes.append((number, *self.flat.pattern(sets[at], joined)))
        larger = self._larger(shapes, counted)
        for number, source, pattern in shapes:
            if number in larger:
                yield from self._fragment(counted, [number, *larger[number]], source, pattern)
                if larger[number]:
                    yield from self._fragment(counted, [number], source, pattern, is_induced=True)

    def _larger(self, shapes: list[tuple[int, int, Pattern]], counted: CountedRows) -> dict[int, list[int]]:
        """For each shape, if it can lie in enough graphs, those of as many nodes that contain it.

        What lies induced on a set of nodes lies there as a part too, and so does all that it contains.
        """
        alike: dict[tuple[int, ...], list[tuple[int, EncodedGraph]]] = {}
        for number, source, pattern in shapes:
            encoded = pattern.encoded(self.flat.encoded[source])
            alike.setdefault(tuple(sorted(encoded.node_kinds.tolist())), []).append((number, encoded))
        larger: dict[int, list[int]] = {}
        for rivals in alike.values():
            if sum(counted.num_graphs(number) for number, _ in rivals) < self.min_graphs:
                continue  # not even all together lie in enough graphs
            numbers = [number for number, _ in rivals]
            for number, others in zip(numbers, spanning_parts([shape for _, shape in rivals]), strict=True):
                larger[number] = [numbers[other] for other in others]
        return larger

    def of_closed(self, sets: Ints, there: Ints) -> Iterator[Fragment]:
        """The patterns that sets of up to three nodes make, as parts, some of them without other neighbours."""
        size = sets.shape[1]
        pairs = list(combinations(range(size), 2))
        shapes = [pairs] if size < len(_TRIANGLE) else [*_PATHS, _TRIANGLE]
        rows, edges, closed = [], [], []
        for shape in shapes:
            is_part = np.array([pair in shape for pair in pairs], dtype=np.bool_).reshape(-1, 1)
            own = np.flatnonzero((there > 0)[is_part[:, 0]].all(axis=0))
            degrees = [sum(node in pair for pair in shape) for node in range(size)]
            can_close = [self.flat.degrees[sets[own, node]] == degrees[node] for node in range(size)]
            for chosen in _subsets(size):
                able = own[np.logical_and.reduce([can_close[node] for node in chosen])]
                rows.append(sets[able])
                edges.append(np.where(is_part, there[:, able], 0))
                closed.append(np.repeat([[node in chosen] for node in range(size)], able.size, axis=1))
        nodes, kinds, flags = np.concatenate(rows), np.concatenate(edges, axis=1), np.concatenate(closed, axis=1)
        if not len(nodes):
            return
        codes = codes_of(self.flat, nodes, pairs, kinds, flags)
        counted = CountedRows(self.flat, nodes, codes, are_distinct=False)
        for number, at in enumerate(counted.examples.tolist()):
            if counted.num_graphs(number) >= self.min_graphs:
                joined = [pair for pair, kind in zip(pairs, kinds[:, at].tolist(), strict=True) if kind]
                source, pattern = self.flat.pattern(nodes[at], joined)
                ends = frozenset(self.flat.own_numbers(nodes[at][flags[:, at]]))
                yield from self._fragment(counted, [number], source, pattern, closed=ends)

    def of_rings(self, rings: Ints, has_chord: Bools) -> Iterator[Fragment]:
        """Rings as parts and, where some have chords, induced."""
        around = [(i, (i + 1) % rings.shape[1]) for i in range(rings.shape[1])]
        codes = self._ring_codes(rings, around)
        yield from self._ring_fragments(rings, codes, around)
        if has_chord.any():
            yield from self._ring_fragments(rings[~has_chord], codes[~has_chord], around, is_induced=True)

    def _ring_codes(self, rings: Ints, around: Pairs) -> Codes:
        """A number for each ring, wherever it begins and whichever way it goes."""
        columns: list[Codes] = []
        for i, j in around:
            columns.append(self.flat.kind_codes[self.flat.kinds[rings[:, i]]])
            columns.append(self.flat.edge_codes[np.maximum(self.flat.joined(rings[:, i], rings[:, j]) - 1, 0)])
        codes = np.full(len(rings), np.iinfo(np.uint64).max, np.uint64)
        for start in range(0, len(columns), 2):
            one_way = columns[start:] + columns[:start]
            other_way = [one_way[0], *reversed(one_way[1:])]
            codes = np.minimum(codes, np.minimum(stirred(*one_way), stirred(*other_way)))
        return codes

    def _ring_fragments(
        self, rings: Ints, codes: Codes, around: Pairs, *, is_induced: bool = False
    ) -> Iterator[Fragment]:
        counted = CountedRows(self.flat, rings, codes, are_distinct=False)
        for number, at in enumerate(counted.examples.tolist()):
            yield from self._fragment(counted, [number], *self.flat.pattern(rings[at], around), is_induced=is_induced)

    def _fragment(
        self,
        counted: CountedRows,
        numbers: list[int],
        source: int,
        pattern: Pattern,
        *,
        is_induced: bool = False,
        closed: frozenset[int] = frozenset(),
    ) -> Iterator[Fragment]:
        """A pattern that is there wherever one of these codes is, if that is in enough graphs."""
        places = np.zeros(self.flat.chosen.size, np.int64)
        for number in numbers:
            counted.add_to(places, number)
        has = np.flatnonzero(places)
        if has.size >= self.min_graphs:
            yield Fragment(source, pattern, is_induced, closed, self.flat.chosen[has], places[has])


def _subsets(size: int) -> Iterator[tuple[int, ...]]:
    """All sets of some of the numbers below ``size``."""
    for count in range(1, size + 1):
        yield from combinations(range(size), count)


def _rings(flat: FlatGraphs, min_nodes: int, max_nodes: int, max_sets: int) -> Iterator[Ints]:
    """All rings of so many nodes, a row each in the order around, begun at the lowest node."""
    paths = np.arange(flat.kinds.size)[:, None]
    while paths.shape[1] < max_nodes and flat.degrees[paths[:, -1]].sum() <= max_sets:
        last = paths[:, -1]
        rows = np.repeat(np.arange(len(paths)), flat.degrees[last])
        fresh = flat.neighbours[ranges(flat.starts[last], flat.degrees[last])]
        is_new: Bools = (fresh > paths[rows, 0]) & (paths[rows] != fresh[:, None]).all(axis=1)
        paths = np.column_stack([paths[rows[is_new]], fresh[is_new]])
        if not paths.size:
            return
        if paths.shape[1] >= max(3, min_nodes):
            is_closed = (paths[:, 1] < paths[:, -1]) & (flat.joined(paths[:, -1], paths[:, 0]) > 0)
            yield paths[is_closed]
