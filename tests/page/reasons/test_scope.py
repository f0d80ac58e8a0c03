import numpy as np
import pytest

from protograph.page.reasons import scope
from protograph.page.reasons.scope import nearest_rows, typical
from tests.page.naive_patterns import undirected
from tests.page.reasons.by_hand import TRIANGLE, scope_of


def test_what_rules_are_searched_in():
    graphs = [undirected(3, TRIANGLE, [0] * 3)] * 6
    scope = scope_of(graphs, [0, 1] * 3, searched=[0, 2, 5], confirming=[1, 4])
    assert scope.known.tolist() == [0, 1, 2, 4, 5]
    assert scope.min_graphs == 3  # a hundredth of the graphs, but no fewer
    assert scope_of(graphs * 100, [0, 1] * 300, min_share=0.05).min_graphs == 30


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
