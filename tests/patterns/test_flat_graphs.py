from collections import Counter
from itertools import combinations, permutations, product

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns import flat_graphs
from protograph.patterns.containment import neighbours_of
from protograph.patterns.flat_graphs import (
    CountedRows,
    FlatGraphs,
    codes_of,
    connected_sets,
    graph_codes,
    ranges,
    stirred,
)
from protograph.patterns.pattern import Pattern
from tests.metrics.small_graphs import graph_of, path, ring
from tests.page.naive_patterns import groups_of_graphs, labelled, undirected


def flat_of(graphs, chosen=None):
    chosen = np.arange(len(graphs)) if chosen is None else np.array(chosen, dtype=np.int64)
    return FlatGraphs(EncodedGraphs(graphs, match_edges=all(graph.edge_attr is not None for graph in graphs)), chosen)


# ---- graphs end to end --------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(groups_of_graphs(), st.data(), st.booleans())
def test_graphs_lie_end_to_end(graphs, data, is_dense):
    chosen = sorted(data.draw(st.sets(st.integers(0, len(graphs) - 1), min_size=1)))
    with pytest.MonkeyPatch.context() as patch:
        if not is_dense:
            patch.setattr(flat_graphs, "_MOST_CELLS", 0)
        flat = flat_of(graphs, chosen)
        for place, index in enumerate(chosen):
            own, first = flat.encoded[index], int(flat.first[place])
            nodes = np.arange(own.num_nodes) + first
            assert flat.graph[nodes].tolist() == [place] * own.num_nodes
            assert flat.kinds[nodes].tolist() == own.node_kinds.tolist()
            assert flat.degrees[nodes].tolist() == np.diff(own.starts).tolist()
            edges = neighbours_of(own)
            for u, v in permutations(range(own.num_nodes), 2):
                assert flat.joined(nodes[[u]], nodes[[v]]).tolist() == [edges[u].get(v, -1) + 1]
            for u in range(own.num_nodes):
                around = flat.neighbours[ranges(flat.starts[nodes[[u]]], flat.degrees[nodes[[u]]])]
                assert flat.own_numbers(around) == sorted(edges[u])


def test_a_pattern_is_told_by_its_nodes_in_its_own_graph():
    flat = flat_of([path(3), path(4), ring(5)], chosen=[0, 2])
    assert flat.pattern(np.array([5, 3, 4]), [(0, 2), (2, 1)]) == (2, Pattern(frozenset({0, 1, 2}), {(1, 2), (0, 1)}))
    assert flat.pattern(np.array([1]), []) == (0, Pattern(frozenset({1}), frozenset()))


def test_ranges():
    assert ranges(np.array([5, 0, 7]), np.array([2, 0, 3])).tolist() == [5, 6, 7, 8, 9]
    assert ranges(np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []


def test_a_stirred_number_depends_on_the_order():
    one, other = np.array([1, 1], np.uint64), np.array([2, 1], np.uint64)
    (first, second), (back, same) = stirred(one, other).tolist(), stirred(other, one).tolist()
    assert first != back
    assert second == same
    assert first != second


# ---- sets of nodes ------------------------------------------------------------------------------------------------


def naive_sets(graphs, size):
    """All sets of nodes that hang together, as ``(graph, nodes)``."""
    for number, graph in enumerate(graphs):
        whole = nx.Graph(graph.edge_index.T.tolist())
        whole.add_nodes_from(range(graph.num_nodes))
        for nodes in combinations(range(graph.num_nodes), size):
            if nx.is_connected(whole.subgraph(nodes)):
                yield number, nodes


@settings(max_examples=50, deadline=None)
@given(groups_of_graphs(max_graphs=3, max_nodes=7, max_edges=12))
def test_every_connected_set_comes_once(graphs):
    flat = flat_of(graphs)
    found = list(connected_sets(flat, 5, 10**6))
    assert [sets.shape[1] for sets in found] == list(range(1, len(found) + 1))
    for sets in found:
        rows = [(int(flat.graph[row[0]]), tuple(flat.own_numbers(row))) for row in sets]
        assert sorted(rows) == sorted(naive_sets(graphs, sets.shape[1]))
    assert not list(naive_sets(graphs, len(found) + 1)) or len(found) == 5


def test_sets_stop_where_there_would_be_too_many():
    star = graph_of(9, [(0, leaf) for leaf in range(1, 9)])
    flat = flat_of([star])
    assert [len(sets) for sets in connected_sets(flat, 5, 10**6)] == [9, 8, 28, 56, 70]
    # From nine single nodes there are 16 steps to neighbours, from eight pairs 8 * (8 + 1).
    assert [len(sets) for sets in connected_sets(flat, 5, 72)] == [9, 8, 28]
    assert [len(sets) for sets in connected_sets(flat, 5, 71)] == [9, 8]
    assert [len(sets) for sets in connected_sets(flat, 5, 15)] == [9]


# ---- codes --------------------------------------------------------------------------------------------------------


def same_by_trying(kinds, edges, num_edge_kinds):
    """For each column of edges the smallest number that an order of nodes with the same kinds gives it."""
    size = len(kinds)
    pairs = list(combinations(range(size), 2))
    at = {frozenset(pair): place for place, pair in enumerate(pairs)}
    powers = (num_edge_kinds + 1) ** np.arange(len(pairs))
    orders = [order for order in permutations(range(size)) if [kinds[node] for node in order] == list(kinds)]
    turned = [[at[frozenset((order[i], order[j]))] for i, j in pairs] for order in orders]
    return np.min([powers @ edges[rows] for rows in turned], axis=0)


@pytest.mark.parametrize(
    ("kinds", "num_edge_kinds"),
    [([0, 0, 1], 3), ([0, 0, 0], 3), ([0, 0, 0, 0], 3), ([0, 0, 1, 1], 2), ([0, 0, 0, 1], 2), ([0, 0, 0, 0, 0], 2)],
)
def test_codes_tell_all_small_graphs_apart(kinds, num_edge_kinds):
    """Every way to join so many nodes by edges of so many kinds."""
    size, bonds = len(kinds), list(range(num_edge_kinds))
    some = undirected(num_edge_kinds + 1, [(b, b + 1) for b in bonds], [0] * num_edge_kinds + [1], bonds)
    flat = flat_of([undirected(size, [], kinds, []), some])
    pairs = list(combinations(range(size), 2))
    edges = np.array(list(product(range(num_edge_kinds + 1), repeat=len(pairs)))).T
    codes = codes_of(flat, np.tile(np.arange(size), (edges.shape[1], 1)), pairs, edges)
    shapes = same_by_trying(kinds, edges, num_edge_kinds)
    both = np.unique(np.column_stack([codes, shapes.astype(np.uint64)]), axis=0)
    assert len(both) == len(np.unique(codes)) == len(np.unique(shapes))


def test_codes_tell_which_nodes_are_closed():
    flat = flat_of([path(3)])
    sets, pairs, edges = np.array([[0, 1, 2]] * 4), [(0, 1), (0, 2), (1, 2)], np.array([[1] * 4, [0] * 4, [1] * 4])
    closed = np.array([[True, False, False, True], [False, True, False, False], [False, False, True, True]])
    first, middle, last, both = codes_of(flat, sets, pairs, edges, closed).tolist()
    assert first == last
    assert len({first, middle, both, *codes_of(flat, sets[:1], pairs, edges[:, :1]).tolist()}) == 4


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
    counted = CountedRows(flat, rows, codes, are_distinct=False)
    assert codes[counted.examples].tolist() == sorted(set(codes.tolist()))
    for place, code in enumerate(sorted(set(codes.tolist()))):
        own = np.zeros(len(graphs), np.int64)
        counted.add_to(own, place)
        assert own.tolist() == [expected[code, graph] for graph in range(len(graphs))]
        assert counted.num_graphs(place) == (own > 0).sum()


def naive_rows(flat, graph, number):
    own = np.flatnonzero(flat.graph == graph).tolist()
    return list(permutations(own, number))


# ---- codes of whole graphs ----------------------------------------------------------------------------------------


def relabelled(graph, order):
    """The same graph with node ``i`` called ``order[i]``, and its edges in another order."""
    order = torch.tensor(order)
    x = torch.empty_like(graph.x)
    x[order] = graph.x
    return Data(x=x, edge_index=order[graph.edge_index].flip(1), edge_attr=graph.edge_attr.flip(0))


@settings(max_examples=50, deadline=None)
@given(labelled(max_nodes=8, max_edges=12), st.data())
def test_the_code_of_a_graph_does_not_depend_on_the_order_of_its_nodes(graph, data):
    other = relabelled(graph, data.draw(st.permutations(range(graph.num_nodes))))
    one, same = graph_codes(flat_of([graph, other])).tolist()
    assert one == same


def refined(graph, num_rounds=3):
    """Colours as Weisfeiler and Leman refine them, as nested tuples."""
    edges = neighbours_of(graph)
    colors = [(kind,) for kind in graph.node_kinds.tolist()]
    for _ in range(num_rounds):
        colors = [
            (color, tuple(sorted((kind, colors[other]) for other, kind in row.items())))
            for color, row in zip(colors, edges, strict=True)
        ]
    return tuple(sorted(colors))


@settings(max_examples=50, deadline=None)
@given(groups_of_graphs(min_graphs=2, max_graphs=6, max_nodes=5))
def test_codes_of_graphs_are_equal_where_refined_colors_are(graphs):
    flat = flat_of(graphs)
    codes = graph_codes(flat).tolist()
    looks = [refined(flat.encoded[index]) for index in range(len(graphs))]
    for one, other in combinations(range(len(graphs)), 2):
        assert (codes[one] == codes[other]) == (looks[one] == looks[other])


def test_graphs_without_edges_are_told_apart_by_their_nodes():
    graphs = [undirected(len(kinds), [], kinds, []) for kinds in ([0], [1], [0, 0], [0, 1], [1, 0])]
    codes = graph_codes(flat_of(graphs)).tolist()
    assert len(set(codes)) == 4
    assert codes[3] == codes[4]
