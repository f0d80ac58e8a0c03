import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.isomorphism import is_isomorphic, same_graph
from tests.metrics.small_graphs import _typed, graph_of, graphs, path, ring


def by_networkx(one, other, match_features=True, match_edges=False):
    return nx.is_isomorphic(
        _typed(one),
        _typed(other),
        node_match=(lambda a, b: a == b) if match_features else None,
        edge_match=(lambda a, b: a == b) if match_edges else None,
    )


@settings(max_examples=150, deadline=None)
@given(graphs(max_nodes=5), graphs(max_nodes=5), st.booleans(), st.booleans())
def test_agrees_with_networkx(one, other, match_features, match_edges):
    options = {"match_features": match_features, "match_edges": match_edges}
    expected = by_networkx(one, other, **options)
    assert same_graph(one, other, **options) == same_graph(other, one, **options) == expected
    encoded = EncodedGraphs([one, other], **options)
    assert is_isomorphic(encoded[0], encoded[1]) == expected


@settings(max_examples=60, deadline=None)
@given(graphs(min_nodes=1, max_nodes=9), st.integers(0, 2**32 - 1))
def test_other_numbers_the_same_graph(graph, seed):
    order = torch.from_numpy(np.random.default_rng(seed).permutation(graph.num_nodes))
    place = torch.argsort(order)
    other = Data(x=graph.x[order], edge_index=place[graph.edge_index].flip(0), edge_attr=graph.edge_attr)
    assert same_graph(graph, other, match_edges=True)


def test_graphs_that_are_the_same_but_for_their_numbers():
    def graph(edges, num_nodes):
        return Data(edge_index=torch.tensor(edges).T, num_nodes=num_nodes)

    line, renumbered = graph([(0, 1), (1, 2), (2, 3)], 4), graph([(2, 0), (0, 3), (3, 1)], 4)
    star, longer = graph([(0, 1), (0, 2), (0, 3)], 4), graph([(0, 1), (1, 2), (2, 3), (3, 4)], 5)
    encoded = EncodedGraphs([line, renumbered, star, longer])
    assert [is_isomorphic(encoded[0], encoded[other]) for other in range(4)] == [True, True, False, False]


@pytest.mark.parametrize(
    ("other", "options", "expected"),
    [
        (path(3, kinds=[1, 0, 0], bonds=[1, 0]), {}, True),
        (path(3, kinds=[1, 0, 0], bonds=[1, 0]), {"match_edges": True}, True),
        (path(3, kinds=[1, 0, 0], bonds=[0, 1]), {"match_edges": True}, False),
        (path(3, kinds=[0, 1, 0], bonds=[0, 1]), {}, False),
        (path(3, kinds=[0, 1, 0], bonds=[0, 1]), {"match_features": False}, True),
        (ring(3, kinds=[0, 0, 1], bonds=[0, 1, 0]), {"match_features": False}, False),
    ],
)
def test_features_and_attributes_count_where_asked_for(other, options, expected):
    assert same_graph(path(3, kinds=[0, 0, 1], bonds=[0, 1]), other, **options) is expected


def test_as_many_nodes_and_edges_are_not_enough():
    # Regular of degree 3 with ten nodes and 15 edges each.
    petersen, prism = nx.petersen_graph(), nx.circular_ladder_graph(5)
    one, other = (graph_of(10, list(graph.edges)) for graph in (petersen, prism))
    assert not same_graph(one, other)
    assert same_graph(one, graph_of(10, [(9 - u, 9 - v) for u, v in petersen.edges]))


def test_graphs_that_take_too_long_count_as_different():
    (encoded,) = EncodedGraphs([ring(8)])
    assert is_isomorphic(encoded, encoded)
    assert not is_isomorphic(encoded, encoded, max_calls=3)
