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
    CODE,
    FOUND_COLUMNS,
    LOOK,
    NEEDED,
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
    if size == 1:
        return np.array([[node, 0] for node in range(flat.kinds.size)], np.int32).reshape(-1, 2)
    sets = np.full((1000, size + size * (size - 1) // 2 + 1), -1, np.int32)
    room = np.zeros((ROOM_ROWS + size, max(flat.kinds.size, size + 1)), np.int64)
    number = grow_sets(flat.nodes, flat.around, size, sets, room)
    assert (sets[number:] == -1).all()
    return sets[:number]


def counted(flat, sets, looks):
    """What sets make: the codes, and rows of the graph, the number of places, the first set and its look."""
    found = np.empty((len(sets) * len(looks), FOUND_COLUMNS), np.int64)
    room = np.zeros(2 * (len(looks[0]) - NEEDED), np.uint64)
    colors = np.concatenate([flat.kind_codes[flat.kinds], stirred(flat.edge_codes), room])
    found = found[: count_sets(flat.nodes, colors, sets, np.array(looks), found, np.full(1024, -1))]
    graphs = flat.graph[sets[found[:, ROW], 0]]
    return found[:, CODE].tolist(), np.column_stack([graphs, found[:, [PLACES, ROW, LOOK]]]).tolist()


@settings(max_examples=60, deadline=None)
@given(groups_of_graphs(max_graphs=3, max_nodes=7, max_edges=12), st.integers(2, 6))
def test_sets_are_those_that_hang_together(graphs, size):
    flat = flat_of(graphs)
    rows = grown(flat, size).tolist()
    found = []
    for row in rows:
        graph, own = int(flat.graph[row[0]]), flat.own_numbers(np.array(row[:size]))
        kinds = dict(zip(combinations(own, 2), row[size:-1], strict=True))
        assert row[-1] == sum(1 << bit for bit, kind in enumerate(row[size:-1]) if kind)
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
    edges = st.one_of(st.just(ALL), st.integers(0, 2 ** (size * (size - 1) // 2) - 1))
    looks = data.draw(st.lists(st.tuples(edges, *[st.integers(ANY, 2)] * size), min_size=1, max_size=4))
    looks = [(ALL, *[ANY] * size) if look[0] == ALL else look for look in looks]
    codes, found = counted(flat, sets, looks)
    expected = counted_plainly(flat, sets.tolist(), looks, size)
    assert found == [[graph, len({row for row, _ in places}), *places[0]] for (graph, _), places in expected.items()]
    shapes = [shape for _, shape in expected]
    assert len(set(zip(codes, shapes, strict=True))) == len(set(shapes)) == len(set(codes))


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
    paths = [[0b011, ANY, ANY, ANY], [0b101, ANY, ANY, ANY], [0b110, ANY, ANY, ANY]]
    (one, other), found = counted(flat, grown(flat, 3), paths)
    assert one == other
    assert found == [[0, 1, 0, 0], [1, 1, 1, 0]]
