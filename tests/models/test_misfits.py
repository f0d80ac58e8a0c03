import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

from protograph.graphs.store import GraphStore
from protograph.models.classifier import GraphClassifier
from protograph.models.misfits import started, which_graphs
from tests import zoo

GRAPHS = zoo.random_graphs(3)


def changed(**changes):
    return [Data(**graph.to_dict() | {key: change(graph) for key, change in changes.items()}) for graph in GRAPHS]


def start(model, graphs):
    return started(GraphClassifier(model), GraphStore(graphs), None)


class Embeds(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinds, self.head = nn.Embedding(3, 4), nn.Linear(4, 2)

    def forward(self, x, batch):
        return self.head(global_add_pool(self.kinds(x[:, 0]), batch))


NO_X = [Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes) for graph in GRAPHS]
# What does not fit, how the message begins and ends, and graphs that follow its advice.
MISFITS = {
    "no x": (
        zoo.make(),
        NO_X,
        "graph 0 has no x, and neither have the others, on which the model fails (RuntimeError: mat1 and mat2 ",
        "; give every graph an x of 3 columns, as its layer conv1.lin (Linear) takes",
        changed(x=lambda graph: torch.ones(graph.num_nodes, 3)),
    ),
    "no x in a whole batch": (
        zoo.make(kind=zoo.TakesData),
        NO_X,
        "graph 0 has no x, and neither have the others, on which the model fails (",
        "; give every graph an x of 3 columns, as its layer conv1 (GCNConv) takes",
        GRAPHS,
    ),
    "columns": (
        zoo.make(),
        changed(x=lambda graph: graph.x[:, :2]),
        "x of graph 0 has shape [4, 2] of float32, but the model's layer conv1.lin (Linear) takes 3 columns (",
        "; give every graph so many",
        GRAPHS,
    ),
    "truth values": (
        zoo.make(),
        changed(x=lambda graph: graph.x.bool()),
        "x of graph 0 has shape [4, 3] of bool, but the model's layer conv1 (GCNConv) takes float32 (",
        "; pass x.to(torch.float32)",
        changed(x=lambda graph: graph.x.bool().to(torch.float32)),
    ),
    "a row is a number": (
        zoo.make(),
        changed(x=lambda graph: graph.x[:, 0]),
        "x of graph 0 has shape [4] of float32, which the model cannot take (",
        "; pass x.unsqueeze(1), or what it was trained with",
        GRAPHS,
    ),
    "numbers that are embedded": (
        Embeds(),
        GRAPHS,
        "x of graph 0 has shape [4, 3] of float32, but the model's layer kinds (Embedding) takes int64 (",
        "; pass x.to(torch.int64)",
        changed(x=lambda graph: graph.x.to(torch.int64)),
    ),
    "values that are not known": (
        Embeds(),
        changed(x=lambda graph: graph.x.long() + 2),
        "x of graph 0 has shape [4, 3] of int64, but the model's layer kinds (Embedding) knows the values 0 to 2 (",
        "; give graphs with these alone",
        changed(x=lambda graph: graph.x.long()),
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_graphs_that_do_not_fit_are_told_by_the_layer_and_the_advice_works(name):
    model, graphs, begins, ends, better = MISFITS[name]
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - begin and end are compared
        start(model, graphs)
    message = str(caught.value)
    assert (message[: len(begins)], message[-len(ends) :]) == (begins, ends)
    assert "\n" not in message
    assert start(model, better).classify(better).shape == (3, 2)


class Refuses(nn.Module):
    def forward(self, x, batch):
        raise KeyError("mine")


def test_another_error_of_the_model_is_passed_on_with_the_graphs():
    with pytest.raises(KeyError) as caught:
        start(Refuses(), GRAPHS)
    assert caught.value.__notes__[-1] == "this happened while the model was applied to 3 graphs, graph 0 to graph 2"
    assert which_graphs(GraphStore(GRAPHS), 1, 1) == "graph 1"


def test_an_error_of_ours_is_left_alone():
    class NoReadout(nn.Module):
        def forward(self, x, batch):
            return "no tensor"

    with pytest.raises(TypeError, match=r"^the model must return a tensor of class scores, got str$"):
        start(NoReadout(), GRAPHS)
