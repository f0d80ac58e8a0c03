"""Nothing but what is planted tells the classes of a world apart."""

from dataclasses import replace

import numpy as np
import pytest

from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.world import best_cut, cues, labels_of


def test_the_same_seed_gives_the_same_graphs():
    world = replace(WORLDS["alternating-square"], num_graphs=20)
    first, second = (world.make(np.random.default_rng(7)) for _ in range(2))
    for one, other in zip(first.graphs, second.graphs, strict=True):
        assert all(one[key].equal(other[key]) for key in ("x", "edge_index", "edge_attr", "y"))


@pytest.mark.parametrize("name", ["house-tree", "four-colours-tree"])
def test_plain_numbers_do_not_tell_the_classes_apart(name):
    graphs = replace(WORLDS[name], num_graphs=300).make(np.random.default_rng(0)).graphs
    assert {
        cue: best for cue, values in cues(graphs).items() if (best := best_cut(values, labels_of(graphs))) > 0.7
    } == {}
