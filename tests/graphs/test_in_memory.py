import numpy as np
import torch
from torch_geometric.data import Data, InMemoryDataset

from protograph.graphs.in_memory import InMemoryGraphs, is_laid_out
from protograph.graphs.joining import GraphChunk, joined
from tests import zoo

GRAPHS = zoo.random_graphs(9, edge_dim=2)


class Collated(InMemoryDataset):
    def __init__(self, graphs, transform=None):
        super().__init__(transform=transform)
        self.data, self.slices = self.collate(graphs)


def assert_joined(chunk, graphs):
    wanted = joined(graphs)
    assert isinstance(chunk, GraphChunk)
    assert chunk.together.sizes.tolist() == wanted.sizes.tolist()
    assert chunk.together.counts.tolist() == wanted.counts.tolist()
    assert set(chunk.together.tensors) == set(wanted.tensors)
    assert all(torch.equal(chunk.together.tensors[key], value) for key, value in wanted.tensors.items())
    assert chunk.labels.tolist() == [int(graph.y) for graph in graphs]


def test_neighbours_are_joined_from_what_the_data_set_keeps():
    dataset = Collated(GRAPHS)
    assert is_laid_out(dataset)
    source = InMemoryGraphs(dataset)
    assert len(source) == 9
    assert_joined(source.chunk(2, 6), GRAPHS[2:6])
    assert source.chunk(2, 6)[1].x.tolist() == GRAPHS[3].x.tolist()
    assert [graph.num_nodes for graph in source.chunk(0, 3)] == [graph.num_nodes for graph in GRAPHS[:3]]


def test_a_selection_is_joined_where_its_graphs_are_neighbours():
    source = InMemoryGraphs(Collated(GRAPHS)[3:])
    assert_joined(source.chunk(0, 4), GRAPHS[3:7])
    mixed = InMemoryGraphs(Collated(GRAPHS)[[4, 1, 2]])
    assert not isinstance(mixed.chunk(0, 3), GraphChunk)
    assert [graph.x.tolist() for graph in mixed.chunk(0, 3)] == [GRAPHS[i].x.tolist() for i in (4, 1, 2)]


def test_what_is_given_out_otherwise_than_it_is_kept_is_not_read_there():
    assert not is_laid_out(GRAPHS)
    assert not is_laid_out(Collated(GRAPHS, transform=lambda graph: graph))
    bare = [Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes) for graph in GRAPHS]
    assert not is_laid_out(Collated(bare))
    assert np.array_equal(Collated(bare)[2].edge_index, bare[2].edge_index)
