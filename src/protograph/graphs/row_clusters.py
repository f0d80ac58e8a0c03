"""Rows of several columns as clusters with gaps between them, or divided evenly where there are none."""

from itertools import combinations

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph.graphs.column_bins import gap_cuts

# Rounds of moving centres; they hardly move after a few.
_ROUNDS = 30
# Attempts to begin, of which the best goes on.
_STARTS = 4
# Of a row, whose distance says how dense it is there.
_NEIGHBOURS = 8
# Rows that are compared with centres at a time.
_BLOCK = 4096


def gap_clusters(rows: Floats, *, max_clusters: int, depth: float, certainty: float, seed: int = 0) -> Ints:
    """The cluster of each row, from 0 on; all 0 where there is no gap.

    Rows are gathered around two centres, three, and so on. As many are taken as have a gap between every two of them:
    the rows of both, seen along the line between their centres, are cut by
    :func:`~protograph.graphs.column_bins.gap_cuts`; and those nearest to where the two lots meet lie less densely than
    the others, which tells lots that are apart from parts of something bent, such as a ring.

    Args:
        rows: The rows, in units in which columns may be compared; their order does not matter.
        max_clusters: Most clusters.
        depth: As of ``gap_cuts``.
        certainty: As of ``gap_cuts``.
        seed: Of the centres to begin with.

    >>> rows = np.array([[0.0, 0.0], [5.0, 5.0]])[np.repeat([0, 1], 200)] + np.random.default_rng(0).random((400, 2))
    >>> np.bincount(gap_clusters(rows, max_clusters=6, depth=0.6, certainty=3)).tolist()
    [200, 200]
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    found = np.zeros(len(rows), dtype=np.int64)
    thinness = _thinness(ordered)
    for number in range(2, max_clusters + 1):
        lots = _lots(ordered, number, seed)
        if lots.max() + 1 < number:
            break
        pairs = combinations(range(number), 2)
        if all(
            _is_thin(ordered, thinness, lots, *pair, depth) and _is_gap(ordered, lots, *pair, depth, certainty)
            for pair in pairs
        ):
            found = lots
    result = np.empty(len(rows), dtype=np.int64)
    result[order] = _by_first(found)
    return result


def compact_clusters(rows: Floats, *, max_clusters: int, least: float, seed: int = 0) -> Ints:
    """The cluster of each of a few rows, from 0 on; all 0 where they are not compact.

    As many clusters as have the highest silhouette: the mean over rows of how much nearer they are to their own cluster
    than to the next, as a share of the latter.

    Args:
        rows: The rows, at most some thousand; their order does not matter.
        max_clusters: Most clusters.
        least: Silhouette that clusters must have.
        seed: Of the centres to begin with.

    >>> rows = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    >>> compact_clusters(rows, max_clusters=4, least=0.6).tolist()
    [0, 0, 1, 1, 2]
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    squares = (ordered**2).sum(axis=1)
    apart = np.sqrt(np.maximum(squares[:, None] + squares - 2 * ordered @ ordered.T, 0.0))
    best, found = least, np.zeros(len(rows), dtype=np.int64)
    for number in range(2, min(max_clusters, len(rows) - 1) + 1):
        lots = _lots(ordered, number, seed)
        if lots.max() + 1 < number:
            break
        if (quality := _silhouette(apart, lots)) > best:
            best, found = quality, lots
    result = np.empty(len(rows), dtype=np.int64)
    result[order] = _by_first(found)
    return result


def _silhouette(apart: Floats, lots: Ints) -> float:
    sizes = np.bincount(lots)
    sums = np.stack([np.bincount(lots, row, sizes.size) for row in apart])
    places = np.arange(len(lots))
    own = sums[places, lots] / np.maximum(sizes[lots] - 1, 1)
    others = sums / sizes
    others[places, lots] = np.inf
    nearest = others.min(axis=1)
    larger = np.maximum(np.maximum(own, nearest), 1e-300)
    return float(np.where(sizes[lots] > 1, (nearest - own) / larger, 0.0).mean())


def divided(rows: Floats, num_regions: int, seed: int = 0) -> Ints:
    """The region of each row, from 0 on, where rows are gathered around so many centres.

    >>> divided(np.array([[0.0], [0.1], [1.0], [1.1]]), 2).tolist()
    [0, 0, 1, 1]
    """
    order = np.lexsort(rows.T[::-1])
    result = np.empty(len(rows), dtype=np.int64)
    result[order] = _by_first(_lots(rows[order], num_regions, seed))
    return result


def _by_first(lots: Ints) -> Ints:
    """Lots numbered in the order in which they come first.

    >>> _by_first(np.array([2, 2, 0, 1])).tolist()
    [0, 0, 1, 2]
    """
    _, first, place = np.unique(lots, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    result: Ints = rank[place.reshape(-1)]
    return result


def _is_gap(rows: Floats, lots: Ints, one: int, other: int, depth: float, certainty: float) -> bool:
    """Whether there is a gap between two lots, seen along the line between their centres."""
    ours, theirs = rows[lots == one], rows[lots == other]
    places = np.concatenate([ours, theirs]) @ (theirs.mean(axis=0) - ours.mean(axis=0))
    return bool(gap_cuts(places, depth=depth, certainty=certainty, least_share=0.0))


def _thinness(rows: Floats) -> Floats:
    """How little room rows leave each other, as the logarithm of one over the density around each."""
    from scipy.spatial import cKDTree

    spreads = np.linalg.eigvalsh(np.atleast_2d(np.cov(rows.T)))
    total = float((spreads**2).sum())
    # Columns may be many and hang together: twice as many as share the spread, at most all.
    dimension = min(2 * float(spreads.sum()) ** 2 / total, rows.shape[1]) if total > 0 else 1.0
    distances = cKDTree(rows).query(rows, k=min(_NEIGHBOURS + 1, len(rows)))[0][:, -1]
    least = max(float(np.sqrt(np.maximum(spreads, 0).sum())) * 1e-6, 1e-300)
    return np.asarray(dimension * np.log(np.maximum(distances, least)))


def _is_thin(rows: Floats, thinness: Floats, lots: Ints, one: int, other: int, depth: float) -> bool:
    """Whether rows lie less densely where two lots meet than they do mostly."""
    chosen = np.flatnonzero((lots == one) | (lots == other))
    centres = [rows[lots == lot].mean(axis=0) for lot in (one, other)]
    away = [((rows[chosen] - centre) ** 2).sum(axis=1) for centre in centres]
    number = max(_NEIGHBOURS, chosen.size // 50)
    between = chosen[np.argsort(np.abs(away[0] - away[1]), kind="stable")[:number]]
    return bool(np.median(thinness[between]) - np.median(thinness[chosen]) > -np.log(depth))


def _lots(rows: Floats, number: int, seed: int) -> Ints:
    """Rows gathered around at most so many centres (k-means): the best of a few starts."""
    rng, best = np.random.default_rng(seed), (np.inf, np.zeros(len(rows), dtype=np.int64))
    for _ in range(_STARTS):
        centres = _far_apart(rows, number, rng)
        for _ in range(_ROUNDS):
            lots, away = _nearest(rows, centres)
            sums = np.stack([np.bincount(lots, column, len(centres)) for column in rows.T], axis=1)
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
