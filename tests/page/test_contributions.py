"""What nodes add to the margin, against models whose answer is known and against running the model."""

import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv, global_add_pool, global_max_pool, global_mean_pool

from protograph import GraphClassifier
from protograph.graphs.dataset import GraphStore
from protograph.graphs.subgraph import induced_subgraph
from protograph.models.outputs import margins
from protograph.models.predictions import Judge, embed
from protograph.page import contributions
from protograph.page.contributions import linear_head, node_contributions
from tests import zoo
from tests.metrics.by_hand import POOLS, Linear, graph

GRAPHS = zoo.random_graphs(60)


class Small(nn.Module):
    """One layer of messages, any readout, and a head that is linear or not."""

    def __init__(self, pool, head="linear", num_classes=2):
        super().__init__()
        self.conv = GCNConv(3, 4)
        self.pool = pool
        self.head = nn.Linear(4, num_classes)
        if head == "mlp":
            self.head = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, num_classes))

    def forward(self, x, edge_index, batch):
        return self.head(self.pool(self.conv(x, edge_index).tanh(), batch))


def small(pool=global_add_pool, head="linear", num_classes=2):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        return Small(pool, head, num_classes).eval()


def started(model, graphs=GRAPHS):
    classifier = model if isinstance(model, GraphClassifier) else GraphClassifier(model)
    running = classifier.start(graphs[:8])
    return running, embed(running, GraphStore(graphs), batch_size=64, return_type=classifier.return_type)


def contributed(model, graphs, target, *, by_map=True, fitted=GRAPHS):
    running, embedded = started(model, fitted)
    whole = running.embed(graphs, nodes=True)
    nodes = [part.numpy() for part in torch.split(whole.node_embeddings, [g.num_nodes for g in graphs])]
    head = linear_head(embedded, running.resolution) if by_map else None
    judge = Judge(running, embedded.return_type)
    return node_contributions(judge, graphs, whole, nodes, target, head)


# ---- the linear map -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_classes", [1, 2, 3])
@pytest.mark.parametrize("pool", [global_add_pool, global_mean_pool], ids=["add", "mean"])
def test_a_linear_head_is_found(pool, num_classes):
    model = small(pool, num_classes=num_classes)
    running, embedded = started(model)
    weight = model.head.weight.detach().double().numpy()
    expected = np.stack([0 * weight[0], weight[0]]) if num_classes == 1 else weight - weight[:1]
    head = linear_head(embedded, running.resolution)
    np.testing.assert_allclose(head, expected.T, atol=1e-6)


@pytest.mark.parametrize("output", ["probs", "log_probs"])
def test_it_is_found_behind_probabilities(output):
    model = zoo.make(output=output)
    running, embedded = started(model)
    assert embedded.return_type == output
    assert linear_head(embedded, running.resolution) is not None


def test_too_few_graphs_cannot_tell():
    running, embedded = started(small(), GRAPHS[:19])  # 4 (4 + 1) = 20
    assert linear_head(embedded, running.resolution) is None
    running, embedded = started(small(), GRAPHS[:20])
    assert linear_head(embedded, running.resolution) is not None
    running, embedded = started(small(head="mlp"))
    assert linear_head(embedded, running.resolution) is None


def test_graphs_in_the_order_of_their_classes():
    """Of a feature that the first graphs have not, they say nothing."""
    rng = np.random.default_rng(0)
    rows = [[*rng.integers(0, 3, 1), 0] for _ in range(150)] + [[0, *rng.integers(0, 3, 1)] for _ in range(150)]
    graphs = [graph(row, [1, 0]) for row in rows]
    model = Linear([[0.0, 0.0], [1.0, -4.0]])
    (found,) = contributed(model, [graph([1, 0], [0, 2])], 1, fitted=graphs)
    np.testing.assert_allclose(found, [1.0, -8.0], atol=1e-6)


def test_what_the_graphs_cannot_tell_is_asked_of_the_model():
    """The mean of one-hot rows always sums to 1, so that bias and weights cannot be told apart."""
    rng = np.random.default_rng(1)
    graphs = [graph(*np.eye(3)[rng.integers(0, 3, 5)].tolist()) for _ in range(80)]
    model = Linear([[0.0, 0.0, 0.0], [9.0, 6.0, -3.0]], [0.0, 5.0], POOLS["mean"])
    (found,) = contributed(model, [graph([1, 0, 0], [0, 1, 0], [0, 0, 1])], 1, fitted=graphs)
    np.testing.assert_allclose(found, [3.0, 2.0, -1.0], atol=1e-6)


# ---- contributions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pool", ["add", "mean", "max", "SumAggregation", "MeanAggregation", "MaxAggregation"])
def test_by_hand(pool):
    # Margin 3 a - b. Of all nodes the maximum is (2, 2): 4; without each in turn 4, 5, 1.
    expected = {"add": [3, -2, 5], "mean": [1, -2 / 3, 5 / 3], "max": [0, -1, 3]}
    model = Linear([[0.0, 0.0], [3.0, -1.0]], [0.0, 5.0], POOLS[pool])
    key = {"S": "add", "M": "mean"}.get(pool[0], pool) if pool != "MaxAggregation" else "max"
    source = graph([1, 0], [0, 2], [2, 1])
    (found,) = contributed(model, [source], 1, by_map=False, fitted=[source])
    np.testing.assert_allclose(found, expected[key], atol=1e-9)


@pytest.mark.parametrize("num_classes", [1, 2, 3])
@pytest.mark.parametrize("pool", [global_add_pool, global_mean_pool], ids=["add", "mean"])
def test_the_map_gives_what_the_model_gives(pool, num_classes):
    model = small(pool, num_classes=num_classes)
    for target in range(max(2, num_classes)):
        by_map = contributed(model, GRAPHS[:5], target)
        by_model = contributed(model, GRAPHS[:5], target, by_map=False)
        for one, other in zip(by_map, by_model, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("head", ["linear", "mlp"])
@pytest.mark.parametrize("pool", [global_add_pool, global_max_pool], ids=["add", "max"])
def test_many_nodes_are_left_out_in_several_runs(pool, head, monkeypatch):
    graphs = [GRAPHS[5], Data(x=torch.eye(3)[:1], edge_index=torch.empty(2, 0, dtype=torch.long)), GRAPHS[7]]
    expected = contributed(small(pool, head), graphs, 0, by_map=False)
    monkeypatch.setattr(contributions, "_MAX_ROWS", 20)
    found = contributed(small(pool, head), graphs, 0, by_map=False)
    assert [part.shape for part in found] == [(g.num_nodes,) for g in graphs]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.parametrize("by_map", [True, False])
def test_nodes_are_left_out_of_the_graph_where_the_readout_was_named(by_map):
    model = small(global_max_pool)
    named = GraphClassifier(model, node_embeddings="conv", graph_embeddings="head")
    twin = copy.deepcopy(model).double()

    def margin(graph):
        batch = torch.zeros(graph.num_nodes, dtype=torch.long)
        with torch.no_grad():
            return float(margins(twin(graph.x.double(), graph.edge_index, batch), 1))

    for source, found in zip(GRAPHS[:2], contributed(named, GRAPHS[:2], 1, by_map=by_map), strict=True):
        others = [[v for v in range(source.num_nodes) if v != left_out] for left_out in range(source.num_nodes)]
        expected = [margin(source) - margin(induced_subgraph(source, rest)) for rest in others]
        np.testing.assert_allclose(found, expected, atol=1e-9)
