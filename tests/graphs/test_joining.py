import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from protograph.graphs import joining
from protograph.graphs.joining import GraphChunk, LaidOut, as_chunk, joined, plain_labels
from tests import zoo

EDGES = torch.tensor([[0, 1], [1, 0]])


def graph(**changes):
    values = {"x": torch.ones(2, 3), "edge_index": EDGES, "edge_attr": torch.ones(2, 1)} | changes
    return Data(**{key: value for key, value in values.items() if value is not None})


class OwnData(Data):
    """Asks to be joined otherwise than a ``Data``."""

    def __cat_dim__(self, key, value, *args):
        return None if key == "x" else super().__cat_dim__(key, value, *args)


def test_graphs_are_laid_end_to_end():
    one, two = graph(), graph(x=torch.zeros(1, 3), edge_index=EDGES[:, :0], edge_attr=torch.zeros(0, 1))
    result = joined([one, two, one])
    assert result.sizes.tolist() == [2, 1, 2]
    assert result.counts.tolist() == [2, 0, 2]
    assert result.offsets.tolist() == [0, 2, 3]
    assert result.of_edges(result.offsets).tolist() == [0, 0, 3, 3]
    assert result.edges.tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    assert {key: list(value.shape) for key, value in result.tensors.items()} == {
        "edge_index": [2, 4],
        "x": [5, 3],
        "edge_attr": [4, 1],
    }


def test_tensors_are_those_of_pyg():
    graphs = zoo.random_graphs(7)
    batch, result = Batch.from_data_list(graphs), joined(graphs)
    shifted = result.edges + result.of_edges(result.offsets)
    assert np.array_equal(shifted, batch.edge_index.numpy())
    assert torch.equal(result.tensors["x"], batch.x)


def test_only_what_is_asked_for_is_joined():
    assert set(joined([graph(), graph(edge_attr=None)], keys=["x"]).tensors) == {"edge_index", "x"}


def test_without_features_nodes_are_counted_by_their_number():
    bare = graph(x=None, edge_attr=None, num_nodes=4)
    assert joined([bare, bare]).sizes.tolist() == [4, 4]


@pytest.mark.parametrize(
    "other",
    [
        OwnData(x=torch.ones(2, 3), edge_index=EDGES, edge_attr=torch.ones(2, 1)),
        "graph",
        graph(edge_index=None),
        graph(edge_index=EDGES.float()),
        graph(edge_index=EDGES.bool()),
        graph(edge_index=EDGES.int()),
        graph(edge_index=EDGES[0]),
        graph(edge_index=torch.zeros(3, 2, dtype=torch.long)),
        graph(x=None, num_nodes=2),
        graph(x=None),
        graph(x=torch.ones(2, 4)),
        graph(x=torch.ones(2, 3, 1)),
        graph(x=torch.ones(2, 3).double()),
        graph(x=torch.empty(0)),
        graph(x=torch.nn.Parameter(torch.ones(2, 3))),
        graph(x=[1.0, 2.0]),
        graph(num_nodes=3),
        graph(num_nodes=2**70),
        graph(num_nodes=True),
        graph(n_id=torch.arange(5)),
        graph(pos=torch.ones(2, 2)),
        graph(edge_attr=None),
        graph(edge_attr=torch.ones(1, 1)),
        graph(edge_attr=torch.tensor(1.0)),
    ],
    ids=repr,
)
def test_what_asks_for_more_care_is_not_joined(other):
    assert joined([graph(), other]) is None


@pytest.mark.parametrize("unusual", [{"pos": torch.ones(3, 2)}, {"num_nodes": 3}, {"x": torch.ones(2, 3).to_sparse()}])
def test_what_all_graphs_have_may_be_unusual_too(unusual):
    assert joined([graph(**unusual)] * 2) is None


@pytest.mark.parametrize("threads", [1, 2])
def test_many_numbers_are_joined_some_at_a_time(threads, monkeypatch):
    monkeypatch.setattr(joining, "_IN_ONE_GO", 100)
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    sizes = [1, 5, 2, 40, 1, 3, 2]  # 108 numbers of 7 tensors: three of these at a time
    graphs = [
        Data(x=torch.full((size, 2), float(number)), edge_index=EDGES[:, :0], y=torch.tensor([number]))
        for number, size in enumerate(sizes)
    ]
    result = joined(graphs)
    assert result.tensors["x"][:, 0].tolist() == [number for number, size in enumerate(sizes) for _ in range(size)]
    assert result.sizes.tolist() == sizes
    assert joined([*graphs, graph(x=torch.ones(2, 3), edge_attr=None)]) is None  # of another width


def test_a_chunk_has_labels_where_all_graphs_have_one():
    some = [graph(y=torch.tensor([number])) for number in (2, 0, 1)]
    chunk = as_chunk(some)
    assert (chunk.labels.tolist(), list(chunk), as_chunk(chunk) is chunk) == ([2, 0, 1], some, True)
    assert as_chunk([graph(), graph()]).labels is None
    assert as_chunk([*some, graph(edge_index=None)]) is None


INT8 = torch.tensor([1], dtype=torch.int8)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([torch.tensor([3]), torch.tensor([5])], [3, 5]),
        ([torch.tensor([3]), INT8], [3, 1]),
        ([INT8, INT8], None),
        ([torch.tensor([3]), torch.tensor(5)], None),
        ([torch.tensor([[3]]), torch.tensor([[5]])], None),
        ([torch.tensor([3]), torch.tensor([[5]])], None),
        ([torch.tensor([3]), torch.tensor([1.5])], None),
        ([torch.tensor([3]), torch.tensor([5, 6])], None),
        ([torch.tensor([3, 4]), torch.tensor([], dtype=torch.long)], None),
        ([torch.tensor([3]), torch.zeros(1, dtype=torch.long, device="meta")], None),
        ([torch.tensor([3]).to_sparse(), torch.tensor([5]).to_sparse()], None),
        ([torch.tensor([3]), 5], None),
        ([torch.tensor([3]), None], None),
    ],
    ids=str,
)
def test_labels_that_are_told_at_one_look(given, expected):
    labels = plain_labels([Data(y=y) for y in given])
    assert (None if labels is None else labels.tolist()) == expected


def test_what_is_laid_end_to_end_is_not_laid_out_again():
    one = graph()
    chunk = GraphChunk([one], joined([one]))
    again = joined(chunk, ["edge_attr"])
    assert set(again.tensors) == {"edge_index", "edge_attr"}
    assert all(tensor is chunk.together.tensors[key] for key, tensor in again.tensors.items())
    assert chunk.together.num_bytes == 6 * 4 + 4 * 8 + 2 * 4
    both = GraphChunk([one, one], joined([one, one]), np.array([0, 1]))
    assert (type(both[1:]), len(both[1:]), both[1:].labels.tolist()) == (GraphChunk, 1, [1])
    assert torch.equal(both[1:].together.tensors["x"], one.x)
    assert both[::-1] == [one, one]
    assert both[2:] == []


def test_graphs_laid_out_are_made_one_by_one():
    graphs = [
        Data(
            x=torch.arange(3.0)[:, None], edge_index=torch.tensor([[0, 2], [2, 0]]), edge_attr=torch.tensor([5.0, 6.0])
        ),
        Data(x=torch.tensor([[7.0]]), edge_index=torch.empty(2, 0, dtype=torch.long), edge_attr=torch.empty(0)),
    ]
    laid_out = LaidOut(joined(graphs))
    assert len(laid_out) == 2
    for made, graph in zip([laid_out[0], laid_out[-1]], graphs, strict=True):
        assert all(torch.equal(made[key], graph[key]) for key in ("x", "edge_index", "edge_attr"))
    (second,) = laid_out[1:]
    assert second.x.tolist() == [[7.0]]
    assert [graph.num_nodes for graph in laid_out[::-1]] == [1, 3]
    assert laid_out[2:] == []
    with pytest.raises(IndexError):
        laid_out[2]


def test_graphs_laid_out_without_features_know_their_number_of_nodes():
    graphs = [Data(num_nodes=n, edge_index=torch.empty(2, 0, dtype=torch.long)) for n in (2, 3)]
    assert [graph.num_nodes for graph in LaidOut(joined(graphs))] == [2, 3]
