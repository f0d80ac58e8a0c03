import pytest
import torch

from protograph.models.reductions import is_index, reduced_source, tensors_in

BATCH = torch.tensor([0, 0, 1])
NODES = torch.rand(3, 2)
OUT = torch.zeros(2, 2)


def test_batch_itself_and_batch_spread_over_columns_are_an_index():
    assert is_index(BATCH, BATCH)
    assert is_index(BATCH, BATCH.unsqueeze(1).expand(-1, 2))
    assert is_index(BATCH, BATCH.view(3, 1))


def test_equal_numbers_elsewhere_are_chance():
    assert not is_index(BATCH, BATCH.clone())
    assert not is_index(BATCH, BATCH[:2])
    assert not is_index(BATCH, BATCH[0])


@pytest.mark.parametrize("name", ["scatter_add_", "scatter_reduce", "index_add", "index_reduce_", "scatter"])
def test_a_reduction_over_batch_gives_what_it_reduces(name):
    index = BATCH.unsqueeze(1).expand(-1, 2)
    assert reduced_source(BATCH, name, (OUT, 0, index, NODES), {}) is NODES
    assert reduced_source(BATCH, name, (OUT, 0), {"index": index, "src": NODES}) is NODES
    assert reduced_source(BATCH, name, (OUT, 0), {"index": BATCH, "source": NODES}) is NODES


@pytest.mark.parametrize(
    ("name", "index", "source"),
    [
        ("add", BATCH, NODES),
        ("index_add", BATCH.clone(), NODES),  # messages between nodes
        ("index_add", BATCH, NODES.long()),  # a count of nodes
        ("index_add", BATCH, NODES[:2]),
        ("index_add", BATCH, torch.tensor(1.0)),
        ("index_add", BATCH, 1.0),
        ("index_add", None, NODES),
    ],
)
def test_other_operations_reduce_nothing(name, index, source):
    assert reduced_source(BATCH, name, (OUT, 0, index, source), {}) is None


def test_tensors_are_found_however_deep():
    first, second, third = torch.rand(1), torch.rand(1), torch.rand(1)
    found = list(tensors_in(([first, {"a": (second, 3)}], "text", None, third)))
    assert [id(tensor) for tensor in found] == [id(first), id(second), id(third)]
