import pytest
import torch
from torch_geometric.data import Data

from research.paper.masking import share_left


def graph_of(*kinds):
    return Data(x=torch.eye(3)[list(kinds)])


@pytest.mark.parametrize(
    ("graphs", "expected"),
    [
        ([graph_of(0, 1, 1), graph_of(1, 1, 2, 0)], (1 * 1 + 2 * 2) / 12),
        ([graph_of(0, 1), graph_of(0, 0), graph_of(0, 2, 0)], 1 * 2 * 2 / 12),
        ([graph_of(0, 1), graph_of(2)], 0.0),
        ([graph_of(0, 1)], 1.0),
    ],
)
def test_by_hand(graphs, expected):
    assert share_left(graphs) == expected
