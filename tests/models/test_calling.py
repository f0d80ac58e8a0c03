import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, Sequential, global_add_pool

from protograph.models.calling import infer_call

GRAPH = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([1]))


def model_with(forward):
    """A model whose ``forward`` gives back what it was called with."""
    return type("Model", (nn.Module,), {"forward": forward})()


def call_of(forward, graph=GRAPH):
    return infer_call(model_with(forward), graph)


@pytest.mark.parametrize(
    "forward",
    [
        lambda self, data: data,
        lambda self, batch: batch,
        lambda self, g, temperature=1.0: g,
        lambda self, something_unheard_of: something_unheard_of,
        lambda self, *args: args[0],
    ],
    ids=["data", "batch", "first of two", "any name", "args"],
)
def test_one_argument_is_the_whole_batch(forward):
    call = call_of(forward)
    assert call.arguments is None
    assert call.attributes is None
    batch = Batch.from_data_list([GRAPH])
    assert call(model_with(forward), batch) is batch


def test_an_annotation_decides():
    def whole(self, x: Data, scale=1.0): ...

    def tensor(self, batch: Tensor): ...

    assert call_of(whole).arguments is None
    assert dict(call_of(tensor).arguments) == {"batch": "batch"}


@pytest.mark.parametrize(
    ("forward", "expected"),
    [
        (lambda self, x, edge_index, batch: 0, {"x": "x", "edge_index": "edge_index", "batch": "batch"}),
        (lambda self, batch_idx, feats, adj: 0, {"batch_idx": "batch", "feats": "x", "adj": "edge_index"}),
        (lambda self, x, batch, num_graphs: 0, {"x": "x", "batch": "batch", "num_graphs": "num_graphs"}),
        (lambda self, x, batch, ptr: 0, {"x": "x", "batch": "batch", "ptr": "ptr"}),
        (lambda self, h, graph_ids, dropout=0.5: 0, {"h": "x", "graph_ids": "batch"}),
        (lambda self, x, batch, y=None, target=None: 0, {"x": "x", "batch": "batch"}),  # never the answers
    ],
)
def test_arguments_are_known_by_their_usual_names(forward, expected):
    assert dict(call_of(forward).arguments) == expected


def test_an_attribute_of_the_graphs_is_known_by_its_own_name():
    graph = GRAPH.clone()
    graph.charge = torch.zeros(2)
    call = call_of(lambda self, charge, batch: charge, graph)
    assert call.attributes == {"charge", "batch"}
    assert call(model_with(lambda self, charge, batch: charge), Batch.from_data_list([graph])).tolist() == [0, 0]


def test_pyg_s_sequential_is_read_by_its_own_signature():
    model = Sequential(
        "x, edge_index, batch", [(GCNConv(2, 2), "x, edge_index -> x"), (global_add_pool, "x, batch -> x")]
    )
    assert dict(infer_call(model, GRAPH).arguments) == {"x": "x", "edge_index": "edge_index", "batch": "batch"}


def test_arguments_with_a_default_are_left_out_where_the_data_has_none():
    def forward(self, x, batch, edge_attr=None, pos=7):
        return edge_attr, pos

    call = call_of(forward)
    assert call.optional == {"edge_attr", "pos"}
    assert call(model_with(forward), Batch.from_data_list([GRAPH])) == (None, 7)


def test_a_graph_without_features_has_constant_ones():
    bare = Data(edge_index=GRAPH.edge_index, num_nodes=2)
    call = call_of(lambda self, x, batch: x, bare)
    assert call(model_with(lambda self, x, batch: x), Batch.from_data_list([bare, bare])).tolist() == [[1.0]] * 4


def message_of(work):
    with pytest.raises(ValueError, match=r"forward") as caught:
        work()
    return str(caught.value)


def test_an_argument_that_nobody_knows_is_named_with_the_way_out():
    assert message_of(lambda: call_of(lambda self, x, batch, mystery: 0)) == (
        "cannot tell what to pass to Model.forward for 'mystery'; known are the graphs' own attributes "
        "(edge_index, x, y) and the usual names (x, edge_index, edge_attr, edge_weight, pos, batch, num_graphs); "
        "rename the argument or let forward take the whole batch"
    )


def test_a_model_without_batch_takes_one_graph_at_a_time():
    assert not call_of(lambda self, x, edge_index: 0).takes_batch
    assert call_of(lambda self, x, edge_index, batch: 0).takes_batch
    assert call_of(lambda self, x, ptr: 0).takes_batch
    assert call_of(lambda self, data: 0).takes_batch


def test_what_the_graphs_lack_is_named_when_the_model_is_called():
    def forward(self, x, batch, edge_weight): ...

    call = call_of(forward)
    assert message_of(lambda: call(model_with(forward), Batch.from_data_list([GRAPH]))) == (
        "the model's forward needs 'edge_weight', but the graphs have no 'edge_weight'; "
        "add it to every graph, or give the argument a default"
    )
