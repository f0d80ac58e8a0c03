import math

import pytest
import torch
from torch import nn

from protograph import PAGE, GraphClassifier
from protograph.metrics.sanity import sanity
from tests import zoo
from tests.metrics.by_hand import Linear, is_as_found, state_of

GRAPHS = zoo.random_graphs(30)


class Fixed:
    """Explains every model by its own weights, so that what changed can be seen."""

    def fit(self, model, graphs):
        self.model = model.model if isinstance(model, GraphClassifier) else model
        return self

    def explain(self, target):
        return {name: value.clone() for name, value in self.model.state_dict().items()}


def num_equal(before, after):
    return sum(torch.equal(before[name], after[name]) for name in before if name.endswith(("weight", "bias")))


def test_modules_are_randomised_from_the_output_down():
    model, explainer = zoo.make(), Fixed()
    before = state_of(model)
    found = sanity(explainer, model, GRAPHS, 1, similarity=num_equal)
    # Eight weights and biases; the batch norm's first weights are ones and zeros, and so they stay.
    assert [step.module for step in found.steps] == ["head", "conv2", "bn.module", "conv1"]
    assert [step.similarity for step in found.steps] == [6, 4 + 1, 4 + 1, 2 + 2]
    assert found.value == found.steps[-1].similarity == float(found)
    assert is_as_found(model, before)
    assert vars(explainer) == {}


def test_same_seed_same_result_and_page_is_left_alone():
    model = zoo.make()
    explainer = PAGE(num_clusters=1, max_nodes=5, max_reasons=0).fit(model, GRAPHS)
    embedded = explainer.embedded_
    first, again = (sanity(explainer, model, GRAPHS, 1, random_state=3) for _ in range(2))
    assert repr(first) == repr(again)
    assert explainer.embedded_ is embedded
    assert all(0 <= step.similarity <= 1 for step in first.steps if not step.note)


class NeverAgain(Fixed):
    explained = 0

    def explain(self, target):
        type(self).explained += 1
        if self.explained > 1:
            raise ValueError("no graph is predicted as class 1")
        return super().explain(target)


def test_a_class_that_cannot_be_explained_any_more_is_noted():
    found = sanity(NeverAgain(), Linear([[0.0] * 3, [1.0] * 3]), GRAPHS, 1, similarity=num_equal, max_draws=4)
    assert math.isnan(found.value)
    assert found.steps[0].note == "no graph is predicted as class 1"
    assert NeverAgain.explained == 1 + 4


def test_errors():
    class Empty(nn.Module):
        def forward(self, x, edge_index, batch):
            return zoo.global_add_pool(x, batch)

    with pytest.raises(ValueError, match=r"^model has no parameters, so there is nothing to randomise$"):
        sanity(Fixed(), Empty(), GRAPHS, 1, similarity=num_equal)
    with pytest.raises(ValueError, match=r"^max_draws must be at least 1, got 0$"):
        sanity(Fixed(), zoo.make(), GRAPHS, 1, max_draws=0)
