"""Graphs of very many nodes are searched by lists in place of bits: the answers are the same."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns import containment
from protograph.patterns.containment import contained_in
from tests.metrics.small_graphs import graph_of, graphs, networkx_contains, path, ring


@pytest.fixture
def only_lists(monkeypatch):
    monkeypatch.setattr(containment, "MAX_BITS", -1)


def by_lists(pattern, encoded, **options):
    most, containment.MAX_BITS = containment.MAX_BITS, -1
    try:
        return contained_in(pattern, encoded, **options).tolist()
    finally:
        containment.MAX_BITS = most


@settings(max_examples=150, deadline=None)
@given(
    st.lists(graphs(max_nodes=8), min_size=1, max_size=3),
    graphs(max_nodes=5),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
    st.data(),
)
def test_lists_find_what_bits_find(whole, pattern, induced, match_edges, at_least, data):
    nodes = st.integers(0, pattern.num_nodes - 1) if pattern.num_nodes else st.nothing()
    options = {"induced": induced, "closed": data.draw(st.sets(nodes)), "at_least": at_least}
    encoded = EncodedGraphs(whole, match_edges=match_edges)
    assert by_lists(pattern, encoded, **options) == contained_in(pattern, encoded, **options).tolist()


@pytest.mark.parametrize("induced", [False, True])
def test_agrees_with_networkx(only_lists, induced):
    rng = np.random.default_rng(0)
    whole = [
        graph_of(40, list(nx.gnm_random_graph(40, 60, seed=seed).edges), rng.integers(0, 2, 40)) for seed in range(6)
    ]
    for seed in range(12):
        tree = nx.random_labeled_tree(6, seed=seed)
        pattern = graph_of(6, list(tree.edges), rng.integers(0, 2, 6))
        expected = [networkx_contains(graph, pattern, induced, False) for graph in whole]
        assert contained_in(pattern, EncodedGraphs(whole), induced=induced).tolist() == expected


def test_a_large_graph_among_small_ones():
    wheel = graph_of(701, [(0, n) for n in range(1, 701)] + [(n, n + 1) for n in range(1, 700)])
    encoded = EncodedGraphs([path(4), wheel, ring(3), wheel])
    assert contained_in(ring(3), encoded).tolist() == [0, 1, 1, 1]
    assert contained_in(ring(3), encoded, at_least=700).tolist() == [0, 0, 0, 0]
    assert contained_in(ring(3), encoded, at_least=699, max_calls=10**7).tolist() == [0, 1, 0, 1]
    assert contained_in(ring(3), encoded, indices=[3, 0]).tolist() == [1, 0]


def test_the_limit(only_lists):
    star = graph_of(30, [(0, n) for n in range(1, 15)] + [(n, n + 14) for n in range(1, 15)])
    assert contained_in(ring(5), EncodedGraphs([star]), max_calls=5).tolist() == [-1]
    assert contained_in(ring(5), EncodedGraphs([star])).tolist() == [0]
