import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.collated import CollatedGraphs, UnusualGraphError, collated
from protograph.graphs.joining import joined
from tests import zoo


def full(number):
    """A graph with everything that a shard can hold."""
    return Data(
        x=torch.tensor([[0.5, -0.0], [number, 2.0]]),
        edge_index=torch.tensor([[0, 1], [1, 0]]),
        edge_attr=torch.tensor([[number], [70_000]]),
        pos=torch.rand(2, 3, dtype=torch.float64),
        y=torch.tensor(number),
        train_mask=torch.tensor([True, False]),
        name=f"né {number}",
        weight=0.1 * number,
        rank=number,
        is_odd=bool(number % 2),
    )


def assert_same(one, other):
    assert list(one.to_dict()) == list(other.to_dict())
    for key, value in one.to_dict().items():
        found = other[key]
        assert type(found) is type(value)
        if isinstance(value, torch.Tensor):
            assert found.dtype == value.dtype
            assert found.shape == value.shape
            assert torch.equal(found, value)
            if value.is_floating_point():
                assert torch.equal(torch.signbit(found), torch.signbit(value))
        else:
            assert found == value


def test_the_same_graphs_come_back_from_memory_and_from_a_file(tmp_path):
    graphs = [full(number) for number in range(3)]
    shard = collated(graphs)
    shard.save(tmp_path / "a.graphs")
    for kept in (shard, CollatedGraphs.load(tmp_path / "a.graphs")):
        for number, graph in enumerate(graphs):
            assert_same(graph, kept.graph(number))


def test_features_that_are_whole_numbers_take_a_byte_each():
    shard = collated([Data(x=torch.tensor([[1.0, 0.0]]), edge_index=torch.zeros(2, 1, dtype=torch.long))])
    assert shard.tensors["x"].dtype == torch.uint8
    assert shard.tensors["edge_index"].dtype == torch.uint8
    assert shard.graph(0).x.dtype == torch.float32
    assert collated([Data(x=torch.tensor([[-0.0]]))]).tensors["x"].dtype == torch.float32


def test_some_of_them_end_to_end_are_what_joining_gives():
    graphs = zoo.random_graphs(7)
    shard, wanted = collated(graphs), joined(graphs[2:5])
    found = shard.together(2, 5)
    assert found.sizes.tolist() == wanted.sizes.tolist()
    assert found.counts.tolist() == wanted.counts.tolist()
    assert set(found.tensors) == set(wanted.tensors)
    assert all(torch.equal(found.tensors[key], wanted.tensors[key]) for key in wanted.tensors)
    assert shard.labels(2, 5).tolist() == [int(graph.y) for graph in graphs[2:5]]


def test_what_was_narrowed_is_made_anew_for_whoever_asks():
    edges = torch.zeros(2, 1, dtype=torch.long)
    for values, own in (([[1.0, 0.0]], {"x", "edge_index"}), ([[0.5, 0.0]], {"edge_index"})):
        shard = collated([Data(x=torch.tensor(values), edge_index=edges)])
        one, other = shard.together(0, 1), shard.together(0, 1)
        assert one.own == own
        assert own == {key for key in one.tensors if one.tensors[key].data_ptr() != other.tensors[key].data_ptr()}


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([Data(x=torch.ones(1, 1)), 3], "a graph must be a torch_geometric.data.Data itself, got int"),
        ([Data(x=torch.ones(1, 1)), Data(y=1)], "graphs must have the same attributes, got x and y"),
        ([Data(parts=[1])], "parts must be a tensor, a number or a text in all graphs, got list"),
        ([Data(x=torch.ones(1, 1)), Data(x=torch.ones(1, 2))], "x must have as many columns in all graphs"),
        ([Data(huge=2**70)], "huge must be of at most 64 bits, got a larger number"),
    ],
)
def test_what_would_come_back_otherwise_is_refused(graphs, message):
    with pytest.raises(UnusualGraphError) as raised:
        collated(graphs)
    assert str(raised.value) == message


def damaged(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: content[:-3], "its numbers are not those that were written"),
        (lambda content: damaged(content, len(content) - 1), "its numbers are not those that were written"),
        (lambda content: content[:5], "it is cut off, or has no header"),
        (lambda content: b"", "it is cut off, or has no header"),
    ],
)
def test_a_damaged_file_names_itself(tmp_path, change, problem):
    path = tmp_path / "a.graphs"
    collated(zoo.random_graphs(3)).save(path)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=r"a\.graphs") as raised:
        CollatedGraphs.load(path)
    assert str(raised.value) == f"{path} is damaged or no file of tensors: {problem}"
