import numpy as np
import pytest
import torch
from sklearn.utils.class_weight import compute_class_weight

from protograph.training.class_weights import check_class_weights, weight_of_each

LABELS = torch.tensor([0] * 7 + [1] * 2 + [2])


def test_balanced_weights_are_those_of_scikit_learn():
    expected = compute_class_weight("balanced", classes=np.arange(3), y=LABELS.numpy())
    assert weight_of_each("balanced", LABELS, 3).tolist() == pytest.approx(expected)


def test_a_class_without_graphs_weighs_one():
    expected = compute_class_weight("balanced", classes=np.arange(3), y=LABELS.numpy())
    assert weight_of_each("balanced", LABELS, 4).tolist() == pytest.approx([*expected, 1.0])


def test_numbers_are_taken_as_they_are():
    assert weight_of_each((1, np.float64(2.5), 3.0), LABELS, 3).tolist() == [1.0, 2.5, 3.0]
    assert weight_of_each(None, LABELS, 3) is None


@pytest.mark.parametrize(
    ("class_weights", "message"),
    [
        ("even", "class_weights must be 'balanced' or a number for each class, got 'even'"),
        (3, "class_weights must be 'balanced' or a number for each class, got 3"),
        ([1.0, 0.0], r"class_weights\[1\] must be a finite number above 0, got 0.0"),
        ([1.0, float("inf")], r"class_weights\[1\] must be a finite number above 0, got inf"),
    ],
)
def test_weights_that_are_none(class_weights, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_class_weights(class_weights)


def test_there_is_a_weight_for_each_class():
    with pytest.raises(ValueError, match=r"^class_weights must be a number for each of the 3 classes, got 1$"):
        weight_of_each([1.0], LABELS, 3)
