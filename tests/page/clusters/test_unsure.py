import numpy as np
import pytest

from protograph.page.clusters.selection import canonical_order
from protograph.page.clusters.unsure import unsure_places, unsure_rows

ERROR = 1e-6


def rows_like_embeddings(seed, number):
    """Rows with twins, with columns that are 0 for many, and with counts."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(number, 4))
    rows[:, 0] = np.where(rng.random(number) < 0.5, 0.0, rows[:, 0])
    rows[:, 1] = rng.integers(0, 3, number)
    twins = rng.integers(0, number, number // 4)
    rows[rng.integers(0, number, twins.size)] = rows[twins]
    return rows


@pytest.mark.parametrize("seed", range(8))
def test_with_unsure_rows_made_exact_the_order_is_that_of_exact_rows(seed):
    exact = rows_like_embeddings(seed, 3000)
    noise = np.random.default_rng(seed + 100).uniform(-ERROR, ERROR, exact.shape)
    known = np.where(exact == np.trunc(exact), exact, exact + noise)
    unsure = unsure_rows(known, np.where(exact == np.trunc(exact), 0.0, ERROR))
    wanted_order, wanted_twins = canonical_order(exact, 1e-13)
    assert canonical_order(known, 1e-13)[0].tolist() != wanted_order.tolist()
    settled = np.where(unsure[:, None], exact, known)
    order, twins = canonical_order(settled, 1e-13)
    assert order.tolist() == wanted_order.tolist()
    assert twins.tolist() == wanted_twins.tolist()
    # Twins, a quarter of the rows with as many partners, and hardly any others.
    assert unsure.mean() < 0.5


def test_rows_far_from_all_others_are_sure():
    assert not unsure_rows(np.array([[0.1], [0.2], [0.3]]), np.full((3, 1), 0.01)).any()


def test_a_single_row_with_a_large_error_makes_those_unsure_that_it_reaches():
    rows, errors = np.array([[0.1], [0.2], [0.3], [0.9]]), np.array([[0.0], [0.15], [0.0], [0.0]])
    assert unsure_rows(rows, errors).tolist() == [True, True, True, False]


def test_equal_places_without_errors_are_sure():
    assert not unsure_places(np.array([1.0, 1.0, 2.0]), np.zeros(3)).any()


def test_nothing_is_unsure_of_no_rows():
    assert unsure_rows(np.zeros((0, 3)), np.zeros((0, 3))).tolist() == []
