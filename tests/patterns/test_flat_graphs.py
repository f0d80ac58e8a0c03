from itertools import combinations, permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs.encoding import ranges
from protograph.patterns import flat_graphs
from protograph.patterns.flat_graphs import graph_codes, stirred
from protograph.patterns.pattern import Subgraph
from protograph.patterns.subgraph_isomorphism import neighbours_of
from tests.metrics.small_graphs import path, ring
from tests.page.naive_patterns import groups_of_graphs, labelled, undirected
from tests.patterns.naive_sets import flat_of, refined

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
                start, end, graph = flat.nodes[nodes[u]].tolist()
                assert graph == place
                assert (flat.around[:, start:end] - [[first], [0]]).T.tolist() == sorted(map(list, edges[u].items()))


def test_a_pattern_is_told_by_its_nodes_in_its_own_graph():
    flat = flat_of([path(3), path(4), ring(5)], chosen=[0, 2])
    assert flat.pattern(np.array([5, 3, 4]), [(0, 2), (2, 1)]) == (2, Subgraph(frozenset({0, 1, 2}), {(1, 2), (0, 1)}))
    assert flat.pattern(np.array([1]), []) == (0, Subgraph(frozenset({1}), frozenset()))


def test_ranges():
    assert ranges(np.array([5, 0, 7]), np.array([2, 0, 3])).tolist() == [5, 6, 7, 8, 9]
    assert ranges(np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []


def test_a_stirred_number_depends_on_the_order():
    one, other = np.array([1, 1], np.uint64), np.array([2, 1], np.uint64)
    (first, second), (back, same) = stirred(one, other).tolist(), stirred(other, one).tolist()
    assert first != back
    assert second == same
    assert first != second


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


@settings(max_examples=50, deadline=None)
@given(groups_of_graphs(min_graphs=2, max_graphs=6, max_nodes=5))
def test_codes_of_graphs_are_equal_where_refined_colors_are(graphs):
    flat = flat_of(graphs)
    codes = graph_codes(flat).tolist()
    encoded = [flat.encoded[index] for index in range(len(graphs))]
    looks = [refined(graph.node_kinds.tolist(), neighbours_of(graph)) for graph in encoded]
    for one, other in combinations(range(len(graphs)), 2):
        assert (codes[one] == codes[other]) == (looks[one] == looks[other])


def test_graphs_without_edges_are_told_apart_by_their_nodes():
    graphs = [undirected(len(kinds), [], kinds, []) for kinds in ([0], [1], [0, 0], [0, 1], [1, 0])]
    codes = graph_codes(flat_of(graphs)).tolist()
    assert len(set(codes)) == 4
    assert codes[3] == codes[4]
