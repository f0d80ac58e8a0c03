"""Cutting the subgraph of some nodes out of a graph."""

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph.graphs.checking import is_dense
from protograph.graphs.cleaning import edge_keys, node_count, node_keys, select_edges

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
