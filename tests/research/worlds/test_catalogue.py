from dataclasses import replace

import numpy as np
import pytest

from research.paper.worlds.catalogue import WORLDS


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_has_graphs_of_every_way(name):
    world = replace(WORLDS[name], num_graphs=10 * len(WORLDS[name].classes))
    planted = world.make(np.random.default_rng(7))
    assert sorted(set(planted.ways.tolist())) == list(range(sum(len(one.ways) for one in world.classes)))
    assert all(12 <= graph.num_nodes <= 40 for graph in planted.graphs)
