import math

import pytest

from protograph.metrics.robustness import consistency, faithfulness
from tests.metrics.by_hand import Linear, explanation, graph, of_probability, prototype

A = graph([1, 0])
MODELS = [of_probability(p, 0.5) for p in (0.3, 0.6, 0.5, 0.9)]


def test_faithfulness_by_hand():
    # Probabilities rank the models 0 2 1 3, accuracies 0 1 2 3: of 6 pairs, 5 agree and 1 does not.
    found = faithfulness([A], MODELS, [0.5, 0.6, 0.7, 0.8], target=1)
    assert float(found) == found.value == pytest.approx(4 / 6)
    assert found.probabilities == pytest.approx((0.3, 0.6, 0.5, 0.9), abs=1e-7)
    assert found.test_accuracies == (0.5, 0.6, 0.7, 0.8)
    assert found.note == ""


def test_ties_by_hand():
    # Models 0 and 1 tie in accuracy: 4 pairs agree, 1 does not, so 3 / sqrt(6 * 5).
    found = faithfulness([A], MODELS, [0.5, 0.5, 0.7, 0.8], 1)
    assert found.value == pytest.approx(3 / math.sqrt(30))


def test_probabilities_of_one_are_still_ranked():
    models = [Linear([[0.0, 0.0], [margin, 0.0]]) for margin in (50.0, 60.0, 70.0, 80.0)]
    found = faithfulness([A], models, [0.5, 0.6, 0.7, 0.8], 1)
    assert set(found.probabilities) == {1.0}
    assert found.value == pytest.approx(1.0)
    assert found.margins == pytest.approx((50, 60, 70, 80))


def test_no_order_is_nan_with_a_note():
    found = faithfulness([A], MODELS, [0.5] * 4, 1)
    assert math.isnan(found.value)
    assert found.note == "the test accuracy is the same for all 4 models, so there is no order"
    found = faithfulness([A], MODELS[:1] * 3, [0.5, 0.6, 0.7], 1)
    assert math.isnan(float(found))
    assert found.note == "the class probability is the same for all 3 models, so there is no order"


def test_errors_of_faithfulness():
    with pytest.raises(ValueError, match=r"^test_accuracies must be one for each of the 4 models, got 3$"):
        faithfulness([A], MODELS, [0.5, 0.6, 0.7], 1)
    with pytest.raises(ValueError, match=r"^test_accuracies must be numbers, got nan$"):
        faithfulness([A], MODELS, [0.5, 0.6, 0.7, math.nan], 1)


B = graph([0, 1])
ALIKE = [of_probability(0.2, 0.4), of_probability(0.6, 0.8), of_probability(0.9, 0.9)]


def test_consistency_by_hand():
    # Means over the two prototypes: 0.3, 0.7, 0.9. Their mean is 19/30, the deviation sqrt(14/225).
    found = consistency([A, B], ALIKE, target=1)
    assert found.probabilities == pytest.approx((0.3, 0.7, 0.9), abs=1e-7)
    assert float(found) == found.value == pytest.approx(math.sqrt(14) / 15, abs=1e-7)
    assert found.mean == pytest.approx(19 / 30)


def test_consistency_of_each_model_s_own_explanations():
    best = {id(model): part for model, part in zip(ALIKE, (B, A, A), strict=True)}
    found = consistency(None, iter(ALIKE), 1, explain=lambda model: explanation([prototype(best[id(model)])]))
    assert found.probabilities == pytest.approx((0.4, 0.6, 0.9))


def test_errors_of_consistency():
    with pytest.raises(ValueError, match=r"^models must be at least 2, got 1$"):
        consistency([A], ALIKE[:1], 1)
    with pytest.raises(ValueError, match=r"got both$"):
        consistency([A], ALIKE, 1, explain=lambda model: [A])
    with pytest.raises(ValueError, match=r"got neither$"):
        consistency(None, ALIKE, 1)
