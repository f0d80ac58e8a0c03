"""All small connected patterns of graphs at once: which graphs have them, and in how many places."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from protograph._base.arrays import Bools, Ints, Kinds
from protograph.graphs.encoding import EncodedGraphs, ranges
from protograph.patterns.counted import MOST_CLOSED, MOST_NODES, Counted, counted_closed, counted_rows, counted_sets
from protograph.patterns.flat_graphs import Codes, FlatGraphs, Pairs, stirred
from protograph.patterns.node_sets import NodeSets, connected_sets
from protograph.patterns.pattern import Subgraph
from protograph.patterns.spanning import spanning_parts


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


def fragments(
    graphs: EncodedGraphs, chosen: Ints, *, max_nodes: int, max_ring: int, max_sets: int, min_graphs: int
) -> list[Fragment]:
    """The connected patterns of few nodes, and rings, that lie in enough of the chosen graphs.

    Args:
        graphs: All graphs.
        chosen: Which of them to look at, ascending.
        max_nodes: Most nodes of a pattern, at most five; three where some nodes have no other neighbours.
        max_ring: Most nodes of a ring.
        max_sets: Most steps to a neighbour from all nodes of all sets of a size; where there are more, larger sets are
            left out. So are longer rings where there are more from the ends of all paths.
        min_graphs: Fewest graphs that must have a pattern.
    """
    limits = {"max_nodes": max_nodes, "max_ring": max_ring, "max_sets": max_sets, "min_graphs": min_graphs}
    return fragments_by_reading([graphs], chosen, **limits)[0]


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
    """The same for several readings of the graphs, which differ in the kinds of nodes alone; sets are grown once.

    Patterns of fewer than ``min_nodes`` nodes are left out.
    """
    countings = [_Counting(FlatGraphs(graphs, chosen), min_graphs) for graphs in readings]
    result: list[list[Fragment]] = [[] for _ in readings]
    flat, largest = countings[0].flat, 0
    for sets in connected_sets(flat, min(max_nodes, MOST_NODES), max_sets):
        largest = sets.size
        if largest < min_nodes:
            continue
        for counting, own in zip(countings, result, strict=True):
            own += counting.of_sets(sets)
            if largest <= MOST_CLOSED:
                own += counting.of_closed(sets)
    for rings in _rings(flat, max(largest + 1, min_nodes), max_ring, max_sets):
        has_chord = _have_chords(flat, rings)
        for counting, own in zip(countings, result, strict=True):
            own += counting.of_rings(rings, has_chord)
    return result


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

    def of_sets(self, sets: NodeSets) -> Iterator[Fragment]:
        """The patterns that sets of nodes make, induced and as parts."""
        counted, rows = counted_sets(self.flat, sets)
        shapes: dict[int, tuple[int, Subgraph]] = {}
        larger: dict[int, list[int]] = {}
        for rivals in self._rivals(counted, sets.nodes[rows]):
            shapes |= {
                number: self.flat.pattern(sets.nodes[rows[number]], sets.edges(rows[number])) for number in rivals
            }
            larger |= self._larger({number: shapes[number] for number in rivals})
        for number in sorted(shapes):
            yield from self._fragment(counted, [number, *larger[number]], *shapes[number])
            if larger[number]:
                yield from self._fragment(counted, [number], *shapes[number], is_induced=True)

    def _rivals(self, counted: Counted, examples: Kinds) -> list[list[int]]:
        """The codes of each choice of kinds of nodes, where those lie in enough graphs if taken together."""
        if not len(examples):
            return []
        _, choice = np.unique(np.sort(self.flat.kinds[examples], axis=1), axis=0, return_inverse=True)
        choice = choice.reshape(-1)  # some versions of NumPy give a column
        num_graphs = np.bincount(choice, weights=counted.num_graphs)
        codes = np.split(np.argsort(choice, kind="stable"), np.cumsum(np.bincount(choice))[:-1])
        return [own.tolist() for own, number in zip(codes, num_graphs, strict=True) if number >= self.min_graphs]

    def _larger(self, rivals: dict[int, tuple[int, Subgraph]]) -> dict[int, list[int]]:
        """For each shape those of as many nodes that contain it.

        What lies induced on a set of nodes lies there as a part too, and so does all that it contains.
        """
        numbers = list(rivals)
        if len({len(pattern.edges) for _, pattern in rivals.values()}) == 1:  # different ones, none of them larger
            return {number: [] for number in numbers}
        encoded = [pattern.encoded(self.flat.encoded[source]) for source, pattern in rivals.values()]
        parts = zip(numbers, spanning_parts(encoded), strict=True)
        return {number: [numbers[other] for other in others] for number, others in parts}

    def of_closed(self, sets: NodeSets) -> Iterator[Fragment]:
        """The patterns that sets of up to three nodes make, as parts, some of them without other neighbours."""
        counted, shapes = counted_closed(self.flat, sets)
        for number in np.flatnonzero(counted.num_graphs >= self.min_graphs).tolist():
            nodes, shape = sets.nodes[shapes[number].row], shapes[number]
            ends = frozenset(self.flat.own_numbers(nodes[list(shape.closed)]))
            yield from self._fragment(counted, [number], *self.flat.pattern(nodes, shape.edges), closed=ends)

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
        counted, rows = counted_rows(self.flat, rings, codes)
        for number, at in enumerate(rows.tolist()):
            yield from self._fragment(counted, [number], *self.flat.pattern(rings[at], around), is_induced=is_induced)

    def _fragment(
        self,
        counted: Counted,
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
            counted.add_to(places, number)
        has = np.flatnonzero(places)
        if has.size >= self.min_graphs:
            yield Fragment(source, pattern, is_induced, closed, self.flat.chosen[has], places[has])


def _rings(flat: FlatGraphs, min_nodes: int, max_nodes: int, max_sets: int) -> Iterator[Ints]:
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
            is_closed = (paths[:, 1] < paths[:, -1]) & (flat.joined(paths[:, -1], paths[:, 0]) > 0)
            yield paths[is_closed]
