import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from protograph.graphs.joining import JoinedGraphs
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


def test_widths_are_compared_over_chunks():
    odd = Data(x=torch.ones(2, 5))
    store = GraphStore([*GRAPHS, odd])
    with pytest.raises(
        ValueError, match=r"the first graph has 3 columns of float32, graph 11 has 5 columns of float32; make"
    ):
        list(store.chunks(4))


def ring(size):
    nodes = torch.arange(size)
    there = torch.stack([nodes, nodes.roll(1)])
    return Data(x=torch.ones(size, 1), edge_index=torch.cat([there, there.flip(0)], dim=1))


def described(graphs):
    return [graph.sizes.tolist() if isinstance(graph, JoinedGraphs) else graph for graph in graphs]


def test_what_checking_laid_end_to_end_is_encoded_as_it_is_once():
    graphs = [ring(3), ring(4), Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]])), ring(5), ring(6)]
    store = GraphStore(graphs)
    assert described(store.to_encode()) == graphs  # none was asked for in chunks
    assert sum(map(len, store.chunks(2))) == 5
    assert described(store.to_encode()) == [[3, 4], graphs[2], graphs[3], [6]]  # the third is directed
    assert described(store.to_encode()) == graphs
    assert list(store.unchecked()) == graphs


def test_only_so_much_is_kept_until_it_is_encoded(monkeypatch):
    monkeypatch.setattr("protograph.graphs.store._BYTES_LAID_OUT", 120)  # a ring of 3 has 3 * 4 + 6 * 2 * 8 bytes
    graphs = [ring(3), ring(3)]
    store = GraphStore(graphs)
    assert sum(map(len, store.chunks(1))) == 2
    assert described(store.to_encode()) == [[3], graphs[1]]


def test_all_graphs_are_checked_at_once_and_what_was_laid_out_is_used_again():
    store = GraphStore([*GRAPHS, Data(x=torch.ones(2, 3, dtype=torch.long))])
    with pytest.raises(ValueError, match=r"graph 11 has 3 columns of int64"):
        store.check(4)
    store = GraphStore(GRAPHS)
    store.check(4)
    laid_out = dict(store._checked)
    assert list(laid_out) == [0, 4, 8]
    assert [chunk is laid_out[start] for start, chunk in zip((0, 4, 8), store.chunks(4), strict=True)] == [True] * 3
    store.check(4)
    assert [len(chunk.together.sizes) for chunk in store.chunks(5)] == [5, 5, 1]  # of another size: laid out anew


def test_graphs_that_are_not_in_memory_are_checked_as_they_are_read():
    class Lazy:
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return Data(x=torch.ones(0, 3)) if index == 2 else GRAPHS[index]

    store = GraphStore(Lazy())
    store.check(2)
    chunks = store.chunks(2)
    assert len(next(chunks)) == 2
    with pytest.raises(ValueError, match=r"^graph 2 has no nodes"):
        next(chunks)


def test_graphs_that_are_taken_stay_laid_end_to_end():
    chunk = GraphStore(iter(GRAPHS)).take_chunk([2, 0, 2])
    assert chunk.together.sizes.tolist() == [GRAPHS[place].num_nodes for place in (2, 0, 2)]
