import pytest
import torch
from torch_geometric.data import Data

from protograph.patterns.canonical import fingerprint

EDGES = torch.tensor([[0, 1], [1, 0]])


def graph(**tensors):
    return Data(**{"x": torch.ones(2, 2), "edge_index": EDGES, **tensors})


def test_the_same_tensors_the_same_fingerprint():
    assert fingerprint(graph()) == fingerprint(graph())
    assert len(fingerprint(graph())) == 32
    assert fingerprint(graph(x=torch.ones(2, 2, requires_grad=True))) == fingerprint(graph())
    assert fingerprint(graph(x=torch.ones(2, 4)[:, ::2])) == fingerprint(graph())  # whatever the strides
    first, last = Data(edge_index=EDGES, x=torch.ones(2, 2)), Data(x=torch.ones(2, 2), edge_index=EDGES)
    assert fingerprint(first) == fingerprint(last)  # whichever was set first
    assert fingerprint(graph(y=torch.empty(2, device="meta"))) == fingerprint(graph(y=torch.ones(2, device="meta")))
    assert fingerprint(graph(name="ethanol")) == fingerprint(graph(name="water"))  # words are no tensors


@pytest.mark.parametrize(
    "other",
    [
        graph(x=torch.ones(2, 2) * 2),
        graph(x=torch.ones(2, 2, dtype=torch.float64)),
        graph(x=torch.ones(2, 2, dtype=torch.bfloat16)),
        graph(x=torch.ones(4, 1)),
        graph(x=torch.ones(2, 2, dtype=torch.long)),
        graph(edge_index=EDGES.flip(1)),
        graph(pos=torch.ones(2, 2)),
        graph(y=torch.tensor([1])),
        Data(pos=torch.ones(2, 2), edge_index=EDGES),
    ],
    ids=str,
)
def test_names_types_shapes_and_values_tell_graphs_apart(other):
    assert fingerprint(other) != fingerprint(graph())
