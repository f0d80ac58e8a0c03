"""Scores of tuples of nodes, against the oracle and by hand."""

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.page.matching import Matching, Scorer
from protograph.page.options import SCORINGS
from protograph.patterns.joint import JointGraphs
from tests import oracle
from tests.strategies import matching_problems


@settings(max_examples=40, deadline=None)
@given(matching_problems(), st.sampled_from(SCORINGS), st.sampled_from([True, False]))
def test_scores_are_the_oracles(problem, scoring, match_features):
    graphs, embeddings = problem
    assume(len(graphs) > 1 or scoring == "product")
    scorer = Scorer(embeddings, scoring)
    matching = Matching(scorer, JointGraphs(graphs, match_features))
    raw, whole = scorer.whole(), matching.whole()
    assert raw.shape == whole.shape == matching.sizes
    for nodes, value in oracle.matching_scores([h.tolist() for h in embeddings], scoring).items():
        vectors = [h[node].tolist() for h, node in zip(embeddings, nodes, strict=True)]
        assert raw[nodes] == pytest.approx(oracle.raw_score(vectors, scoring), abs=1e-9)
        assert abs(raw[nodes]) <= scorer.bound * (1 + 1e-12) + 1e-12
        agree = not match_features or len({tuple(g.x[n].tolist()) for g, n in zip(graphs, nodes, strict=True)}) == 1
        assert np.exp(whole[nodes]) == pytest.approx(value if agree else 0.0, abs=1e-9, rel=1e-9)
    every = np.array(list(np.ndindex(*matching.sizes)))
    np.testing.assert_allclose(matching.at(every), whole.reshape(-1), rtol=1e-9, atol=1e-9)
    for axis in range(len(graphs)):
        fibres = scorer.fibres(every.T, axis)
        np.testing.assert_allclose(fibres[np.arange(len(every)), every[:, axis]], raw.reshape(-1), atol=1e-9)


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        ("product", 1 * 2 * 1 + 2 * 1 * 3),
        ("arithmetic", (4 + 7 + 5) / 3),  # inner products of the pairs
        ("geometric", (4 * 7 * 5) ** (1 / 3)),
    ],
)
def test_raw_scores_by_hand(scoring, expected):
    embeddings = [np.array([[1.0, 2.0]]), np.array([[2.0, 1.0]]), np.array([[1.0, 3.0]])]
    assert Scorer(embeddings, scoring).whole().reshape(-1).tolist() == pytest.approx([expected])


def test_a_negative_inner_product_counts_as_nothing_in_the_geometric_mean():
    embeddings = [np.array([[1.0]]), np.array([[-1.0], [2.0], [1e-16]]), np.array([[2.0]])]
    scores = Scorer(embeddings, "geometric").whole().reshape(-1)
    assert scores.tolist() == [0.0, pytest.approx((2 * 2 * 4) ** (1 / 3)), 0.0]  # a root would make much of rounding


@pytest.mark.parametrize("scoring", ["arithmetic", "geometric"])
def test_means_over_pairs_need_two_graphs(scoring):
    with pytest.raises(ValueError, match=rf"scoring='{scoring}' needs num_graphs of at least 2, got 1"):
        Scorer([np.ones((2, 2))], scoring)


def test_matching_scores_by_hand():
    # Two nodes against one: X = [[1], [0]]. Along the first axis the softmax is (e, 1) / (e + 1) and the mean 1/2;
    # along the second each fibre has one entry, so the softmax is 1 and the mean is the entry itself.
    scorer = Scorer([np.array([[1.0], [0.0]]), np.array([[1.0]])])
    matching = Matching(scorer, JointGraphs(bare([2, 1]), match_features=False))
    sigmoid_half = 1 / (1 + math.exp(-0.5))
    first = (math.e / (math.e + 1) * sigmoid_half + 1 / (1 + math.exp(-1))) / 2
    second = (1 / (math.e + 1) * sigmoid_half + 0.5) / 2
    np.testing.assert_allclose(np.exp(matching.whole()), [[first], [second]], rtol=1e-14)


def test_large_scores_neither_overflow_nor_vanish():
    scorer = Scorer([np.array([[1000.0], [-1000.0]]), np.array([[1000.0], [999.0]])])
    values = Matching(scorer, JointGraphs(bare([2, 2]), match_features=False)).whole()
    assert np.isfinite(values).all()
    assert values[0, 0] > values[0, 1] > values[1, 1] > values[1, 0]


def bare(sizes):
    return [Data(num_nodes=size, edge_index=torch.empty(2, 0, dtype=torch.long)) for size in sizes]
