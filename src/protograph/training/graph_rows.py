"""A mini-batch of graphs as the matrices that a stack of models multiplies by."""

from typing import NamedTuple

import torch
from torch import Tensor

from protograph.training.collation import MiniBatch
from protograph.training.stack_operations import SparseRows


class GraphRows(NamedTuple):
    r"""A mini-batch of graphs as matrices, with some rows of no node at the end.

    Attributes:
        x: :math:`\hat A X`.
        adjacency: :math:`\hat A`.
        transposed: :math:`\hat A^\top`.
        readout: Row g adds up the nodes of graph g.
        spread: Row v has what its graph has; transpose of ``readout``.
        y: What each graph's ``y`` was.
    """

    x: Tensor
    adjacency: SparseRows
    transposed: SparseRows
    readout: SparseRows
    spread: SparseRows
    y: Tensor


def rows_of(batch: MiniBatch, is_symmetric: bool, multiple: int = 1) -> GraphRows:
    """The matrices of a mini-batch of graphs that went through :func:`~protograph.training.collation.propagated`.

    Args:
        batch: The graphs; edges sorted by target.
        is_symmetric: Whether every edge is there in both directions; see :func:`is_symmetric`.
        multiple: What the number of rows is rounded up to a multiple of.
    """
    source, target = batch.edge_index
    num_nodes, num_graphs = len(batch.x), len(batch.y)
    num_rows = -(-num_nodes // multiple) * multiple
    nodes = torch.arange(num_rows + 1, device=source.device)
    adjacency = _rows(nodes, target, source, batch.edge_weight, num_rows)
    transposed = adjacency
    if not is_symmetric:
        order = source.argsort(stable=True)
        transposed = _rows(nodes, source[order], target[order], batch.edge_weight[order], num_rows)
    ones = batch.edge_weight.new_ones(num_nodes)
    readout = _rows(nodes[: num_graphs + 1], batch.batch, nodes[:num_nodes], ones, num_rows)
    spread = SparseRows(nodes.clamp(max=num_nodes), batch.batch, ones, num_graphs)
    x = torch.nn.functional.pad(batch.x, (0, 0, 0, num_rows - num_nodes))
    if not batch.is_propagated:
        features, x = x, torch.empty_like(x)
        adjacency.times(features, x)
    return GraphRows(x, adjacency, transposed, readout, spread, batch.y)


def is_symmetric(edge_index: Tensor, values: Tensor) -> bool:
    """Whether the same edges lead from each node as to it, with the same values.

    >>> is_symmetric(torch.tensor([[0, 1], [1, 0]]), torch.tensor([0.5, 0.5]))
    True
    >>> is_symmetric(torch.tensor([[0, 1], [1, 0]]), torch.tensor([0.5, 0.4]))
    False
    """
    num_nodes = int(edge_index.max()) + 1 if edge_index.numel() else 0
    there, order = (edge_index[1] * num_nodes + edge_index[0]).sort(stable=True)
    back, order_back = (edge_index[0] * num_nodes + edge_index[1]).sort(stable=True)
    return torch.equal(there, back) and torch.equal(values[order], values[order_back])


def _rows(nodes: Tensor, row: Tensor, column: Tensor, values: Tensor, num_columns: int) -> SparseRows:
    """A matrix of entries that are sorted by row, with one row less than there are ``nodes``, which count from 0."""
    return SparseRows(torch.searchsorted(row, nodes), column.contiguous(), values, num_columns)
