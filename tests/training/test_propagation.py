import torch
from torch_geometric.data import Data

from protograph import datasets
from protograph.training import GCN
from protograph.training.collation import collate
from protograph.training.propagation import logits_of, propagated


def assert_same_logits(graphs, num_features):
    model = GCN(num_features, num_classes=3, hidden=(8, 6, 4))
    flat = collate(graphs)
    order = torch.arange(len(flat)).flip(0)
    plain = flat.take(order)
    expected = model(plain.x, plain.edge_index, plain.batch)
    once, each_time = propagated(flat), propagated(flat, most_bytes=0)
    assert (once.is_propagated, each_time.is_propagated) == (True, False)
    for prepared in (once, each_time):
        assert torch.allclose(logits_of(model, prepared.take(order)), expected, atol=1e-5)
        (batch,) = prepared.batches(order, batch_size=len(order))
        assert torch.allclose(logits_of(model, batch), expected, atol=1e-5)


def test_logits_are_the_models():
    assert_same_logits(datasets.load("ba-house", num_graphs=30), num_features=3)


def test_logits_are_the_models_on_odd_graphs():
    generator = torch.Generator().manual_seed(0)
    edges = [
        [[0, 1, 1, 2], [1, 0, 2, 1]],
        [[0, 0, 1], [1, 2, 2]],  # directed
        [[0, 0, 1, 1], [0, 1, 0, 1]],  # self-loops
        [[0, 1, 0, 1], [1, 0, 1, 0]],  # an edge twice
        [[], []],
    ]
    graphs = [
        Data(
            x=torch.rand(4, 2, generator=generator),  # the last node has no edge
            edge_index=torch.tensor(ends, dtype=torch.long),
            y=0,
        )
        for ends in edges
    ]
    assert_same_logits(graphs, num_features=2)


def test_gradients_are_the_models():
    graphs = datasets.load("ba-grid", num_graphs=10)
    flat, model = collate(graphs), GCN(3, 2, (8, 8))
    everything = torch.arange(10)
    plain = flat.take(everything)
    weights = list(model.parameters())
    expected = torch.autograd.grad(model(plain.x, plain.edge_index, plain.batch)[:, 0].sum(), weights)
    gradients = torch.autograd.grad(logits_of(model, propagated(flat).take(everything))[:, 0].sum(), weights)
    for one, other in zip(expected, gradients, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5)
