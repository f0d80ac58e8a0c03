import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Subgraph
from tests.page.naive_patterns import (
    common_patterns,
    edges_of,
    embeddings,
    every_common_pattern,
    groups_of_graphs,
    is_connected,
    ring_edges,
    undirected,
    worth_of,
)

some = settings(max_examples=20, deadline=None)


def pair(pattern):
    return pattern.nodes, pattern.edges


def check_valid(pattern, graphs, rule=True, match_edges=False):
    assert pattern.edges <= set(edges_of(graphs[0]))
    assert is_connected(*pair(pattern))
    assert pattern.is_connected
    for graph in graphs[1:]:
        assert embeddings(*pair(pattern), graphs[0], graph, rule, match_edges)


# ---- the largest ----------------------------------------------------------------------------------------------------


@some
@given(groups_of_graphs(), st.data())
def test_the_largest_is_what_trying_everything_finds(graphs, data):
    start = data.draw(st.integers(0, graphs[0].num_nodes - 1))
    every = common_patterns(graphs, start)
    found = CommonPatterns(graphs).largest(start)
    if not every:
        assert found is None
        return
    check_valid(found.pattern, graphs)
    assert start in found.pattern.nodes
    assert found.is_exact
    assert found.size == found.bound == max(map(worth_of, every)) == worth_of(pair(found.pattern))


@some
@given(groups_of_graphs(), st.sampled_from([10, 100, 100_000]))
def test_the_largest_of_all_starts(graphs, max_calls):
    most = max(map(worth_of, every_common_pattern(graphs)), default=0)
    found = CommonPatterns(graphs).largest_of_all(max_calls)
    if found is None:
        assert most == 0 or max_calls < 100_000
        return
    check_valid(found.pattern, graphs)
    assert found.size == worth_of(pair(found.pattern))
    assert found.bound >= most
    assert found.size == most or not found.is_exact
    assert found.is_exact or max_calls < 100_000


# ---- is it common, and where ----------------------------------------------------------------------------------------


@st.composite
def connected_parts(draw, graphs):
    """A connected part of the first graph, some of its edges left out."""
    edges, nodes = sorted(edges_of(graphs[0])), {draw(st.integers(0, graphs[0].num_nodes - 1))}
    chosen = set()
    for _ in range(draw(st.integers(0, 6))):
        near = [edge for edge in edges if set(edge) & nodes and edge not in chosen]
        if near:
            chosen.add(draw(st.sampled_from(near)))
            nodes = nodes.union(*chosen)
    return Subgraph(frozenset(nodes), frozenset(chosen))


@some
@given(groups_of_graphs(1, 3), st.data())
def test_common_is_what_lies_in_every_graph(graphs, data):
    pattern = data.draw(connected_parts(graphs))
    expected = all(embeddings(*pair(pattern), graphs[0], graph) for graph in graphs[1:])
    assert CommonPatterns(graphs).is_common(pattern) == expected


@some
@given(groups_of_graphs(2, 3, max_nodes=5), st.data())
def test_alignment_has_the_highest_sum_of_scores(graphs, data):
    pattern = data.draw(connected_parts(graphs))
    ways = [embeddings(*pair(pattern), graphs[0], graph) for graph in graphs[1:]]
    assume(all(ways))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    whole = [rng.integers(0, 3, (graphs[0].num_nodes, graph.num_nodes)).astype(float) for graph in graphs[1:]]
    scores = [
        np.where((graphs[0].x.numpy()[:, None] == graph.x.numpy()[None]).all(axis=2), part, -np.inf)
        for part, graph in zip(whole, graphs[1:], strict=True)
    ]
    aligned = CommonPatterns(graphs).align(pattern, scores, 1e-9)
    assert set(aligned) == pattern.nodes
    assert all(row[0] == node and len(row) == len(graphs) for node, row in aligned.items())
    for q, (images, score) in enumerate(zip(ways, scores, strict=True)):
        found = {node: row[q + 1] for node, row in aligned.items()}
        assert found in images  # one to one, edges present, features equal
        best = max(sum(score[node, other] for node, other in image.items()) for image in images)
        assert sum(score[node, other] for node, other in found.items()) == pytest.approx(best)


@some
@given(groups_of_graphs(2, 3, max_nodes=5), st.data())
def test_an_alignment_that_finds_nothing_in_time_is_any_way_that_there_is(graphs, data):
    pattern = data.draw(connected_parts(graphs))
    ways = [embeddings(*pair(pattern), graphs[0], graph) for graph in graphs[1:]]
    assume(all(ways))
    scores = [np.zeros((graphs[0].num_nodes, graph.num_nodes)) for graph in graphs[1:]]
    for common in (CommonPatterns(graphs), CommonPatterns(graphs, lambda one, other: bool((one == other).all()))):
        aligned = common.align(pattern, scores, 1e-9, max_calls=0)
        for q, images in enumerate(ways):
            assert {node: row[q + 1] for node, row in aligned.items()} in images


def test_a_tree_of_hubs_is_aligned_in_no_time():
    # Ten hubs in a row, each with leaves: node by node, the leaves of every hub would be tried in every order.
    leaves = [(hub, 10 + 4 * hub + leaf) for hub in range(10) for leaf in range(4)]
    edges = [*((hub, hub + 1) for hub in range(9)), *leaves]
    graph, fewer = undirected(50, edges, [0] * 50), [edge for edge in edges if edge != (9, 49)]
    pattern = Subgraph(frozenset(range(49)), frozenset(fewer))
    scores = [np.random.default_rng(0).random((50, 50))]
    aligned = CommonPatterns([graph, graph]).align(pattern, scores, 0.0, max_calls=1)
    assert len({row[1] for row in aligned.values()}) == 49
    there = {frozenset(edge) for edge in edges}
    assert all(frozenset((aligned[u][1], aligned[v][1])) in there for u, v in fewer)


def test_equal_sums_go_to_the_first():
    graph = undirected(3, ring_edges(0, 1, 2), [0, 0, 0])
    pattern = Subgraph(frozenset([0, 1]), frozenset([(0, 1)]))
    common = CommonPatterns([graph, graph])
    nearly = np.array([[0.0, 0.0, 1e-9], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert common.align(pattern, [nearly], 1e-6) == {0: (0, 0), 1: (1, 1)}
    assert common.align(pattern, [nearly], 1e-12) == {0: (0, 2), 1: (1, 0)}
