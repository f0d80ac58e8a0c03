import pytest
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

from protograph.models.predictions import embed_all
from tests import zoo

GRAPHS = zoo.random_graphs(3)


def changed(change):
    return [Data(**graph.to_dict() | {"x": change(graph.x)}) for graph in GRAPHS]


class Embeds(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinds, self.head = nn.Embedding(3, 4), nn.Linear(4, 2)

    def forward(self, x, batch):
        return self.head(global_add_pool(self.kinds(x[:, 0]), batch))


NO_X = [Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes) for graph in GRAPHS]


@pytest.mark.parametrize(
    ("model", "graphs", "message"),
    [
        (zoo.make(), NO_X, r"the graphs have no x, on which the model fails; give every graph an x .*RuntimeError"),
        (zoo.make(kind=zoo.TakesData), NO_X, r"the graphs have no x"),
        (zoo.make(), changed(lambda x: x[:, :2]), r"shape \[4, 2\] of float32, but .* Linear takes 3 columns; give"),
        (
            zoo.make(),
            changed(lambda x: x[:, 0]),
            r"shape \[4\] of float32, on which .*; pass x\.reshape\(len\(x\), -1\)",
        ),
        (
            Embeds(),
            changed(lambda x: x.long() + 2),
            r"int64, but .* Embedding knows the values 0 to 2 alone",
        ),
    ],
    ids=["no x", "no x in a whole batch", "columns", "a row is a number", "values"],
)
def test_graphs_that_do_not_fit_a_layer_are_told_what_it_takes(model, graphs, message):
    with pytest.raises(ValueError, match=message) as caught:
        embed_all(model, graphs)
    assert "\n" not in str(caught.value)


class Refuses(nn.Module):
    def forward(self, x, batch):
        raise KeyError("mine")


def test_any_other_error_of_the_model_is_passed_on_with_what_it_was_applied_to():
    with pytest.raises(KeyError) as caught:
        embed_all(Refuses(), GRAPHS)
    assert caught.value.__notes__[0] == "the model was applied to 3 graphs of 4 to 6 nodes"


def test_an_error_of_ours_is_left_alone():
    class NoReadout(nn.Module):
        def forward(self, x, batch):
            return "no tensor"

    with pytest.raises(TypeError, match=r"^the model must return a tensor of class scores, got str$"):
        embed_all(NoReadout(), GRAPHS)
