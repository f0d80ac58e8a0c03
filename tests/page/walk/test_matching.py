import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.page.options import SCORINGS
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Scorer
from protograph.patterns.joint import JointGraphs
from tests import oracle
from tests.strategies import matching_problems


def make_matching(graphs, embeddings, scoring="product", match_features=False):
    return Matching(Scorer(embeddings, scoring), JointGraphs(graphs, match_features))


@settings(max_examples=150, deadline=None)
@given(matching_problems(), st.sampled_from(SCORINGS))
def test_scores_agree_with_the_oracle(problem, scoring):
    graphs, embeddings = problem
    assume(len(graphs) > 1 or scoring == "product")
    matching = make_matching(graphs, embeddings, scoring)
    whole = np.exp(matching.whole())
    lazily = np.exp(matching.block(matching.scorer.everything))
    expected = oracle.matching_scores([h.tolist() for h in embeddings], scoring)
    assert whole.shape == tuple(len(h) for h in embeddings)
    for nodes, value in expected.items():
        assert whole[nodes] == pytest.approx(value, abs=1e-9, rel=1e-9)
        assert lazily[nodes] == pytest.approx(value, abs=1e-9, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(matching_problems(), st.sampled_from(SCORINGS), st.data())
def test_any_block_is_cut_from_the_whole(problem, scoring, data):
    graphs, embeddings = problem
    assume(len(graphs) > 1 or scoring == "product")
    matching = make_matching(graphs, embeddings, scoring, match_features=True)
    rows = [np.array(sorted(data.draw(st.sets(st.integers(0, len(h) - 1), min_size=1)))) for h in embeddings]
    whole = matching.whole()
    np.testing.assert_allclose(matching.block(rows), whole[np.ix_(*rows)], rtol=1e-12, atol=1e-12)


def test_scores_worked_out_by_hand():
    # Two nodes against one: X = [[1], [0]]. Along the first axis the softmax is (e, 1) / (e + 1) and the mean 1/2;
    # along the second each fibre has one entry, so the softmax is 1 and the mean is the entry itself.
    scorer = Scorer([np.array([[1.0], [0.0]]), np.array([[1.0]])])
    matching = Matching(scorer, JointGraphs(_bare_graphs([2, 1]), match_features=False))
    sigmoid_half = 1 / (1 + math.exp(-0.5))
    first = (math.e / (math.e + 1) * sigmoid_half + 1 / (1 + math.exp(-1))) / 2
    second = (1 / (math.e + 1) * sigmoid_half + 0.5) / 2
    np.testing.assert_allclose(np.exp(matching.block(scorer.everything)), [[first], [second]], rtol=1e-14)


def test_large_scores_neither_overflow_nor_vanish():
    scorer = Scorer([np.array([[1000.0], [-1000.0]]), np.array([[1000.0], [999.0]])])
    values = Matching(scorer, JointGraphs(_bare_graphs([2, 2]), match_features=False)).block(scorer.everything)
    assert np.isfinite(values).all()
    assert values[0, 0] > values[0, 1] > values[1, 1] > values[1, 0]


def _bare_graphs(sizes):
    return [Data(num_nodes=size, edge_index=torch.empty(2, 0, dtype=torch.long)) for size in sizes]
