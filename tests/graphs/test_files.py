import pickle

import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.files import read_graphs
from tests import zoo


@pytest.mark.parametrize("form", [list, tuple])
def test_graphs_come_back_as_they_were_saved(tmp_path, form):
    graphs = zoo.random_graphs(3, edge_dim=2)
    torch.save(form(graphs), tmp_path / "graphs.pt")
    back = read_graphs(str(tmp_path / "graphs.pt"))
    assert type(back) is list
    for one, other in zip(back, graphs, strict=True):
        assert one.keys() == other.keys()
        assert all(torch.equal(one[key], other[key]) for key in other.keys())  # noqa: SIM118 - a Data


def problem(path):
    with pytest.raises((ValueError, OSError)) as caught:
        read_graphs(path)
    return str(caught.value).replace(str(path), "PATH")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "PATH holds an empty list; wanted at least one graph"),
        (
            {"a": Data(x=torch.eye(2))},
            "PATH must hold a list of torch_geometric Data, got dict; save list(graphs.values())",
        ),
        (Data(x=torch.eye(2)), "PATH must hold a list of torch_geometric Data, got Data; save [graph]"),
        (
            [Data(x=torch.eye(2)), torch.eye(2)],
            "PATH must hold a list of torch_geometric Data, got Tensor at index 1; "
            "of a PyG data set, save its graphs: torch.save(list(dataset), path)",
        ),
    ],
)
def test_a_file_with_something_else(tmp_path, content, message):
    torch.save(content, tmp_path / "graphs.pt")
    assert problem(tmp_path / "graphs.pt") == message


class Harmful:
    def __reduce__(self):
        return open, ("harm.txt", "w")


def test_nothing_that_a_file_holds_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.save([Harmful()], tmp_path / "graphs.pt")
    assert problem(tmp_path / "graphs.pt") == (
        "PATH cannot be read as graphs: wanted a list of torch_geometric Data written by torch.save, without other "
        "objects; it holds a io.open"
    )
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(["no archive of torch"]))
    assert problem(tmp_path / "plain.pt").startswith("PATH cannot be read as graphs")
    assert not (tmp_path / "harm.txt").exists()


def graph(number):
    return Data(x=torch.full((2, 1), float(number)), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([0]))


@pytest.fixture
def folder(tmp_path):
    for name, numbers in {"part10.pt": [3, 4], "part2.pt": [1, 2], "part1.pt": [0]}.items():
        torch.save([graph(number) for number in numbers], tmp_path / name)
    (tmp_path / "notes.txt").write_text("no graphs")
    return tmp_path


def numbers(graphs):
    return [int(item.x[0]) for item in graphs]


def test_files_in_the_order_of_their_numbers(folder):
    graphs = read_graphs(folder)
    assert [one.label for one in graphs.origins[1:3]] == [
        "graph 1 (graph 0 of part2.pt)",
        "graph 2 (graph 1 of part2.pt)",
    ]
    assert numbers(graphs) == [0, 1, 2, 3, 4]


def test_a_damaged_file_is_told_at_once(folder):
    (folder / "part2.pt").write_bytes(b"rubbish")
    with pytest.raises(ValueError, match=r"part2\.pt cannot be read as graphs"):
        read_graphs(folder)


def test_no_files(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no \.pt file; wanted files with lists"):
        read_graphs(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"^there is no file .*nowhere"):
        read_graphs(tmp_path / "nowhere")
