import re

import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.places import checked_place
from protograph.graphs.store import GraphStore

PATH = Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
PAIRS = "graphs (torch_geometric.data.Data), or pairs of a graph's index and some of its nodes"


def test_a_place_is_an_index_and_nodes():
    assert checked_place((torch.tensor(1), torch.tensor([2, 0])), GraphStore([PATH, PATH]), "it") == (1, [2, 0])


@pytest.mark.parametrize(
    ("found", "error", "message"),
    [
        (7, TypeError, f"{PAIRS}, got int"),
        ((1, 2, 3), TypeError, f"{PAIRS}, got tuple"),
        ((2, [0]), ValueError, "indices in [0, 2), got 2"),
        ((0, [0, 3]), ValueError, "different nodes in [0, 3), those of graph 0, got [0, 3]"),
        ((0, [1, 1]), ValueError, "different nodes in [0, 3), those of graph 0, got [1, 1]"),
        ((0, []), ValueError, "different nodes in [0, 3), those of graph 0, got []"),
    ],
)  # fmt: skip
def test_other_places_are_refused(found, error, message):
    with pytest.raises(error, match=f"^{re.escape(f'find of Mine must give {message}')}$"):
        checked_place(found, GraphStore([PATH, PATH]), "find of Mine")
