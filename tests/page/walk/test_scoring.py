from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protograph.page.options import SCORINGS
from protograph.page.walk.scoring import Scorer
from tests import oracle
from tests.strategies import matching_problems


@settings(max_examples=80, deadline=None)
@given(matching_problems(), st.sampled_from(SCORINGS), st.data())
def test_any_block_has_the_oracles_scores(problem, scoring, data):
    _, embeddings = problem
    assume(len(embeddings) > 1 or scoring == "product")
    scorer = Scorer(embeddings, scoring)
    rows = [np.array(data.draw(st.lists(st.integers(0, len(h) - 1), min_size=1, max_size=4))) for h in embeddings]
    block = scorer.block(rows)
    assert block.shape == tuple(len(r) for r in rows)
    for at in np.ndindex(*block.shape):
        vectors = [h[r[i]].tolist() for h, r, i in zip(embeddings, rows, at, strict=True)]
        assert block[at] == pytest.approx(oracle.raw_score(vectors, scoring), abs=1e-9)
        assert abs(block[at]) <= scorer.bound * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        ("product", 1 * 2 * 1 + 2 * 1 * 3),
        ("arithmetic", (4 + 7 + 5) / 3),  # inner products of the pairs
        ("geometric", (4 * 7 * 5) ** (1 / 3)),
        ("mean", (4 / 3) ** 2 + 2**2),  # the mean vector with itself
    ],
)
def test_by_hand(scoring, expected):
    embeddings = [np.array([[1.0, 2.0]]), np.array([[2.0, 1.0]]), np.array([[1.0, 3.0]])]
    scorer = Scorer(embeddings, scoring)
    assert scorer.block(scorer.everything).reshape(-1).tolist() == pytest.approx([expected])
    assert scorer.sizes == (1, 1, 1)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_mean_vector_is_that_of_any_number_of_vectors(k):
    embeddings = [np.random.default_rng(q).normal(size=(3, 5)) for q in range(k)]
    scorer = Scorer(embeddings, "mean")
    block = scorer.block(scorer.everything)
    for at in np.ndindex(*block.shape):
        vectors = np.array([h[i] for h, i in zip(embeddings, at, strict=True)])
        mean = vectors.mean(axis=0)
        assert block[at] == pytest.approx(np.mean([vector @ mean for vector in vectors]))
        assert block[at] <= scorer.bound


def test_a_negative_inner_product_counts_as_nothing_in_the_geometric_mean():
    embeddings = [np.array([[1.0]]), np.array([[-1.0], [2.0], [1e-16]]), np.array([[2.0]])]
    scorer = Scorer(embeddings, "geometric")
    scores = scorer.block(scorer.everything).reshape(-1)
    assert scores[0] == 0.0
    assert scores[1] == pytest.approx((2 * 2 * 4) ** (1 / 3))
    assert scores[2] == 0.0  # nothing but rounding; a root would make much of it


def test_a_single_graph_is_scored_by_the_sum_of_its_embedding():
    scorer = Scorer([np.array([[1.0, 2.0], [-3.0, 1.0]])])
    assert scorer.block(scorer.everything).tolist() == [3.0, -2.0]


@pytest.mark.parametrize("scoring", ["arithmetic", "geometric"])
def test_means_over_pairs_need_two_graphs(scoring):
    with pytest.raises(ValueError, match=rf"^scoring='{scoring}' needs num_graphs of at least 2, got 1$"):
        Scorer([np.ones((2, 2))], scoring)


def test_the_order_of_the_graphs_is_the_order_of_the_axes():
    rng = np.random.default_rng(0)
    embeddings = [rng.normal(size=(size, 4)) for size in (5, 2, 3)]
    for scoring in SCORINGS:
        one = Scorer(embeddings, scoring)
        other = Scorer(embeddings[::-1], scoring)
        block, turned = one.block(one.everything), other.block(other.everything)
        assert all(
            block[i, j, k] == pytest.approx(turned[k, j, i]) for i, j, k in product(range(5), range(2), range(3))
        )
