"""Which nodes of different graphs may stand for each other, by their features or their edges' attributes."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.cleaning import node_count

MatchFeatures = bool | float | Callable[[Tensor, Tensor], bool]
Bools = NDArray[np.bool_]


def must_be_equal(match_features: MatchFeatures) -> bool:
    """Whether nodes match only with equal features: ``True``, or a tolerance of 0.

    >>> must_be_equal(True), must_be_equal(0.0), must_be_equal(False), must_be_equal(0.5)
    (True, True, False, False)
    """
    is_number = isinstance(match_features, int | float) and not isinstance(match_features, bool)
    return match_features is True or (is_number and match_features == 0)


class Agreement:
    """Tells for k graphs which tuples of nodes agree in their features.

    Args:
        graphs: The k graphs.
        match_features: ``True``: equal rows of ``x``. ``False``: all agree. A number: no entry differs by more.
            A function of two rows of ``x``: it decides. Without ``x`` all agree.

    A tuple agrees if every two of its nodes do.
    """

    def __init__(self, graphs: Sequence[Data], match_features: MatchFeatures = True) -> None:
        self._pairs: dict[tuple[int, int], Bools] = {}
        self.groups = [np.zeros(node_count(graph), dtype=np.int64) for graph in graphs]
        if match_features is False or graphs[0].x is None:
            return
        features = [_as_matrix(graph.x) for graph in graphs]
        if match_features is True:
            self.groups = equal_rows(features)
        else:
            for q, r in combinations(range(len(graphs)), 2):
                self._pairs[q, r] = _pairwise(features[q], features[r], match_features)

    def mask(self, rows: Sequence[NDArray[np.int64]]) -> Bools:
        """Boolean block over the Cartesian product of ``rows``: which tuples agree."""
        k = len(rows)
        mask: Bools = np.ones((1,) * k, dtype=np.bool_)
        groups = [group[r] for group, r in zip(self.groups, rows, strict=True)]
        for r in range(1, k):
            mask = mask & _along(groups[0][:, None] == groups[r][None, :], 0, r, k)
        for (q, r), pair in self._pairs.items():
            mask = mask & _along(pair[np.ix_(rows[q], rows[r])], q, r, k)
        return mask

    def pair(self, q: int, r: int) -> Bools:
        """Which nodes of graph ``q`` agree with which of graph ``r``, ``[num_nodes_q, num_nodes_r]``."""
        found: Bools = self.groups[q][:, None] == self.groups[r][None, :]
        if (min(q, r), max(q, r)) in self._pairs:
            pair = self._pairs[min(q, r), max(q, r)]
            found = found & (pair if q < r else pair.T)
        return found

    def split(self, rows: Sequence[NDArray[np.int64]]) -> list[list[NDArray[np.int64]]]:
        """Cut a block into smaller ones outside of which no tuple agrees."""
        shared = set(self.groups[0][rows[0]].tolist())
        for group, r in zip(self.groups[1:], rows[1:], strict=True):
            shared &= set(group[r].tolist())
        return [[r[g[r] == value] for g, r in zip(self.groups, rows, strict=True)] for value in sorted(shared)]


def equal_rows(matrices: Sequence[NDArray[Any]]) -> list[NDArray[np.int64]]:
    """Number the distinct rows of all matrices together, so that equal rows have equal numbers.

    >>> equal_rows([np.array([[1, 0], [0, 1]]), np.array([[0, 1]])])
    [array([0, 1]), array([1])]
    """
    number_of: dict[bytes, int] = {}
    result = []
    for matrix in matrices:
        rows = np.ascontiguousarray(matrix + matrix.dtype.type(0))  # so that -0.0 has the bytes of 0.0
        width = rows.itemsize * int(np.prod(rows.shape[1:]))
        data = rows.tobytes()
        keys = (data[at : at + width] for at in range(0, len(data), width)) if width else (b"" for _ in rows)
        result.append(np.array([number_of.setdefault(key, len(number_of)) for key in keys], dtype=np.int64))
    return result


def _as_matrix(x: Tensor) -> NDArray[Any]:
    plain = x.detach().cpu()
    array: NDArray[Any] = (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
    return array.reshape(array.shape[0], -1)


def _pairwise(a: NDArray[Any], b: NDArray[Any], rule: float | Callable[[Tensor, Tensor], bool]) -> Bools:
    if callable(rule):
        left, right = torch.from_numpy(a), torch.from_numpy(b)
        return np.array([[bool(rule(row, other)) for other in right] for row in left])
    a, b = a.astype(np.float64), b.astype(np.float64)  # whole numbers without a sign would wrap around
    largest = np.zeros((a.shape[0], b.shape[0]))
    for column in range(a.shape[1]):
        np.maximum(largest, np.abs(a[:, None, column] - b[None, :, column]), out=largest)
    return largest <= rule


def _along(pair: Bools, q: int, r: int, k: int) -> Bools:
    shape = [1] * k
    shape[q], shape[r] = pair.shape
    return pair.reshape(shape)
