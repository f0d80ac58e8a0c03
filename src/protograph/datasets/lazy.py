"""Graphs that are made when they are asked for, of a data set too large to hold them all."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Ints


class LazyGraphs(Sequence[Data]):
    """A sequence whose graphs are made anew each time, from what ``make`` holds; what is done to one is not kept.

    A slice, or an array of positions, gives a sequence of those graphs, which are not made yet either.

    Args:
        make: Makes the graph at a position of the whole data set, counted from 0.
        labels: Label of each graph of the whole data set.
        positions: Which graphs of the whole these are, in their order; all of them if ``None``.

    >>> graphs = LazyGraphs(lambda position: Data(num_nodes=position), Tensor([0, 1, 1]))
    >>> graphs[np.array([2, 1])][0].num_nodes, graphs[::-1].labels
    (2, tensor([1., 1., 0.]))
    """

    def __init__(self, make: Callable[[int], Data], labels: Tensor, positions: Ints | None = None) -> None:
        self._make = make
        self._all_labels = labels
        # Not a tensor: an entry of an array is read ten times as fast.
        self._positions = np.arange(len(labels)) if positions is None else positions

    @property
    def labels(self) -> Tensor:
        """Label of each graph, without making the graphs."""
        return self._all_labels[self._positions.copy()]

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, index: Any) -> Any:
        chosen = self._positions[index]
        return self._make(int(chosen)) if chosen.ndim == 0 else LazyGraphs(self._make, self._all_labels, chosen)
