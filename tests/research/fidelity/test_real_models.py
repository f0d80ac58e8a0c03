from dataclasses import replace

import numpy as np
import pytest

from protograph.datasets import load
from research.paper.fidelity import real_models
from research.paper.fidelity.real_models import (
    QUICK_TRIES,
    SMALL_TRIES,
    TRIES,
    RealModel,
    Tries,
    model_of,
    trained,
    tries_for,
)
from research.paper.worlds.nets import predicted


def test_few_graphs_have_more_and_shorter_tries():
    assert (tries_for(1000), tries_for(1500), tries_for(1501)) == (SMALL_TRIES, SMALL_TRIES, TRIES)


def some(accuracy, least_share=0.3):
    return RealModel(
        model=None, train=np.arange(1), test=np.arange(1), accuracy=accuracy, least_share=least_share, num_tries=0
    )


@pytest.mark.parametrize(
    ("models", "chosen", "num_tries"),
    [
        ([some(0.7), some(0.8), some(0.9)], 0.8, 2),  # the first that is accurate enough
        ([some(0.7), some(0.75), some(0.6)], 0.75, 3),  # none is: the best, after all tries
        ([some(0.9, 0.0), some(0.7), some(0.6)], 0.7, 3),  # one that predicts a single class is no test
        ([some(0.6, 0.0), some(0.7, 0.0), some(0.5, 0.0)], 0.7, 3),
    ],
)
def test_models_are_tried_until_one_is_accurate(monkeypatch, models, chosen, num_tries):
    asked = []

    def stand_in(graphs, seed, conv, recipe, number, device):
        asked.append(recipe)
        return replace(models[number], num_tries=number + 1)

    monkeypatch.setattr(real_models, "trained", stand_in)
    one = model_of([], 3, "gcn", 0.8, Tries(recipes=("first", "second"), most=3))
    assert (one.accuracy, one.num_tries) == (chosen, num_tries)
    assert asked == ["first", "second", "first"][:num_tries]


def test_a_model_is_measured_on_graphs_that_it_was_not_trained_on():
    graphs = list(load("ba-house", random_state=0, num_graphs=60))
    one, again = (trained(graphs, 5, "gin", QUICK_TRIES.recipes[0], 1) for _ in range(2))
    assert sorted([*one.train, *one.test]) == list(range(60))
    assert len(one.test) == 12
    predictions = predicted(one.model, [graphs[i] for i in one.test])
    assert one.accuracy == np.mean(predictions == [int(graphs[i].y) for i in one.test]) == again.accuracy
    assert one.least_share == min(np.bincount(predictions, minlength=2)) / 12
    assert one.num_tries == 2
