import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GraphConv, MessagePassing, SAGEConv, SimpleConv

from protograph.baselines.gnninterpreter import soft_edges
from protograph.models.classifier import GraphClassifier
from tests import zoo

KINDS = ["gcn", "gin", "sage", "gine"]


def complete(graph):
    """The complete graph over the same nodes, and the weight of each of its edges: 1 where ``graph`` has it."""
    size = graph.num_nodes
    adjacency = torch.zeros(size, size, dtype=torch.double)
    adjacency[graph.edge_index[0], graph.edge_index[1]] = 1
    edge_index = (1 - torch.eye(size)).nonzero().t().contiguous()
    full = Data(x=graph.x, edge_index=edge_index)
    if graph.edge_attr is not None:
        attributes = torch.full((size, size, 2), 7.0)
        attributes[graph.edge_index[0], graph.edge_index[1]] = graph.edge_attr
        full.edge_attr = attributes[edge_index[0], edge_index[1]]
    return full, adjacency[edge_index[0], edge_index[1]]


def running(model, graphs):
    return GraphClassifier(model).start(graphs)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_0_and_1_are_the_graph_with_those_edges(kind):
    graphs = [zoo.random_graph(seed, edge_dim=2 if kind == "gine" else None) for seed in range(3)]
    classifier = running(zoo.make(conv=kind), graphs)
    pairs = [complete(graph) for graph in graphs]
    with soft_edges(classifier.model, torch.cat([weights for _, weights in pairs])):
        outputs, embeddings = classifier.differentiable([full for full, _ in pairs])
    real = classifier.embed(graphs)
    assert torch.allclose(outputs, real.outputs, atol=1e-9)
    assert torch.allclose(embeddings, real.graph_embeddings, atol=1e-9)
    assert not torch.allclose(classifier.classify([full for full, _ in pairs]), real.outputs, atol=1e-3)


@pytest.mark.parametrize("conv", [lambda: GraphConv(3, 4, aggr="mean"), SimpleConv])
def test_other_layers_too(conv):
    layer, graph = conv().double(), zoo.random_graph(1)
    full, weights = complete(graph)
    with soft_edges(layer, weights):
        soft = layer(full.x.double(), full.edge_index)
    assert torch.allclose(soft, layer(graph.x.double(), graph.edge_index), atol=1e-9)


def test_messages_of_attention_and_maxima_are_multiplied():
    layer, graph = SAGEConv(3, 4, aggr="max", root_weight=False, bias=False).double(), zoo.random_graph(1)
    halves = torch.full((graph.num_edges,), 0.5, dtype=torch.double)
    with soft_edges(layer, halves):
        soft = layer(graph.x.double(), graph.edge_index)
    assert torch.allclose(soft, 0.5 * layer(graph.x.double(), graph.edge_index))


def hooks_of(model):
    return [
        len(value)
        for module in model.modules()
        for name, value in vars(module).items()
        if name.endswith("_hooks") and value is not None
    ]


@pytest.mark.parametrize("kind", ["gcn", "gin", "gat"])
def test_hooks_are_taken_off_again_also_on_error(kind):
    model, weights = zoo.make(conv=kind), torch.zeros(zoo.random_graph(0).num_edges)
    before = hooks_of(model)
    with soft_edges(model, weights):
        assert hooks_of(model) != before
    assert hooks_of(model) == before
    with pytest.raises(RuntimeError, match="enough"), soft_edges(model, weights):
        raise RuntimeError("enough")
    assert hooks_of(model) == before


def test_a_layer_that_gets_weights_of_its_own_has_them_multiplied():
    conv, ends, x = SimpleConv(), torch.tensor([[0, 1], [2, 2]]), torch.tensor([[1.0], [10.0], [0.0]])
    with soft_edges(conv, torch.tensor([0.5, 1.0])):
        assert conv(x, ends, torch.tensor([2.0, 3.0]))[2].item() == 31
        assert conv(x, ends)[2].item() == 10.5


class Plain(MessagePassing):
    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=x)


@pytest.mark.parametrize("conv", [SimpleConv, Plain])
def test_edges_that_are_not_the_graphs_own_are_refused(conv):
    layer, x = conv(), torch.ones(3, 1)
    message = r"does not get the graph's own edges.* but 1 edges where the graphs have 2"
    with soft_edges(layer, torch.ones(2)), pytest.raises(ValueError, match=message):
        layer(x, torch.tensor([[0], [1]]))
    adjacency = torch.eye(3).to_sparse()
    with soft_edges(layer, torch.ones(2)), pytest.raises(ValueError, match="but a Tensor where"):
        layer(x, adjacency)
