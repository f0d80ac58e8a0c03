import numpy as np
import pytest
from hypothesis import given, settings

from protograph.page.walk.ascent import ascend
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Scorer
from protograph.page.walk.search import LazySteps, SearchOptions, search_lazily
from protograph.page.walk.starts import find_starts
from protograph.patterns.agreement import Agreement
from protograph.patterns.structure import build_structure
from tests.strategies import matching_problems


def make_matching(graphs, embeddings):
    return Matching(Scorer(embeddings), Agreement(graphs, True))


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


@settings(max_examples=60, deadline=None)
@given(matching_problems(min_graphs=2))
def test_searching_by_ascent_says_so_and_stays_within_the_exact_best(problem):
    graphs, embeddings = problem
    matching = make_matching(graphs, embeddings)
    exact = find_starts(matching, 3)
    found = find_starts(matching, 3, max_tuples=0)
    assert not any(start.is_exact for start in found)
    assert bool(found) == bool(exact)
    if found:
        whole = matching.whole()
        assert whole[found[0].nodes] <= whole[exact[0].nodes] + matching.tolerance
        for axis in range(len(graphs)):
            assert len({start.nodes[axis] for start in found}) == len(found)
    walks = search_lazily(matching, build_structure(graphs), SearchOptions(), max_tuples=0)
    assert not any(walk.is_exact for walk in walks)


@settings(max_examples=60, deadline=None)
@given(matching_problems(min_graphs=2))
def test_a_step_by_ascent_goes_to_neighbours_that_agree(problem):
    graphs, embeddings = problem
    matching, structure = make_matching(graphs, embeddings), build_structure(graphs)
    exact, rough = LazySteps(matching, structure, 1.0), LazySteps(matching, structure, 1.0, max_cells=0)
    counts = [np.zeros(size, dtype=np.int64) for size in matching.sizes]
    for start in find_starts(matching, 4):
        best, found = exact.best(start.nodes, counts), rough.best(start.nodes, counts)
        assert (best is None) == (found is None)
        if found is not None:
            assert not found.is_exact
            for axis, (node, before) in enumerate(zip(found.nodes, start.nodes, strict=True)):
                assert node in structure.of(axis, before)[0]
            assert len({matching.agreement.groups[q][n] for q, n in enumerate(found.nodes)}) == 1


def test_penalties_and_barred_tuples_are_heeded():
    scorer = Scorer([np.array([[1.0]]), np.array([[3.0], [2.0], [1.0]])])
    matching = Matching(scorer, Agreement(_bare([1, 3]), False))
    rows = scorer.everything
    assert ascend(matching, rows, 0).nodes == (0, 0)
    assert ascend(matching, rows, 0, barred=[(0, 0)]).nodes == (0, 1)
    assert ascend(matching, rows, 0, penalties=[np.zeros(1), np.array([9.0, 9.0, 0.0])]).nodes == (0, 2)
    assert ascend(matching, rows, 0, barred=[(0, 0), (0, 1), (0, 2)]) is None


def _bare(sizes):
    import torch
    from torch_geometric.data import Data

    return [Data(num_nodes=size, edge_index=torch.empty(2, 0, dtype=torch.long)) for size in sizes]
