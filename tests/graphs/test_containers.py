import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader

from protograph.graphs.containers import check_container, is_in_memory, read_each, single_graphs
from tests import zoo

GRAPHS = zoo.random_graphs(4)
WANTED = "graphs must be a sequence or iterable of graphs, got"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (GRAPHS[0], "a single Data; pass [data]"),
        (Batch.from_data_list(GRAPHS), "a single DataBatch; pass graphs.to_data_list()"),
        (HeteroData(), "a single HeteroData; pass [data.to_homogeneous()]"),
        (dict(enumerate(GRAPHS)), "a dict; pass list(graphs.values())"),
        ("graphs.pt", "a str; pass protograph.datasets.read_graphs(graphs)"),
        (torch.ones(2), "Tensor; pass a list of torch_geometric.data.Data"),
        (None, "NoneType; pass a list of torch_geometric.data.Data"),
        (3, "int; pass a list of torch_geometric.data.Data"),
    ],
)
def test_what_holds_no_graphs_is_refused_with_what_to_pass(given, message):
    with pytest.raises(TypeError) as caught:
        check_container(given)
    assert str(caught.value) == f"{WANTED} {message}"


@pytest.mark.parametrize("given", [[], (), iter(()), np.array([None]), DataLoader(GRAPHS), set()])
def test_whatever_can_be_gone_through_is_taken(given):
    check_container(given)


def test_batches_are_taken_apart():
    given = list(single_graphs(iter([GRAPHS[0], Batch.from_data_list(GRAPHS[1:])])))
    assert [graph.x.tolist() for graph in given] == [graph.x.tolist() for graph in GRAPHS]
    by_hand = Batch(x=torch.ones(2, 3), batch=torch.zeros(2, dtype=torch.long))
    with pytest.raises(
        ValueError, match=r"^item 1 of graphs must be a graph, or a batch that Batch.from_data_list made"
    ):
        list(single_graphs([GRAPHS[0], by_hand]))


def broken():
    yield GRAPHS[0]
    raise OSError("the disk is gone")


def test_an_error_of_whoever_reads_is_passed_on_with_the_place():
    given = single_graphs(broken())
    assert next(given) is GRAPHS[0]
    with pytest.raises(OSError, match=r"^the disk is gone") as caught:
        next(given)
    assert caught.value.__notes__ == ["this happened while item 1 of graphs was read, counted from 0"]
    with pytest.raises(IndexError) as caught:
        read_each(GRAPHS, [0, 7, 1])
    assert caught.value.__notes__ == ["this happened while graph 7 of graphs was read"]
    assert read_each(GRAPHS, [2, 0]) == [GRAPHS[2], GRAPHS[0]]


def test_which_graphs_can_be_read_twice_at_no_cost():
    assert [is_in_memory(given) for given in (GRAPHS, tuple(GRAPHS), iter(GRAPHS), Data())] == [
        True,
        True,
        False,
        False,
    ]


def test_places_of_a_list_are_read_at_once_those_of_others_one_by_one():
    class Counting(list):
        def __getitem__(self, index):
            read.append(index)
            return super().__getitem__(index)

    read = []
    assert read_each([5, 6, 7, 8], range(1, 3)) == [6, 7]
    assert read_each([5, 6, 7, 8], [3, 0]) == [8, 5]
    assert read_each([5, 6, 7, 8], range(3, -1, -1)) == [8, 7, 6, 5]
    with pytest.raises(IndexError):
        read_each([5, 6], range(1, 3))
    assert read_each(Counting([5, 6, 7, 8]), range(1, 3)) == [6, 7]
    assert read == [1, 2]
