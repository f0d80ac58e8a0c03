import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.page.options import SearchOptions, WalkOptions
from protograph.page.walk.ascent import MatchingLines, ascend, most_similar, raw_lines
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
    rows = matching.scorer.everything
    found, values = ascend(MatchingLines(matching, 2**22), rows, most_similar(matching, rows), matching.tolerance)
    assert found[:, 0].tolist() == [node for node in rows[0] if (whole[node] > -np.inf).any()]
    for nodes, value in zip(map(tuple, found.tolist()), values, strict=True):
        assert value == pytest.approx(whole[nodes], rel=1e-9)
        for axis in range(1, len(graphs)):
            line = whole[tuple(slice(None) if q == axis else n for q, n in enumerate(nodes))]
            assert value >= line.max() - 2 * matching.tolerance


@settings(max_examples=60, deadline=None)
@given(matching_problems(min_graphs=2), st.sampled_from([True, False, 0.5]), st.data())
def test_lines_are_those_of_the_whole_tensor(problem, match_features, data):
    graphs, embeddings = problem
    scoring = data.draw(st.sampled_from(["product", "arithmetic", "geometric", "mean"]))
    matching = Matching(Scorer(embeddings, scoring), JointGraphs(graphs, match_features))
    scores, whole = matching.scorer.block(matching.scorer.everything), matching.whole()
    choices = most_similar(matching, matching.scorer.everything)
    exact, raw = MatchingLines(matching, data.draw(st.sampled_from([1, 2**22]))), raw_lines(matching)
    for axis in range(1, len(graphs)):
        nodes = np.arange(matching.sizes[axis])[::-1].copy()
        for _ in range(2):  # computed, and then kept
            lines, rough = exact(choices, axis, nodes), raw(choices, axis, nodes)
            for number, choice in enumerate(choices.tolist()):
                at = tuple(nodes if q == axis else node for q, node in enumerate(choice))
                np.testing.assert_allclose(lines[number], whole[at], rtol=1e-9)
                np.testing.assert_allclose(rough[number], np.where(whole[at] > -np.inf, scores[at], -np.inf), rtol=1e-9)


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

    def ascended(**options):
        lines, begun = MatchingLines(matching, 2**22), np.array([[0, 0]])
        found, values = ascend(lines, scorer.everything, begun, matching.tolerance, **options)
        return found.tolist() if values[0] > -np.inf else None

    assert ascended() == [[0, 0]]
    assert ascended(barred=[(0, 0)]) == [[0, 1]]
    assert ascended(penalties=[np.zeros(1), np.array([9.0, 9.0, 0.0])]) == [[0, 2]]
    assert ascended(barred=[(0, 0), (0, 1), (0, 2)]) is None


def _bare(sizes):
    return [Data(num_nodes=size, edge_index=torch.empty(2, 0, dtype=torch.long)) for size in sizes]
