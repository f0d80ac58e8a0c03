"""Embeddings in two dimensions, for a map that people can look at."""

import numpy as np

from protograph._base.arrays import Floats


def project(embeddings: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return the first two principal components of rows, and the share of the variance each has.

    The sign of a component is chosen so that its largest loading is positive: the map never flips.

    >>> positions, explained = project(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]))
    >>> positions[:, 0].tolist(), explained
    ([-2.0, 0.0, 2.0], (1.0, 0.0))
    """
    centred = embeddings - embeddings.mean(axis=0)
    variances, axes = np.linalg.eigh(centred.T @ centred)
    axes, variances = axes[:, ::-1][:, :2], np.maximum(variances[::-1], 0.0)
    sizes = np.abs(axes)
    leading = (sizes >= (1 - 1e-6) * sizes.max(axis=0)).argmax(axis=0)  # the first of those that are the largest
    axes = axes * np.where(axes[leading, np.arange(axes.shape[1])] < 0, -1.0, 1.0)
    positions = np.zeros((len(embeddings), 2))
    positions[:, : axes.shape[1]] = centred @ axes
    total = float(variances.sum()) or 1.0
    shares = [float(v) / total for v in variances[:2]] + [0.0]
    return positions, (shares[0], shares[1])
