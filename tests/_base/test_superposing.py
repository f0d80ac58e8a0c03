import numpy as np

from protograph._base.superposing import fitted_places

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
