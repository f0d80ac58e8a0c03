import math

import numpy as np
import pytest
import torch

from protograph import GraphClassifier, ProtographWarning
from protograph.models.judging import Judge, Judgement, check_finite, check_target, decided_type
from tests.metrics.by_hand import Linear, graph

A, B = graph([1, 0]), graph([0, 1])


def judge_of(model, return_type):
    classifier = GraphClassifier(model, node_embeddings="", graph_embeddings="").start([A])
    return Judge(classifier, return_type)


def test_probabilities_margins_and_leads_by_hand():
    # Scores of the first graph are (0, 2, 1), of the second (3, 1, 2).
    judgement = judge_of(Linear([[0.0, 3.0], [2.0, 1.0], [1.0, 2.0]]), "raw")([A, B], 1)
    e = math.e
    assert judgement.probabilities.tolist() == pytest.approx([e**2 / (1 + e + e**2), e / (e + e**2 + e**3)])
    assert judgement.margins.tolist() == pytest.approx([2 - math.log(1 + e), 1 - math.log(e**2 + e**3)])
    assert judgement.leads.tolist() == pytest.approx([1, -2])
    assert judgement.leads.dtype == judgement.margins.dtype == judgement.probabilities.dtype == np.float64


def test_a_probability_of_0_is_a_score_of_minus_infinity():
    model = Linear([[0.0, -1000.0], [0.0, 1000.0]], output="probs")
    judge = judge_of(model, "probs")
    assert judge.scores([B]).tolist() == [[-math.inf, 0.0]]
    judgement = judge([B], 0)
    assert (judgement.probabilities[0], judgement.margins[0], judgement.leads[0]) == (0.0, -1000.0, -1000.0)


def test_two_scores_of_minus_infinity_are_a_tie():
    scores = torch.tensor([[-math.inf, -math.inf, 0.0], [-math.inf, 0.0, -math.inf]], dtype=torch.float64)
    assert Judgement.of(scores, 0).leads.tolist() == [-1000.0, -1000.0]
    assert Judgement.of(scores[:, :2], 0).leads.tolist() == [0.0, -1000.0]


def test_more_graphs_than_a_batch_keep_their_order():
    model = Linear([[0.0, 0.0], [1.0, 0.0]])
    graphs = [graph([number, 0]) for number in range(600)]
    assert judge_of(model, "raw")(graphs, 1).margins.tolist() == pytest.approx(list(range(600)))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_nan_and_infinity_are_refused_with_the_graph_s_number(bad):
    judge = judge_of(Linear([[0.0, 0.0], [1.0, 1.0]]), "raw")
    graphs = [A] * 300 + [graph([1, 0], [0, bad])]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        judge(graphs, 0)
    assert str(caught.value) == (
        "the model's output for graph 300, of two nodes, is NaN or infinite; check the model's weights (a training "
        "that diverged?) and that graph's features; the model must be able to classify small graphs too"
    )


def test_a_pass_names_the_graph_alone():
    with pytest.raises(ValueError, match=r"^the graph embedding for graph 7 is NaN or infinite; .*graph's features$"):
        check_finite("the graph embedding", torch.tensor([[0.0, 1.0], [0.0, math.inf]]), 6)


def test_a_single_output_in_0_to_1_is_guessed_with_a_warning():
    with pytest.warns(ProtographWarning) as caught:
        kind, messages = decided_type(torch.tensor([[0.25], [0.75]]), "auto", stacklevel=2)
    assert kind == "probs"
    assert messages == (str(caught[0].message),)
    assert messages[0] == (
        "the model's single output lies in [0, 1] for all 2 graphs, so it is taken as the probability of class 1; say "
        "so with GraphClassifier(model, return_type='probs'), or return_type='raw' if it is a logit"
    )
    assert decided_type(torch.tensor([[0.25], [0.75]]), "raw") == ("raw", ())
    assert decided_type(torch.tensor([[0.25, 0.75]]), "auto") == ("probs", ())


def test_outputs_that_are_no_probabilities_are_refused():
    message = r"^return_type='probs' wants outputs in \[0, 1\], got -1 to 2; use return_type='raw' for logits$"
    with pytest.raises(ValueError, match=message):
        decided_type(torch.tensor([[-1.0, 2.0]]), "probs")


@pytest.mark.parametrize("target", [True, 1.0, "a"])
def test_targets_are_whole_numbers(target):
    with pytest.raises(TypeError, match=rf"^target must be a whole number, .*, got {target!r}$"):
        check_target(target, 2)


@pytest.mark.parametrize("target", [-1, 2, np.int64(2)])
def test_targets_are_classes(target):
    with pytest.raises(ValueError, match=rf"^target must be in \[0, 2\), got {target}; use an index into"):
        check_target(target, 2)
