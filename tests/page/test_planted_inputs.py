"""Rules of models that read unusual inputs: the planted pair of nodes comes out, word for word."""

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

import protograph as pg

FOUR = torch.eye(4)


class Pairs(nn.Module):
    """Class 1 where an edge joins a node that is ``first`` to one that is ``second``."""

    def __init__(self, first, second, of_edges=None, idle=0.0):
        super().__init__()
        self.first, self.second, self.of_edges, self.idle = first, second, of_edges, idle

    def forward(self, data):
        source, target = data.edge_index
        is_pair = (self.first(data)[source] & self.second(data)[target]).double()
        if self.of_edges is not None:
            is_pair = is_pair * self.of_edges(data)
        if self.idle:
            is_pair = is_pair + self.idle * data.edge_attr[:, 0]
        number = global_add_pool(torch.zeros(len(data.batch)).double().index_add(0, target, is_pair), data.batch)
        return torch.stack([0.5 - number, number - 0.5], dim=1) * 6


def graphs(number=200, **tensors):
    """Trees with tensors of nodes and edges; edges hold the same there and back."""
    rng, made = np.random.default_rng(0), []
    for _ in range(number):
        size = int(rng.integers(8, 14))
        ends = torch.tensor([[node, int(rng.integers(node))] for node in range(1, size)]).T
        graph = Data(edge_index=torch.cat([ends, ends.flip(0)], dim=1), num_nodes=size)
        for key, values in tensors.items():
            own = torch.as_tensor(values(rng, size - 1 if key == "edge_attr" else size))
            graph[key] = torch.cat([own, own]) if key == "edge_attr" else own
        made.append(graph)
    return made


WHOLE = {"x": lambda rng, size: rng.integers(0, 5, (size, 1))}
SEVERAL = {"x": lambda rng, size: np.stack([rng.integers(0, 4, size), rng.integers(0, 3, size)], axis=1)}
NORMAL = {"x": lambda rng, size: rng.normal(1, 1, (size, 3)).astype(np.float32)}
WEIGHED = {
    "x": lambda rng, size: FOUR[rng.integers(0, 4, size)],
    "edge_attr": lambda rng, size: rng.random((size, 1)).astype(np.float32),
}
BESIDE = {"x": lambda rng, size: torch.ones(size, 1), "z": lambda rng, size: rng.integers(1, 6, size)}
# Of which graphs, by which model, what is said of class 1, and what besides must not be named.
WORLDS = {
    "unnamed kinds": (
        WHOLE,
        Pairs(lambda data: data.x[:, 0] == 1, lambda data: data.x[:, 0] == 3),
        "a node of kind 1 joined to a node of kind 3",
    ),
    "integer columns": (
        SEVERAL,
        Pairs(lambda data: data.x[:, 0] == 2, lambda data: data.x[:, 1] == 1),
        "a node (x[1] 1) joined to a node of x[0] 2",
    ),
    "continuous": (
        NORMAL,
        Pairs(lambda data: data.x[:, 0] >= 2, lambda data: data.x[:, 0] >= 2),
        "a pair of nodes of x[0] of at least 2 joined to each other",
    ),
    "weights": (
        WEIGHED,
        Pairs(lambda data: data.x[:, 0] == 1, lambda data: data.x[:, 1] == 1, lambda data: data.edge_attr[:, 0] >= 0.4),
        "a node of kind 0 joined by an edge (edge_attr of at least 0.4) to a node of kind 1",
    ),
    "idle attributes": (
        WEIGHED,
        Pairs(lambda data: data.x[:, 0] == 1, lambda data: data.x[:, 1] == 1, idle=1e-4),
        "a node of kind 0 joined to a node of kind 1",
    ),
    "another attribute": (
        BESIDE,
        Pairs(lambda data: data.z == 2, lambda data: data.z == 3),
        "a node of z 2 joined to a node of z 3",
    ),
}


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")  # that so many graphs are alike
@pytest.mark.parametrize("world", WORLDS)
def test_the_planted_pair_is_the_rule(world):
    tensors, model, words = WORLDS[world]
    own = graphs(**tensors)
    explanations = pg.PAGE().fit(model, own).explain_all()
    assert str(explanations[1].rule) == words
    assert explanations.fidelity == 1.0
    predicted = np.array(explanations[1].survey.predictions)
    assert np.array_equal(explanations[1].predict(own), predicted == 1)
    (pattern,) = explanations[1].reasons[0].has
    assert np.array_equal(pattern.parse(pattern.query).holds_in(own), predicted == 1)


def test_what_no_pattern_can_say_is_said_first():
    own = graphs(x=WEIGHED["x"])
    for number, graph in enumerate(own):
        graph.u = torch.tensor([[(-1.0) ** number * (1 + number % 7)]])

    class Reads(nn.Module):
        def forward(self, data):
            return torch.cat([-data.u, data.u], dim=1).double() + 0 * global_add_pool(data.x, data.batch).sum()

    explanation = pg.PAGE(max_reasons=0).fit(Reads(), own).explain(1)
    first = explanation.summary().split("\n")[0]
    assert first.endswith("% of the model's decisions depend on u, which no pattern can describe.")
