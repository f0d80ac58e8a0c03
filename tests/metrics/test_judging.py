import math

import pytest
import torch

from protograph import GraphClassifier
from protograph._base.errors import ProtographWarning
from protograph.metrics.judging import Judged, graphs_of, judge
from tests import zoo
from tests.metrics.by_hand import Linear, explanation, graph, is_as_found, of_probability, prototype, state_of

A, B = graph([1, 0]), graph([0, 1])


def test_probabilities_and_margins_by_hand():
    judged = judge(of_probability(0.8, 0.25), [A, B], target=1)
    assert judged.probabilities.tolist() == pytest.approx([0.8, 0.25], abs=1e-7)
    assert judged.margins.tolist() == pytest.approx([math.log(4), -math.log(3)], abs=1e-6)
    assert judged.probability == pytest.approx(0.525)
    assert judged.margin == pytest.approx(math.log(0.525 / 0.475), abs=1e-6)
    assert judge(of_probability(0.8, 0.25), [A, B], target=0).probabilities.tolist() == pytest.approx([0.2, 0.75])


def test_the_margin_tells_apart_where_the_mean_probability_is_one():
    import numpy as np

    certain, more = (Judged(np.ones(2), np.array(odds), "raw") for odds in ([50.0, 60.0], [51.0, 60.0]))
    assert certain.probability == more.probability
    assert certain.margin == pytest.approx(50 + math.log(2), abs=1e-4)
    assert more.margin > certain.margin


def test_prototypes_explanations_and_graphs_are_taken():
    model, one = of_probability(0.8, 0.25), prototype(A)
    for given in (explanation([one]), [one], [A], one):
        assert judge(model, given, 1).probabilities.tolist() == pytest.approx([0.8])


def test_reference_graphs_decide_what_the_output_is():
    # One logit, 0.5 for the prototype: a probability, if there were nothing else to go by.
    model, few = Linear([[0.5, 7.0]]), [A]
    assert judge(model, few, 1, reference_graphs=[B]).probabilities[0] == pytest.approx(1 / (1 + math.exp(-0.5)))
    with pytest.warns(ProtographWarning, match=r"^the model's single output lies in \[0, 1\] for all 1 graphs"):
        assert judge(model, few, 1).probabilities[0] == pytest.approx(0.5)
    assert judge(model, few, 1, return_type="raw").return_type == "raw"
    assert judge(GraphClassifier(model, return_type="raw"), few, 1).return_type == "raw"


@pytest.mark.parametrize("output", ["raw", "probs", "log_probs"])
def test_kinds_of_output_agree(output):
    graphs = zoo.random_graphs(12)
    model, raw = zoo.make(output=output), zoo.make(output="raw")
    raw.load_state_dict(model.state_dict())
    assert judge(model, graphs, 1).margins.tolist() == pytest.approx(judge(raw, graphs, 1).margins.tolist(), abs=1e-6)


def test_a_model_whose_readout_cannot_be_told_judges_too():
    class Two(zoo.Net):
        def forward(self, x, edge_index, batch):
            first = zoo.global_add_pool(self.conv1(x, edge_index), batch)
            return self.head(
                first + zoo.global_add_pool(self.conv2(self.conv1(x, edge_index).relu(), edge_index), batch)
            )

    model, graphs = zoo.make(kind=Two), zoo.random_graphs(3)
    assert judge(model, graphs, 0).probabilities.shape == (3,)


def test_everything_is_left_as_found():
    model = zoo.make().train()
    before = state_of(model)
    judge(model, zoo.random_graphs(4), 1)
    assert is_as_found(model, before)


def test_errors():
    model = of_probability(0.8, 0.25)
    with pytest.raises(ValueError, match=r"^target must be in \[0, 2\), got 2;"):
        judge(model, [A], 2)
    with pytest.raises(TypeError, match=r"^target must be a whole number.*got 'b'$"):
        judge(model, [A], "b")
    with pytest.raises(ValueError, match=r"^graphs is empty; pass at least one graph or prototype$"):
        judge(model, [], 1)
    with pytest.raises(TypeError, match=r"got int$"):
        graphs_of([3])
    with pytest.raises(ValueError, match=r"^the model's output for graph 1, of one node, is NaN or infinite"):
        judge(model, [A, graph([0, math.nan])], 1)
    with pytest.raises(ValueError, match=r"^return_type='probs' wants outputs in \[0, 1\], got -1.099 to 0;"):
        judge(model, [B], 1, return_type="probs")
    assert torch.get_default_dtype() == torch.float32
