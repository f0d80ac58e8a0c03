import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.page.options import SCORINGS, SearchOptions
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Scorer
from protograph.page.walk.search import _reachable, search, search_lazily, search_whole
from protograph.patterns.joint import JointGraphs
from tests import oracle
from tests.strategies import matching_problems, neighbour_lists

OPTIONS = st.builds(
    SearchOptions,
    budget=st.integers(1, 4),
    decay=st.sampled_from([1.0, 2.0, 10.0]),
    max_iterations=st.sampled_from([1, 3, 40]),
    max_nodes=st.one_of(st.none(), st.integers(1, 6)),
    scoring=st.sampled_from(SCORINGS),
    match_features=st.booleans(),
    distinct_starts=st.booleans(),
)


def expected_sessions(graphs, embeddings, options, tolerance):
    features = [g.x.argmax(1).tolist() if options.match_features else [0] * g.num_nodes for g in graphs]
    return oracle.search(
        [h.tolist() for h in embeddings],
        [neighbour_lists(g) for g in graphs],
        features,
        budget=options.budget,
        decay=options.decay,
        max_nodes=options.max_nodes or 99,
        max_iterations=options.max_iterations,
        scoring=options.scoring,
        tolerance=tolerance,
        distinct=options.distinct_starts,
    )


def assert_same_walks(walks, expected):
    assert [walk.start for walk in walks] == [start for start, _, _ in expected]
    for walk, (_, lists, partners) in zip(walks, expected, strict=True):
        assert [list(nodes) for nodes in walk.nodes] == lists
        assert [[tuple(row) for row in part.tolist()] for part in walk.partners] == partners


@settings(max_examples=200, deadline=None)
@given(matching_problems(), OPTIONS)
def test_walks_are_the_oracles_node_for_node(problem, options):
    graphs, embeddings = problem
    assume(len(graphs) > 1 or options.scoring == "product")
    tolerance = Matching(Scorer(embeddings, options.scoring), JointGraphs(graphs)).tolerance
    assert_same_walks(search(graphs, embeddings, options), expected_sessions(graphs, embeddings, options, tolerance))


@settings(max_examples=150, deadline=None)
@given(matching_problems(), OPTIONS)
def test_lazy_walks_are_the_oracles_too(problem, options):
    graphs, embeddings = problem
    assume(len(graphs) > 1 or options.scoring == "product")
    matching = Matching(Scorer(embeddings, options.scoring), JointGraphs(graphs, options.match_features))
    walks = search_lazily(matching, options)
    assert all(walk.is_exact for walk in walks)
    assert_same_walks(walks, expected_sessions(graphs, embeddings, options, matching.tolerance))


def path_graph(kinds):
    edges = [(i, i + 1) for i in range(len(kinds) - 1)]
    both = torch.tensor(edges + [(b, a) for a, b in edges]).reshape(-1, 2).t().contiguous()
    return Data(x=torch.eye(3)[torch.tensor(kinds)], edge_index=both)


def test_a_walk_worked_out_by_hand():
    # One graph, the path 0 - 1 - 2 - 3 with embeddings 4, 3, 2, 1. With k = 1, Y is the softmax times one number, so
    # the start is node 0; each step divides by 10 what has been visited, which outweighs differences of 1 (e < 10).
    graph = path_graph([0, 0, 0, 0])
    (walk,) = search([graph], [np.array([[4.0], [3.0], [2.0], [1.0]])], SearchOptions(budget=1, max_nodes=4))
    assert walk.nodes == ((0, 1, 2, 3),)
    assert walk.partners[0].tolist() == [[0], [1], [2], [3]]
    # 0, 1, then 2 rather than 0: 2 - log 1 against 4 - log 10 = 1.7; then 3: 1 against 3 - log 10 = 0.7
    assert walk.num_iterations == 3
    assert walk.stopped == "full"


@pytest.mark.parametrize(
    ("options", "stopped", "size"),
    [
        (SearchOptions(budget=1, max_nodes=2), "full", 2),
        (SearchOptions(budget=1, max_nodes=9), "exhausted", 4),
        (SearchOptions(budget=1), "exhausted", 4),
        (SearchOptions(budget=1, max_nodes=9, max_iterations=1), "max_iterations", 2),
    ],
)
def test_why_a_session_stops(options, stopped, size):
    graph = path_graph([0, 0, 0, 0])
    embeddings = np.array([[4.0], [3.0], [2.0], [1.0]])
    matching = Matching(Scorer([embeddings]), JointGraphs([graph]))
    for walk in (
        search([graph], [embeddings], options)[0],
        search_whole(matching, options)[0],
        search_lazily(matching, options)[0],
    ):
        assert walk.stopped == stopped
        assert len(walk.nodes[0]) == size


def test_a_dead_end_keeps_what_was_found():
    # Node 0 of the path could still be reached as far as features go, but the other graph has nowhere to step.
    first = path_graph([0, 0, 1])
    edgeless = Data(x=torch.eye(3)[[0]], edge_index=torch.empty(2, 0, dtype=torch.long))
    walks = search([first, edgeless], [np.array([[1.0], [2.0], [9.0]]), np.array([[1.0]])], SearchOptions(budget=1))
    assert walks[0].start == (1, 0)
    assert walks[0].nodes == ((1,), (0,))
    assert walks[0].stopped == "dead end"


def test_edges_of_another_kind_are_not_walked_together():
    one, other = path_graph([0, 0]), path_graph([0, 0])
    one.edge_attr, other.edge_attr = torch.tensor([[1.0], [1.0]]), torch.tensor([[2.0], [2.0]])
    embeddings = [np.array([[2.0], [1.0]])] * 2
    apart = search([one, other], embeddings, SearchOptions(budget=1, match_edges=True))
    together = search([one, one], embeddings, SearchOptions(budget=1, match_edges=True))
    assert apart[0].nodes == ((0,), (0,))
    assert apart[0].stopped == "dead end"
    assert together[0].nodes == ((0, 1), (0, 1))


def test_scores_that_differ_by_rounding_tie_and_the_first_wins():
    graph = Data(num_nodes=4, edge_index=torch.tensor([[0, 1, 0, 2, 0, 3], [1, 0, 2, 0, 3, 0]]))
    embeddings = np.array([[3.0], [1.0], [1.0 + 1e-13], [1.0 + 2e-13]])
    (walk,) = search([graph], [embeddings], SearchOptions(budget=1))
    assert walk.nodes == ((0, 1, 2, 3),)


def test_what_a_walk_can_reach_is_bounded_by_components_and_features():
    path = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    first = Data(x=torch.tensor([0, 0, 1, 0]), edge_index=path)
    second = Data(x=torch.tensor([0, 0, 0, 0]), edge_index=path[:, :2])
    # node 2 of the first graph has no partner and cuts off node 3; nodes 2 and 3 of the second are not connected
    assert _reachable(JointGraphs([first, second]), (0, 0)).tolist() == [2, 2]
    assert _reachable(JointGraphs([first, second], False), (0, 0)).tolist() == [4, 2]


def test_nothing_in_common_means_no_session():
    assert search([path_graph([0, 0]), path_graph([1, 1])], [np.ones((2, 1))] * 2, SearchOptions()) == []


@pytest.mark.parametrize("k", [5, 8])
def test_many_graphs_are_searched_without_the_whole_tensor(k):
    rng = np.random.default_rng(0)
    graphs = [path_graph([0, 1] * 10) for _ in range(k)]
    embeddings = [np.maximum(rng.normal(size=(20, 6)), 0) for _ in graphs]
    walks = search(graphs, embeddings, SearchOptions(budget=2, max_nodes=5, max_iterations=30))
    assert len(walks) == 2
    for walk in walks:
        assert all(len(nodes) <= 5 for nodes in walk.nodes)
        assert walk.partners[0].shape[1] == k


@pytest.mark.parametrize(("k", "size"), [(3, 1.0), (3, 2000.0), (4, 400.0), (5, 1000.0)])
@pytest.mark.parametrize("resolution", [1e-13, 1e-5])
def test_decays_count_however_large_the_scores(k, size, resolution):
    # All embeddings are equal, so only decays and the order of nodes decide: the walk goes once around the ring.
    around = torch.arange(8)
    ring = Data(
        num_nodes=8,
        edge_index=torch.stack([torch.cat([around, (around + 1) % 8]), torch.cat([(around + 1) % 8, around])]),
    )
    embeddings = [np.full((8, 32), size)] * k
    options = SearchOptions(budget=1, max_nodes=8, max_iterations=50)
    (walk,) = search([ring] * k, embeddings, options, resolution=resolution)
    assert walk.nodes == (tuple(range(8)),) * k
    assert walk.num_iterations == 7
