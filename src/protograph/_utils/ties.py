"""Ties: numbers that differ by no more than rounding are equal, and something other than rounding decides between them.

Nodes that look alike to a model have equal embeddings, so that ties are the rule. All decisions between numbers go
through here (the compiled loops take the same tolerances), and what decides a tie is an order that depends on nothing
but the graphs themselves.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from protograph._utils.arrays import Ints

T = TypeVar("T")

# Far above the rounding of a sum of float64, far below any difference that means something.
TOLERANCE = 1e-9


def tolerance_for(scale: float, resolution: float = 0.0) -> float:
    """Most by which numbers of this size, known to a relative precision, may differ and be equal.

    >>> tolerance_for(4.0, 1e-13), tolerance_for(4.0, 0.25)
    (1e-09, 1.0)
    """
    return max(TOLERANCE, resolution * scale)


def levels(values: ArrayLike, tolerance: float = TOLERANCE) -> Ints:
    """Place of each value among the different ones, the highest first: 0, 1, ...; those that tie share it.

    Two values tie if no gap between them and the values in between is wider than the tolerance. A fixed grid would part
    neighbours that happen to lie on both sides of one of its lines.

    >>> levels([0.5, 2.0, 0.5 + 1e-12, 1.0])
    array([2, 0, 2, 1])
    """
    array = np.asarray(values, dtype=np.float64)
    order = np.argsort(-array, kind="stable")
    ordered = array[order]
    # Infinite values have no difference, and equal ones tie; a difference may be beyond any number.
    with np.errstate(invalid="ignore", over="ignore"):
        differs = (ordered[:-1] != ordered[1:]) & ~(ordered[:-1] - ordered[1:] <= tolerance)
    result = np.empty(array.size, np.int64)
    result[order] = np.concatenate([[0], np.cumsum(differs)])[: array.size]
    return result


def row_ranks(rows: ArrayLike, tolerance: float = TOLERANCE) -> Ints:
    """Place of each row among all, by its first number, then its second and so on, the lowest first; ties share it.

    Numbers of a column tie as in :func:`levels`, by all rows.

    Args:
        rows: ``[num_rows, dim]``, finite.
        tolerance: Most by which neighbours may differ and be equal.

    >>> row_ranks([[2.0, 5.0], [1.0, 9.0], [2.0, 4.0], [1.0, 9.0 + 1e-12]])
    array([3, 0, 2, 0])
    """
    array = np.asarray(rows, dtype=np.float64)
    ranks: Ints = np.zeros(len(array), np.int64)
    for column in array.T:
        # The highest has level 0, and there are fewer levels than rows.
        _, place, counts = np.unique(
            ranks * len(array) - levels(column, tolerance), return_inverse=True, return_counts=True
        )
        ranks = (np.cumsum(counts) - counts)[place]
        if len(counts) == len(array):
            break
    return ranks


def first_best(values: ArrayLike, tolerance: float = TOLERANCE) -> int:
    """Position of the first value that ties with the highest.

    >>> first_best([1.0, 3.0, 3.0 + 1e-12])
    1
    """
    array = np.asarray(values, dtype=np.float64)
    return int(np.flatnonzero(array >= array.max() - tolerance)[0])


def best_first(
    items: Iterable[T],
    value: Callable[[T], float],
    then: Callable[[T], object] | None = None,
    tolerance: float = TOLERANCE,
) -> list[T]:
    """Items by their value, the highest first; ``then`` orders those that tie, which otherwise keep their order.

    >>> best_first(["bb", "a", "aa"], len, then=str)
    ['aa', 'bb', 'a']
    """
    listed = list(items)
    places = levels([value(item) for item in listed], tolerance).tolist()
    keys = [(place, () if then is None else then(item)) for place, item in zip(places, listed, strict=True)]
    return [listed[position] for position in sorted(range(len(listed)), key=keys.__getitem__)]


def best(
    items: Iterable[T],
    value: Callable[[T], float],
    then: Callable[[T], object] | None = None,
    tolerance: float = TOLERANCE,
) -> T:
    """The first of :func:`best_first`, of which it does not put the others in order."""
    listed = list(items)
    places = levels([value(item) for item in listed], tolerance)
    tied = np.flatnonzero(places == 0).tolist()
    return listed[min(tied, key=lambda position: (() if then is None else then(listed[position]), position))]
