"""Graphs cut out of arrays that hold a whole data set end to end."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.dataset import CollatedGraphs, Column, Rows

Integers = NDArray[np.integer]


def one_hot(values: Integers, num_kinds: int, what: str) -> Tensor:
    """Rows of shape ``[num_values, num_kinds]`` with a 1 in the column that each value names.

    Raises:
        ValueError: If a value names no column; ``what`` says in the message which values they are.

    >>> one_hot(np.array([1, 0]), 2, "atoms")
    tensor([[0., 1.],
            [1., 0.]])
    >>> one_hot(np.array([0, 2]), 2, "labels")
    Traceback (most recent call last):
    ValueError: labels must be in [0, 2), got 2
    """
    wrong = values[(values < 0) | (values >= num_kinds)]
    if wrong.size:
        raise ValueError(f"{what} must be in [0, {num_kinds}), got {wrong[0]}")
    return torch.from_numpy(np.eye(num_kinds, dtype=np.float32)[values])


def checked_count(num_graphs: int | None, num_there: int) -> int:
    """How many graphs to build: all that are there if ``None``.

    Raises:
        ValueError: If fewer than one or more than there are is asked for.

    >>> checked_count(5, 4)
    Traceback (most recent call last):
    ValueError: num_graphs must be in [1, 4], got 5
    """
    if num_graphs is None:
        return num_there
    if not 1 <= num_graphs <= num_there:
        raise ValueError(f"num_graphs must be in [1, {num_there}], got {num_graphs}")
    return num_graphs


def split_graphs(
    *,
    node_values: Mapping[str, Tensor],
    edge_values: Mapping[str, Tensor],
    labels: Tensor,
    sizes: Integers,
    num_graphs: int | None = None,
) -> tuple[Data, ...]:
    """The first graphs of a data set, each with tensors of its own.

    Args:
        node_values: Attributes with a row for each node of the data set, graph after graph.
        edge_values: Attributes with a row for each edge, which keep their order within a graph; ``edge_index`` is
            ``[2, num_edges]``, and its nodes are counted over the whole data set.
        labels: Label of each graph.
        sizes: Number of nodes of each graph.
        num_graphs: How many graphs to build; all if ``None``.

    Raises:
        ValueError: If fewer than one or more than there are is asked for.

    >>> one, two = split_graphs(
    ...     node_values={"x": torch.eye(3)},
    ...     edge_values={"edge_index": torch.tensor([[0, 1], [1, 0]])},
    ...     labels=torch.tensor([1, 0]),
    ...     sizes=np.array([2, 1]),
    ... )
    >>> one, two
    (Data(x=[2, 3], edge_index=[2, 2], y=[1]), Data(x=[1, 3], edge_index=[2, 0], y=[1]))
    """
    count = checked_count(num_graphs, len(sizes))
    edge_graph = np.repeat(np.arange(len(sizes)), sizes)[edge_values["edge_index"][0].numpy()]
    order = torch.from_numpy(np.argsort(edge_graph, kind="stable"))
    num_edges = np.bincount(edge_graph, minlength=len(sizes)).astype(np.int64)
    starts = torch.from_numpy(np.repeat(np.cumsum(sizes) - sizes, num_edges))
    of_nodes, of_edges, each = (np.append(0, np.cumsum(one)) for one in (sizes, num_edges, np.ones_like(sizes)))
    columns: dict[str, Column] = {key: Rows(values, of_nodes) for key, values in node_values.items()}
    for key, values in edge_values.items():
        is_ends = key == "edge_index"
        columns[key] = Rows(values[:, order] - starts if is_ends else values[order], of_edges, dim=int(is_ends))
    columns["y"] = Rows(labels, each)
    if not node_values:
        columns["num_nodes"] = sizes.tolist()
    return tuple(CollatedGraphs(sizes.astype(np.int64), columns, Data())[:count])
