"""Graphs that are made when they are asked for, of a data set too large to hold them all."""

from collections.abc import Callable, Sequence
from typing import overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data


class LazyGraphs(Sequence[Data]):
    """A sequence whose graphs are made anew each time, from what ``make`` holds; what is done to one is not kept.

    Args:
        make: Makes the graph at a position of the whole data set, counted from 0.
        labels: Label of each graph of the whole data set.
        positions: Which graphs of the whole these are, in their order; all of them if ``None``.

    >>> graphs = LazyGraphs(lambda position: Data(x=torch.full((1, 1), position)), torch.tensor([0, 1, 1]))
    >>> graphs.select([2, 1])[0].x, graphs.select([2, 0]).labels
    (tensor([[2]]), tensor([1, 0]))
    """

    def __init__(self, make: Callable[[int], Data], labels: Tensor, positions: NDArray[np.int64] | None = None) -> None:
        self._make = make
        self._all_labels = labels
        # Not a tensor: an entry of an array is read ten times as fast.
        self._positions = np.arange(len(labels)) if positions is None else positions

    @property
    def labels(self) -> Tensor:
        """Label of each graph, without making the graphs."""
        return self._all_labels[torch.from_numpy(self._positions)]

    def select(self, positions: Sequence[int]) -> "LazyGraphs":
        """The graphs at these positions, made from the same data."""
        chosen = self._positions[np.asarray(positions, dtype=np.int64)]
        return LazyGraphs(self._make, self._all_labels, chosen)

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: slice) -> "LazyGraphs": ...
    def __getitem__(self, index: int | slice) -> "Data | LazyGraphs":
        if isinstance(index, slice):
            return self.select(range(len(self))[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"index must lie in [{-len(self)}, {len(self)}), got {index}")
        return self._make(int(self._positions[index]))
