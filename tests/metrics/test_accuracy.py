import warnings

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph._utils.errors import ProtographWarning
from protograph.datasets.synthetic import HOUSE
from protograph.metrics import accuracy, best_accuracy, density
from tests.metrics.small_graphs import graph_of, graphs, grid, path, plain, ring


def common(image, graph, truth, match_edges):
    """Nodes and edges that correspond under the pairs of ``image`` whose labels are equal."""
    (kinds, edges), (other_kinds, other_edges) = plain(graph), plain(truth)
    image = {node: other for node, other in image if kinds[node] == other_kinds[other]}
    count = len(image)
    for (u, v), bond in ((tuple(pair), bond) for pair, bond in edges.items()):
        if u in image and v in image and frozenset((image[u], image[v])) in other_edges:
            count += not match_edges or other_edges[frozenset((image[u], image[v]))] == bond
    return count


def most_of_partial(graph, truth, match_edges, image=(), node=0):
    """By the definition: every node gets any free partner or none."""
    if node == graph.num_nodes:
        return common(image, graph, truth, match_edges)
    taken = {other for _, other in image}
    best = most_of_partial(graph, truth, match_edges, image, node + 1)
    for other in set(range(truth.num_nodes)) - taken:
        best = max(best, most_of_partial(graph, truth, match_edges, (*image, (node, other)), node + 1))
    return best


def check(graph, truth, match_edges, expected):
    found = accuracy(graph, truth, match_edges=match_edges)
    sizes = [g.num_nodes + len(plain(g)[1]) for g in (graph, truth)]
    assert found.is_exact
    assert found.true_positives == expected == common(found.mapping, graph, truth, match_edges)
    assert found.false_positives == sizes[0] - expected
    assert found.false_negatives == sizes[1] - expected
    assert found.value == found.bound == (expected / (sum(sizes) - expected) if sum(sizes) else 1.0)
    nodes, others = zip(*found.mapping, strict=True) if found.mapping else ((), ())
    assert len(set(nodes)) == len(nodes)
    assert len(set(others)) == len(others)


@settings(max_examples=25, deadline=None)
@given(graphs(max_nodes=4), graphs(max_nodes=4), st.booleans())
def test_equals_the_best_of_all_partial_correspondences(graph, truth, match_edges):
    check(graph, truth, match_edges, most_of_partial(graph, truth, match_edges))


def motif(m):
    return graph_of(len(m.roles), m.edges, m.roles)


def test_the_paper_on_ba_house():
    # The house and four nodes of the backbone: 9 nodes, 12 edges.
    backbone = [(4, 5), (5, 6), (6, 7), (7, 8), (8, 5), (5, 7)]
    prototype = graph_of(9, [*HOUSE.edges, *backbone], [*HOUSE.roles, 2, 2, 2, 2])
    found = accuracy(prototype, motif(HOUSE))
    assert (found.true_positives, found.false_positives, found.false_negatives) == (11, 10, 0)
    assert float(found) == 11 / 21
    assert found.mapping[0] == (0, 0)
    assert [node for node, _ in found.mapping] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("graph", "truth", "expected"),
    [
        (Data(num_nodes=0), Data(num_nodes=0), (0, 0, 0, 1.0)),
        (Data(num_nodes=0), path(2), (0, 0, 3, 0.0)),
        (path(2), Data(num_nodes=0), (0, 3, 0, 0.0)),
        (Data(num_nodes=1), Data(num_nodes=1), (1, 0, 0, 1.0)),
        (Data(num_nodes=1), path(2), (1, 0, 2, 1 / 3)),
        (graph_of(1, [], [0]), graph_of(1, [], [1]), (0, 1, 1, 0.0)),
        (graph_of(2, [(0, 0), (0, 1), (1, 0), (0, 1)]), path(2), (3, 0, 0, 1.0)),
        # C-N-O against N-C-O: all nodes, one edge (C-N).
        (path(3, kinds=[0, 1, 2]), path(3, kinds=[1, 0, 2]), (4, 1, 1, 4 / 6)),
        # Two pieces that the truth has joined.
        (graph_of(4, [(0, 1), (2, 3)]), path(4), (6, 0, 1, 6 / 7)),
        (ring(5), ring(6), (9, 1, 3, 9 / 13)),
        (grid(3, 3), ring(8), (16, 5, 0, 16 / 21)),
    ],
)
def test_cases_by_hand(graph, truth, expected):
    found = accuracy(graph, truth)
    assert (found.true_positives, found.false_positives, found.false_negatives, found.value) == expected


def test_edges_are_compared_only_if_asked():
    single, double = path(2, bonds=[0]), path(2, bonds=[1])
    assert accuracy(single, double).value == 1.0
    assert accuracy(single, double, match_edges=True).value == 2 / 4


def random_regular(seed):
    return graph_of(20, list(nx.random_regular_graph(3, 20, seed=seed).edges))


def test_reaching_the_limit_is_said():
    graph, truth = random_regular(0), random_regular(1)
    with pytest.warns(ProtographWarning, match=r"not found within 1000 calls.*between .* and .*raise max_calls"):
        found = accuracy(graph, truth, max_calls=1000)
    assert not found.is_exact
    assert found.true_positives == common(found.mapping, graph, truth, False) >= 40
    assert 40 / 60 <= found.value < found.bound == 1.0


@settings(max_examples=25, deadline=None)
@given(graphs(min_nodes=1, max_nodes=5), graphs(min_nodes=1, max_nodes=5))
def test_a_search_cut_short_gives_a_bound_that_holds(graph, truth):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        exact, short = accuracy(graph, truth), accuracy(graph, truth, max_calls=2)
    assert short.value <= exact.value <= short.bound
    # It may have found the most by chance without knowing; what it calls exact is.
    assert not short.is_exact or short.value == exact.value


def test_many_nodes_that_can_be_swapped_take_few_steps():
    """Stars of ten leaves: without their order there are 10! ways to place them."""
    star = graph_of(11, [(0, leaf) for leaf in range(1, 11)])
    other = graph_of(12, [(0, leaf) for leaf in range(1, 10)] + [(1, 10), (2, 11)])
    found = accuracy(star, other, max_calls=20_000)
    assert (found.true_positives, found.is_exact) == (11 + 9, True)


def test_the_best_of_several_truths():
    found = best_accuracy(ring(6), [path(3), ring(6), ring(6)])
    assert (found.value, found.truth, found.is_exact) == (1.0, 1, True)
    with pytest.raises(ValueError, match=r"^truths must have at least one graph, got none$"):
        best_accuracy(ring(6), [])


def test_the_best_is_not_exact_where_another_truth_could_be_better():
    with pytest.warns(ProtographWarning, match="raise max_calls to know it$"):
        found = best_accuracy(random_regular(0), [path(2), random_regular(1)], max_calls=50)
    assert (found.truth, found.is_exact, found.bound) == (1, False, 1.0)


@pytest.mark.parametrize(
    ("graph", "truth", "error", "message"),
    [
        (
            path(2),
            path(2, kinds=[0, 1]),
            ValueError,
            r"^x must be alike in all graphs; graph has none, truth has 3 columns$",
        ),
        (path(2), "ring", TypeError, r"^truth must be a torch_geometric.data.Data, got str; of a prototype"),
    ],
)
def test_what_cannot_be_compared(graph, truth, error, message):
    with pytest.raises(error, match=message):
        accuracy(graph, truth)


def test_a_limit_of_nothing():
    with pytest.raises(ValueError, match=r"^max_calls must be at least 1, got 0$"):
        accuracy(path(2), path(2), max_calls=0)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (Data(num_nodes=0), 0.0),
        (Data(num_nodes=1), 0.0),
        (path(2), 1 / 4),
        (ring(3), 3 / 9),
        (graph_of(2, [(0, 1), (1, 0), (0, 0), (0, 1)]), 1 / 4),
        (Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 0]])), 1 / 9),
    ],
)
def test_undirected_edges_over_nodes_squared(graph, expected):
    assert density(graph) == expected
