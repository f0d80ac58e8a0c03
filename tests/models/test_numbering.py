import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from protograph.models.numbering import can_be_numbered, numbered_on


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 6)), max_size=6), st.integers(0, 2**32 - 1))
def test_nodes_are_numbered_as_in_a_batch_of_pyg(shapes, seed):
    rng = np.random.default_rng(seed)
    # A first graph so that PyG has something to join.
    graphs = [
        Data(num_nodes=size, edge_index=torch.from_numpy(rng.integers(0, size, (2, count))))
        for size, count in [(2, 1), *shapes]
    ]
    wanted = Batch.from_data_list(graphs)
    sizes, counts = (np.array(numbers) for numbers in zip((2, 1), *shapes, strict=True))
    found = numbered_on(torch.cat([graph.edge_index for graph in graphs], dim=1), sizes, counts)
    assert torch.equal(found.edge_index, wanted.edge_index)
    assert torch.equal(found.batch, wanted.batch)
    assert torch.equal(found.ptr, wanted.ptr)


def test_no_graphs_have_no_nodes():
    nothing = np.empty(0, dtype=np.int64)
    found = numbered_on(torch.empty(2, 0, dtype=torch.long), nothing, nothing)
    assert found.edge_index.shape == (2, 0)
    assert found.batch.tolist() == []
    assert found.ptr.tolist() == [0]


def test_edges_of_another_layout_or_type_are_not_taken():
    edges = torch.tensor([[0, 1], [1, 0], [1, 1]])
    assert can_be_numbered(edges[:2])
    assert not can_be_numbered(edges.t())
    assert not can_be_numbered(edges[:2].int())
    assert not can_be_numbered(edges[:2].to("meta"))
