"""Points in the plane: embeddings as a map that people can look at, and drawings laid over others."""

import numpy as np

from protograph._utils.arrays import Floats, Ints


def project(embeddings: Floats, rows: Ints | None = None) -> tuple[Floats, tuple[float, float]]:
    """Return the first two principal components of rows, and the share of the variance each has.

    The sign of a component is chosen so that its largest loading is positive: the map never flips.

    Args:
        embeddings: ``[num_rows, dim]``.
        rows: Which of them; all where ``None``.

    >>> positions, explained = project(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]))
    >>> positions[:, 0].tolist(), explained
    ([-2.0, 0.0, 2.0], (1.0, 0.0))
    """
    from sklearn.decomposition import PCA  # where it is used: these take a while to import
    from threadpoolctl import threadpool_limits

    own = embeddings if rows is None else embeddings[rows]
    positions, shares = np.zeros((len(own), 2)), np.zeros(2)
    number = min(2, *own.shape)
    if number and np.ptp(own, axis=0).any():
        with threadpool_limits(limits=1, user_api="blas"):
            # Of many rows the decomposition of their covariance takes a fraction of the memory.
            model = PCA(number, svd_solver="full" if len(own) < own.shape[1] else "covariance_eigh").fit(own)
            positions[:, :number] = model.transform(own)
        shares[:number] = model.explained_variance_ratio_
        sizes = np.abs(model.components_)
        leading = (sizes >= (1 - 1e-6) * sizes.max(axis=1, keepdims=True)).argmax(axis=1)  # the first of the largest
        positions[:, :number] *= np.where(model.components_[np.arange(number), leading] < 0, -1.0, 1.0)
    return positions, (float(shares[0]), float(shares[1]))


def fitted_places(places: Floats, own: Floats, wanted: Floats) -> Floats:
    """Places turned, turned over and moved, but not stretched, such that ``own`` lie as near as can be to ``wanted``.

    Kabsch, A solution for the best rotation to relate two sets of vectors, 1976.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> fitted_places(square, square[:2], np.array([[0.0, 0.0], [0.0, 1.0]])).round(6)[:2].tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    middle, goal = own.mean(axis=0), wanted.mean(axis=0)
    left, sizes, right = np.linalg.svd((own - middle).T @ (wanted - goal))
    # With all on a line either side is as good, so that it is not turned over.
    is_line = len(sizes) < 2 or sizes[1] <= 1e-6 * max(sizes[0], 1e-12)
    flip = np.diag([1.0, np.sign(np.linalg.det(left @ right))]) if is_line else np.eye(2)
    result: Floats = (places - middle) @ (left @ flip @ right) + goal
    return result
