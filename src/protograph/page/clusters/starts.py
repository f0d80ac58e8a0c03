"""Where a mixture starts: k-means, as scikit-learn's own mixture does, with the same random numbers.

scikit-learn checks its input and asks for threads in every call, which for a few hundred graphs takes longer than
k-means itself.
"""

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
        random_state: Seed of ``numpy.random.RandomState``, which all starts draw from in turn.
    """
    random = np.random.RandomState(random_state)
    centred = points - points.mean(axis=0)
    norms = np.einsum("nd,nd->n", centred, centred)
    least_shift = _LEAST_SHIFT * float(points.var(axis=0).mean())
    starts: dict[bytes, Ints] = {}
    for _ in range(num_starts):
        labels = _lloyd(centred, _drawn_centres(centred, norms, num_clusters, random), least_shift)
        starts.setdefault(_by_first(labels).tobytes(), labels)
    return list(starts.values())


def _by_first(labels: Ints) -> Ints:
    """Number clusters by the first row of each, so that the same clusters have the same labels."""
    _, first, position = np.unique(labels, return_index=True, return_inverse=True)
    numbers: Ints = np.argsort(np.argsort(first))[position]
    return numbers


def _drawn_centres(points: Floats, norms: Floats, num_clusters: int, random: np.random.RandomState) -> Floats:
    """The greedy k-means++: a row far from the centres so far is likely, and the best of a few is taken."""
    number, ones = len(points), np.ones(len(points))
    trials = 2 + int(np.log(num_clusters))
    chosen = [int(random.choice(number, p=np.full(number, 1 / number)))]
    nearest = _squared_distances(points, norms, np.array(chosen))[0]
    total = float(nearest @ ones)
    for _ in range(1, num_clusters):
        drawn = np.searchsorted(np.cumsum(nearest), random.uniform(size=trials) * total)
        candidates = np.minimum(drawn, number - 1)
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
