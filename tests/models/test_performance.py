from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, recall_score

from protograph.models.performance import CRITICAL, Performance, doubts_of, hard_to_explain

RNG = np.random.default_rng(0)


def performance(labels, predictions, num_classes):
    return Performance.of(np.asarray(labels), np.asarray(predictions), num_classes)


@pytest.mark.parametrize("num_classes", [2, 3, 6])
def test_figures_are_those_of_scikit_learn(num_classes):
    labels, predictions = RNG.integers(num_classes, size=(2, 80))
    ours = performance(labels, predictions, num_classes)
    assert ours.accuracy == pytest.approx(accuracy_score(labels, predictions))
    assert ours.balanced_accuracy == pytest.approx(balanced_accuracy_score(labels, predictions))
    assert ours.recalls == pytest.approx(recall_score(labels, predictions, average=None))
    assert ours.predicted == tuple(np.bincount(predictions, minlength=num_classes))
    assert ours.majority_share == np.bincount(labels).max() / 80


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
def test_a_class_without_graphs_is_left_out():
    labels, predictions = [0, 0, 2, 2, 2], [0, 1, 2, 2, 0]
    ours = performance(labels, predictions, 4)
    assert ours.recalls == (0.5, None, pytest.approx(2 / 3), None)
    assert ours.balanced_accuracy == pytest.approx(balanced_accuracy_score(labels, predictions))
    assert (ours.labelled, ours.predicted) == ((2, 0, 3, 0), (2, 1, 2, 0))


@pytest.mark.parametrize(
    ("labels", "predictions"),
    [([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 1]), ([0, 1, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]), ([0, 0, 2, 2], [1, 0, 2, 0])],
)
def test_what_chance_gives_is_counted_over_all_orders(labels, predictions):
    every = [performance(order, predictions, 3).balanced_accuracy for order in permutations(labels)]
    expected = np.mean(every) + CRITICAL * np.std(every)
    assert performance(labels, predictions, 3).needed == pytest.approx(expected)


def test_guessing_one_class_is_at_least_as_good_as_guessing_one_that_is_not_there():
    labels, predictions = [0, 0, 2, 2], [1, 1, 1, 0]
    assert max(performance(order, predictions, 3).balanced_accuracy for order in permutations(labels)) == 0.25
    assert performance(labels, predictions, 3).needed == 0.5


def test_guessing_is_told_as_often_as_the_test_allows():
    """Predictions that have nothing to do with the labels pass in 5 of 100 cases, and so many here."""
    labels = np.repeat([0, 1], [150, 50])
    passed = [not performance(RNG.permutation(labels), labels, 2).is_guessing for _ in range(1000)]
    assert np.mean(passed) == pytest.approx(0.05, abs=0.02)


RARE = "on 494 graphs its balanced accuracy is 0.515, no more than guessing may give (0.500, and up to 0.561 by chance)"
GUESSING = "on 100 graphs its balanced accuracy is 0.500, no more than guessing may give (0.500)"


@pytest.mark.parametrize(
    ("confusion", "doubts"),
    [
        # Nearly all are predicted as one class.
        (
            ((90, 0), (10, 0)),
            (
                GUESSING,
                "all 100 graphs are predicted as class 0",
            ),
        ),
        # Of a rare class it finds more than chance would, though it is right less often than "never" is.
        (((8000, 1900), (20, 80)), ()),
        (((330, 120), (18, 26)), ()),  # balanced accuracy .66
        (((300, 150), (28, 16)), (RARE,)),  # as often as chance may give it
        # Six classes at chance.
        (
            tuple(tuple(17 if i == j else 16 for j in range(6)) for i in range(6)),
            (
                "on 582 graphs its balanced accuracy is 0.175, no more than guessing may give (0.167, and up to 0.192 "
                "by chance)",
            ),
        ),
        # One label only, which is found or missed, and a rare class.
        (((0, 0), (0, 30)), ()),
        (((0, 0), (30, 0)), ("all 30 graphs are predicted as class 0",)),
        (((995, 0), (1, 4)), ()),
        (((995, 0), (4, 1)), ("999 of 1,000 graphs are predicted as class 0",)),
        # No doubt without a reason, or enough graphs.
        (((45, 5), (5, 45)), ()),
        (((9, 0), (9, 0)), ()),
        (((12, 12), (0, 0)), ()),
    ],
)
def test_doubts_of_a_model(confusion, doubts):
    assert doubts_of(Performance(confusion)) == doubts


@pytest.mark.parametrize(
    ("predicted", "reason"),
    [
        ([5, 5], ""),
        ([4, 9], "only 4 graphs are predicted as it, fewer than 5: what is said of it may be an accident"),
        ([50, 0], "all graphs are predicted as it: there are no others to tell it from"),
        ([50, 3, 1], "all graphs but 4 are predicted as it: there are too few others to tell it from"),
    ],
)
def test_classes_that_can_hardly_be_explained(predicted, reason):
    assert hard_to_explain(0, predicted) == reason
