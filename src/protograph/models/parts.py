"""Graphs without some of their nodes, where a model is asked what these are worth."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.cleaning import node_count
from protograph.graphs.cutting import induced_subgraph


def neighbourhoods(graph: Data, size: int) -> Tensor:
    """Groups of so many nodes at most, by the order in which they are reached from the first: the group of each node.

    >>> neighbourhoods(Data(edge_index=torch.tensor([[0, 3, 1, 2], [3, 0, 2, 1]]), num_nodes=4), 2)
    tensor([0, 1, 1, 0])
    """
    num_nodes = node_count(graph)
    if size <= 1:
        return torch.arange(num_nodes)
    import networkx as nx  # rarely needed here, and takes a while to load

    joined = nx.Graph()
    joined.add_nodes_from(range(num_nodes))
    joined.add_edges_from(graph.edge_index.t().tolist())
    layers = (layer for part in nx.connected_components(joined) for layer in nx.bfs_layers(joined, min(part)))
    group_of = torch.empty(num_nodes, dtype=torch.long)
    group_of[torch.tensor([node for layer in layers for node in sorted(layer)])] = torch.arange(num_nodes) // size
    return group_of


def parts_of(graphs: Sequence[Data], keep: Tensor) -> list[Data]:
    """Of each graph the part that the nodes to keep induce.

    Raises:
        ValueError: If none of a graph's are to be kept.
    """
    kept = torch.split(keep, [node_count(graph) for graph in graphs])
    if not all(bool(one.any()) for one in kept):
        raise ValueError("all nodes of a graph would be left out of it, and a model classifies no graph without nodes")
    return [induced_subgraph(graph, one.nonzero().flatten().tolist()) for graph, one in zip(graphs, kept, strict=True)]
