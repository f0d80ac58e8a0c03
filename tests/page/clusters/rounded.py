"""Embeddings of single precision, and what makes them exact, without a model."""

import numpy as np

from protograph.models.exact_rows import RowError


class Rounded:
    """Rows rounded to single precision, in which exact ones take their place on demand; as ``ExactRows``.

    Args:
        rows: The exact rows.
        relative_error: What is said of their errors.
    """

    def __init__(self, rows, relative_error=2.0**-23):
        self._rows, self.embeddings = rows, rows.astype(np.float32).astype(np.float64)
        self._is_exact = np.zeros(len(rows), bool)
        dim = rows.shape[1]
        self.error = RowError(np.full(dim, relative_error), 1.0, np.zeros(dim, bool))

    @property
    def relative_error(self):
        return float(self.error.relative.max())

    @property
    def num_exact(self):
        return int(self._is_exact.sum())

    def errors(self, indices):
        return np.where(self._is_exact[indices, None], 0.0, self.error.of(self.embeddings[indices]))

    def order_errors(self, indices):
        return self.errors(indices)

    def make(self, indices):
        self.embeddings[indices], self._is_exact[indices] = self._rows[indices], True

    def rows(self, indices):
        self.make(indices)
        return self.embeddings[indices]
