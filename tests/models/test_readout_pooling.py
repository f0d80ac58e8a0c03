import pytest
import torch
from torch_geometric import EdgeIndex

from protograph.models.readout.pooling import Level, NodeRows

BATCH = torch.tensor([0, 0, 1, 1, 1])
ROWS = torch.arange(10.0).reshape(5, 2)


def followed(*operations, one_graph=False, batch=BATCH):
    """What is known after operations ``(name, function, *arguments)``, each on what the one before has given."""
    rows, index = NodeRows(batch, is_one_graph=one_graph), batch
    for name, function, *args in operations:
        result = function(index, *args)
        rows.follow(name, (index, *args), {}, result)
        index = result
    return rows, index


def test_batch_itself_and_batch_spread_over_columns_are_an_index():
    rows = NodeRows(BATCH)
    for index in (BATCH, BATCH.unsqueeze(1).expand(-1, 2), BATCH.view(5, 1)):
        assert rows.level(index).row_of is None


def test_equal_numbers_elsewhere_are_chance():
    rows = NodeRows(BATCH)
    assert [rows.level(other) for other in (BATCH.clone(), BATCH[:2], BATCH[0], BATCH.float(), None)] == [None] * 5


def pick(index, key):
    return index[key]


@pytest.mark.parametrize("key", [torch.tensor([4, 1, 2]), torch.tensor([False, True, True, False, True])])
def test_nodes_that_were_picked_are_put_back(key):
    rows, index = followed(("__getitem__", pick, key))
    level = rows.level(index)
    picked = ROWS[key]
    expected = torch.zeros(5, 2)
    for row, node in enumerate(torch.arange(5)[key].tolist()):  # follow the picks by hand
        expected[node] = picked[row]
    assert level.is_selection
    assert level.is_pooled
    assert torch.equal(level.of_nodes(picked), expected)
    keep = torch.tensor([True, False, True, True, True])
    assert torch.equal(level.of_rows(keep) > 0, keep[key])


def test_picks_of_picks_are_followed():
    rows, index = followed(
        ("__getitem__", pick, torch.tensor([4, 1, 2])),
        ("index_select", lambda i, d, k: i.index_select(d, k), 0, torch.tensor([2, 0])),
    )
    level = rows.level(index)
    assert level.row_of.tolist() == [-1, -1, 0, -1, 1]
    assert level.index.tolist() == [1, 1]


def test_an_index_of_edges_is_known_for_what_it_is():
    rows, index = followed(("__getitem__", pick, torch.tensor([0, 1, 1, 2])))
    assert not rows.level(index).is_selection


def test_nodes_that_were_put_together_share_their_row():
    cluster = torch.tensor([0, 0, 1, 1, 2])
    out = torch.zeros(3, dtype=torch.long).scatter(0, cluster, BATCH)
    rows = NodeRows(BATCH)
    rows.follow("scatter_", (torch.zeros(3, dtype=torch.long), 0, cluster, BATCH), {}, out)
    level = rows.level(out)
    put_back = level.of_nodes(torch.tensor([[2.0], [6.0], [5.0]]))
    assert put_back.flatten().tolist() == [1, 1, 3, 3, 5]
    assert level.of_rows(torch.tensor([True, False, False, False, True])).tolist() == [0.5, 0, 1]


def test_rows_that_were_added_stand_for_no_node():
    rows = NodeRows(BATCH)
    out = torch.cat([BATCH, torch.arange(2)])
    rows.follow("cat", ([BATCH, torch.arange(2)],), {}, out)
    level = rows.level(out)
    assert not level.is_pooled
    assert torch.equal(level.of_nodes(torch.cat([ROWS, torch.ones(2, 2)])), ROWS)
    assert level.of_rows(torch.zeros(5)).tolist() == [0, 0, 0, 0, 0, 1, 1]


def test_copies_are_followed_and_zeros_only_of_one_graph():
    rows, index = followed(("clone", torch.clone))
    assert not rows.level(index).is_pooled
    zeros = torch.zeros(5, dtype=torch.long)
    for is_one_graph, expected in ((True, Level), (False, type(None))):
        rows = NodeRows(zeros.clone(), is_one_graph=is_one_graph)
        rows.follow("zeros", (5,), {}, zeros)
        assert isinstance(rows.level(zeros), expected)


def test_a_wrapper_without_memory_of_its_own_is_no_index():
    edges = EdgeIndex([[0, 1], [1, 0]], sparse_size=(2, 2))
    rows = NodeRows(BATCH)
    row = edges[0]
    rows.follow("__getitem__", (edges, 0), {}, row)
    assert rows.level(row) is None
    assert rows.level(BATCH).row_of is None
