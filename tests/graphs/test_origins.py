import pytest
import torch
from torch.utils.data import Subset
from torch_geometric.data import Data, InMemoryDataset

from protograph.graphs.origins import Origin, named, origins_of

EDGE = torch.tensor([[0, 1], [1, 0]])


def graph(**facts):
    return Data(x=torch.ones(2, 1), edge_index=EDGE, **facts)


@pytest.mark.parametrize(
    ("facts", "label"),
    [
        ({}, "graph 7"),
        ({"line": 9}, "graph 7 (line 9)"),
        ({"line": 9, "name": "aspirin", "smiles": "CCO"}, "graph 7 (line 9, aspirin, CCO)"),
        ({"name": "CCO", "smiles": "CCO"}, "graph 7 (CCO)"),  # said once
        ({"file": "part1.pt", "file_position": 2, "name": "x"}, "graph 7 (graph 2 of part1.pt, x)"),
        ({"name": "two\nlines\x1b", "smiles": "C" * 100}, f"graph 7 (two lines, {'C' * 59}…)"),
    ],
)
def test_what_a_graph_is_called(facts, label):
    assert Origin(position=7, **facts).label == label


def test_a_graph_may_know_its_name_and_its_smiles():
    own = graph(name="own", smiles="CC")
    assert named(Origin(position=2, line=5), own) == Origin(position=2, line=5, name="own", smiles="CC")
    assert named(Origin(position=0, line=2, name="a"), own).name == "a"


class Kept(InMemoryDataset):
    """A data set of PyG's with four graphs."""

    def __init__(self):
        super().__init__()
        self.data, self.slices = self.collate([graph(y=torch.tensor([n])) for n in range(4)])


def positions(graphs, count):
    return [origin.position for origin in origins_of(graphs, count)]


def test_subsets_and_pyg_selections_count_in_the_whole():
    plain = [graph() for _ in range(5)]
    assert positions(Subset(Subset(plain, [4, 3, 1]), [2, 0]), 2) == [1, 4]
    assert positions(Kept()[torch.tensor([3, 1])], 2) == [3, 1]
    assert positions(plain, 5) == positions(iter(plain), 5) == [0, 1, 2, 3, 4]
