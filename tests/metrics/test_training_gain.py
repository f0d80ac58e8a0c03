import math

import pytest

from protograph.metrics.training_gain import relative_gain, training_gain
from tests.metrics.by_hand import Linear, graph, is_as_found, state_of

GRAPH, MASK = graph([1, 0], [0, 1], [0, 1]), [True, False, False]


def test_by_hand():
    # Trained: contributions 6, 1, 1, so alpha is 3/4. Initial: 2, 1, 1, so alpha_0 is 1/2.
    trained, initial = Linear([[0.0, 0.0], [6.0, 1.0]]), Linear([[0.0, 0.0], [2.0, 1.0]])
    before = state_of(trained)
    found = training_gain(GRAPH, trained, initial, 1, MASK)
    assert found.concentration == pytest.approx(0.75)
    assert found.initial_concentration == pytest.approx(0.5)
    assert float(found) == found.value == pytest.approx(0.5)
    assert is_as_found(trained, before)


def test_a_loss_is_negative_and_no_change_is_zero():
    strong, weak = Linear([[0.0, 0.0], [6.0, 1.0]]), Linear([[0.0, 0.0], [2.0, 1.0]])
    assert training_gain(GRAPH, weak, strong, 1, MASK).value == pytest.approx(-1 / 3)
    assert training_gain(GRAPH, weak, weak, 1, MASK, method="GNNExplainer", num_epochs=3).value == 0.0


def test_nothing_to_begin_with():
    assert relative_gain(0.5, 0.0) == math.inf
    assert math.isnan(relative_gain(0.0, 0.0))
