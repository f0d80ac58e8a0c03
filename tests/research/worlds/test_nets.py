"""The quick way to their scores is the plain way."""

import pytest
import torch

from research.paper.worlds.nets import MiniBatch, Recipe, net_for, predicted, scores_of, train
from tests import zoo


@pytest.mark.parametrize("conv", ["gcn", "gin", "sage", "gat"])
@pytest.mark.parametrize("has_norm", [False, True])
def test_scores_and_gradients_of_a_batch_are_those_of_the_model(conv, has_norm):
    graphs = zoo.random_graphs(6)
    torch.manual_seed(0)
    model = net_for(graphs, 2, conv=conv, has_norm=has_norm)
    model.standardise(graphs)
    quick, plain = MiniBatch(model, graphs).scores(model), scores_of(model, graphs)
    torch.testing.assert_close(quick, plain)
    weights = list(model.parameters())
    gradients = [torch.autograd.grad(one.square().sum(), weights, retain_graph=True) for one in (quick, plain)]
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("conv", ["gin", "gat"])
def test_edge_attributes_are_read(conv):
    graphs = zoo.random_graphs(6, edge_dim=2)
    model = net_for(graphs, 2, conv=conv)
    scores = scores_of(model, graphs)
    for graph in graphs:
        graph.edge_attr = graph.edge_attr + 1
    assert not torch.equal(scores_of(model, graphs), scores)


def test_training_learns_which_graphs_have_more_nodes():
    graphs = zoo.random_graphs(60)
    for graph in graphs:
        graph.y = torch.tensor([int(graph.num_nodes > 6)])
    torch.manual_seed(0)
    model = net_for(graphs, 2, conv="gin", readout="sum")
    train(model, graphs[:40], graphs[40:], Recipe(epochs=60, batch_size=8, good=1.0), seed=0)
    assert predicted(model, graphs[40:]).tolist() == [int(graph.y) for graph in graphs[40:]]
