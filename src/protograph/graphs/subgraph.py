"""Graphs made of others: subgraphs, and other orders of nodes; tensors are cut as PyG's own rules say."""

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Ints
from protograph.graphs.validate import INDEX_TYPES, is_dense, node_count

# Of the label of a graph no part knows; the others are made anew.
_NOT_OF_A_PART = frozenset({"y", "num_nodes", "edge_index", "batch", "ptr"})


def roles_of(graph: Data) -> dict[str, str]:
    """What the tensors and numbers of a graph are, beside its edges and its label, as PyG tells it.

    ``"nodes"`` have an entry a node, ``"edges"`` one an edge, ``"graph"`` is of the graph as a whole; ``"numbers"`` are
    those of nodes, or of something else in the graph, which batches count up (``__inc__``).

    >>> roles_of(Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), motif_index=torch.tensor([1])))
    {'x': 'nodes', 'motif_index': 'numbers'}
    """
    roles, asked = {}, copy(graph)  # PyG keeps the answers with whom it asks, and users' graphs stay as they are
    for key, value in graph.to_dict().items():
        if key not in _NOT_OF_A_PART and (is_dense(value) or isinstance(value, int | float)):
            is_number = bool(torch.as_tensor(graph.__inc__(key, value)).any())
            whole = "nodes" if asked.is_node_attr(key) else "edges" if asked.is_edge_attr(key) else "graph"
            roles[key] = "numbers" if is_number else whole
    return roles


def uncut_keys(graph: Data) -> list[str]:
    """Names of what may be of nodes, and no part of the graph has: numbers of nodes, lists, arrays, sparse tensors.

    >>> uncut_keys(Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), face=torch.tensor([[0], [1], [0]])))
    ['face']
    """
    part = induced_subgraph(graph, [0])
    return [
        key
        for key, value in graph.to_dict().items()
        if key not in part and key not in _NOT_OF_A_PART and not isinstance(value, str | Data)
    ]


def induced_subgraph(graph: Data, nodes: Sequence[int], edges: Collection[tuple[int, int]] | None = None) -> Data:
    """Return the subgraph that ``nodes`` induce; its node ``i`` is ``nodes[i]`` of ``graph``.

    Every tensor with an entry a node or an edge is carried along, and so are tensors and numbers of the graph as a
    whole, except its label, what numbers nodes or other things in the graph, and what is no dense tensor.

    Args:
        graph: The graph. Its edges stay as they are: directed, repeated, or from a node to itself.
        nodes: The nodes.
        edges: The pairs of nodes of ``graph`` between which edges are kept, whichever way these go, beside self-loops;
            ``None`` for all.

    >>> triangle = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]]))
    >>> induced_subgraph(triangle, [2, 0]).edge_index
    tensor([[0, 1],
            [1, 0]])
    """
    size, chosen = node_count(graph), torch.as_tensor(list(nodes), dtype=torch.long)
    new_number = torch.full((size,), -1)
    new_number[chosen] = torch.arange(chosen.numel())
    source, target = whole = graph.edge_index.cpu().long()
    ends = new_number[whole]
    is_kept = (ends >= 0).all(dim=0)
    if edges is not None:
        pairs = torch.tensor(list(edges), dtype=torch.long).reshape(-1, 2).T
        codes = torch.cat([pairs[0] * size + pairs[1], pairs[1] * size + pairs[0]])
        is_kept &= (source == target) | torch.isin(source * size + target, codes)
    kept = is_kept.nonzero().flatten()
    return _taken(graph, roles_of(graph), chosen, kept, ends[:, kept])


def reordered(graph: Data, nodes: Sequence[int] | Ints) -> Data:
    """Return the graph with its nodes in another order, and its edges in the order of their ends.

    It has what :func:`induced_subgraph` carries along, and numbers of nodes too, which are the new ones.

    >>> path = Data(edge_index=torch.tensor([[0, 1, 0, 2], [1, 0, 2, 0]]), num_nodes=3, root_index=torch.tensor([0]))
    >>> reordered(path, [1, 0, 2]).edge_index, reordered(path, [1, 0, 2]).root_index
    (tensor([[0, 1, 1, 2],
            [1, 0, 2, 1]]), tensor([1]))
    """
    chosen = np.asarray(nodes, dtype=np.int64)
    new_number = chosen.argsort()
    ends = new_number[graph.edge_index.cpu().numpy()]
    order = (ends[0] * max(1, chosen.size) + ends[1]).argsort(kind="stable")
    roles = roles_of(graph)
    whole = _taken(graph, roles, *(torch.from_numpy(part) for part in (chosen, order, ends[:, order])))
    numbers = [key for key, role in roles.items() if role == "numbers"]
    return whole.update({key: _renumbered(graph, key, torch.from_numpy(new_number)) for key in numbers})


def _taken(graph: Data, roles: Mapping[str, str], nodes: Tensor, edges: Tensor, ends: Tensor) -> Data:
    """The graph of some nodes and edges, in their order; ``ends`` are those of the edges in the new numbers."""
    part, chosen = copy(graph), {"nodes": nodes, "edges": edges}  # of a user's own class, which says how it is joined
    for key, value in graph.to_dict().items():
        del part[key]
        role = roles.get(key)
        if key == "edge_index":
            part.edge_index = ends.to(value)
        elif role in chosen:
            dim = graph.__cat_dim__(key, value)
            part[key] = value.movedim(dim, 0)[chosen[role].to(value.device)].movedim(0, dim)
        elif role == "graph":
            part[key] = value
    if graph.x is None:
        part.num_nodes = nodes.numel()
    return part


def _renumbered(graph: Data, key: str, new_number: Tensor) -> Any:
    """What a graph has under a name, with new numbers in place of those of nodes."""
    value, size = graph[key], new_number.numel()
    if not (value.dtype in INDEX_TYPES if isinstance(value, Tensor) else type(value) is int and 0 <= value < size):
        return value
    values, larger = torch.as_tensor(value), copy(graph)
    larger.num_nodes = size + 1
    if graph.x is not None:
        larger.x = torch.cat([graph.x, graph.x[:1]])
    # What a node more counts up is numbers of nodes, which need not be all rows.
    before, after = (torch.as_tensor(one.__inc__(key, value)) for one in (graph, larger))
    is_of_node = (after != before).to(values.device) & (values >= 0) & (values < size)
    new = torch.where(is_of_node, new_number.to(values.device)[values.long().clamp(0, size - 1)].to(values), values)
    return new if isinstance(value, Tensor) else new.item()
