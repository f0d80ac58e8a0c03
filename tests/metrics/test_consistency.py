import math

import pytest

from protograph.metrics.consistency import consistency
from tests.metrics.by_hand import explanation, graph, is_as_found, of_probability, prototype, state_of

A, B = graph([1, 0]), graph([0, 1])
MODELS = [of_probability(0.2, 0.4), of_probability(0.6, 0.8), of_probability(0.9, 0.9)]


def test_by_hand():
    # Means over the two prototypes: 0.3, 0.7, 0.9. Their mean is 19/30, the deviation sqrt(14/225).
    found = consistency([A, B], MODELS, target=1)
    assert found.probabilities == pytest.approx((0.3, 0.7, 0.9), abs=1e-7)
    assert float(found) == found.value == pytest.approx(math.sqrt(14) / 15, abs=1e-7)
    assert found.mean == pytest.approx(19 / 30)


def test_the_other_class_has_the_same_deviation():
    assert consistency([A, B], MODELS, 0).value == pytest.approx(consistency([A, B], MODELS, 1).value)


def test_each_model_may_be_explained_by_itself():
    best = {id(model): part for model, part in zip(MODELS, (B, A, A), strict=True)}
    found = consistency(None, iter(MODELS), 1, explain=lambda model: explanation([prototype(best[id(model)])]))
    assert found.probabilities == pytest.approx((0.4, 0.6, 0.9))


def test_models_are_left_as_found():
    before = [state_of(model) for model in MODELS]
    consistency([A], MODELS, 1)
    assert all(is_as_found(model, state) for model, state in zip(MODELS, before, strict=True))


def test_errors():
    with pytest.raises(ValueError, match=r"^models must be at least 2, got 1$"):
        consistency([A], MODELS[:1], 1)
    with pytest.raises(ValueError, match=r"got both$"):
        consistency([A], MODELS, 1, explain=lambda model: [A])
    with pytest.raises(ValueError, match=r"got neither$"):
        consistency(None, MODELS, 1)
