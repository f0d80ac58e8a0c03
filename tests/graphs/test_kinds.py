import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.kinds import by_frequency, is_one_hot, node_columns, shown_columns


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (torch.eye(3), True),
        (torch.eye(3, dtype=torch.long)[[2, 2]], True),
        (torch.empty(0, 3), True),
        (torch.tensor([[1.0, 1.0]]), False),
        (torch.tensor([[0.0, 0.0]]), False),
        (torch.tensor([[0.5, 0.5]]), False),
        (torch.tensor([[2.0, -1.0]]), False),
        (torch.ones(4, 1), False),  # a constant says nothing of a kind
        (torch.ones(4), False),
    ],
)
def test_one_hot_is_a_single_one_in_every_row(x, expected):
    assert is_one_hot(x) is expected


def test_the_column_of_each_node():
    assert node_columns(Data(x=torch.eye(4)[[3, 0, 3]])) == [3, 0, 3]
    assert node_columns(Data(x=torch.rand(3, 4))) is None
    assert node_columns(Data(x=torch.ones(3))) is None
    assert node_columns(Data(num_nodes=3)) is None


def test_columns_without_a_colour_do_not_count():
    x = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    assert node_columns(Data(x=x)) is None
    assert node_columns(Data(x=x), ("#000000", "#FFFFFF", "")) == [1, 0]
    assert node_columns(Data(x=x), ("", "#FFFFFF", "#000000")) is None
    # Colours of another number of columns say nothing of these.
    assert node_columns(Data(x=torch.eye(3)), ("#000000", "")) == [0, 1, 2]


def test_which_columns_are_shown():
    assert shown_columns(("a", "", "b")) == (0, 2)
    assert shown_columns(("a", "b")) is None
    assert shown_columns(("", "")) is None
    assert shown_columns(()) is None


def test_the_most_frequent_comes_first_and_of_equals_the_lower():
    assert by_frequency([2, 0, 2, 1, 0]) == [(0, 2), (2, 2), (1, 1)]
    assert by_frequency([]) == []
