import torch
from torch_geometric.data import Data

from protograph.graphs.subgraph import (
    induced_subgraph,
    undirected,
    with_edges,
    without_repeated_edges,
)


def test_every_tensor_of_nodes_and_edges_is_carried_along():
    graph = Data(
        x=torch.arange(4.0).reshape(4, 1),
        edge_index=torch.tensor([[0, 1, 1, 2, 2, 3, 3], [1, 0, 2, 1, 3, 2, 3]]),
        edge_attr=torch.arange(7.0),
        charge=torch.tensor([10, 11, 12, 13]),
        y=torch.tensor([1]),
        temperature=torch.tensor([300.0, 1.0]),
        smiles="CCO",
    )
    part = induced_subgraph(graph, [3, 2])
    assert part.x.flatten().tolist() == [3, 2]
    assert part.charge.tolist() == [13, 12]
    assert part.edge_index.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert part.edge_attr.tolist() == [4, 5, 6]
    assert part.temperature.tolist() == [300, 1]
    assert "y" not in part
    assert "smiles" not in part


def test_the_label_of_a_graph_of_one_node_is_not_its_node_s():
    graph = Data(x=torch.ones(1, 2), edge_index=torch.empty(2, 0, dtype=torch.long), y=torch.tensor([1]))
    assert "y" not in induced_subgraph(graph, [0])


def test_only_some_edges_are_kept():
    graph = Data(
        x=torch.arange(4.0).reshape(4, 1),
        edge_index=torch.tensor([[0, 1, 1, 2, 2, 0, 3, 2, 3], [1, 0, 2, 1, 0, 2, 3, 3, 2]]),
        edge_attr=torch.arange(9.0),
        charge=torch.tensor([10, 11, 12, 13]),
    )
    part = with_edges(graph, [(2, 1), (0, 1), (0, 3)])  # there is no edge between 0 and 3
    assert part.edge_index.tolist() == [[0, 1, 1, 2, 3], [1, 0, 2, 1, 3]]
    assert part.edge_attr.tolist() == [0, 1, 2, 3, 6]
    assert part.charge.tolist() == [10, 11, 12, 13]
    assert part.num_nodes == 4
    assert graph.edge_index.size(1) == graph.edge_attr.size(0) == 9


def test_the_first_of_equal_edges_is_kept_in_its_place():
    edges = torch.tensor([[2, 0, 2, 1], [0, 1, 0, 0]])
    kept = without_repeated_edges(Data(edge_index=edges, edge_attr=torch.arange(4), num_nodes=3))
    assert (kept.edge_index.tolist(), kept.edge_attr.tolist()) == ([[2, 0, 1], [0, 1, 0]], [0, 1, 3])


def test_every_edge_tensor_is_carried_along_and_the_label_is_no_edges():
    ends = torch.tensor([[0, 0], [1, 1]])
    graph = Data(x=torch.eye(2), edge_index=ends, edge_attr=torch.tensor([1, 2]), edge_label=torch.tensor([3, 4]))
    assert without_repeated_edges(graph).edge_label.tolist() == [3]
    assert undirected(without_repeated_edges(graph)).edge_label.tolist() == [3, 3]
    one_way = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), y=torch.tensor([1]))
    assert undirected(one_way).edge_index.tolist() == [[0, 1], [1, 0]]
    assert undirected(one_way).y.tolist() == [1]
