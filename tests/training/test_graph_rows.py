import torch
from torch_geometric.data import Data

from protograph.training.collation import collate, propagated
from protograph.training.graph_rows import is_symmetric, rows_of

ONE_WAY = Data(x=torch.tensor([[1.0], [2.0], [3.0]]), edge_index=torch.tensor([[0, 1], [1, 2]]), y=0)
BOTH_WAYS = Data(x=torch.tensor([[5.0], [7.0]]), edge_index=torch.tensor([[0, 1], [1, 0]]), y=1)


def dense(rows, num_rows, num_columns):
    out = torch.empty(num_rows, num_columns)
    rows.times(torch.eye(num_columns), out)
    return out


def test_matrices_of_a_mini_batch():
    """Degrees with the self-loop are 1, 2 and 2 in the first graph, 2 and 2 in the second."""
    flat = propagated(collate([ONE_WAY, BOTH_WAYS]))
    rows = rows_of(flat.take(torch.tensor([0, 1])), is_symmetric=False, multiple=4)
    root = 0.5**0.5
    expected = torch.zeros(8, 8)
    expected[:5, :5] = torch.tensor(
        [[1, 0, 0, 0, 0], [root, 0.5, 0, 0, 0], [0, 0.5, 0.5, 0, 0], [0, 0, 0, 0.5, 0.5], [0, 0, 0, 0.5, 0.5]]
    )
    readout = torch.tensor([[1.0, 1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0, 0]])
    assert torch.allclose(dense(rows.adjacency, 8, 8), expected)
    assert torch.allclose(dense(rows.transposed, 8, 8), expected.T)
    assert torch.equal(dense(rows.readout, 2, 8), readout)
    assert torch.equal(dense(rows.spread, 8, 2), readout.T)
    assert torch.allclose(rows.x[:, 0], torch.tensor([1.0, root + 1, 2.5, 6, 6, 0, 0, 0]))
    assert rows.y.tolist() == [0, 1]


def test_features_are_added_up_where_that_was_not_done_before():
    graphs = collate([ONE_WAY, BOTH_WAYS])
    indices = torch.tensor([1, 0])
    before, here = (
        rows_of(propagated(graphs, most_bytes=size).take(indices), is_symmetric=False) for size in (2**20, 0)
    )
    assert torch.allclose(before.x, here.x)


def test_a_symmetric_matrix_is_its_own_transpose():
    flat = propagated(collate([BOTH_WAYS]))
    assert is_symmetric(flat.edge_index, flat.edge_weight)
    rows = rows_of(flat.take(torch.tensor([0])), is_symmetric=True)
    assert rows.transposed is rows.adjacency


def test_what_leads_one_way_is_not_symmetric():
    flat = propagated(collate([ONE_WAY]))
    assert not is_symmetric(flat.edge_index, flat.edge_weight)
