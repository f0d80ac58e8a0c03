import math

import pytest
import torch
from torch import nn
from torch_geometric.nn import GCNConv, global_add_pool, global_max_pool, global_mean_pool

from protograph import PAGE, GraphClassifier
from protograph.graphs.cutting import induced_subgraph
from protograph.metrics.margin_share import margin_share
from protograph.models.outputs import margins
from tests import zoo
from tests.metrics.by_hand import POOLS, Linear, explanation, graph, is_as_found, prototype, state_of

# Margin of class 1: 3 a - b + 5. Nodes contribute 3, -2, 5 to the sum of 6.
SOURCE = graph([1, 0], [0, 2], [2, 1])
WEIGHT, BIAS = [[0.0, 0.0], [3.0, -1.0]], [0.0, 5.0]


def share(nodes, model, source=SOURCE, target=None):
    one = prototype(induced_subgraph(source, nodes), source=7, nodes=nodes)
    return margin_share(one, explanation([one], source_graphs={7: source}), model, target)


@pytest.mark.parametrize("pool", ["add", "mean", "SumAggregation", "MeanAggregation"])
@pytest.mark.parametrize(("nodes", "expected"), [([0], 1 / 2), ([1], -1 / 3), ([2, 0], 8 / 6), ([0, 1, 2], 1.0)])
def test_linear_head_by_hand(pool, nodes, expected):
    model = Linear(WEIGHT, BIAS, POOLS[pool])
    assert share(nodes, model) == pytest.approx(expected, abs=1e-9)
    assert share(nodes, model, target=0) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("pool", ["max", "MaxAggregation"])
@pytest.mark.parametrize(("nodes", "expected"), [([0], 0.0), ([2], 3 / 4), ([1], -1 / 4), ([0, 1, 2], 1.0)])
def test_maximum_by_hand(pool, nodes, expected):
    # Of all nodes (2, 2), so 4 above the bias. Without the last (1, 2): 1. Without the second (2, 1): 5.
    assert share(nodes, Linear(WEIGHT, BIAS, POOLS[pool])) == pytest.approx(expected, abs=1e-9)


class Head(nn.Module):
    """A head with a kink behind any readout of one layer of messages; a norm over batch goes before it."""

    def __init__(self, readout):
        super().__init__()
        self.conv = GCNConv(3, 4)
        self.head = nn.Sequential(nn.Linear(4 * 3 if readout == "all" else 4, 4), nn.Tanh(), nn.Linear(4, 2))
        self.readout = readout

    def embed(self, x, edge_index, batch):
        x = self.conv(x, edge_index)
        return x - 0.5 * global_mean_pool(x, batch)[batch]

    def forward(self, x, edge_index, batch):
        x = self.embed(x, edge_index, batch)
        if self.readout == "all":
            pools = (global_mean_pool, global_max_pool, global_add_pool)
            return self.head(torch.cat([pool(x, batch) for pool in pools], dim=1))
        if self.readout == "by hand":
            counts = torch.zeros(int(batch.max()) + 1, dtype=x.dtype).index_add(0, batch, torch.ones_like(x[:, 0]))
            return self.head(torch.zeros(counts.numel(), 4, dtype=x.dtype).index_add(0, batch, x) / counts[:, None])
        size, index = int(batch.max()) + 1, batch[:, None].expand_as(x)
        pooled = x.new_zeros(size, 4).scatter_reduce(0, index, x, reduce=self.readout, include_self=False)
        return self.head(pooled)


def pooled_by_hand(readout, nodes, keep):
    kept = nodes[keep]
    total, largest = kept.sum(0), kept.amax(0) if len(kept) else torch.zeros(4, dtype=nodes.dtype)
    mean = total / len(nodes)
    return {"all": torch.cat([mean, largest, total]), "amax": largest, "sum": total}.get(readout, mean)


@pytest.mark.parametrize("readout", ["all", "by hand", "amax", "sum", "mean"])
def test_any_head_and_readout_as_written_out(readout):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model = Head(readout).eval()
    source, chosen = zoo.random_graph(4), [1, 4, 5]
    found = share(chosen, model, source)
    twin = model.double()
    nodes = twin.embed(source.x.double(), source.edge_index, torch.zeros(7, dtype=torch.long)).detach()
    rest = [v for v in range(7) if v not in chosen]
    logits = torch.stack([twin.head(pooled_by_hand(readout, nodes, keep)) for keep in (list(range(7)), rest, [])])
    whole, without, none = margins(logits.detach(), 1).tolist()
    assert found == pytest.approx((whole - without) / (whole - none), rel=1e-5)


@pytest.mark.parametrize("pool", zoo.POOLS)
def test_every_readout_of_the_zoo(pool):
    model, source = zoo.make(pool=pool, norm=True), zoo.random_graph(2)
    before = state_of(model)
    assert share(list(range(7)), model, source) == pytest.approx(1.0)
    assert share([], model, source) == pytest.approx(0.0, abs=1e-9)
    assert math.isfinite(share([0, 3], model, source))
    assert is_as_found(model, before)


@pytest.mark.parametrize("kind", [zoo.TakesData, zoo.OtherNames])
def test_other_ways_to_call(kind):
    expected = share([0, 2], zoo.make(), zoo.random_graph(2))
    assert share([0, 2], zoo.make(kind=kind), zoo.random_graph(2)) == pytest.approx(expected)


def test_a_prototype_of_page():
    model, graphs = zoo.make(), zoo.random_graphs(40)
    found = PAGE(num_clusters=1).fit(model, graphs).explain(1)
    assert math.isfinite(margin_share(found.prototypes[0], found, model))


def test_no_difference_is_nan():
    assert math.isnan(share([0], Linear([[0.0, 0.0], [0.0, 0.0]], BIAS)))


def test_errors():
    model, made = Linear(WEIGHT, BIAS), prototype(SOURCE)
    with pytest.raises(ValueError, match=r"^prototype must be cut from a graph, got one without source and nodes"):
        margin_share(made, explanation([made]), model)
    stray = prototype(induced_subgraph(SOURCE, [0]), source=3, nodes=[0])
    with pytest.raises(ValueError, match=r"whose source graphs are \[7\], got one cut from graph 3$"):
        margin_share(stray, explanation([], source_graphs={7: SOURCE}), model)
    named = GraphClassifier(zoo.make(), node_embeddings="conv2", graph_embeddings="head")
    with pytest.raises(ValueError, match=r"^the model's readout was named as modules"):
        share([0], named, zoo.random_graph(2))
