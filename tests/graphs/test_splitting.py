import numpy as np
import torch

from protograph.graphs.splitting import split_graphs


def split(num_graphs=3, **changes):
    values = {
        "node_values": {"x": torch.arange(6.0)[:, None]},
        # The edges of the last graph come first and between those of the first; the second has none.
        "edge_values": {
            "edge_index": torch.tensor([[3, 0, 5, 1], [5, 1, 3, 0]]),
            "edge_attr": torch.tensor([[1.0], [2.0], [3.0], [4.0]]),
        },
        "labels": torch.tensor([1, 0, 1]),
        "sizes": np.array([2, 1, 3]),
    }
    return split_graphs(**(values | changes), num_graphs=num_graphs)


def test_edges_are_put_beside_those_of_their_graph_in_their_order():
    first, second, third = split()
    assert [graph.x.flatten().tolist() for graph in (first, second, third)] == [[0, 1], [2], [3, 4, 5]]
    assert first.edge_index.tolist() == [[0, 1], [1, 0]]
    assert first.edge_attr.tolist() == [[2], [4]]
    assert (second.edge_index.shape, second.edge_attr.shape) == ((2, 0), (0, 1))
    assert third.edge_index.tolist() == [[0, 2], [2, 0]]
    assert third.edge_attr.tolist() == [[1], [3]]
    assert [graph.y.tolist() for graph in (first, second, third)] == [[1], [0], [1]]
