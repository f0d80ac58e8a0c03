"""Rows of a pass in single precision that are made exact, in double precision, where something hangs on digits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np
import torch
from torch import Tensor

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.growing import rows_of
from protograph.graphs.store import GraphStore
from protograph.models.batching import parts_of
from protograph.models.running import RunningClassifier

# Nodes and edges that go through a model on a CPU at a time, in any precision: 32 columns of them are 2 or 4 MiB. With
# 2**13 what is done once a call counts, from 2**15 on the processor's cache does, the more so the more others use it:
# with 256 graphs of 75 nodes at a time, 57,000 rows, a graph took twice as long.
ROWS_ON_CPU = 2**14
# Graphs that are read at a time.
_READ = 1024
# Times the error that was to be expected which show that nothing is known of errors.
_FAR_BEYOND = 4
# A number of so few binary digits was not rounded, as a rule.
_FEW_DIGITS = 12
# Up to so many columns NumPy takes longer to find the largest number of each row than of all rows at once.
_FEW_COLUMNS = 8


@dataclass(frozen=True, eq=False)
class RowError:
    """How far rows may be from exact ones.

    Attributes:
        relative: For each column, most by which its numbers differ, relative to the largest number of their row, or to
            a typical row's largest.
        typical: What that is.
        is_counted: For each column, whether numbers of few binary digits in it are counts or the like, which are the
            same in any precision. Elsewhere they may be what rounding made of others, as 1.0 of a saturated tanh.
    """

    relative: Floats
    typical: float
    is_counted: Bools

    def of(self, rows: Floats) -> Floats:
        """Most by which each number of some rows differs from the exact one.

        >>> RowError(np.array([0.25, 0.5]), 2.0, np.zeros(2, bool)).of(np.array([[1.0, -0.5], [8.0, 0.0]]))
        array([[0.5, 1. ],
               [2. , 4. ]])
        """
        return np.maximum(_largest(rows), self.typical)[:, None] * self.relative

    def is_expected(self, rows: Floats, exact: Floats) -> bool:
        """Whether rows are not far beyond that from exact ones.

        >>> error = RowError(np.array([0.1]), 1.0, np.zeros(1, bool))
        >>> [error.is_expected(np.array([[row]]), np.array([[2.0]])) for row in (2.7, 2.9)]
        [True, False]
        """
        return bool((np.abs(rows - exact) <= _FAR_BEYOND * self.of(exact)).all())

    def are_exact(self, rows: Floats) -> Bools:
        """Which numbers of some rows were not rounded: 0, which many units give for many graphs, and counts.

        >>> RowError(np.array([0.1, 0.1]), 1.0, np.array([False, True])).are_exact(np.array([[1.0, 1.0], [0.0, 0.1]]))
        array([[False,  True],
               [ True, False]])
        """
        exact: Bools = (rows == 0) | (self.is_counted & has_few_digits(rows))
        return exact


def _largest(rows: Floats) -> Floats:
    """The largest number of each row, whatever its sign; of few columns they are gone through one by one."""
    if 0 < rows.shape[1] <= _FEW_COLUMNS:
        return reduce(np.maximum, (np.abs(column) for column in rows.T))
    largest: Floats = np.abs(rows).max(axis=1, initial=0.0)
    return largest


def has_few_digits(values: Floats) -> Bools:
    """Which numbers have so few binary digits that they are hardly the result of rounding."""
    digits = np.frexp(values)[0] * 2.0**_FEW_DIGITS
    return np.asarray(digits == np.trunc(digits))


class ExactRows:
    """Makes embeddings exact on demand, each once.

    A row that differs by far more than is to be expected shows that nothing is known of errors; then all rows are made
    exact at once, and the outputs for them are handed on.

    Args:
        classifier: The model in double precision.
        store: The graphs.
        embeddings: Embeddings of all graphs, in which exact rows take the place of others.
        error: Most by which each of them is to differ.
        num_exact: So many of the first are exact already.
    """

    def __init__(
        self,
        classifier: RunningClassifier,
        store: GraphStore,
        embeddings: Floats,
        error: RowError,
        num_exact: int = 0,
    ) -> None:
        self._classifier, self._store, self._embeddings = classifier, store, embeddings
        self._is_exact: Bools = np.arange(len(embeddings)) < num_exact
        self.error = error
        self._tell: Callable[[Floats], None] | None = None

    def tell(self, whom: Callable[[Floats], None]) -> None:
        """Hand the outputs for all graphs to somebody, when all are made exact for what is known of errors is wrong."""
        self._tell = whom

    @property
    def num_exact(self) -> int:
        """How many rows are exact so far."""
        return int(self._is_exact.sum())

    def errors(self, indices: Ints) -> Floats:
        """Most by which each number of these graphs' embeddings may be wrong; 0 where they are exact."""
        return np.where(self._is_exact[indices, None], 0.0, self.error.of(rows_of(self._embeddings, indices)))

    def order_errors(self, indices: Ints) -> Floats:
        """The same for putting graphs in order by the numbers of their embeddings, of which 0 and counts are exact."""
        return np.where(self.error.are_exact(rows_of(self._embeddings, indices)), 0.0, self.errors(indices))

    def make(self, indices: Ints) -> None:
        """Make the embeddings of these graphs exact."""
        wanted = np.unique(indices)
        wanted = wanted[~self._is_exact[wanted]]
        if wanted.size:
            self.outputs(wanted)

    def rows(self, indices: Ints) -> Floats:
        """The embeddings of these graphs, exact."""
        self.make(indices)
        return rows_of(self._embeddings, indices)

    def outputs(self, indices: Ints) -> Floats:
        """The model's outputs for these graphs, exact; so are their embeddings then."""
        outputs, is_expected = self.compared(np.asarray(indices))
        if not is_expected:
            of_all, _ = self.compared(np.arange(len(self._embeddings)))
            if self._tell is not None:
                self._tell(of_all)
        return outputs

    def compared(self, wanted: Ints) -> tuple[Floats, bool]:
        """As :meth:`outputs`, and whether embeddings differ by no more than was to be expected; nothing follows."""
        outputs, is_expected = [], True
        for first in range(0, len(wanted), _READ):
            some = wanted[first : first + _READ]
            own, embeddings = self._run(some)
            before, self._embeddings[some] = self._embeddings[some], embeddings
            is_expected &= self.error.is_expected(before, embeddings)
            outputs.append(own)
        self._is_exact[wanted] = True
        return np.concatenate(outputs), is_expected

    def _run(self, indices: Ints) -> tuple[Floats, Floats]:
        graphs = self._store.take_chunk(indices.tolist())
        # A GPU has room for all of them, and is the quicker the more there are.
        parts = [graphs] if self._classifier.device.type == "cuda" else parts_of(graphs, ROWS_ON_CPU)
        outputs, embeddings = map(_numpy, self._classifier.graph_rows(*parts))
        return outputs, embeddings


def _numpy(rows: Tensor) -> Floats:
    array: Floats = rows.detach().to(device="cpu", dtype=torch.float64).numpy()
    return array
