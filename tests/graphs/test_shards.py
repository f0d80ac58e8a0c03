import pytest
import torch
from torch_geometric.data import Data, InMemoryDataset

from protograph.graphs import shards
from protograph.graphs.joining import GraphChunk, joined
from protograph.graphs.shards import ShardFolder, TorchShards, opened_folder, write_shards
from protograph.graphs.spool import Spool
from protograph.graphs.store import GraphStore
from tests import zoo

GRAPHS = zoo.random_graphs(7)
load = shards.CollatedGraphs.load


def same(one, other):
    return one.x.tolist() == other.x.tolist() and one.edge_index.tolist() == other.edge_index.tolist()


def test_a_folder_of_shards_has_the_graphs_that_were_written(tmp_path):
    assert write_shards(iter(GRAPHS), tmp_path / "new", size=3) == 7
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [f"shard-00000{n}.graphs" for n in range(3)]
    folder = ShardFolder(tmp_path / "new")
    assert len(folder) == 7
    assert all(map(same, folder, GRAPHS))
    assert folder.origins.of(5).label == "graph 5 (graph 2 of shard-000001.graphs)"


def test_a_folder_that_has_shards_is_not_written_to(tmp_path):
    write_shards(GRAPHS, tmp_path)
    with pytest.raises(FileExistsError, match=r"has \.graphs files already; write to an empty folder, or remove them$"):
        write_shards(GRAPHS, tmp_path)


def test_graphs_that_cannot_be_written_are_named(tmp_path):
    odd = Data(x=torch.ones(1, 3), notes=["a"])
    with pytest.raises(ValueError, match=r"^graphs 2 to 3 cannot be written as a shard: graphs must have the same"):
        write_shards([*GRAPHS[:2], GRAPHS[2], odd], tmp_path, size=2)
    assert write_shards([GRAPHS[2], odd], tmp_path / "some", keys=["x"]) == 2
    assert [list(graph.to_dict()) for graph in ShardFolder(tmp_path / "some")] == [["x"], ["x"]]


def test_files_of_torch_save_hold_lists_or_what_a_data_set_saves(tmp_path):
    torch.save(GRAPHS[:3], tmp_path / "part2.pt")
    torch.save(InMemoryDataset.collate(GRAPHS[3:]), tmp_path / "part10.pt")
    shards = opened_folder(tmp_path)
    assert isinstance(shards, TorchShards)
    assert all(map(same, shards, GRAPHS))
    store = GraphStore(tmp_path)
    assert len(store) == 7
    assert store.label(4) == "graph 4 (graph 1 of part10.pt)"


def test_a_bad_shard_names_itself_when_its_graphs_are_asked_for(tmp_path):
    write_shards(GRAPHS, tmp_path, size=3)
    bad = tmp_path / "shard-000001.graphs"
    bad.write_bytes(bad.read_bytes()[:-1])
    store = GraphStore(tmp_path)
    assert same(store[0], GRAPHS[0])
    with pytest.raises(ValueError, match=r"shard-000001\.graphs is damaged or no file of tensors"):
        list(store.chunks(2))


def test_a_bad_file_of_torch_save_names_itself(tmp_path):
    torch.save(GRAPHS[:3], tmp_path / "part1.pt")
    (tmp_path / "part2.pt").write_bytes(b"no graphs")
    with pytest.raises(ValueError, match=r"part2\.pt cannot be read as graphs: wanted a list"):
        len(GraphStore(tmp_path))


def test_a_folder_without_shards_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"which has none; wanted \.graphs files of protograph\.write_shards"):
        opened_folder(tmp_path)
    with pytest.raises(ValueError, match=r"none there, which is none; pass protograph\.datasets\.read_graphs\(path\) "):
        opened_folder(tmp_path / "none there")


def test_a_file_that_runs_code_when_it_is_unpickled_is_refused(tmp_path):
    class Trap:
        def __reduce__(self):
            return print, ("run",)

    torch.save([Trap()], tmp_path / "part1.pt")
    with pytest.raises(ValueError, match=r"part1\.pt cannot be read as graphs"):
        len(GraphStore(tmp_path))


def same_chunk(chunk, graphs):
    wanted = joined(graphs)
    assert isinstance(chunk, GraphChunk)
    assert chunk.together.tensors.keys() == wanted.tensors.keys()
    assert all(torch.equal(tensor, wanted.tensors[key]) for key, tensor in chunk.together.tensors.items())
    assert chunk.together.sizes.tolist() == wanted.sizes.tolist()
    assert chunk.together.counts.tolist() == wanted.counts.tolist()
    return all(map(same, chunk, graphs))


def test_graphs_of_several_shards_are_laid_end_to_end(tmp_path):
    write_shards(GRAPHS, tmp_path, size=2)
    spool = Spool(iter(GRAPHS), size=2)
    assert spool.reach(7) == 7
    for source in (ShardFolder(tmp_path), spool):
        for first, last in ((0, 7), (1, 6), (3, 5), (2, 4), (6, 7)):
            chunk = source.chunk(first, last)
            assert same_chunk(chunk, GRAPHS[first:last])
            assert chunk.labels.tolist() == [int(graph.y) for graph in GRAPHS[first:last]]


@pytest.mark.parametrize(
    "change",
    [
        lambda graph: graph.update({"x": graph.x.double()}),
        lambda graph: graph.update({"x": graph.x[:, :2]}),
        lambda graph: graph.update({"pos": graph.x}),
        lambda graph: graph.update({"edge_index": graph.edge_index.int()}),
        lambda graph: graph.update({"node_type": graph.x}),
    ],
    ids=["type", "width", "attribute", "type of edges", "attribute of nodes"],
)
def test_shards_that_are_not_alike_are_read_graph_by_graph(tmp_path, change):
    own = [*GRAPHS[:2], *(change(graph.clone()) for graph in GRAPHS[2:4])]
    write_shards(own, tmp_path, size=2)
    chunk = ShardFolder(tmp_path).chunk(1, 4)
    assert not isinstance(chunk, GraphChunk)
    assert [graph.to_dict().keys() for graph in chunk] == [graph.to_dict().keys() for graph in own[1:]]
    assert all(map(same, chunk, own[1:]))


def test_labels_of_several_shards_are_known_where_they_are_in_each(tmp_path):
    own = [graph.clone() for graph in GRAPHS]
    own[2].y = own[3].y = 0.5
    write_shards(own, tmp_path, size=2)
    chunk = ShardFolder(tmp_path).chunk(1, 4)
    assert same_chunk(chunk, own[1:4])
    assert chunk.labels is None


@pytest.mark.parametrize(
    ("num_bytes", "most", "expected"), [(2**24, 256, 10), (0, 256, 20), (2**24, 9, 20)], ids=["small", "large", "many"]
)
def test_files_of_a_small_folder_are_read_once(tmp_path, monkeypatch, num_bytes, most, expected):
    monkeypatch.setattr(shards, "_BYTES_KEPT", num_bytes)
    monkeypatch.setattr(shards, "_MOST_KEPT", most)
    write_shards(zoo.random_graphs(20), tmp_path, size=2)
    folder, read = ShardFolder(tmp_path), []
    monkeypatch.setattr(shards.CollatedGraphs, "load", classmethod(lambda cls, path: read.append(path) or load(path)))
    for _ in range(2):
        assert [len(folder.chunk(first, first + 2)) for first in range(0, 20, 2)] == [2] * 10
    assert len(read) == expected


def test_an_empty_file_is_damaged(tmp_path):
    (tmp_path / "shard-000000.graphs").touch()
    with pytest.raises(
        ValueError, match=r"shard-000000\.graphs is damaged or no file of tensors: it is cut off, or has"
    ):
        ShardFolder(tmp_path)
