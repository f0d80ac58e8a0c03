import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool
from torch_geometric.nn.aggr import AttentionalAggregation, MaxAggregation, MeanAggregation, SumAggregation

from protograph import GraphClassifier
from tests import zoo

# Each node has its own number, so that an output says which nodes entered the readout.
GRAPHS = [
    Data(x=torch.tensor([[1.0], [2.0], [4.0]]), edge_index=torch.tensor([[0, 1], [1, 0]])),
    Data(x=torch.tensor([[8.0], [16.0]]), edge_index=torch.tensor([[0, 1], [1, 0]])),
]
KEEP = torch.tensor([True, False, True, False, True])


class Pooled(nn.Module):
    """The readout of the features themselves, beside its negative."""

    def __init__(self, pool):
        super().__init__()
        self.pool = pool

    def forward(self, x, batch):
        pooled = self.pool(x, batch)
        return torch.cat([pooled, -pooled], dim=1)


def started(model, graphs=GRAPHS):
    return GraphClassifier(model).start(graphs)


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        (global_add_pool, [5, 16]),
        (SumAggregation(), [5, 16]),
        (global_mean_pool, [5 / 3, 8]),  # a mean over all nodes, those left out counting as nothing
        (MeanAggregation(), [5 / 3, 8]),
        (global_max_pool, [4, 16]),
        (MaxAggregation(), [4, 16]),
    ],
    ids=["add", "SumAggregation", "mean", "MeanAggregation", "max", "MaxAggregation"],
)
def test_only_nodes_that_are_kept_enter_the_readout(pool, expected):
    outputs = started(Pooled(pool)).classify_without(GRAPHS, KEEP)
    assert outputs[:, 0].tolist() == pytest.approx(expected)
    assert outputs[:, 1].tolist() == pytest.approx([-value for value in expected])


def test_attention_is_paid_to_the_nodes_that_are_kept():
    gate = nn.Linear(1, 1)
    nn.init.zeros_(gate.weight)  # so that all nodes are given the same attention
    running = started(Pooled(AttentionalAggregation(gate)))
    assert running.classify_without(GRAPHS, KEEP)[:, 0].tolist() == pytest.approx([2.5, 16])


@pytest.mark.parametrize("pool", zoo.POOLS)
def test_leaving_out_nothing_changes_nothing(pool):
    graphs = zoo.random_graphs(5)
    running = started(zoo.make(pool=pool), graphs)
    keep = torch.ones(sum(graph.num_nodes for graph in graphs), dtype=torch.bool)
    torch.testing.assert_close(running.classify_without(graphs, keep), running.classify(graphs))
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in running.model.modules())


class Overwrites(Pooled):
    def forward(self, x, batch):
        pooled = x.new_zeros(int(batch.max()) + 1, 1).scatter(0, batch.unsqueeze(1), x)
        return torch.cat([pooled, -pooled], dim=1)


def test_nodes_that_overwrite_one_another_cannot_be_left_out():
    with pytest.raises(ValueError, match=r"^the model's readout overwrites nodes by one another, so none of them can"):
        started(Overwrites(None)).classify_without(GRAPHS, KEEP)
