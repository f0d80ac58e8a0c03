"""Which of some numbers, known up to an error each, might be in another order than they seem to be.

Of very many graphs embeddings are known to single precision. Where an order of graphs decides something, those whose
places hang on the last digits are found here, and made exact.
"""

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph.models.judging import EmbeddedGraphs


def settle_order(embedded: EmbeddedGraphs, indices: Ints) -> None:
    """Make exact those embeddings of some graphs on whose last digits their order by embeddings hangs."""
    if embedded.exact is not None:
        rows = embedded.graph_embeddings[indices]
        embedded.exact.make(indices[unsure_rows(rows, embedded.exact.order_errors(indices))])


def unsure_rows(rows: Floats, errors: Floats) -> Bools:
    """Which rows might change places when ordered by their first number, then their second and so on.

    Args:
        rows: ``[num_rows, dim]``.
        errors: Most by which each number may be wrong; 0 for those that are exact, so that equal ones tie.

    >>> errors = np.array([[0.1, 0.1], [0.1, 0.1], [0.0, 0.1], [0.0, 0.1]])
    >>> unsure_rows(np.array([[1.01, 5.0], [1.02, 4.0], [2.0, 3.0], [2.0, 1.0]]), errors)
    array([ True,  True, False, False])
    """
    unsure = np.zeros(len(rows), np.bool_)
    tied, groups = np.arange(len(rows)), np.zeros(len(rows), np.int64)
    for column, error in zip(rows.T, errors.T, strict=True):
        if not tied.size:
            break
        values = column[tied]
        own = error[tied]
        # Groups one after the other, far enough from each other that none reaches into the next.
        apart = 4 * float(np.ptp(values) + own.max()) + 1e-300
        unsure[tied] |= unsure_places(values + apart * groups, own)
        # Those that are unsure are asked for anyhow; of the others only those are looked at that tie.
        sure = np.flatnonzero(~unsure[tied])
        order = sure[np.lexsort((values[sure], groups[sure]))]
        is_first = np.ones(order.size, np.bool_)
        is_first[1:] = (np.diff(groups[order]) != 0) | (np.diff(values[order]) != 0)
        numbers = np.cumsum(is_first) - 1
        is_tied = np.bincount(numbers)[numbers] > 1
        tied, groups = tied[order[is_tied]], numbers[is_tied]
    return unsure


def unsure_places(values: Floats, errors: Floats) -> Bools:
    """Which of some values might change places, each being known up to an error.

    >>> unsure_places(np.array([3.0, 1.0, 1.5, 3.0]), np.array([0.0, 0.25, 0.5, 0.0]))
    array([False,  True,  True, False])
    """
    order = np.argsort(values, kind="stable")
    low, high = (values - errors)[order], (values + errors)[order]
    above = np.append(-np.inf, np.maximum.accumulate(high)[:-1])[: values.size]
    below = np.append(np.minimum.accumulate(low[::-1])[::-1][1:], np.inf)[: values.size]
    result = np.empty(values.size, np.bool_)
    result[order] = (low < above) | (high > below)
    return result
