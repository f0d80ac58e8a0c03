import numpy as np
import pytest
import torch
from hypothesis import given, settings
from torch_geometric.data import Data

from protograph.page.options import SearchOptions, WalkOptions
from protograph.page.walk.ascent import ascend
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Scorer
from protograph.page.walk.search import LazySteps, search_lazily
from protograph.page.walk.starts import find_starts
from protograph.patterns.joint import JointGraphs
from tests.strategies import matching_problems


def make_matching(graphs, embeddings):
    return Matching(Scorer(embeddings), JointGraphs(graphs, True))


@settings(max_examples=80, deadline=None)
@given(matching_problems(min_graphs=2))
def test_no_change_of_one_node_improves_a_peak(problem):
    graphs, embeddings = problem
    matching = make_matching(graphs, embeddings)
    whole = matching.whole()
    for node in range(matching.sizes[0]):
        peak = ascend(matching, matching.scorer.everything, node)
        if peak is None:
            assert (whole[node] == -np.inf).all()
            continue
        assert peak.nodes[0] == node
        assert peak.value == pytest.approx(whole[peak.nodes], rel=1e-9)
        for axis in range(1, len(graphs)):
            line = whole[tuple(slice(None) if q == axis else n for q, n in enumerate(peak.nodes))]
            assert peak.value >= line.max() - 2 * matching.tolerance


@settings(max_examples=40, deadline=None)
@given(matching_problems(min_graphs=2))
def test_a_search_by_ascent_says_so(problem):
    walks = search_lazily(make_matching(*problem), SearchOptions(walk=WalkOptions(max_tuples=0)))
    assert not any(walk.is_exact for walk in walks)


@settings(max_examples=60, deadline=None)
@given(matching_problems(min_graphs=2))
def test_a_step_by_ascent_goes_to_neighbours_that_agree(problem):
    graphs, embeddings = problem
    matching = make_matching(graphs, embeddings)
    exact, rough = (LazySteps(matching, 1.0, limits) for limits in (WalkOptions(), WalkOptions(max_cells=0)))
    counts = [np.zeros(size, dtype=np.int64) for size in matching.sizes]
    for start in find_starts(matching, 4):
        best, found = exact.best(start.nodes, counts), rough.best(start.nodes, counts)
        assert (best is None) == (found is None)
        if found is not None:
            assert not found.is_exact
            for axis, (node, before) in enumerate(zip(found.nodes, start.nodes, strict=True)):
                assert node in matching.joint.around(axis, before)[0]
            assert len({matching.joint.kinds[q][n] for q, n in enumerate(found.nodes)}) == 1


def test_penalties_and_barred_tuples_are_heeded():
    scorer = Scorer([np.array([[1.0]]), np.array([[3.0], [2.0], [1.0]])])
    matching = Matching(scorer, JointGraphs(_bare([1, 3]), False))
    rows = scorer.everything
    assert ascend(matching, rows, 0).nodes == (0, 0)
    assert ascend(matching, rows, 0, barred=[(0, 0)]).nodes == (0, 1)
    assert ascend(matching, rows, 0, penalties=[np.zeros(1), np.array([9.0, 9.0, 0.0])]).nodes == (0, 2)
    assert ascend(matching, rows, 0, barred=[(0, 0), (0, 1), (0, 2)]) is None


def _bare(sizes):
    return [Data(num_nodes=size, edge_index=torch.empty(2, 0, dtype=torch.long)) for size in sizes]
