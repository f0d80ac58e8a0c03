from dataclasses import replace

import numpy as np
import pytest
import torch

from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.models import ARCHITECTURES, in_turn, is_shaped, models_of, trained
from research.paper.worlds.nets import Recipe, predicted


def test_shapes_are_told_from_colours():
    assert is_shaped(WORLDS["house-tree"])
    assert is_shaped(WORLDS["three-mixed-chain"])  # one of its three motifs
    assert not is_shaped(WORLDS["red-path-ba1"])
    assert not is_shaped(WORLDS["double-edges-tree"])


@pytest.mark.parametrize(
    ("name", "able"),
    [
        ("red-path-ba1", set(ARCHITECTURES)),
        ("double-edges-tree", {one for one in ARCHITECTURES if one[0] != "gcn"}),
        ("house-tree", {("gin", "sum"), ("gin", "mean"), ("gin", "max"), ("gcn", "sum")}),
    ],
)
def test_architectures_that_cannot_read_a_world_are_left_out(name, able):
    assert set(in_turn(WORLDS[name], seed=0)) == able
    first, second = (next(in_turn(WORLDS[name], seed)) for seed in (0, 1))
    assert first != second


def test_a_model_is_measured_on_graphs_that_it_was_not_trained_on():
    world = replace(WORLDS["red-path-ba1"], num_graphs=40)
    planted = world.make(np.random.default_rng(0))
    one, other = (trained(world, planted, 0, "gin", "sum", Recipe(epochs=2)) for _ in range(2))
    assert sorted([*one.train, *one.test]) == list(range(40))
    right = predicted(one.model, one.graphs) == np.array([int(graph.y) for graph in one.graphs])
    assert one.accuracy == right[one.test].mean()
    assert one.recalls == tuple(right[planted.ways == way].mean() for way in range(5))
    assert not replace(one, accuracy=0.94).has_learned
    assert not replace(one, accuracy=1.0, recalls=(1.0, 0.89)).has_learned
    assert replace(one, accuracy=0.95, recalls=(1.0, 0.9)).has_learned
    same = zip(one.model.parameters(), other.model.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in same)


def test_after_four_models_that_have_not_learned_no_more_are_tried(monkeypatch):
    tried = []

    def untrained(world, planted, seed, conv, readout, recipe, dropped, device):
        tried.append(dropped)
        return trained(world, planted, seed, conv, readout, replace(recipe, epochs=1), dropped, device)

    monkeypatch.setattr("research.paper.worlds.models.trained", untrained)
    world = replace(WORLDS["house-tree"], num_graphs=20)
    assert list(models_of(world, 0, 1)) == []
    assert tried == [0, 1, 2, 3]
