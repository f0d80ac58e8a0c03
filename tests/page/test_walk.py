"""The paper's search, node for node against the oracle; beyond the whole tensor it stays a walk of the same kind."""

from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.page import walk as module
from protograph.page.matching import Matching, Scorer
from protograph.page.options import SCORINGS, SearchOptions, Walk
from protograph.page.search import NoPrototypeError
from protograph.page.walk import common_size, search
from protograph.patterns.joint import JointGraphs
from tests import oracle
from tests.page.naive_patterns import (
    path_edges,
    ring_edges,
    undirected,
)
from tests.strategies import matching_problems, neighbour_lists

WALKS = st.builds(
    Walk,
    decay=st.sampled_from([1.0, 2.0, 10.0]),
    max_iterations=st.sampled_from([1, 3, 40]),
    scoring=st.sampled_from(SCORINGS),
    distinct_starts=st.booleans(),
)
OPTIONS = st.builds(
    SearchOptions,
    budget=st.integers(1, 4),
    max_nodes=st.one_of(st.none(), st.integers(1, 6)),
    match_features=st.booleans(),
    walk=WALKS,
)


@pytest.fixture
def beyond(monkeypatch):
    """No tensor is small enough to be built whole."""
    monkeypatch.setattr(module, "MAX_WHOLE", 0)


@settings(max_examples=40, deadline=None)
@given(matching_problems(), OPTIONS)
def test_walks_are_the_oracles_node_for_node(problem, options):
    graphs, embeddings = problem
    walk = options.walk
    assume(len(graphs) > 1 or walk.scoring == "product")
    features = [g.x.argmax(1).tolist() if options.match_features else [0] * g.num_nodes for g in graphs]
    expected = oracle.search(
        [h.tolist() for h in embeddings],
        [neighbour_lists(g) for g in graphs],
        features,
        budget=options.budget,
        decay=walk.decay,
        max_nodes=options.max_nodes or 99,
        max_iterations=walk.max_iterations,
        scoring=walk.scoring,
        tolerance=Matching(Scorer(embeddings, walk.scoring), JointGraphs(graphs)).tolerance,
        distinct=walk.distinct_starts,
    )
    walks = search(graphs, embeddings, options)
    assert [one.start for one in walks] == [start for start, _, _ in expected]
    for one, (_, lists, partners) in zip(walks, expected, strict=True):
        assert one.is_exact
        assert [list(nodes) for nodes in one.nodes] == lists
        assert [[tuple(row) for row in part.tolist()] for part in one.partners] == partners


def path_graph(kinds):
    return undirected(len(kinds), path_edges(*range(len(kinds))), kinds)


LINE = np.array([[4.0], [3.0], [2.0], [1.0]])


@pytest.mark.parametrize("limit", [2**23, 0], ids=["whole", "beyond"])
def test_a_walk_worked_out_by_hand(limit, monkeypatch):
    # One graph, the path 0 - 1 - 2 - 3 with embeddings 4, 3, 2, 1. With k = 1, Y is the softmax times one number, so
    # the start is node 0; each step divides by 10 what has been visited, which outweighs differences of 1 (e < 10).
    monkeypatch.setattr(module, "MAX_WHOLE", limit)
    (walk,) = search([path_graph([0, 0, 0, 0])], [LINE], SearchOptions(budget=1, max_nodes=4))
    assert walk.nodes == ((0, 1, 2, 3),)
    assert walk.partners[0].tolist() == [[0], [1], [2], [3]]
    # 0, 1, then 2 rather than 0: 2 - log 1 against 4 - log 10 = 1.7; then 3: 1 against 3 - log 10 = 0.7
    assert (walk.num_iterations, walk.stopped, walk.is_exact) == (3, "full", limit > 0)


@pytest.mark.parametrize("limit", [2**23, 0], ids=["whole", "beyond"])
@pytest.mark.parametrize(
    ("options", "stopped", "size"),
    [
        (SearchOptions(budget=1, max_nodes=2), "full", 2),
        (SearchOptions(budget=1, max_nodes=9), "exhausted", 4),
        (SearchOptions(budget=1), "exhausted", 4),
        (SearchOptions(budget=1, max_nodes=9, walk=Walk(max_iterations=1)), "max_iterations", 2),
    ],
)
def test_why_a_session_stops(options, stopped, size, limit, monkeypatch):
    monkeypatch.setattr(module, "MAX_WHOLE", limit)
    (walk,) = search([path_graph([0, 0, 0, 0])], [LINE], options)
    assert (walk.stopped, len(walk.nodes[0])) == (stopped, size)


@pytest.mark.parametrize("limit", [2**23, 0], ids=["whole", "beyond"])
def test_a_dead_end_keeps_what_was_found_and_nothing_in_common_is_no_session(limit, monkeypatch):
    monkeypatch.setattr(module, "MAX_WHOLE", limit)
    # Node 0 of the path could still be reached as far as features go, but the other graph has nowhere to step.
    first, edgeless = path_graph([0, 0, 1]), undirected(1, [], [0])
    walks = search([first, edgeless], [np.array([[1.0], [2.0], [9.0]]), np.array([[1.0]])], SearchOptions(budget=1))
    assert (walks[0].start, walks[0].nodes, walks[0].stopped) == ((1, 0), ((1,), (0,)), "dead end")
    assert search([path_graph([0, 0]), path_graph([1, 1])], [np.ones((2, 1))] * 2, SearchOptions()) == []


@pytest.mark.parametrize("limit", [2**23, 0], ids=["whole", "beyond"])
def test_edges_of_another_kind_are_not_walked_together(limit, monkeypatch):
    monkeypatch.setattr(module, "MAX_WHOLE", limit)
    one, other = (undirected(2, [(0, 1)], [0, 0], [kind]) for kind in (0, 1))
    walked = partial(search, embeddings=[np.array([[2.0], [1.0]])] * 2, options=SearchOptions(match_edges=True))
    assert walked([one, other])[0].nodes == ((0,), (0,))
    assert walked([one, one])[0].nodes == ((0, 1), (0, 1))


def test_scores_that_differ_by_rounding_tie_and_the_first_wins():
    graph = Data(num_nodes=4, edge_index=torch.tensor([[0, 1, 0, 2, 0, 3], [1, 0, 2, 0, 3, 0]]))
    embeddings = np.array([[3.0], [1.0], [1.0 + 1e-13], [1.0 + 2e-13]])
    (walk,) = search([graph], [embeddings], SearchOptions(budget=1))
    assert walk.nodes == ((0, 1, 2, 3),)


def test_a_walk_ends_with_its_component_and_with_the_features_that_all_have():
    path = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    first = Data(x=torch.tensor([0, 0, 1, 0]), edge_index=path)
    second = Data(x=torch.tensor([0, 0, 0, 0]), edge_index=path[:, :2])
    # node 2 of the first graph has no partner and cuts off node 3; nodes 2 and 3 of the second are not connected
    walked = partial(search, [first, second], [LINE, LINE])
    assert [len(nodes) for nodes in walked(SearchOptions(budget=1))[0].nodes] == [2, 2]
    (free,) = walked(SearchOptions(budget=1, match_features=False))
    assert ([len(nodes) for nodes in free.nodes], free.stopped) == ([4, 2], "exhausted")


@pytest.mark.parametrize(("k", "size"), [(3, 1.0), (3, 2000.0), (5, 1000.0)])
@pytest.mark.parametrize("resolution", [1e-13, 1e-5])
def test_decays_count_however_large_the_scores(k, size, resolution):
    # All embeddings are equal, so only decays and the order of nodes decide: the walk goes once around the ring.
    ring = undirected(8, ring_edges(*range(8)), [0] * 8)
    options = SearchOptions(budget=1, max_nodes=8, walk=Walk(max_iterations=50))
    (walk,) = search([ring] * k, [np.full((8, 32), size)] * k, options, resolution=resolution)
    assert walk.nodes == (tuple(range(8)),) * k
    assert walk.num_iterations == 7


# ---- beyond the whole tensor ---------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(matching_problems(min_graphs=2), st.sampled_from([True, False, 0.5]), st.booleans())
def test_beyond_starts_are_good_and_walks_from_them_the_exact_ones(problem, match_features, distinct):
    graphs, embeddings = problem
    options = SearchOptions(budget=3, match_features=match_features, walk=Walk(distinct_starts=distinct))
    whole = Matching(Scorer(embeddings), JointGraphs(graphs, match_features)).whole()
    with patch.object(module, "MAX_WHOLE", 0):
        found = search(graphs, embeddings, options)
    assert bool(found) == bool((whole > -np.inf).any())
    assert not any(walk.is_exact for walk in found)
    assert all(-np.inf < whole[walk.start] for walk in found)
    assert len({walk.start for walk in found}) == len(found)
    for axis in range(len(graphs) if distinct else 0):
        assert len({walk.start[axis] for walk in found}) == len(found)
    for walk in found:
        with patch.object(module, "_starts", lambda *args, start=walk.start: [start]):
            (exact,) = search(graphs, embeddings, options)
        assert (walk.nodes, walk.stopped) == (exact.nodes, exact.stopped)


@pytest.mark.usefixtures("beyond")
def test_no_exchange_of_one_node_improves_the_raw_score_of_a_start():
    rng = np.random.default_rng(0)
    graphs = [path_graph([0, 1] * 4) for _ in range(3)]
    embeddings = [np.maximum(rng.normal(size=(8, 6)), 0) for _ in graphs]
    (walk,) = search(graphs, embeddings, SearchOptions(budget=1))
    raw = np.where(JointGraphs(graphs).mask(), Scorer(embeddings).whole(), -np.inf)
    for axis in (1, 2):
        fibre = raw[tuple(slice(None) if q == axis else node for q, node in enumerate(walk.start))]
        assert raw[walk.start] == pytest.approx(fibre.max())


@pytest.mark.usefixtures("beyond")
def test_a_step_with_too_many_tuples_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_STEP", 0)
    with pytest.raises(NoPrototypeError, match=r"more than 0 tuples; pass a smaller num_graphs, or search='consensus'"):
        search([path_graph([0, 0])] * 2, [np.ones((2, 1))] * 2, SearchOptions())


# ---- how long a walk is --------------------------------------------------------------------------------------------


def test_how_long_by_hand():
    ring, other = (undirected(4, ring_edges(*range(4)), [kind] * 4) for kind in (0, 1))
    assert common_size([path_graph([0] * 6), ring], SearchOptions()) == 4
    assert common_size([ring, other], SearchOptions()) == 2  # nothing in common, but a walk needs a step
    assert common_size([ring, other], SearchOptions(match_features=False)) == 4
    bonds = [undirected(3, path_edges(0, 1, 2), [0] * 3, [0, bond]) for bond in (0, 1)]
    assert [common_size(bonds, SearchOptions(match_edges=equal)) for equal in (False, True)] == [3, 2]
    assert [common_size([path_graph([0] * size)], SearchOptions()) for size in (1, 2, 4, 5, 9)] == [2, 2, 2, 3, 5]
