"""Graphs that are hard to search, and those of a generator: made by a seed, simple, with every class predicted."""

from itertools import islice

import numpy as np
import pytest
import torch

from research import hard_cases, speed

SMALL = {
    "dense": lambda rng: hard_cases.dense(rng, size=20, degree=6, num_graphs=8),
    "stars": lambda rng: hard_cases.stars(rng, leaves=40),
    "large": lambda rng: hard_cases.large(rng, size=100),
    "many dimensions": lambda rng: hard_cases.many_dimensional(rng, dim=50, num_graphs=20),
    "many classes": lambda rng: hard_cases.many_classes(rng, num_classes=5, num_graphs=4),
    "among small": lambda rng: hard_cases.among_small(rng, hard_cases.complete, num_graphs=20),
    "trees": lambda rng: hard_cases.Case(list(speed.random_trees(20))),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_seed_gives_the_same_simple_graphs_and_a_model_that_predicts_every_class(name):
    case, again = (SMALL[name](np.random.default_rng(3)) for _ in range(2))
    for one, other in zip(case.graphs, again.graphs, strict=True):
        assert torch.equal(one.edge_index, other.edge_index)
        edges = set(map(tuple, one.edge_index.t().tolist()))
        assert len(edges) == one.num_edges
        assert all(u != v and (v, u) in edges for u, v in edges)
    if name != "trees":
        model = case.model()
        predicted = {int(model(graph.x, graph.edge_index).argmax()) for graph in case.graphs}
        assert predicted == {int(graph.y) for graph in case.graphs}


def test_what_failed_holds_no_limit():
    name, *_ = hard_cases.CASES
    limits = speed.limits_of({"hard": {name: [None, None, {"seconds": 1.0}]}})
    assert [(one["value"], one["holds"]) for one in limits] == [(speed.STOP, False)]
    assert speed.shown([{"seconds": 1.0}, None, {"seconds": 3.0}]) == "2.00 (1.00 to 3.00) seconds"
    assert [graph.num_edges for graph in islice(speed.random_trees(10), 2)] == [38, 44]
