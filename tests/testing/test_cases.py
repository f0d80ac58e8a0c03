import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch

from protograph.testing.cases import CONVOLUTIONS, small_graphs, small_model


def test_graphs_are_connected_undirected_and_the_same_each_time():
    graphs = small_graphs()
    assert [graph.num_nodes for graph in graphs[:7]] == [4, 5, 6, 7, 8, 9, 4]
    assert all(nx.is_connected(nx.Graph(graph.edge_index.T.tolist())) and graph.is_undirected() for graph in graphs)
    assert all(torch.equal(a.edge_index, b.edge_index) for a, b in zip(graphs, small_graphs(), strict=True))


@pytest.mark.parametrize("convolution", CONVOLUTIONS)
@pytest.mark.parametrize("num_classes", [2, 4])
def test_every_class_is_predicted_and_no_generator_is_touched(convolution, num_classes):
    before = torch.get_rng_state()
    model, batch = small_model(convolution, num_classes), Batch.from_data_list(small_graphs())
    assert torch.equal(torch.get_rng_state(), before)
    assert not model.training
    predicted = model(batch.x, batch.edge_index, batch.batch).argmax(dim=1)
    assert np.bincount(predicted.numpy(), minlength=num_classes).min() > 0
