import numpy as np
import pytest
import torch

from protograph.page.walk.scoring import Scorer
from research.paper.scoring_functions import (
    NAMES,
    SCORES,
    num_operations,
    pearson,
    random_tuples,
    scores_of,
    seconds_a_call,
    seconds_a_tuple,
)

VECTORS = [torch.tensor(row) for row in ([1.0, 2.0], [2.0, 1.0], [1.0, 3.0])]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("s", 8.0), ("s_AM", 16 / 3), ("s_GM", 140 ** (1 / 3)), ("s_m", (4 / 3) ** 2 + 2**2)],
)
def test_by_hand(name, expected):
    assert float(SCORES[name](VECTORS)) == pytest.approx(expected)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_they_are_what_the_search_computes(k):
    tuples = random_tuples(4, k, 6, seed=1)
    found = scores_of(tuples)
    for number, vectors in enumerate(tuples.double().numpy()):
        for name, scoring in NAMES.items():
            scorer = Scorer([vector[None] for vector in vectors], scoring)
            assert found[name][number] == pytest.approx(float(scorer.block(scorer.everything).item()))


def test_of_two_vectors_all_but_the_mean_vector_s_are_the_inner_product():
    u, v = VECTORS[:2]
    values = {name: float(score([u, v])) for name, score in SCORES.items()}
    assert values["s"] == values["s_AM"] == values["s_GM"] == 4.0
    assert values["s_m"] == pytest.approx((5 + 5 + 2 * 4) / 4)


def test_random_tuples_are_normal_vectors_through_a_relu():
    drawn = np.random.default_rng(7).standard_normal((5, 3, 4))
    assert torch.equal(random_tuples(5, 3, 4, seed=7), torch.from_numpy(drawn.clip(min=0)).float())


def test_every_pass_is_timed_for_every_function():
    for taken in (
        seconds_a_call(random_tuples(3, 3, 4, seed=0), num_passes=2),
        seconds_a_tuple(3, 2, 4, num_passes=2, seed=0),
    ):
        assert {name: len(values) for name, values in taken.items()} == dict.fromkeys(SCORES, 2)


def test_operations_by_hand():
    """Of three vectors of two numbers: s multiplies twice two and adds once; a pair takes two products and a sum."""
    assert num_operations("s", k=3, width=2) == 2 * 2 + 1
    assert num_operations("s_AM", k=3, width=2) == 3 * 3 + 2 + 1
    assert num_operations("s_m", k=3, width=2) == (2 * 2 + 2) + 3 * 3 + 2 + 1
    # Pairs grow with the square of k, the others do not.
    assert [num_operations("s", k, 32) for k in (8, 16)] == [255, 511]
    assert [num_operations("s_AM", k, 32) for k in (8, 16)] == [28 * 64, 120 * 64]


def test_correlation_by_hand():
    assert pearson([0, 1, 2], [0, 2, 1]) == pytest.approx(0.5)
