"""A sample that depends on what graphs hold."""

import numpy as np
import torch
from torch_geometric.data import Data

from protograph.graphs.joining import joined
from protograph.graphs.node_sample import node_sample


def graphs(number=40, seed=0):
    generator = torch.Generator().manual_seed(seed)
    edges = torch.tensor([[0, 1], [1, 0]])
    return [Data(x=torch.rand(5, 2, generator=generator), edge_index=edges) for _ in range(number)]


def test_neither_order_nor_numbers_of_nodes_nor_joining_matter():
    own = graphs()
    order, nodes = np.random.default_rng(0).permutation(len(own)), torch.tensor([3, 1, 4, 0, 2])
    turned = [Data(x=own[place].x[nodes], edge_index=own[place].edge_index) for place in order]
    plain, other, together = node_sample(own, 50), node_sample(turned, 50), node_sample([joined(own)], 50)
    assert len(plain.rows) == 50
    assert plain.rows.tolist() == other.rows.tolist() == together.rows.tolist()
    assert plain.graphs == together.graphs == tuple(int(order[index]) for index in other.graphs)
    assert plain.words == "50 nodes of 10 graphs chosen by their content"


def test_all_nodes_where_they_are_few_and_none_without_plain_features():
    sample = node_sample(graphs(3), 100)
    assert (len(sample.rows), sample.words) == (15, "all 15 nodes")
    assert node_sample([Data(num_nodes=3)], 10) is None
    assert node_sample([Data(x=torch.rand(3, 1)), Data(x=torch.rand(3, 2))], 10) is None
    assert node_sample([Data(x=torch.rand(3, 1).to(torch.complex64))], 10) is None
