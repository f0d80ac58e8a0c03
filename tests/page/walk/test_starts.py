import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.page.options import WalkOptions
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Scorer
from protograph.page.walk.starts import Start, find_starts
from protograph.patterns.joint import JointGraphs
from tests import oracle
from tests.strategies import matching_problems


def make_matching(graphs, embeddings, match_features=True):
    return Matching(Scorer(embeddings), JointGraphs(graphs, match_features))


@settings(max_examples=100, deadline=None)
@given(
    matching_problems(),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from([True, False, 0.5]),
    st.sampled_from([WalkOptions().max_cells, 40]),
)
def test_starts_are_the_oracles(problem, count, distinct, match_features, max_cells):
    """Also where a slab's terms have to be put together from small pieces."""
    graphs, embeddings = problem
    matching = make_matching(graphs, embeddings, match_features)
    whole = matching.whole()
    logs = {nodes: float(whole[nodes]) for nodes in np.ndindex(*matching.sizes)}
    limits = WalkOptions(max_cells=max(max_cells, int(np.prod(matching.sizes[1:]))))
    found = find_starts(matching, count, distinct=distinct, limits=limits)
    expected = oracle.find_starts(logs, count, matching.tolerance, distinct=distinct)
    assert found == [Start(nodes, is_exact=True) for nodes in expected]


@settings(max_examples=60, deadline=None)
@given(
    matching_problems(min_graphs=2), st.sampled_from([WalkOptions(max_tuples=0), WalkOptions(max_cells=0)]), st.data()
)
def test_searching_by_ascent_says_so_and_stays_within_the_exact_best(problem, limits, data):
    graphs, embeddings = problem
    matching = make_matching(graphs, embeddings)
    distinct = data.draw(st.booleans())
    exact = find_starts(matching, 3, distinct=distinct)
    found = find_starts(matching, 3, distinct=distinct, limits=limits)
    assert not any(start.is_exact for start in found)
    assert bool(found) == bool(exact)
    if found:
        whole = matching.whole()
        assert whole[found[0].nodes] <= whole[exact[0].nodes] + matching.tolerance
        assert all(whole[start.nodes] > -np.inf for start in found)
        assert len({start.nodes for start in found}) == len(found)
        for axis in range(len(graphs) if distinct else 0):
            assert len({start.nodes[axis] for start in found}) == len(found)


def bare(sizes):
    return [Data(num_nodes=size, edge_index=torch.empty(2, 0, dtype=torch.long)) for size in sizes]


@pytest.mark.parametrize("limits", [WalkOptions(), WalkOptions(max_tuples=0)], ids=["exact", "ascent"])
def test_by_hand(limits):
    """One node against two: nodes of the second graph in the order of their scores, as long as there are any."""
    matching = make_matching(bare([1, 3]), [np.array([[1.0]]), np.array([[1.0], [3.0], [2.0]])])
    assert [start.nodes for start in find_starts(matching, 9, limits=limits)] == [(0, 1)]
    several = find_starts(matching, 9, distinct=False, limits=limits)
    assert [start.nodes for start in several] == [(0, 1), (0, 2), (0, 0)]
    assert [start.nodes for start in find_starts(matching, 2, distinct=False, limits=limits)] == [(0, 1), (0, 2)]


def test_nothing_that_agrees_is_no_start():
    first, second = (Data(x=torch.tensor([[kind]]), edge_index=torch.empty(2, 0, dtype=torch.long)) for kind in (0, 1))
    for limits in (WalkOptions(), WalkOptions(max_tuples=0)):
        assert find_starts(make_matching([first, second], [np.ones((1, 1))] * 2), 3, limits=limits) == []
