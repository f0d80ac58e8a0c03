"""Embeddings in two dimensions, for a map that people can look at."""

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph._base.linear_algebra import one_thread

# Share of the largest variance up to which another is rounding.
_ROUNDING = 1e-13
# Rows that tell the components; more do not move them by what can be seen.
MOST_ROWS = 100_000


def project(embeddings: Floats, rows: Ints | None = None) -> tuple[Floats, tuple[float, float]]:
    """Return the first two principal components of rows, and the share of the variance each has.

    The sign of a component is chosen so that its largest loading is positive: the map never flips. Of more than
    ``MOST_ROWS`` rows, so many, evenly spaced, tell the components; all are placed.

    Args:
        embeddings: ``[num_rows, dim]``.
        rows: Which of them; all where ``None``.

    >>> positions, explained = project(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]))
    >>> positions[:, 0].tolist(), explained
    ([-2.0, 0.0, 2.0], (1.0, 0.0))
    """
    own = embeddings if rows is None else embeddings[rows]
    number = len(own)
    # Of very many, some evenly spaced ones tell the components.
    middle, axes, shares = _components(own[np.arange(MOST_ROWS) * number // MOST_ROWS] if number > MOST_ROWS else own)
    return _placed(own, middle, axes), shares


def _placed(embeddings: Floats, middle: Floats, axes: Floats) -> Floats:
    positions = np.zeros((len(embeddings), 2))
    positions[:, : axes.shape[1]] = (embeddings - middle) @ axes
    return positions


def _components(embeddings: Floats) -> tuple[Floats, Floats, tuple[float, float]]:
    """Mean and first two components of rows, and the share of the variance that each of the two has."""
    middle = embeddings.mean(axis=0)
    centred = embeddings - middle
    with one_thread():
        variances, axes = _leading(centred)
    sizes = np.abs(axes)
    leading = (sizes >= (1 - 1e-6) * sizes.max(axis=0)).argmax(axis=0)  # the first of those that are the largest
    axes = axes * np.where(axes[leading, np.arange(axes.shape[1])] < 0, -1.0, 1.0)
    total = float(np.square(centred).sum()) or 1.0
    shares = [float(v) / total for v in variances] + [0.0]
    return middle, axes, (shares[0], shares[1])


def _leading(centred: Floats) -> tuple[Floats, Floats]:
    """The two largest variances, times the number of rows, and their axes, ``[dim, 2]``; of one dimension, one.

    With fewer rows than dimensions, the smaller matrix of the rows' products has the same ones.
    """
    from scipy.linalg import eigh

    rows, dim = centred.shape
    of_rows = rows < dim
    products = centred @ centred.T if of_rows else centred.T @ centred
    last = len(products) - 1
    variances, axes = eigh(products, subset_by_index=(max(0, last - 1), last), check_finite=False)
    variances, axes = np.maximum(variances[::-1], 0.0), axes[:, ::-1]
    if of_rows:
        is_real = variances > _ROUNDING * variances[0]
        axes = centred.T @ np.where(is_real, axes / np.sqrt(np.where(is_real, variances, 1.0)), 0.0)
    return variances, axes
