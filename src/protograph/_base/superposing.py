"""Points laid over others, as far as turning and moving can."""

import numpy as np

from protograph._base.arrays import Floats


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
