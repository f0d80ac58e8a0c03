import math
import random
import sys

import numpy as np
import pytest
import torch

from protograph import GraphClassifier
from protograph.metrics.attribution import METHODS, attribute, auroc, concentration, training_gain
from tests import zoo
from tests.metrics.by_hand import Linear, graph, is_as_found, prototype, state_of

# Class 1 has the logit 3 a - b: contributions |3 a| + |b| of the nodes are 3, 2 and 7.
MODEL, GRAPH = Linear([[0.0, 0.0], [3.0, -1.0]]), graph([1, 0], [0, 2], [2, 1])


@pytest.mark.parametrize("method", ["InputXGradient", "IntegratedGradients", "ShapleyValueSampling"])
def test_linear_model_by_hand(method):
    assert attribute(MODEL, GRAPH, 1, method).tolist() == pytest.approx([3 / 12, 2 / 12, 7 / 12], abs=1e-6)


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("output", ["raw", "sigmoid"])
def test_one_output_has_two_classes(output, target):
    model = GraphClassifier(Linear([[3.0, -1.0]], output=output), return_type="raw" if output == "raw" else "probs")
    assert attribute(model, GRAPH, target).tolist() == pytest.approx([3 / 12, 2 / 12, 7 / 12], abs=1e-6)


@pytest.mark.parametrize("kind", [zoo.Net, zoo.TakesData, zoo.TakesDataCalledBatch, zoo.OtherOrder, zoo.OtherNames])
@pytest.mark.parametrize("method", ["InputXGradient", "GNNExplainer"])
def test_models_are_called_as_they_want(kind, method):
    part = zoo.random_graph(3)
    values = attribute(zoo.make(kind=kind), prototype(part), 1, method, num_epochs=3)
    expected = attribute(zoo.make(), part, 1, method, num_epochs=3)
    assert values.tolist() == pytest.approx(expected.tolist(), abs=1e-6)
    assert values.sum() == pytest.approx(1.0)


def test_gnn_explainer_depends_on_the_seed_alone():
    model, part = zoo.make(), zoo.random_graph(5)
    first = attribute(model, part, 1, "GNNExplainer", num_epochs=10, random_state=4)
    torch.rand(7)
    assert torch.equal(first, attribute(model, part, 1, "GNNExplainer", num_epochs=10, random_state=4))
    assert not torch.equal(first, attribute(model, part, 1, "GNNExplainer", num_epochs=10, random_state=5))


@pytest.mark.parametrize("method", METHODS)
def test_everything_is_left_as_found(method):
    model, part = zoo.make().train(), zoo.random_graph(3, num_nodes=2)
    before, python, numpy = state_of(model), random.getstate(), np.random.get_state()[1].tolist()
    with torch.no_grad():
        attribute(model, part, 1, method, num_epochs=2)
    assert is_as_found(model, before)
    assert random.getstate() == python
    assert np.random.get_state()[1].tolist() == numpy
    assert not part.x.requires_grad


def test_errors_of_attribute(monkeypatch):
    with pytest.raises(ValueError, match=r"^method must be one of 'InputXGradient', .*, got 'Gradient'$"):
        attribute(MODEL, GRAPH, 1, "Gradient")
    with pytest.raises(ValueError, match=r"^num_epochs must be at least 1, got 0$"):
        attribute(MODEL, GRAPH, 1, num_epochs=0)
    with pytest.raises(ValueError, match=r"^target must be in \[0, 2\), got 5;"):
        attribute(MODEL, GRAPH, 5)
    monkeypatch.setitem(sys.modules, "captum.attr", None)
    message = r"^the attribution InputXGradient needs captum; pip install 'protograph\[attribution\]'$"
    with pytest.raises(ImportError, match=message):
        attribute(MODEL, GRAPH, 1)


SHARES = [0.1, 0.4, 0.2, 0.3]


@pytest.mark.parametrize(
    ("mask", "alpha", "area"),
    [
        # Area: pairs of a node of the truth and another that are ranked right, of all such pairs.
        ([False, True, False, True], 0.7, 4 / 4),
        ([True, False, True, False], 0.3, 0 / 4),
        ([True, True, False, False], 0.5, 2 / 4),
        ([False, False, False, True], 0.3, 2 / 3),
        ([False] * 4, 0.0, math.nan),
        ([True] * 4, 1.0, math.nan),
    ],
)
def test_concentration_and_area_by_hand(mask, alpha, area):
    assert concentration(torch.tensor(SHARES), torch.tensor(mask)) == pytest.approx(alpha, abs=1e-7)
    assert concentration(np.array(SHARES), mask) == pytest.approx(alpha)
    assert auroc(torch.tensor(SHARES), mask) == pytest.approx(area, nan_ok=True)


@pytest.mark.parametrize("metric", [concentration, auroc])
def test_attributions_and_masks_are_checked(metric):
    with pytest.raises(TypeError, match=r"^truth_mask must be booleans, one for each node, got torch.int64$"):
        metric(torch.tensor(SHARES), [0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"got shapes \[4\] and \[2\]$"):
        metric(torch.tensor(SHARES), [True, False])
    with pytest.raises(ValueError, match=r"got a smallest of -0.5 and a sum of 0.5; use protograph.metrics.attribute$"):
        metric(torch.tensor([1.0, -0.5]), [True, False])


GAINED, MASK = graph([1, 0], [0, 1], [0, 1]), [True, False, False]


def test_training_gain_by_hand():
    # Trained: contributions 6, 1, 1, so alpha is 3/4. Initial: 2, 1, 1, so alpha_0 is 1/2.
    trained, initial = Linear([[0.0, 0.0], [6.0, 1.0]]), Linear([[0.0, 0.0], [2.0, 1.0]])
    before = state_of(trained)
    found = training_gain(GAINED, trained, initial, 1, MASK)
    assert found.concentration == pytest.approx(0.75)
    assert found.initial_concentration == pytest.approx(0.5)
    assert float(found) == found.value == pytest.approx(0.5)
    assert is_as_found(trained, before)


def test_a_loss_is_negative_and_no_change_is_zero():
    strong, weak = Linear([[0.0, 0.0], [6.0, 1.0]]), Linear([[0.0, 0.0], [2.0, 1.0]])
    assert training_gain(GAINED, weak, strong, 1, MASK).value == pytest.approx(-1 / 3)
    assert training_gain(GAINED, weak, weak, 1, MASK, method="GNNExplainer", num_epochs=3).value == 0.0
