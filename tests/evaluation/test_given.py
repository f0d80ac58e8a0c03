import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

import protograph as pg
from protograph.evaluation.given import given_model, kept_apart

EDGE = torch.tensor([[0, 1], [1, 0]])


class Sum(nn.Module):
    def __init__(self, sign=1.0):
        super().__init__()
        self.weight, self.sign = nn.Parameter(torch.tensor(1.0)), sign

    def forward(self, x, edge_index, batch):
        total = self.sign * self.weight * global_add_pool(x, batch)
        return torch.cat([-total, total], dim=1)


def dataset(count=10, **labels):
    graphs = [Data(x=torch.full((2, 1), float(n % 2) - 0.5), edge_index=EDGE, y=n % 2, **labels) for n in range(count)]
    return pg.datasets.GraphDataset(graphs=graphs, name="mine")


def test_a_fifth_is_kept_apart_others_for_each_seed():
    given = given_model(pg.GraphClassifier(Sum(), return_type="raw"), dataset(), 0)
    assert (given.rest, given.train) == kept_apart(10, 0)
    assert len(given.rest) == 2
    assert sorted([*given.rest, *given.train]) == list(range(10))
    assert given.test_accuracy == 1.0
    assert len({tuple(kept_apart(100, seed)[0]) for seed in range(5)}) == 5
    assert [len(kept_apart(2, 0)[part]) for part in (0, 1)] == [1, 1]


def test_a_model_is_told_apart_by_weights_outputs_and_graphs():
    def key(model, seed=0, count=10):
        return given_model(pg.GraphClassifier(model, return_type="raw"), dataset(count), seed).key

    other = Sum()
    other.weight.data += 1
    keys = [key(Sum()), key(other), key(Sum(-1.0)), key(Sum(), seed=1), key(Sum(), count=11)]
    assert len(set(keys)) == 5
    assert key(Sum()) == keys[0]


def test_one_graph_is_too_few():
    with pytest.raises(ValueError, match=r"^graphs must be at least 2, to keep some apart, got 1$"):
        given_model(pg.GraphClassifier(Sum()), dataset(1), 0)
