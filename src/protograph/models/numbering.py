"""Nodes of graphs laid end to end, numbered on over all of them: one compiled loop.

As operations of tensors these are two repetitions and a sum, each of which goes through as much memory as the edges
themselves.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from protograph._base.arrays import Ints
from protograph._base.compiling import compiled


class Numbered(NamedTuple):
    """What a batch says of where nodes are.

    Attributes:
        edge_index: Both ends of each edge, ``[2, num_edges]``, nodes numbered on over all graphs.
        batch: The graph of each node.
        ptr: Where the nodes of each graph begin, and where those of the last one end.
    """

    edge_index: Tensor
    batch: Tensor
    ptr: Tensor


def can_be_numbered(edges: Tensor) -> bool:
    """Whether edges are of the type and in the place that :func:`numbered_on` takes."""
    return edges.dtype is torch.int64 and edges.device.type == "cpu" and edges.stride(1) == 1


def numbered_on(edges: Tensor, sizes: Ints, counts: Ints) -> Numbered:
    """Number nodes on.

    Args:
        edges: Both ends of each edge, with the nodes of each graph numbered from 0.
        sizes: Number of nodes of each graph.
        counts: Number of edges of each graph.

    >>> numbered_on(torch.tensor([[0, 1, 0], [1, 0, 0]]), np.array([2, 1]), np.array([2, 1]))
    Numbered(edge_index=tensor([[0, 1, 2],
            [1, 0, 2]]), batch=tensor([0, 0, 1]), ptr=tensor([0, 2, 3]))
    """
    together = np.empty(edges.shape, np.int64)
    batch, ptr = np.empty(int(sizes.sum()), np.int64), np.empty(len(sizes) + 1, np.int64)
    sources, targets = edges.detach().numpy()
    _number(sources, targets, *map(np.ascontiguousarray, (sizes, counts)), *together, batch, ptr)
    return Numbered(*map(torch.from_numpy, (together, batch, ptr)))


@compiled
def _number(
    sources: Any, targets: Any, sizes: Any, counts: Any, new_sources: Any, new_targets: Any, batch: Any, ptr: Any
) -> None:
    node = edge = 0
    for graph in range(len(sizes)):
        ptr[graph] = node
        for place in range(edge, edge + counts[graph]):
            new_sources[place] = sources[place] + node
            new_targets[place] = targets[place] + node
        batch[node : node + sizes[graph]] = graph
        node += sizes[graph]
        edge += counts[graph]
    ptr[len(sizes)] = node
