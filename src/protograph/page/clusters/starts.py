"""Where a mixture starts: k-means, as scikit-learn's own mixture does, with the same random numbers.

scikit-learn checks its input and asks for threads in every call, which for a few hundred graphs takes longer than
k-means itself.
"""

from functools import lru_cache

import numpy as np

from protograph._base.arrays import Floats, Ints

# Those of scikit-learn's KMeans: rounds of moving the centres, and the shift, in variances, that ends them.
_MOST_ROUNDS = 300
_LEAST_SHIFT = 1e-4
_ROWS = 256  # rows that are compared with the centres at a time


def k_means_starts(points: Floats, num_clusters: int, num_starts: int, random_state: int) -> list[Ints]:
    """Return the cluster of each row by k-means, once a start; a start that gives the same clusters again is left out.

    Args:
        points: ``[num_graphs, dim]``.
        num_clusters: How many centres; with fewer different rows some clusters stay empty.
        num_starts: How often centres are drawn.
        random_state: Seed of ``numpy.random.RandomState``, whose numbers all starts take in turn.
    """
    centred = points - points.mean(axis=0)
    norms = np.einsum("nd,nd->n", centred, centred)
    least_shift = _LEAST_SHIFT * float(norms.sum()) / max(1, points.size)
    num_trials = 2 + int(np.log(num_clusters))
    drawn = _uniform_numbers(random_state, num_starts * (1 + (num_clusters - 1) * num_trials))
    starts: list[Ints] = []
    for numbers in drawn.reshape(num_starts, -1):
        trials = numbers[1:].reshape(num_clusters - 1, num_trials)
        labels = _lloyd(centred, _drawn_centres(centred, norms, float(numbers[0]), trials), least_shift)
        if not any(_are_same(labels, others, num_clusters) for others in starts):
            starts.append(labels)
    return starts


@lru_cache
def _uniform_numbers(random_state: int, count: int) -> Floats:
    """The first numbers of a stream; to begin one takes longer than to draw centres, and every mixture asks for it."""
    numbers = np.random.RandomState(random_state).random_sample(count)
    numbers.flags.writeable = False
    return numbers


def _are_same(labels: Ints, others: Ints, num_clusters: int) -> bool:
    """Whether clusters are the same, whatever they are numbered by."""
    sizes = np.bincount(labels * num_clusters + others, minlength=num_clusters**2)
    meet = sizes.reshape(num_clusters, num_clusters) > 0
    return bool((meet.sum(axis=0) <= 1).all() and (meet.sum(axis=1) <= 1).all())


def _drawn_centres(points: Floats, norms: Floats, first: float, trials: Floats) -> Floats:
    """The greedy k-means++: a row far from the centres so far is likely, and the best of a few is taken.

    Args:
        points: ``[num_graphs, dim]``.
        norms: Their squared lengths.
        first: A number in [0, 1) that tells the first centre.
        trials: Such numbers for each of the other centres, ``[num_clusters - 1, num_trials]``.
    """
    number, ones = len(points), np.ones(len(points))
    shares = np.full(number, 1 / number).cumsum()  # as numpy draws one of equally likely rows
    chosen = [int((shares / shares[-1]).searchsorted(first, side="right"))]
    nearest = _squared_distances(points, norms, np.array(chosen))[0]
    total = float(nearest @ ones)
    for places in trials:
        candidates = np.minimum(nearest.cumsum().searchsorted(places * total), number - 1)
        distances = np.minimum(nearest, _squared_distances(points, norms, candidates))
        totals = distances @ ones
        best = int(totals.argmin())
        chosen.append(int(candidates[best]))
        nearest, total = distances[best], float(totals[best])
    return points[chosen]


def _squared_distances(points: Floats, norms: Floats, rows: Ints) -> Floats:
    products = points[rows] @ points.T
    return np.maximum(norms[rows, None] - 2 * products + norms, 0.0)


def _lloyd(points: Floats, centres: Floats, least_shift: float) -> Ints:
    """Move each centre to the mean of the rows nearest to it until nothing changes, or hardly anything."""
    names = np.arange(len(centres))[:, None]
    before = None
    for _ in range(_MOST_ROUNDS):
        labels = _nearest(points, centres)
        if before is not None and (labels == before).all():
            return labels
        inside = (labels == names).astype(np.float64)
        sums, sizes = inside @ points, inside.sum(axis=1)
        if sizes.all():
            moved = sums / sizes[:, None]
        else:
            _fill_empty(points, centres, labels, sums, sizes)
            moved = sums / np.maximum(sizes, 1)[:, None]
            moved[sizes == 0] = moved[sizes.argmax()]
        shift = float(((moved - centres) ** 2).sum())
        centres, before = moved, labels
        if shift <= least_shift:
            break
    return _nearest(points, centres)


def _nearest(points: Floats, centres: Floats) -> Ints:
    """The nearest centre of each row; multiplied as in scikit-learn, since rounding decides between equally near."""
    from scipy.linalg.blas import dgemm

    distances = np.empty((len(points), len(centres)))  # up to the rows' own norms
    distances[:] = np.einsum("ld,ld->l", centres, centres)
    for first in range(0, len(points), _ROWS):
        rows = slice(first, first + _ROWS)
        dgemm(-2.0, centres.T, points[rows].T, 1.0, distances[rows].T, trans_a=1, overwrite_c=1)
    labels: Ints = distances.argmin(axis=1)
    return labels


def _fill_empty(points: Floats, centres: Floats, labels: Ints, sums: Floats, sizes: Floats) -> None:
    """Give each centre without rows the row that lies farthest from its own centre, in ``sums`` and ``sizes``."""
    empty = np.flatnonzero(sizes == 0)
    distances = ((points - centres[labels]) ** 2).sum(axis=1)
    if not distances.any():  # fewer different rows than centres
        return
    farthest = np.argpartition(distances, -len(empty))[: -len(empty) - 1 : -1]
    for cluster, row in zip(empty, farthest, strict=True):
        old = labels[row]
        sums[old] -= points[row]
        sums[cluster] = points[row]
        sizes[cluster] = 1
        sizes[old] -= 1
