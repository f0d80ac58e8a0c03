from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.patterns.counted import Counted, counted_closed, counted_rows, counted_sets
from protograph.patterns.node_sets import NodeSets, connected_sets
from tests.metrics.small_graphs import path, ring
from tests.page.naive_patterns import groups_of_graphs, undirected
from tests.patterns.naive_sets import flat_of


def same_by_trying(kinds, edges, num_edge_kinds):
    """For each row of edges the smallest number that an order of nodes with the same kinds gives it."""
    size = len(kinds)
    pairs = list(combinations(range(size), 2))
    at = {frozenset(pair): place for place, pair in enumerate(pairs)}
    powers = (num_edge_kinds + 1) ** np.arange(len(pairs))
    orders = [order for order in permutations(range(size)) if [kinds[node] for node in order] == list(kinds)]
    turned = [[at[frozenset((order[i], order[j]))] for i, j in pairs] for order in orders]
    return np.min([edges[:, columns] @ powers for columns in turned], axis=0)


@pytest.mark.parametrize(
    ("kinds", "num_edge_kinds"),
    [([0, 0, 1], 3), ([0, 0, 0], 3), ([0, 0, 0, 0], 3), ([0, 0, 1, 1], 2), ([0, 0, 0, 1], 2), ([0, 0, 0, 0, 0], 2)],
)
def test_codes_tell_all_small_graphs_apart(kinds, num_edge_kinds):
    """Every way to join so many nodes by edges of so many kinds; each is counted as often as it comes."""
    size, bonds = len(kinds), list(range(num_edge_kinds))
    some = undirected(num_edge_kinds + 1, [(b, b + 1) for b in bonds], [0] * num_edge_kinds + [1], bonds)
    flat = flat_of([undirected(size, [], kinds, []), some])
    edges = np.array(list(product(range(num_edge_kinds + 1), repeat=size * (size - 1) // 2)))
    joined = (edges > 0) @ (1 << np.arange(edges.shape[1]))
    rows = np.column_stack([np.tile(np.arange(size), (len(edges), 1)), edges, joined]).astype(np.int32)
    counted, examples = counted_sets(flat, NodeSets(size, rows))
    shapes, first, counts = np.unique(
        same_by_trying(kinds, edges, num_edge_kinds), return_index=True, return_counts=True
    )
    assert counted.num_graphs.tolist() == [1] * len(shapes)
    assert sorted(examples.tolist()) == sorted(first.tolist())
    expected = dict(zip(first.tolist(), counts.tolist(), strict=True))
    for number, row in enumerate(examples.tolist()):
        places = np.zeros(2, np.int64)
        counted.add_to(places, number)
        assert places.tolist() == [expected[row], 0]


def told(counted, shapes, num_graphs):
    """Edges, closed nodes, and the number of places in each graph."""
    found = []
    for number, shape in enumerate(shapes):
        places = np.zeros(num_graphs, np.int64)
        counted.add_to(places, number)
        found.append((shape.row, len(shape.edges), shape.closed, places.tolist()))
    return sorted(found)


def test_closed_nodes_of_a_path_and_a_triangle():
    flat = flat_of([path(3), ring(3)])
    _, pairs, triples = connected_sets(flat, 3, 10**6)
    assert told(*counted_closed(flat, pairs), 2) == [(0, 1, (0,), [2, 0])]
    assert told(*counted_closed(flat, triples), 2) == [
        (0, 2, (0,), [1, 0]),
        (0, 2, (0, 1), [1, 0]),
        (0, 2, (0, 1, 2), [1, 0]),
        (0, 2, (0, 2), [1, 0]),
        (0, 2, (1,), [1, 1]),
        (1, 3, (0,), [0, 1]),
        (1, 3, (0, 1), [0, 1]),
        (1, 3, (0, 1, 2), [0, 1]),
    ]


def test_sets_whose_nodes_all_have_other_neighbours_are_not_closed():
    flat = flat_of([ring(4), path(2)])
    singles, pairs = connected_sets(flat, 2, 10**6)
    assert told(*counted_closed(flat, singles), 2) == []
    assert told(*counted_closed(flat, pairs), 2) == [(4, 1, (0,), [0, 1]), (4, 1, (0, 1), [0, 1])]


@settings(max_examples=50, deadline=None)
@given(groups_of_graphs(), st.data())
def test_rows_are_counted_by_code_and_graph(graphs, data):
    flat = flat_of(graphs)
    number = data.draw(st.integers(1, 3))
    rows = np.array([row for graph in range(len(graphs)) for row in naive_rows(flat, graph, number)])
    if not len(rows):
        return
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=30))
    rows = rows[chosen]
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))), np.uint64)
    places = {
        (int(code), int(flat.graph[row[0]]), frozenset(row.tolist())) for code, row in zip(codes, rows, strict=True)
    }
    expected = Counter((code, graph) for code, graph, _ in places)
    counted, examples = counted_rows(flat, rows, codes)
    assert codes[examples].tolist() == sorted(set(codes.tolist()))
    for place, code in enumerate(sorted(set(codes.tolist()))):
        own = np.zeros(len(graphs), np.int64)
        counted.add_to(own, place)
        assert own.tolist() == [expected[code, graph] for graph in range(len(graphs))]
        assert counted.num_graphs[place] == (own > 0).sum()
        graph = flat.graph[rows[:, 0]]
        own_graphs = graph[codes == code]
        first = np.flatnonzero((codes == code) & (graph == own_graphs.min()))[0]
        assert examples[place] == first  # the first place of the first graph


def naive_rows(flat, graph, number):
    own = np.flatnonzero(flat.graph == graph).tolist()
    return list(permutations(own, number))


def test_counted_by_hand():
    counted = Counted(np.array([7, 3, 7], np.uint64), np.array([0, 0, 2]), np.array([5, 1, 2]))
    assert counted.examples.tolist() == [1, 0]
    assert counted.num_graphs.tolist() == [1, 2]
    places = np.array([10, 10, 10])
    counted.add_to(places, 1)
    assert places.tolist() == [15, 10, 12]
