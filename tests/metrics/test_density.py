import pytest
import torch
from torch_geometric.data import Data

from protograph.metrics import density
from tests.metrics.small_graphs import graph_of, path, ring


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (Data(num_nodes=0), 0.0),
        (Data(num_nodes=1), 0.0),
        (path(2), 1 / 4),
        (ring(3), 3 / 9),
        (graph_of(2, [(0, 1), (1, 0), (0, 0), (0, 1)]), 1 / 4),
        (Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 0]])), 1 / 9),
    ],
)
def test_undirected_edges_over_nodes_squared(graph, expected):
    assert density(graph) == expected


@pytest.mark.parametrize(("num_nodes", "num_edges", "published"), [(9, 12, 0.1481), (8, 10, 0.1563), (9, 9, 0.1111)])
def test_the_figures_of_the_paper(num_nodes, num_edges, published):
    edges = [(u, v) for v in range(num_nodes) for u in range(v)][:num_edges]
    assert density(graph_of(num_nodes, edges)) == pytest.approx(published, abs=5e-5)
