import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs import shards
from protograph.graphs.shards import ShardedGraphs


def graph(number):
    return Data(x=torch.full((2, 1), float(number)), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([0]))


@pytest.fixture
def folder(tmp_path):
    for name, numbers in {"part10.pt": [3, 4], "part2.pt": [1, 2], "part1.pt": [0]}.items():
        torch.save([graph(number) for number in numbers], tmp_path / name)
    (tmp_path / "notes.txt").write_text("not a shard")
    return tmp_path


def numbers(graphs):
    return [int(item.x[0]) for item in graphs]


def test_files_in_the_order_of_their_numbers(folder):
    graphs = ShardedGraphs(folder)
    assert len(graphs) == 5
    assert numbers(graphs) == [0, 1, 2, 3, 4]
    assert numbers(graphs[1:4]) == [1, 2, 3]
    assert numbers([graphs[-1], graphs[-5], graphs[2]]) == [4, 0, 2]
    for index in (5, -6):
        with pytest.raises(IndexError, match=rf"^index must lie in \[-5, 5\), got {index}$"):
            graphs[index]


def test_reading_in_order_reads_each_file_once(folder, monkeypatch):
    graphs, read = ShardedGraphs(folder), []
    original = shards.read_graphs
    monkeypatch.setattr(shards, "read_graphs", lambda path: read.append(path.name) or original(path))
    assert numbers(graphs) == [0, 1, 2, 3, 4]
    assert read == ["part1.pt", "part2.pt", "part10.pt"]


def test_a_damaged_shard_is_told_at_once(folder):
    (folder / "part2.pt").write_bytes(b"rubbish")
    with pytest.raises(ValueError, match=r"part2\.pt cannot be read as graphs"):
        ShardedGraphs(folder)


def test_no_shards(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no \.pt file; wanted files with lists"):
        ShardedGraphs(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"^there is no folder"):
        ShardedGraphs(tmp_path / "nowhere")
