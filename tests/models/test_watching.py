import pytest
import torch

from protograph.models.readout import Readout
from protograph.models.readout.capture import Watcher, tensors_in

BATCH = torch.tensor([0, 0, 1])
NODES = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
OUT = torch.zeros(2, 2)


class Runs(Watcher):
    def _run(self, func, name, args, kwargs, reduction):
        return self.call(func, args, kwargs)


def reduced(name, args, kwargs, **options):
    reduction = Runs(BATCH, Readout(), **options)._reduction(name, args, kwargs)
    return None if reduction is None else reduction.source


@pytest.mark.parametrize("name", ["scatter_add_", "scatter_reduce", "index_add", "index_reduce_", "scatter"])
def test_a_reduction_over_batch_gives_what_it_reduces(name):
    index = BATCH.unsqueeze(1).expand(-1, 2)
    assert reduced(name, (OUT, 0, index, NODES), {}) is NODES
    assert reduced(name, (OUT, 0), {"index": index, "src": NODES}) is NODES
    assert reduced(name, (OUT, 0), {"index": BATCH, "source": NODES}) is NODES


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
    assert reduced(name, (OUT, 0, index, source), {}) is None


@pytest.mark.parametrize(
    ("args", "kwargs", "is_reduction"),
    [
        ((NODES, 0), {}, True),
        ((NODES,), {"dim": -2, "keepdim": True}, True),
        ((NODES,), {"dim": (0,)}, True),
        ((NODES, 1), {}, False),
        ((NODES,), {}, False),
        ((NODES[:2], 0), {}, False),
    ],
)
def test_a_model_of_one_graph_reduces_over_its_rows(args, kwargs, is_reduction):
    assert (reduced("mean", args, kwargs, is_one_graph=True) is NODES) == is_reduction
    assert reduced("mean", args, kwargs) is None


def test_reductions_are_counted_over_what_is_left_too():
    watcher = Runs(BATCH, Readout())
    with watcher:
        left = BATCH[torch.tensor([2, 0])]
        OUT.index_add(0, BATCH, NODES)
        OUT.index_add(0, left, NODES[:2])
        OUT.index_add(0, torch.tensor([1, 0]), NODES[:2])
    assert watcher.ordinal == 1


def test_tensors_are_found_however_deep():
    first, second, third = torch.rand(1), torch.rand(1), torch.rand(1)
    found = list(tensors_in(([first, {"a": (second, 3)}], "text", None, third)))
    assert [id(tensor) for tensor in found] == [id(first), id(second), id(third)]
