from hypothesis import given, settings

from protograph.patterns.node_sets import connected_sets
from tests.metrics.small_graphs import graph_of, path, ring
from tests.page.naive_patterns import groups_of_graphs
from tests.patterns.naive_sets import flat_of, naive_sets


@settings(max_examples=50, deadline=None)
@given(groups_of_graphs(max_graphs=3, max_nodes=7, max_edges=12))
def test_every_connected_set_comes_once(graphs):
    flat = flat_of(graphs)
    found = list(connected_sets(flat, 5, 10**6))
    assert [sets.size for sets in found] == list(range(1, len(found) + 1))
    for sets in found:
        rows = [(int(flat.graph[row[0]]), tuple(sorted(flat.own_numbers(row)))) for row in sets.nodes]
        assert sorted(rows) == sorted((graph, nodes) for graph, nodes, _ in naive_sets(flat, sets.size))
        assert [graph for graph, _ in rows] == sorted(graph for graph, _ in rows)
    assert not list(naive_sets(flat, len(found) + 1)) or len(found) == 5


def test_the_edges_of_a_set_are_told_by_places():
    *_, triples = connected_sets(flat_of([path(3), ring(3)]), 3, 10**6)
    assert triples.pairs == [(0, 1), (0, 2), (1, 2)]
    assert triples.nodes.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert triples.edges(0) == [(0, 1), (1, 2)]
    assert triples.edges(1) == [(0, 1), (0, 2), (1, 2)]


def test_sets_stop_where_there_would_be_too_many():
    flat = flat_of([graph_of(9, [(0, leaf) for leaf in range(1, 9)])])
    assert [len(sets.rows) for sets in connected_sets(flat, 5, 10**6)] == [9, 8, 28, 56, 70]
    # From nine single nodes there are 16 steps to neighbours, from eight pairs 8 * (8 + 1).
    assert [len(sets.rows) for sets in connected_sets(flat, 5, 72)] == [9, 8, 28]
    assert [len(sets.rows) for sets in connected_sets(flat, 5, 71)] == [9, 8]
    assert [len(sets.rows) for sets in connected_sets(flat, 5, 15)] == [9]


def test_sets_stop_where_there_are_no_more():
    assert [len(sets.rows) for sets in connected_sets(flat_of([path(2), path(3)]), 5, 10**6)] == [5, 3, 1]
    assert [len(sets.rows) for sets in connected_sets(flat_of([graph_of(2, [])]), 5, 10**6)] == [2]
    assert [len(sets.rows) for sets in connected_sets(flat_of([graph_of(0, [])]), 5, 10**6)] == [0]
