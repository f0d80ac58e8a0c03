"""The first trials of ``make fuzz``; see :mod:`research.fuzz`."""

from functools import cache, partial

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from research.fuzz import unchanged
from research.fuzz.trial import run_trial
from research.fuzz.verdicts import problem_with
from tests import zoo

NUM_TRIALS = 20

outcome = cache(partial(run_trial, 0))


@pytest.mark.parametrize("first", range(0, NUM_TRIALS, 10))
def test_odd_graphs_and_models_are_explained_or_refused(first):
    outcomes = {number: outcome(number) for number in range(first, first + 10)}
    assert {number: one for number, one in outcomes.items() if one.problems} == {}


def test_trials_are_of_all_kinds():
    assert {outcome(number).result for number in range(20)} == {"explained", "refused", "raised"}


def test_an_error_that_is_nobody_s_is_a_failure():
    def problem_of(step):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - of any kind
            step()
        return problem_with(caught.value, zoo.make(), zoo.random_graphs(3))

    assert problem_of(lambda: torch.ones(2) @ torch.ones(3)).startswith("RuntimeError: inconsistent tensor size")
    assert problem_of(lambda: zoo.make()(torch.ones(2, 2), torch.ones(2, 0).long(), torch.zeros(2))).endswith(
        "no graph named"
    )
    assert problem_of(lambda: pg.PAGE().fit(zoo.make(), [])) == ""
    assert problem_of(lambda: pg.PAGE().explain(0)) == ""


@pytest.mark.parametrize(
    "change",
    [
        lambda graph: graph.x.mul_(1),
        lambda graph: setattr(graph, "x", graph.x.clone()),
        lambda graph: setattr(graph, "extra", 1),
        lambda graph: graph.is_node_attr("x"),
        lambda graph: graph.x.requires_grad_(),
    ],
)
def test_every_change_of_a_graph_is_seen(change):
    graph = Data(x=torch.ones(2, 3), y=torch.tensor([1]))
    before = unchanged.of_graphs([graph])
    assert unchanged.of_graphs([graph]) == before
    change(graph)
    assert unchanged.of_graphs([graph]) != before


def test_every_change_of_a_model_is_seen():
    model = zoo.make()
    before = unchanged.of_model(model)
    model.bn.train()
    assert unchanged.of_model(model) != before
    model.bn.eval()
    assert unchanged.of_model(model) == before
    model.bn.module.num_batches_tracked += 1
    assert unchanged.difference(before, unchanged.of_model(model)).startswith("/tensors/bn.module.num_batches_tracked")
