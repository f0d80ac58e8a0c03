"""The compiled loops, each compared with the plain way."""

from collections import defaultdict
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.patterns.flat_graphs import stirred
from protograph.patterns.fragment_kernels import (
    ALL,
    ANY,
    AT,
    FOUND_COLUMNS,
    LOOK,
    PLACES,
    ROOM_ROWS,
    ROW,
    count_sets,
    grow_sets,
)
from tests.metrics.small_graphs import ring
from tests.page.naive_patterns import groups_of_graphs
from tests.patterns.naive_sets import flat_of, naive_sets, refined


def grown(flat, size):
    """The sets of so many nodes."""
    sets = np.full((1000, size + size * (size - 1) // 2), -1, np.int32)
    if size == 1:
        return np.arange(flat.kinds.size, dtype=np.int32)[:, None]
    room = np.zeros((ROOM_ROWS + size, max(flat.kinds.size, size)), np.int64)
    number = grow_sets(flat.nodes, flat.around, size, sets, room)
    assert (sets[number:] == -1).all()
    return sets[:number]


@settings(max_examples=60, deadline=None)
@given(groups_of_graphs(max_graphs=3, max_nodes=7, max_edges=12), st.integers(2, 6))
def test_sets_are_those_that_hang_together(graphs, size):
    flat = flat_of(graphs)
    rows = grown(flat, size).tolist()
    found = []
    for row in rows:
        graph, own = int(flat.graph[row[0]]), flat.own_numbers(np.array(row[:size]))
        kinds = dict(zip(combinations(own, 2), row[size:], strict=True))
        found.append((graph, tuple(sorted(own)), {tuple(sorted(pair)): kind for pair, kind in kinds.items()}))
    assert sorted(found, key=str) == sorted(naive_sets(flat, size), key=str)
    assert [row[0] for row in rows] == sorted(min(row[:size]) for row in rows)


@settings(max_examples=100, deadline=None)
@given(groups_of_graphs(max_graphs=3, max_nodes=7, max_edges=10), st.integers(1, 5), st.data())
def test_what_sets_make_is_counted_as_refined_colors_tell_it(graphs, size, data):
    """For any parts and closed nodes that are looked for, and any sets: places, graphs and the first of each code."""
    flat = flat_of(graphs)
    sets = grown(flat, size)
    sets = sets[data.draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets)))]
    num_pairs = sets.shape[1] - size
    edges = st.one_of(st.just(ALL), st.integers(0, 2**num_pairs - 1))
    looks = data.draw(st.lists(st.tuples(edges, *[st.integers(ANY, 2)] * size), min_size=1, max_size=4))
    looks = [(ALL, *[ANY] * size) if look[0] == ALL else look for look in looks]
    codes, found = np.empty(1000, np.uint64), np.empty((1000, FOUND_COLUMNS), np.int64)
    colors = np.append(flat.kind_codes[flat.kinds], np.zeros(2 * size, np.uint64))
    slots = np.full(1024, -1)
    number = count_sets(flat.nodes, colors, stirred(flat.edge_codes), sets, np.array(looks), codes, found, slots)
    expected = counted_plainly(flat, sets.tolist(), looks, size)
    assert [tuple(row) for row in found[:number, [AT, PLACES, ROW, LOOK]].tolist()] == [
        (graph, len({row for row, _ in places}), *places[0]) for (graph, _), places in expected.items()
    ]
    shapes = [shape for _, shape in expected]
    assert len(set(zip(codes[:number].tolist(), shapes, strict=True))) == len(set(shapes)) == len(set(codes[:number]))


def counted_plainly(flat, rows, looks, size):
    """For each graph and shape, as met, the rows and looks that make it."""
    expected = defaultdict(list)
    for at, row in enumerate(rows):
        for number, (part, *needed) in enumerate(looks):
            joined = [set() for _ in range(size)]
            has = True
            for bit, (i, j) in enumerate(combinations(range(size), 2)):
                if part >> bit & 1 and row[size + bit]:
                    joined[i].add((j, row[size + bit]))
                    joined[j].add((i, row[size + bit]))
                has &= part == ALL or not part >> bit & 1 or row[size + bit] > 0
            has &= all(count in (ANY, flat.degrees[node]) for count, node in zip(needed, row[:size], strict=True))
            if has:
                kinds = [(int(flat.kinds[node]), count != ANY) for count, node in zip(needed, row[:size], strict=True)]
                expected[int(flat.graph[row[0]]), refined(kinds, [dict(own) for own in joined])].append((at, number))
    return expected


def test_what_looks_the_same_is_counted_once_on_a_set():
    """A triangle is three paths, all of them on the same nodes."""
    flat = flat_of([ring(3), ring(3)])
    sets = grown(flat, 3)
    paths = np.array([[0b011, ANY, ANY, ANY], [0b101, ANY, ANY, ANY], [0b110, ANY, ANY, ANY]])
    codes, found = np.empty(6, np.uint64), np.empty((6, FOUND_COLUMNS), np.int64)
    colors = np.append(flat.kind_codes[flat.kinds], np.zeros(6, np.uint64))
    number = count_sets(flat.nodes, colors, stirred(flat.edge_codes), sets, paths, codes, found, np.full(16, -1))
    assert found[:number, [AT, PLACES, ROW, LOOK]].tolist() == [[0, 1, 0, 0], [1, 1, 1, 0]]
    assert codes[0] == codes[1]
