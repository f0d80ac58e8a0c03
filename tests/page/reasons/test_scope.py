import numpy as np
import pytest

from protograph.page.reasons import scope
from protograph.page.reasons.scope import nearest_rows, typical


@pytest.mark.parametrize("rows", [[1.0, 1.0 - 2.3e-16, 5.0], [1.0 - 2.3e-16, 1.0, 5.0]], ids=["above", "below"])
def test_of_rows_as_near_the_first_is_chosen_whatever_its_last_digits(rows):
    points = np.array(rows)[:, None]
    assert nearest_rows(points, np.zeros(1), 1).tolist() == [0]
    assert nearest_rows(points, np.full(1, 6.0), 2).tolist() == [2, 0]


def test_the_most_typical_are_nearest_the_mean_and_of_those_as_near_the_first():
    rows = np.array([9.0, 0.0, 4.0, 1.0 - 1e-15, 3.0, 1.0, 3.0 - 1e-15])[:, None]
    # The mean of the six is 2, up to last digits.
    assert typical(np.arange(1, 7), rows, 5).tolist() == [3, 4, 5, 6, 1]
    assert typical(np.zeros(0, np.int64), rows, 3).tolist() == []


def test_of_very_many_some_evenly_spaced_are_compared(monkeypatch):
    monkeypatch.setattr(scope, "MOST_COMPARED", 4)
    monkeypatch.setattr(scope, "NUM_COMPARED", 3)
    rows = np.array([0.0, 5.0, 5.0, 5.0, 8.0])[:, None]
    assert typical(np.arange(5), rows, 1).tolist() == [2]
    assert typical(np.arange(4), rows, 1).tolist() == [1]
