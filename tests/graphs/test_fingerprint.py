import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.fingerprint import content_hash, fingerprint

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


def test_numbers_that_are_equal_count_as_equal():
    assert fingerprint(graph(x=torch.zeros(2, 2))) == fingerprint(graph(x=-torch.zeros(2, 2)))
    assert fingerprint(graph(x=torch.tensor(0.5))) == fingerprint(graph(x=torch.tensor(0.5)))


def test_content_is_told_apart_to_the_last_bit_and_word():
    values = [
        None, 0, False, 0.0, "", b"", "0", [], (), {}, [0], ["", ""], [["", ""]], [[""], ""], {"a": 0}, {0: "a"},
        torch.zeros(1), torch.zeros(1, 1), torch.zeros(1).double(), torch.tensor(0.0), np.zeros(1), np.zeros((1, 1)),
        np.float64(0), torch.float32, torch.device("cpu"), np.array([["a"]]), "\ud800", float("nan"),
        graph(name="ethanol"), graph(name="water"), graph(motif=graph()), torch.tensor([1e-45]), -0.0,
    ]  # fmt: skip
    hashes = [content_hash(value) for value in values]
    assert len(set(hashes)) == len(values)
    assert [content_hash(value) for value in values] == hashes
    assert content_hash(1, 2) != content_hash([1, 2]) != content_hash(2, 1)
    sparse = torch.eye(2).to_sparse()
    assert content_hash(sparse) == content_hash(torch.eye(2))
    assert content_hash(torch.ones(2, 4)[:, ::2]) == content_hash(torch.ones(2, 2))


def test_what_cannot_be_read_is_like_nothing():
    function = [lambda: 1, object(), torch.nn.Linear(1, 1)]
    assert all(content_hash(one) != content_hash(one) for one in function)
