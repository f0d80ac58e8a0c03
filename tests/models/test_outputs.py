import math

import pytest
import torch

from protograph.models.outputs import as_rows, infer_return_type, log_scores, margins

LOGITS = torch.tensor([[2.0, -1.0, 0.5], [0.0, 0.0, 3.0]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [(LOGITS, "raw"), (LOGITS.softmax(1), "probs"), (LOGITS.log_softmax(1), "log_probs")],
)
def test_every_return_type_is_told_and_means_the_same(outputs, expected):
    assert infer_return_type(outputs) == expected
    scores = log_scores(outputs, expected)
    torch.testing.assert_close(scores.softmax(1), LOGITS.softmax(1))
    odds = LOGITS.softmax(1)[:, 2]
    torch.testing.assert_close(margins(scores, 2), (odds / (1 - odds)).log())


@pytest.mark.parametrize(("column", "kind"), [([[-0.5], [2.0]], "raw"), ([[0.1], [0.9]], "probs")])
def test_one_column_means_two_classes(column, kind):
    outputs = torch.tensor(column, dtype=torch.float64)
    assert infer_return_type(outputs) == kind
    scores = log_scores(outputs, kind)
    expected = outputs.sigmoid() if kind == "raw" else outputs
    torch.testing.assert_close(scores.softmax(1)[:, 1:], expected)
    torch.testing.assert_close(margins(scores, 0), -margins(scores, 1))


def test_margins_tell_saturated_probabilities_apart():
    scores = torch.tensor([[0.0, 800.0], [0.0, 900.0]], dtype=torch.float64)
    assert scores.softmax(1)[:, 1].tolist() == [1.0, 1.0]
    assert margins(scores, 1).tolist() == [800.0, 900.0]


def test_margins_of_certain_probabilities_are_finite_and_equal():
    scores = log_scores(torch.tensor([[0.0, 1.0], [0.0, 1.0]]), "probs")
    assert margins(scores, 1).tolist() == [1000.0, 1000.0]
    assert margins(scores, 0).tolist() == [-1000.0, -1000.0]
    assert math.isfinite(float(scores.softmax(1).sum()))


@pytest.mark.parametrize(
    ("values", "kind", "named"),
    [
        ([[0.2], [-0.5]], "probs", "probabilities, and for other graphs it returns -0.5"),
        ([[0.2, 0.8], [1.5, -0.5]], "probs", "probabilities, and for other graphs it returns 1.5"),
        ([[-0.2], [3.0]], "log_probs", "logarithms of probabilities, and for other graphs it returns 3"),
    ],
)
def test_what_turns_out_to_be_no_probability_is_refused_rather_than_nan(values, kind, named):
    advice = "; use GraphClassifier(model, return_type='raw') if they are scores"
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message follows
        log_scores(torch.tensor(values), kind)
    assert str(caught.value) == f"the model's outputs were taken for {named}{advice}"


def test_what_rounding_brought_out_of_probabilities_is_put_back():
    scores = log_scores(torch.tensor([[1.000001], [-0.000001]], dtype=torch.float64), "probs")
    assert scores.tolist() == [[-math.inf, 0.0], [0.0, -math.inf]]


def test_a_single_graph_may_come_without_its_row():
    assert as_rows(torch.tensor([1.0, 2.0, 3.0]), num_graphs=1, num_nodes=5).shape == (1, 3)
    assert as_rows(torch.tensor(1.0), num_graphs=1, num_nodes=5).shape == (1, 1)
    assert as_rows((torch.ones(4), "extra"), num_graphs=4, num_nodes=9).shape == (4, 1)


def test_outputs_of_another_shape_are_told():
    with pytest.raises(
        ValueError, match=r"row of class scores for each graph, got shape \[3, 2\] for 4 graphs with 9 nodes$"
    ):
        as_rows(torch.ones(3, 2), num_graphs=4, num_nodes=9)
    with pytest.raises(TypeError, match=r"^the model must return a tensor of class scores, got NoneType$"):
        as_rows(None, num_graphs=4, num_nodes=9)
