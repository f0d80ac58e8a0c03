import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph._utils.projection import fitted_places, project


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(3, 12), st.integers(2, 12))
def test_positions_are_those_of_the_singular_vectors(seed, number, dim):
    points = np.random.default_rng(seed).normal(size=(number, dim)) * np.linspace(3, 1, dim)
    centred = points - points.mean(axis=0)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    positions, explained = project(points)
    np.testing.assert_allclose(np.abs(positions), np.abs(left[:, :2] * singular[:2]), atol=1e-6)
    np.testing.assert_allclose(explained, singular[:2] ** 2 / (singular**2).sum(), atol=1e-9)


@pytest.mark.parametrize("dim", [2, 5])
def test_the_largest_loading_is_positive(dim):
    line = np.array([[-1.0], [0.0], [2.0]]) * -np.linspace(1, 2, dim)
    length = np.linalg.norm(np.linspace(1, 2, dim))
    positions, explained = project(line)
    np.testing.assert_allclose(positions, np.array([[4, 0], [1, 0], [-5, 0]]) * length / 3, atol=1e-9)
    np.testing.assert_allclose(explained, (1, 0), atol=1e-12)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (3, 1), (2, 40), (4, 4)])
def test_rows_that_coincide_lie_in_one_place(shape):
    positions, explained = project(np.full(shape, 0.3))
    np.testing.assert_allclose(positions, np.zeros((shape[0], 2)), atol=1e-12)
    assert explained == pytest.approx((0, 0), abs=1e-12)


TRIANGLE = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])


def test_what_was_turned_turned_over_and_moved_is_laid_back():
    moved = TRIANGLE @ np.array([[0.0, 1.0], [1.0, 0.0]]) + [5.0, -3.0]
    assert np.allclose(fitted_places(moved, moved, TRIANGLE), TRIANGLE)


def test_nothing_is_stretched():
    fitted = fitted_places(TRIANGLE, TRIANGLE[:2], np.array([[0.0, 0.0], [0.0, 6.0]]))
    assert np.isclose(np.linalg.norm(fitted[1] - fitted[0]), 2.0)
    assert np.allclose(fitted[:2].mean(axis=0), [0.0, 3.0])


def test_points_on_a_line_do_not_turn_the_rest_over():
    fitted = fitted_places(TRIANGLE, TRIANGLE[:2], TRIANGLE[:2] + 1)
    assert np.allclose(fitted, TRIANGLE + 1)
