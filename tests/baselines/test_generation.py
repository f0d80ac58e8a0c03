import numpy as np
import torch
from torch_geometric.data import Data

from protograph.baselines.generation import learn
from tests import zoo


def test_degrees_and_joined_types_against_a_count_by_hand():
    graphs = zoo.random_graphs(20)
    vocabulary = learn(graphs)
    degree, joined, counts = {}, {}, {}
    for graph in graphs:
        kinds = graph.x.argmax(dim=1).tolist()
        for node, kind in enumerate(kinds):
            counts[kind] = counts.get(kind, 0) + 1
            degree[kind] = max(degree.get(kind, 0), int((graph.edge_index[0] == node).sum()))
        for u, v in graph.edge_index.T.tolist():
            joined[kinds[u], kinds[v]] = joined.get((kinds[u], kinds[v]), 0) + 1
    columns = vocabulary.x.argmax(dim=1).tolist()
    assert vocabulary.counts.tolist() == [counts[column] for column in columns]
    assert vocabulary.counts.tolist() == sorted(counts.values(), reverse=True)
    assert vocabulary.max_degree.tolist() == [degree[column] for column in columns]
    assert vocabulary.joined.tolist() == [
        [joined.get((a, b), 0) // (2 if a == b else 1) for b in columns] for a in columns
    ]


def test_edges_have_the_most_frequent_attributes_of_their_types():
    x, edge_index = torch.eye(2), torch.tensor([[0, 1], [1, 0]])
    graphs = [Data(x=x, edge_index=edge_index, edge_attr=torch.full((2, 1), value)) for value in (3.0, 5.0, 5.0)]
    made = learn(graphs).graph([0, 1, 0], [(0, 1), (1, 2)])
    assert made.edge_attr.flatten().tolist() == [5.0] * 4
    assert made.edge_index.tolist() == [[0, 1, 1, 2], [1, 2, 0, 1]]


def test_rarest_types_are_left_out(monkeypatch):
    monkeypatch.setattr("protograph.baselines.generation.MAX_TYPES", 2)
    graphs = [Data(x=torch.eye(4)[[0, 0, 0, 1, 1, 2]], edge_index=torch.tensor([[0, 5], [5, 0]]))]
    vocabulary = learn(graphs)
    assert (len(vocabulary.counts), vocabulary.num_left_out) == (2, 1)
    assert vocabulary.joined.sum() == 0  # its only edge leads to the type that was left out


def test_graphs_without_features_have_one_type():
    vocabulary = learn([Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)])
    assert vocabulary.x is None
    assert np.array_equal(vocabulary.max_degree, [1])
    assert vocabulary.graph([0, 0], [(0, 1)]).num_nodes == 2


def test_self_loops_are_not_neighbours():
    looped = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 0, 1], [0, 1, 0]]))
    assert learn([looped]).max_degree.tolist() == [1]
