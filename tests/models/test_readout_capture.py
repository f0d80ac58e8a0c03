import pytest
import torch
from torch import nn
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool
from torch_geometric.nn.aggr import SumAggregation

from protograph.models.readout import Place, Readout
from protograph.models.readout.capture import Tap

BATCH = torch.tensor([0, 0, 1])
NODES = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
SUMS, MEANS, HIGHEST = [[4.0, 6.0], [5.0, 6.0]], [[2.0, 3.0], [5.0, 6.0]], [[3.0, 4.0], [5.0, 6.0]]


class Model(nn.Module):
    """Its readout is the given function; its layers leave what they get as it is."""

    def __init__(self, readout):
        super().__init__()
        self.layer, self.pool, self.head = nn.Identity(), SumAggregation(), nn.Identity()
        self.readout = readout

    def forward(self, x, batch):
        return self.head(self.readout(self, self.layer(x), batch))


def caught(readout_of_model, readout):
    model = Model(readout_of_model)
    with Tap(BATCH, readout).on(model) as tap:
        model(NODES, BATCH)
    nodes, graphs = tap.node_embeddings, tap.graph_embeddings
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    return None if nodes is None else nodes.tolist(), None if graphs is None else graphs.tolist()


@pytest.mark.parametrize(
    ("readout_of_model", "place", "expected"),
    [
        (lambda self, x, batch: global_add_pool(x, batch), Place(0), SUMS),
        (lambda self, x, batch: global_max_pool(x, batch), Place(0), HIGHEST),
        (lambda self, x, batch: self.pool(x, batch), Place(0, "pool"), SUMS),
        (lambda self, x, batch: global_add_pool(x, batch) / torch.tensor([[2.0], [1.0]]), Place(0, None, True), MEANS),
        (lambda self, x, batch: global_add_pool(x, batch) / torch.tensor([[2.0], [1.0]]), Place(0), SUMS),
        (lambda self, x, batch: global_add_pool(x, batch) + global_max_pool(x, batch), Place(1), HIGHEST),
        (lambda self, x, batch: self.pool(x, batch) + self.pool(x, batch), Place(1, "pool"), SUMS),
    ],
)
def test_what_the_readout_takes_and_gives_is_caught(readout_of_model, place, expected):
    assert caught(readout_of_model, Readout((place,))) == (NODES.tolist(), expected)


def test_modules_that_the_user_named_come_first():
    readout = Readout((Place(0),), node_module="layer", graph_module="head")
    nodes, graphs = caught(lambda self, x, batch: 10 * global_mean_pool(x * 2, batch), readout)
    assert nodes == NODES.tolist()
    assert graphs == [[20 * value for value in row] for row in MEANS]


def test_a_readout_that_does_not_happen_is_not_there():
    assert caught(lambda self, x, batch: x, Readout((Place(0),))) == (None, None)
