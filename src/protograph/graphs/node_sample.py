"""A sample of the nodes of a data set that depends on what the graphs hold, not on their order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.words import count_of
from protograph.graphs.joining import JoinedGraphs

# Columns that tell graphs apart; more would take long and tell no more.
_MOST_COLUMNS = 64
# Odd numbers whose products scatter.
_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, eq=False)
class NodeSample:
    """Rows of ``x`` of some graphs.

    Attributes:
        rows: The rows, in ascending order, ``[num_nodes, num_columns]``.
        graphs: Indices of the graphs they are of, in the order in which they were chosen.
        num_nodes: Nodes of all graphs.
    """

    rows: Floats
    graphs: tuple[int, ...]
    num_nodes: int

    @property
    def words(self) -> str:
        """What it is, in words."""
        if len(self.rows) == self.num_nodes:
            return f"all {count_of(self.num_nodes, 'node')}"
        return f"{count_of(len(self.rows), 'node')} of {count_of(len(self.graphs), 'graph')} chosen by their content"


def node_sample(graphs: Iterable[Data | JoinedGraphs], size: int) -> NodeSample | None:
    """The nodes of as many graphs as have at least so many, or of all; ``None`` where graphs have no plain ``x``.

    Graphs are taken in the order of a number made of what their nodes hold, so that neither the order of the graphs nor
    that of their nodes matters.

    Args:
        graphs: The graphs, gone through once.
        size: Nodes that are enough.

    >>> sample = node_sample([Data(x=torch.tensor([[2.0], [1.0]])), Data(x=torch.tensor([[0.0]]))], 10)
    >>> sample.rows.flatten().tolist(), sample.words
    ([0.0, 1.0, 2.0], 'all 3 nodes')
    """
    pool: list[tuple[int, int, Floats]] = []  # number, index and rows of each graph that may be taken
    first, num_nodes, num_columns = 0, 0, None
    for x, sizes in _lots(graphs):
        rows = _plain_rows(x)
        if rows is None or (num_columns not in (None, rows.shape[1])):
            return None
        num_columns = rows.shape[1]
        ends = sizes.cumsum()
        numbers = _numbers(rows, sizes)
        pool += [
            (int(number), first + place, rows[end - count : end])
            for place, (number, count, end) in enumerate(
                zip(numbers.tolist(), sizes.tolist(), ends.tolist(), strict=True)
            )
        ]
        first, num_nodes = first + len(sizes), num_nodes + len(rows)
        pool = _taken(pool, size)
    if num_columns is None or not num_nodes:
        return None
    joined = np.concatenate([rows for _, _, rows in pool])
    return NodeSample(joined[np.lexsort(joined.T[::-1])], tuple(index for _, index, _ in pool), num_nodes)


def _lots(graphs: Iterable[Data | JoinedGraphs]) -> Iterator[tuple[Tensor | None, Ints]]:
    """The rows of one graph, or of several laid end to end, and how many each has."""
    for item in graphs:
        if isinstance(item, JoinedGraphs):
            yield item.tensors.get("x"), item.sizes
        else:
            x = item.get("x")
            yield x, np.array([x.size(0) if isinstance(x, Tensor) and x.dim() else 0], dtype=np.int64)


def _plain_rows(x: Tensor | None) -> Floats | None:
    if not isinstance(x, Tensor) or x.layout is not torch.strided or x.is_complex() or x.is_quantized or not x.dim():
        return None
    rows: Floats = x.detach().cpu().double().reshape(x.size(0), -1).numpy() + 0.0
    return rows if rows.shape[1] else None


def _numbers(rows: Floats, sizes: Ints) -> NDArray[np.uint64]:
    """A number for each graph, made of its rows in any order: whole numbers that wrap around have no rounding."""
    width = rows.shape[1]
    columns = np.unique(np.linspace(0, width - 1, min(width, _MOST_COLUMNS)).astype(np.int64))
    bits = np.ascontiguousarray(rows[:, columns]).view(np.uint64)
    factors = (np.arange(1, columns.size + 1, dtype=np.uint64) * np.uint64(2) + np.uint64(1)) * _SPREAD
    each = ((bits ^ (bits >> np.uint64(29))) * factors).sum(axis=1, dtype=np.uint64)
    each = (each ^ (each >> np.uint64(31))) * _MIX
    sums = np.zeros(len(sizes), dtype=np.uint64)
    np.add.at(sums, np.repeat(np.arange(len(sizes)), sizes), each)
    mixed: NDArray[np.uint64] = (sums ^ (sums >> np.uint64(30))) * _MIX
    return mixed ^ (mixed >> np.uint64(27))


def _taken(pool: list[tuple[int, int, Floats]], size: int) -> list[tuple[int, int, Floats]]:
    """The graphs with the lowest numbers that have enough nodes together."""
    pool = sorted(pool, key=lambda one: one[:2])
    enough = int(np.searchsorted(np.cumsum([len(rows) for _, _, rows in pool]), size)) + 1
    return pool[:enough]
