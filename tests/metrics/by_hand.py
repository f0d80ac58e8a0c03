"""Models and graphs whose every number can be worked out on paper."""

import math

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool
from torch_geometric.nn.aggr import MaxAggregation, MeanAggregation, SumAggregation

from protograph.explanation import Prototype
from tests.made import made_explanation


class Linear(nn.Module):
    """Logits ``W pool(x) + b``; rows of ``weight`` are classes."""

    def __init__(self, weight, bias=None, pool=global_add_pool, output="raw"):
        super().__init__()
        weight = torch.tensor(weight)
        self.head = nn.Linear(weight.size(1), weight.size(0))
        self.head.weight.data = weight
        self.head.bias.data = torch.zeros(weight.size(0)) if bias is None else torch.tensor(bias)
        self.pool = pool
        self.output = output
        self.eval()

    def forward(self, x, edge_index, batch):
        logits = self.head(self.pool(x, batch))
        return {"raw": logits, "probs": logits.softmax(1), "sigmoid": logits.sigmoid()}[self.output]


POOLS = {
    "add": global_add_pool,
    "mean": global_mean_pool,
    "max": global_max_pool,
    "SumAggregation": SumAggregation(),
    "MeanAggregation": MeanAggregation(),
    "MaxAggregation": MaxAggregation(),
}


def graph(*rows, y=0):
    """A path of nodes with these features."""
    first = torch.arange(len(rows) - 1)
    edge_index = torch.stack([torch.cat([first, first + 1]), torch.cat([first + 1, first])])
    return Data(x=torch.tensor(rows, dtype=torch.float), edge_index=edge_index, y=torch.tensor([y]))


def of_probability(*chances):
    """A model that gives a node with feature ``i`` alone, one-hot, the probability ``chances[i]`` of class 1."""
    return Linear([[0.0] * len(chances), [math.log(p / (1 - p)) for p in chances]])


def prototype(part, **fields):
    return Prototype(graph=part, probability=0.5, margin=0.0, **fields)


def explanation(prototypes, **fields):
    return made_explanation(
        target=1,
        prototypes=prototypes,
        explainer="none",
        options={},
        num_graphs=1,
        num_predicted=1,
        class_names=("0", "1"),
        **fields,
    )


def state_of(model):
    """All that must stay as it was found."""
    return (
        {name: value.clone() for name, value in model.state_dict().items()},
        {name: module.training for name, module in model.named_modules()},
        {name: parameter.requires_grad for name, parameter in model.named_parameters()},
        {name: parameter.grad for name, parameter in model.named_parameters()},
        [len(m._forward_hooks) + len(m._forward_pre_hooks) + len(m._backward_hooks) for m in model.modules()],
        torch.get_rng_state().tolist(),
        torch.get_default_dtype(),
    )


def is_as_found(model, before):
    after = state_of(model)
    same = all(torch.equal(after[0][name], value) for name, value in before[0].items())
    return same and after[1:] == before[1:]
