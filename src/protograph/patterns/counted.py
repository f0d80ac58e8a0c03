"""What sets of nodes make, told apart by a number and counted graph by graph."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph.patterns.flat_graphs import Codes, FlatGraphs, Pairs, stirred
from protograph.patterns.node_sets import NodeSets

# Nodes of a set; beyond, codes no longer tell all graphs apart.
MOST_NODES = 5
# The edges that up to three nodes may have and hang together: of three a path around each of them, and the triangle.
_SHAPES: dict[int, tuple[Pairs, ...]] = {
    1: ((),),
    2: (((0, 1),),),
    3: (((0, 1), (0, 2)), ((0, 1), (1, 2)), ((0, 2), (1, 2)), ((0, 1), (0, 2), (1, 2))),
}
# Most nodes of a set some of which have no other neighbours.
MOST_CLOSED = max(_SHAPES)


class Counted:
    """Codes, for each of them an example, the graphs that have it, and the number of places in each.

    Args:
        codes: Codes in the order of the graphs they were found in, each once in a graph.
        graphs: These graphs.
        places: The number of places there.

    Attributes:
        examples: For each different code, ascending, where it was found first.
        num_graphs: How many graphs each was found in.
    """

    def __init__(self, codes: Codes, graphs: Ints, places: Ints) -> None:
        order = np.argsort(codes, kind="stable")
        is_first = _are_new(codes[order])
        self._graphs, self._places = graphs[order], places[order]
        self._bounds = np.append(np.flatnonzero(is_first), order.size)
        self.examples: Ints = order[is_first]
        self.num_graphs: Ints = np.diff(self._bounds)

    def add_to(self, places: Ints, number: int) -> None:
        """Add the number of places of a code to those of each graph."""
        own = slice(self._bounds[number], self._bounds[number + 1])
        places[self._graphs[own]] += self._places[own]


def counted_rows(flat: FlatGraphs, rows: Ints, codes: Codes) -> tuple[Counted, Ints]:
    """Rows of nodes by codes that they are given, and the row of each example; rows of the same nodes count once."""
    _, different = np.unique(stirred(codes, flat.node_codes[rows].sum(axis=1)), return_index=True)
    graphs = flat.graph[rows[different, 0]]
    order = np.lexsort((different, codes[different], graphs))
    different, graphs = different[order], graphs[order]
    at = np.flatnonzero(_are_new(codes[different], graphs))
    counted = Counted(codes[different][at], graphs[at], np.diff(np.append(at, different.size)))
    return counted, different[at][counted.examples]


def _are_new(*columns: Codes | Ints) -> Bools:
    """Where one of the columns differs from what is before."""
    is_new = np.ones(columns[0].size, np.bool_)
    is_new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return is_new


def counted_sets(flat: FlatGraphs, sets: NodeSets) -> tuple[Counted, Ints]:
    """What sets of up to five nodes make, with all edges between them, and the row of each example."""
    from protograph.patterns.fragment_kernels import ALL, ANY, NEEDED

    looks = np.full((1, NEEDED + sets.size), ANY)
    looks[0, 0] = ALL
    counted, rows, _ = _counted(flat, sets, looks, np.ones(len(sets.rows), np.int64))
    return counted, rows


class Shape(NamedTuple):
    """A set of nodes by its row, some edges, and the nodes that have no others, both by their places in the set."""

    row: int
    edges: Pairs
    closed: tuple[int, ...]


def counted_closed(flat: FlatGraphs, sets: NodeSets) -> tuple[Counted, list[Shape]]:
    """What sets of up to three nodes make, as parts, some nodes without other neighbours, and each example."""
    from protograph.patterns.fragment_kernels import ANY

    looks, table = [], []
    for shape in _SHAPES[sets.size]:
        edges = sum(1 << number for number, pair in enumerate(sets.pairs) if pair in shape)
        degrees = [sum(node in pair for pair in shape) for node in range(sets.size)]
        for number in range(1, sets.size + 1):
            for closed in combinations(range(sets.size), number):
                looks.append((shape, closed))
                table.append([edges, *(degrees[node] if node in closed else ANY for node in range(sets.size))])
    # A closed node has no neighbours beyond the set. A path can have any of those closed; a triangle too, and taken for
    # a path, of which there are three, its middle.
    able = (flat.degrees[sets.nodes] < sets.size).sum(axis=1)
    some = NodeSets(sets.size, sets.rows[able > 0])
    counted, rows, numbers = _counted(flat, some, np.array(table), (2**able - 1 + able)[able > 0])
    kept = np.flatnonzero(able > 0)[rows].tolist()
    return counted, [Shape(row, *looks[number]) for row, number in zip(kept, numbers.tolist(), strict=True)]


def _counted(flat: FlatGraphs, sets: NodeSets, looks: Ints, most: Ints) -> tuple[Counted, Ints, Ints]:
    """What sets make if looked at so, at most so many different things each; of each example its row and its look."""
    from protograph.patterns.fragment_kernels import CODE, FOUND_COLUMNS, LOOK, PLACES, ROW, count_sets

    in_graphs = np.bincount(flat.graph[sets.nodes[:, 0]], weights=most, minlength=1).astype(np.int64)
    found = np.empty((int(in_graphs.sum()), FOUND_COLUMNS), np.int64)
    slots = np.full(2 << int(in_graphs.max()).bit_length(), -1)  # at least twice as many: most are found at once
    room = np.zeros(2 * sets.size, np.uint64)
    colors = np.concatenate([flat.kind_codes[flat.kinds], stirred(flat.edge_codes), room])
    found = found[: count_sets(flat.nodes, colors, sets.rows, looks, found, slots)]
    counted = Counted(found[:, CODE].astype(np.uint64), flat.graph[sets.nodes[found[:, ROW], 0]], found[:, PLACES])
    return counted, found[counted.examples, ROW], found[counted.examples, LOOK]
