import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from protograph.graphs.store import GraphStore
from tests import zoo

GRAPHS = zoo.random_graphs(11)


def content(store):
    return [graph.x.tolist() for graph in (store[i] for i in range(len(store)))]


@pytest.mark.parametrize("max_bytes", [0, 700, 2000, 2**30])
def test_a_generator_can_be_read_again_from_memory_or_files(max_bytes):
    store = GraphStore((graph for graph in GRAPHS), max_bytes=max_bytes)
    assert len(store) == len(GRAPHS)
    assert content(store) == [graph.x.tolist() for graph in GRAPHS]
    assert [len(chunk) for chunk in store.chunks(4)] == [4, 4, 3]
    assert store[10].x.tolist() == GRAPHS[10].x.tolist()
    assert store[0].x.tolist() == GRAPHS[0].x.tolist()


def test_temporary_files_go_away_with_the_store():
    store = GraphStore(iter(GRAPHS), max_bytes=0)
    folder = store._source._folder
    assert any(folder.iterdir())
    del store
    assert not folder.exists()


def test_a_list_is_read_in_place():
    assert GraphStore(GRAPHS)[3] is GRAPHS[3]


def test_a_loader_of_batches_gives_single_graphs():
    store = GraphStore(iter(DataLoader(GRAPHS, batch_size=4)))
    assert content(store) == [graph.x.tolist() for graph in GRAPHS]


@pytest.mark.parametrize("empty", [[], iter([])])
def test_no_graphs_are_an_error(empty):
    with pytest.raises(ValueError, match=r"^graphs is empty; pass at least one graph$"):
        GraphStore(empty)


def test_a_single_graph_is_an_error():
    with pytest.raises(TypeError, match=r"got a single Data; pass \[data\]$"):
        GraphStore(Data(x=torch.ones(1, 1)))
    with pytest.raises(TypeError, match=r"^graphs must be a sequence or iterable of graphs, got int$"):
        GraphStore(3)


def test_widths_are_compared_over_chunks():
    odd = Data(x=torch.ones(2, 5))
    store = GraphStore([*GRAPHS, odd])
    with pytest.raises(
        ValueError, match=r"the first graph has 3 columns of float32, graph 11 has 5 columns of float32$"
    ):
        list(store.chunks(4))
