"""Shares of right answers in which every class weighs the same."""

import numpy as np

from protograph._base.arrays import Bools, Ints


def balanced(is_right: Bools, classes: Ints) -> float:
    """Share of right answers, every class weighing the same.

    >>> balanced(np.array([True, False, True]), np.array([0, 0, 1]))
    0.75
    """
    return float(np.mean([is_right[classes == one].mean() for one in np.unique(classes)]))
