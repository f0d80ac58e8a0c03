import pytest
import torch
from torch_geometric.data import Batch, Data

from protograph.graphs.joining import GraphChunk, joined
from protograph.models import batching
from protograph.models.batching import batch_of
from tests import zoo


def graph(size, dtype=torch.long, **more):
    ring = torch.arange(size)
    edges = torch.stack([ring, ring.roll(1)])
    return Data(edge_index=torch.cat([edges, edges.flip(0)], dim=1).to(dtype), **more)


def with_all(size):
    tensors = {"edge_attr": torch.rand(2 * size, 2), "edge_weight": torch.rand(2 * size), "pos": torch.rand(size, 3)}
    return graph(size, x=torch.rand(size, 4), y=torch.tensor([1]), mask=torch.ones(size), **tensors)


WANTED = frozenset({"x", "edge_index", "edge_attr", "edge_weight", "pos", "batch", "ptr", "num_graphs"})


@pytest.mark.parametrize(
    "graphs",
    [
        [with_all(size) for size in (3, 1, 5)],
        [with_all(4)],
        [graph(size, num_nodes=size) for size in (3, 1, 5)],
        [graph(size, torch.int32, x=torch.ones(size, 1)) for size in (3, 2)],
        zoo.random_graphs(5),
    ],
    ids=["all tensors", "one graph", "no features", "short integers", "random"],
)
@pytest.mark.parametrize("wanted", [WANTED, frozenset({"x", "edge_index", "batch"})])
def test_a_quick_batch_is_that_of_pyg(graphs, wanted, monkeypatch):
    excluded = [key for key in graphs[0].to_dict() if key not in wanted | {"edge_index", "x"}]
    expected = Batch.from_data_list(graphs, exclude_keys=excluded)
    monkeypatch.setattr(batching.Batch, "from_data_list", None)
    batch = batch_of(graphs, wanted)
    assert type(batch) is type(expected)
    assert (batch.num_graphs, batch.num_nodes) == (expected.num_graphs, expected.num_nodes)
    for key, value in expected.to_dict().items():
        if isinstance(value, torch.Tensor):
            assert batch[key].dtype is value.dtype
            assert torch.equal(batch[key], value), key
    assert set(batch.to_dict()) - {"num_nodes"} == set(expected.to_dict()) - {"num_nodes", "_num_nodes"}


def test_the_batch_of_a_model_that_takes_it_whole_has_all_attributes():
    graphs = [with_all(3), with_all(2)]
    batch = batch_of(graphs, None)
    assert batch.to_dict().keys() == Batch.from_data_list(graphs).to_dict().keys()
    assert torch.equal(batch.to_data_list()[1].mask, graphs[1].mask)


def test_attributes_of_the_users_own_are_joined_by_pyg():
    batch = batch_of([with_all(3), with_all(2)], frozenset({"x", "mask", "batch"}))
    assert batch.mask.tolist() == [1.0] * 5
    assert "edge_attr" not in batch


def test_gradients_reach_the_graphs():
    one, two = with_all(3), with_all(2)
    two.x.requires_grad_()
    batch_of([one, two], WANTED).x.sum().backward()
    assert torch.equal(two.x.grad, torch.ones(2, 4))


def test_a_model_may_write_into_the_batch_of_graphs_that_others_read():
    one = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    chunk = GraphChunk([one, one], joined([one, one]))
    batch = batch_of(chunk, frozenset({"x", "batch"}))
    batch.x.zero_()
    batch.edge_index.zero_()
    assert chunk.together.tensors["x"].flatten().tolist() == [1.0] * 4
    assert chunk.together.tensors["edge_index"].tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]


def test_what_cannot_be_joined_is_left_out():
    graphs = zoo.random_graphs(3)
    for number, one in enumerate(graphs):
        one.odd, one.far, one.name = torch.ones(2, number + 1), torch.ones(1, device="meta"), f"graph {number}"
        one.batch = "mine"
    graphs[1].some = torch.ones(1)
    batch = batch_of(graphs, None)
    assert sorted(batch.keys()) == ["batch", "edge_index", "name", "ptr", "x", "y"]
    assert batch.name == ["graph 0", "graph 1", "graph 2"]
    assert batch.batch.tolist() == [0] * 4 + [1] * 5 + [2] * 6


def test_what_the_model_cannot_do_without_is_not_left_out():
    graphs = zoo.random_graphs(2)
    graphs[1].x = torch.ones(5, 7)
    with pytest.raises(RuntimeError, match=r"Sizes of tensors must match"):
        batch_of(graphs, None)
