import pytest
import torch
from torch_geometric.data import Data

from protograph.models.outputs import tasks_by_labels

SCORES = torch.tensor([[2.0, -1.0, 0.5], [0.3, 4.0, -2.0]])


def labelled(*labels):
    return [Data(y=None if label is None else torch.tensor(label)) for label in labels]


@pytest.mark.parametrize(
    "labels",
    [
        ([[1.0, 1.0, 0.0]], [[0.0, 0.0, 0.0]]),
        ([1, 0, 1], [0, 0, 1]),
        ([[1.0, torch.nan, 0.0]], [[torch.nan, 0.0, 0.0]]),  # a missing one leaves the others
        ([[1.0, 1.0, 0.0]], None),
    ],
)
def test_as_many_labels_as_columns_are_tasks(labels):
    assert tasks_by_labels(labelled(*labels), SCORES, "auto") == "the model returns 3 columns and y has 3 values"


@pytest.mark.parametrize(
    ("labels", "outputs", "asked"),
    [
        (([1], [2]), SCORES, "auto"),
        ((None, None), SCORES, "auto"),
        (([1, 0], [0, 1]), SCORES, "auto"),  # other values than columns: nobody knows what they are
        (([0, 1, 0], [1, 0, 0]), SCORES, "auto"),  # one of the classes each
        (([1, 1, 0], [0, 0, 0]), SCORES, "raw"),  # the user says so
        (([1, 1, 0], [0, 0, 0]), SCORES.softmax(1), "auto"),
        (([1, 1, 0], [0, 0, 0]), SCORES.log_softmax(1), "auto"),
        (([1], [0]), SCORES[:, :1], "auto"),
    ],
)
def test_other_labels_are_of_classes(labels, outputs, asked):
    assert tasks_by_labels(labelled(*labels), outputs, asked) == ""
