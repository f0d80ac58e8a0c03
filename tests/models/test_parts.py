import pytest
import torch
from torch_geometric.data import Data

from protograph.models.parts import neighbourhoods, parts_of

PATH = Data(
    x=torch.arange(5.0).unsqueeze(1),
    edge_index=torch.tensor([[0, 2, 2, 4, 4, 1, 1, 3], [2, 0, 4, 2, 1, 4, 3, 1]]),  # 0 - 2 - 4 - 1 - 3
)


@pytest.mark.parametrize(
    ("size", "groups"), [(0, [0, 1, 2, 3, 4]), (1, [0, 1, 2, 3, 4]), (2, [0, 1, 0, 2, 1]), (4, [0, 0, 0, 1, 0])]
)
def test_groups_are_of_neighbours(size, groups):
    assert neighbourhoods(PATH, size).tolist() == groups


def test_nodes_without_neighbours_are_in_a_group_too():
    apart = Data(x=torch.ones(3, 1), edge_index=torch.empty(2, 0, dtype=torch.long))
    assert neighbourhoods(apart, 2).tolist() == [0, 0, 1]


def test_each_graph_keeps_its_own_nodes():
    keep = torch.tensor([True, False, True, False, True, False, True, False, True, False])
    first, second = parts_of([PATH, PATH], keep)
    assert (first.x.flatten().tolist(), first.edge_index.tolist()) == ([0, 2, 4], [[0, 1, 1, 2], [1, 0, 2, 1]])
    assert (second.x.flatten().tolist(), second.edge_index.tolist()) == ([1, 3], [[0, 1], [1, 0]])


def test_a_graph_without_nodes_is_none():
    with pytest.raises(ValueError, match=r"^all nodes of a graph would be left out of it, and a model classifies no"):
        parts_of([PATH, PATH], torch.arange(10) < 5)
