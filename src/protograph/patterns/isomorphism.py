"""Whether two graphs are the same up to the numbers of their nodes."""

from torch_geometric.data import Data

from protograph.graphs.edge_rule import MatchEdges
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs
from protograph.graphs.node_rule import MatchNodes
from protograph.patterns.containment import contains


def is_isomorphic(first: EncodedGraph, second: EncodedGraph, max_calls: int = MAX_CALLS) -> bool:
    """Whether two graphs, encoded by the same object, are the same up to the numbers of their nodes."""
    sizes = [(graph.num_nodes, graph.num_edges) for graph in (first, second)]
    return sizes[0] == sizes[1] and contains(first, second, max_calls) == 1


def same_graph(
    first: Data, second: Data, *, match_features: MatchNodes = True, match_edges: MatchEdges = False
) -> bool:
    """Whether two graphs are isomorphic, their features and edges' attributes compared where asked for.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> same_graph(path, Data(edge_index=torch.tensor([[0, 0], [1, 2]]), num_nodes=3))
    True
    """
    encoded = EncodedGraphs([first, second], match_features=match_features, match_edges=match_edges)
    return is_isomorphic(encoded[0], encoded[1])
