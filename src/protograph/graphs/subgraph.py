"""Graphs made of others: subgraphs, other orders of nodes, simple and undirected ones."""

from collections.abc import Iterable, Sequence
from copy import copy

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Ints
from protograph.graphs.validate import is_dense, node_count

_NOT_OF_A_PART = frozenset({"y", "num_nodes", "face"})


def induced_subgraph(graph: Data, nodes: Sequence[int]) -> Data:
    """Return the subgraph that ``nodes`` induce; its node ``i`` is ``nodes[i]`` of ``graph``.

    Every tensor with an entry a node or an edge is carried along, and so are tensors and numbers of the graph as a
    whole, except its label (what holds for a graph need not hold for a part), what points to nodes by number, and
    tensors that are sparse, quantised or without numbers, as none of them can be cut.

    >>> triangle = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]]))
    >>> induced_subgraph(triangle, [2, 0]).edge_index
    tensor([[0, 1],
            [1, 0]])
    """
    chosen = torch.as_tensor(list(nodes), dtype=torch.long)
    new_number = torch.full((node_count(graph),), -1)
    new_number[chosen] = torch.arange(chosen.numel())
    ends = new_number[graph.edge_index.cpu().long()]
    kept = (ends >= 0).all(dim=0).nonzero().flatten()
    return _taken(graph, chosen, kept, ends[:, kept])


def reordered(graph: Data, nodes: Sequence[int] | Ints) -> Data:
    """Return the graph with its nodes in another order, and its edges in the order of their ends; see above.

    >>> path = Data(edge_index=torch.tensor([[0, 1, 0, 2], [1, 0, 2, 0]]), num_nodes=3)
    >>> reordered(path, [1, 0, 2]).edge_index
    tensor([[0, 1, 1, 2],
            [1, 0, 2, 1]])
    """
    chosen = np.asarray(nodes, dtype=np.int64)
    ends = chosen.argsort()[graph.edge_index.cpu().numpy()]
    order = (ends[0] * max(1, chosen.size) + ends[1]).argsort(kind="stable")
    return _taken(graph, *(torch.from_numpy(part) for part in (chosen, order, ends[:, order])))


def _taken(graph: Data, nodes: Tensor, edges: Tensor, ends: Tensor) -> Data:
    """The graph of some nodes and edges, in their order; ``ends`` are those of the edges in the new numbers."""
    part = Data(num_nodes=nodes.numel()) if graph.x is None else Data()
    of_nodes, of_edges = node_keys(graph), edge_keys(graph)
    for key, value in graph.to_dict().items():
        if key == "edge_index":
            part.edge_index = ends.to(value.device)
        elif key in _NOT_OF_A_PART:
            continue  # also where a graph of one node makes its label look like a node's
        elif key in of_nodes:
            part[key] = value[nodes.to(value.device)]
        elif key in of_edges:
            part[key] = value[edges.to(value.device)]
        elif (is_dense(value) or isinstance(value, int | float)) and "index" not in key:
            part[key] = value
    return part


def with_edges(graph: Data, edges: Iterable[tuple[int, int]]) -> Data:
    """Return the graph with only the given undirected edges, and its self-loops.

    >>> triangle = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]]))
    >>> with_edges(triangle, [(1, 0)]).edge_index
    tensor([[0, 1],
            [1, 0]])
    """
    wanted = {(min(edge), max(edge)) for edge in edges}
    kept = [
        position
        for position, (u, v) in enumerate(graph.edge_index.T.tolist())
        if u == v or (min(u, v), max(u, v)) in wanted
    ]
    return select_edges(graph, torch.tensor(kept, dtype=torch.long, device=graph.edge_index.device))


def without_repeated_edges(graph: Data) -> Data:
    """Keep the first of equal edges, with its attributes."""
    keys = (graph.edge_index[0].long() * node_count(graph) + graph.edge_index[1]).cpu().numpy()
    first = np.sort(np.unique(keys, return_index=True)[1])
    return select_edges(graph, torch.from_numpy(first).to(graph.edge_index.device))


def undirected(graph: Data) -> Data:
    """Add the reverse of each one-way edge, with the same attributes.

    >>> undirected(Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)).edge_index
    tensor([[0, 1, 1, 2],
            [1, 2, 0, 1]])
    """
    source, target = graph.edge_index.long()
    size = node_count(graph)
    missing = (~torch.isin(target * size + source, source * size + target)).nonzero().flatten()
    whole = select_edges(graph, torch.cat([torch.arange(source.numel(), device=source.device), missing]))
    whole.edge_index[:, source.numel() :] = whole.edge_index[:, source.numel() :].flip(0)
    return whole


def select_edges(graph: Data, chosen: Tensor) -> Data:
    """The graph with only the edges at these positions, in their order, and what it knows of them."""
    selected = graph.clone()
    for key in edge_keys(graph):
        selected[key] = graph[key].index_select(-1 if key == "edge_index" else 0, chosen)
    return selected


def edge_keys(graph: Data) -> list[str]:
    """Names of the tensors that have one entry an edge, such as ``edge_index``; ``y``, the graph's label, never has.

    >>> edge_keys(Data(edge_index=torch.tensor([[0], [1]]), edge_attr=torch.ones(1), y=torch.tensor([1]), num_nodes=2))
    ['edge_index', 'edge_attr']
    """
    asked = copy(graph)  # PyG keeps the answers with whom it asks, and the user's graphs are to stay as they are
    return [key for key, value in graph.to_dict().items() if key != "y" and is_dense(value) and asked.is_edge_attr(key)]


def node_keys(graph: Data) -> list[str]:
    """Names of the tensors that have one entry a node; ``y``, the graph's label, never has."""
    asked = copy(graph)
    return [key for key, value in graph.to_dict().items() if key != "y" and is_dense(value) and asked.is_node_attr(key)]
