"""Rows of several columns as clusters with gaps between them, or divided evenly where there are none."""

from itertools import combinations

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph.graphs.column_bins import gap_cuts

# Rounds of moving centres; they hardly move after a few.
_ROUNDS = 50
# Attempts to begin, of which the best goes on.
_STARTS = 8
# Rows that are compared with centres at a time.
_BLOCK = 4096


def gap_clusters(
    rows: Floats, *, num_seeds: int, depth: float, certainty: float, least_share: float, seed: int = 0
) -> Ints:
    """The cluster of each row, from 0 on; all 0 where there is no gap.

    Rows are gathered around more centres than there are clusters, and two lots are one where the rows of both, seen
    along the line between their centres, have no gap as :func:`~protograph.graphs.column_bins.gap_cuts` finds it.

    Args:
        rows: The rows, in units in which columns may be compared; their order does not matter.
        num_seeds: Centres.
        depth: As of ``gap_cuts``.
        certainty: As of ``gap_cuts``.
        least_share: Of the rows in a cluster; smaller ones are joined to the nearest.
        seed: Of the centres to begin with.

    >>> rows = np.array([[0.0, 0.0], [5.0, 5.0]])[np.repeat([0, 1], 200)] + np.random.default_rng(0).random((400, 2))
    >>> np.bincount(gap_clusters(rows, num_seeds=6, depth=0.6, certainty=4, least_share=0.01)).tolist()
    [200, 200]
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    lots = _lots(ordered, num_seeds, seed)
    centres = np.array([ordered[lots == lot].mean(axis=0) for lot in range(lots.max() + 1)])
    cluster = list(range(len(centres)))
    for one, other in combinations(range(len(centres)), 2):
        if cluster[one] != cluster[other] and not _is_gap(ordered, lots, centres, one, other, depth, certainty):
            cluster = [cluster[one] if own == cluster[other] else own for own in cluster]
    found = np.array(cluster)[lots]
    found = _large(ordered, found, least_share)
    result = np.empty(len(rows), dtype=np.int64)
    result[order] = np.unique(found, return_inverse=True)[1]
    return result


def divided(rows: Floats, num_regions: int, seed: int = 0) -> Ints:
    """The region of each row, from 0 on, where rows are gathered around so many centres.

    >>> divided(np.array([[0.0], [0.1], [1.0], [1.1]]), 2).tolist()
    [0, 0, 1, 1]
    """
    order = np.lexsort(rows.T[::-1])
    result = np.empty(len(rows), dtype=np.int64)
    lots = _lots(rows[order], num_regions, seed)
    first = np.unique(lots, return_index=True)[1]
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    result[order] = rank[lots]
    return result


def _is_gap(rows: Floats, lots: Ints, centres: Floats, one: int, other: int, depth: float, certainty: float) -> bool:
    """Whether there is a gap between two lots, seen along the line between their centres."""
    pair = rows[(lots == one) | (lots == other)]
    along = centres[other] - centres[one]
    places = pair @ along
    return bool(gap_cuts(places, depth=depth, certainty=certainty, least_share=0.0))


def _large(rows: Floats, found: Ints, least_share: float) -> Ints:
    """Clusters of which those that are too small have gone to the nearest of the others."""
    sizes = np.bincount(found)
    kept = np.flatnonzero(sizes >= max(least_share * len(rows), 1))
    if kept.size in (0, np.count_nonzero(sizes)):
        return found if kept.size else np.zeros_like(found)
    centres = np.array([rows[found == cluster].mean(axis=0) for cluster in kept])
    result = found.copy()
    small = ~np.isin(found, kept)
    result[small] = kept[_nearest(rows[small], centres)[0]]
    return result


def _lots(rows: Floats, number: int, seed: int) -> Ints:
    """Rows gathered around at most so many centres (k-means): the best of a few starts."""
    rng, best = np.random.default_rng(seed), (np.inf, np.zeros(len(rows), dtype=np.int64))
    for _ in range(_STARTS):
        centres = _far_apart(rows, number, rng)
        for _ in range(_ROUNDS):
            lots, away = _nearest(rows, centres)
            sums = np.zeros_like(centres)
            np.add.at(sums, lots, rows)
            counts = np.bincount(lots, minlength=len(centres))
            moved = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
            if np.array_equal(moved, centres):
                break
            centres = moved
        lots, away = _nearest(rows, centres)
        if away.sum() < best[0]:
            best = float(away.sum()), lots
    result: Ints = np.unique(best[1], return_inverse=True)[1].astype(np.int64)
    return result


def _far_apart(rows: Floats, number: int, rng: np.random.Generator) -> Floats:
    """Rows to begin with, each drawn by its squared distance from those before."""
    chosen = [rows[rng.integers(len(rows))]]
    away = ((rows - chosen[0]) ** 2).sum(axis=1)
    while len(chosen) < number and away.sum() > 0:
        chosen.append(rows[np.searchsorted(away.cumsum(), rng.random() * away.sum()).clip(max=len(rows) - 1)])
        away = np.minimum(away, ((rows - chosen[-1]) ** 2).sum(axis=1))
    return np.array(chosen)


def _nearest(rows: Floats, centres: Floats) -> tuple[Ints, Floats]:
    """The nearest centre of each row, and the square of how far it is."""
    lots, away = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    squares = (centres**2).sum(axis=1)
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK]
        distances = (block**2).sum(axis=1)[:, None] - 2 * block @ centres.T + squares
        lots[first : first + _BLOCK] = distances.argmin(axis=1)
        away[first : first + _BLOCK] = distances.min(axis=1).clip(min=0)
    return lots, away
