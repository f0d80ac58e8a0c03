import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs import edge_cuts as module
from protograph.graphs.edge_cuts import edge_cuts


def graph(*rows, dtype=torch.float):
    attributes = torch.tensor(rows, dtype=dtype)
    return Data(edge_index=torch.zeros(2, len(rows), dtype=torch.long), edge_attr=attributes, num_nodes=1)


def cuts(*graphs, max_values=3, num_bins=4):
    return edge_cuts(graphs, max_values=max_values, num_bins=num_bins)


def test_bins_hold_as_many_edges_each():
    assert cuts(graph(*range(8))) == ((1.5, 3.5, 5.5),)
    assert cuts(graph(*range(8)), num_bins=2) == ((3.5,),)


@pytest.mark.parametrize(
    "kinds",
    [
        graph(*range(8), dtype=torch.long),  # whole numbers are names of kinds
        graph(1.0, 1.5, 2.0, 1.5, 1.0),  # and so are a few values that come again and again
        graph([1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 1.0]),
        graph(),
        Data(num_nodes=2),
    ],
    ids=["whole", "few", "one-hot", "no edges", "no attributes"],
)
def test_kinds_are_not_cut(kinds):
    assert cuts(kinds) == ()


def test_a_column_of_kinds_beside_a_continuous_one():
    assert cuts(graph([1, 0.0], [0, 1.0], [1, 2.0], [0, 3.0])) == ((), (0.5, 1.5, 2.5))


def test_no_cut_goes_through_equal_values():
    assert cuts(graph(0, 0, 0, 0, 0, 0, 1, 2, 3)) == ((0.5, 1.5),)
    # Most edges have the highest value of all, which is a bin of its own.
    assert cuts(graph(0, 1, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)) == ((5.5,),)


def test_neither_the_order_nor_the_size_of_chunks_matters(monkeypatch):
    graphs = [graph(3, 1, 4), graph(1, 5, 9), graph(2, 6, 5), graph(3, 5, 8)]
    expected = cuts(*graphs)
    # 1 1 2 | 3 3 4 | 5 5 5 | 6 8 9
    assert expected == ((2.5, 4.5, 5.5),)
    assert cuts(*graphs[::-1]) == expected
    monkeypatch.setattr(module, "_CHUNK", 1)
    assert cuts(*graphs) == expected
