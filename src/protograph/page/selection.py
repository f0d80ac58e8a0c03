"""Phase 1 (paper, Section 4.1): clusters of a class's graph embeddings, and the graphs nearest their means."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protograph.page.scoring import Floats

Ints = NDArray[np.int64]
# Added to every variance, as scikit-learn does: embeddings often have constant dimensions.
_REGULARISATION = 1e-6


@dataclass(frozen=True)
class Cluster:
    """One cluster of a class.

    Attributes:
        members: Indices of its graphs, nearest the mean first.
        distances: Their Mahalanobis distances to the mean.
        representatives: The indices of the k graphs nearest the mean, no two with the same embedding.
        mean: ``[dim]``.
    """

    members: tuple[int, ...]
    distances: tuple[float, ...]
    representatives: tuple[int, ...]
    mean: Floats


@dataclass(frozen=True)
class Selection:
    """The clusters of a class, largest first, and what had to be done differently from what was asked.

    It can be gone through like a list of its clusters.
    """

    clusters: tuple[Cluster, ...]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.clusters)

    def __iter__(self) -> Iterator[Cluster]:
        return iter(self.clusters)

    def __getitem__(self, number: int) -> Cluster:
        return self.clusters[number]


def select(
    embeddings: Floats,
    indices: Ints,
    *,
    num_clusters: int,
    num_graphs: int,
    random_state: int,
    resolution: float = 1e-13,
    content_key: Callable[[int], bytes] | None = None,
) -> Selection:
    """Cluster the embeddings of one class and pick each cluster's representatives.

    Graphs whose embeddings coincide are chosen once. Too few of them for ``num_clusters`` clusters of ``num_graphs``
    means fewer clusters, then fewer graphs; a cluster with fewer than ``num_graphs`` different ones is merged into
    the others. Both are said in the notes.

    Args:
        embeddings: ``[num_members, dim]``.
        indices: Index of each of them in the data set.
        num_clusters: L of the paper.
        num_graphs: k of the paper.
        random_state: Seed of the mixture.
        resolution: Relative precision of the embeddings.
        content_key: Gives what tells graphs with equal embeddings apart, so that their order never matters.
    """
    key = content_key or (lambda index: index.to_bytes(8, "big"))
    order, groups = canonical_order(embeddings, resolution)
    embeddings, indices = embeddings[order], indices[order]
    num_distinct = int(groups[-1]) + 1
    clusters, graphs, notes = _affordable(num_clusters, num_graphs, num_distinct)
    labels, means, covariances, more = _mixture(embeddings, groups, clusters, graphs, random_state)
    found = []
    for label in range(len(means)):
        inside = np.flatnonzero(labels == label)
        distances = mahalanobis(embeddings[inside], means[label], covariances[label])
        found.append(_cluster(indices[inside], groups[inside], distances, means[label], graphs, resolution, key))
    found.sort(key=lambda cluster: -len(cluster.members))
    return Selection(tuple(found), (*notes, *more))


def canonical_order(embeddings: Floats, resolution: float) -> tuple[Ints, Ints]:
    """Order rows by their content, and number the groups of rows that coincide.

    Returns:
        The order, and for each row *in that order* the number of its group, ascending from 0.

    >>> order, groups = canonical_order(np.array([[2.0], [1.0], [2.0]]), 1e-11)
    >>> groups
    array([0, 1, 1])
    """
    scale = max(1e-300, float(np.abs(embeddings).max()))
    digits = np.round(embeddings / (scale * max(1e-9, resolution)))
    order = np.lexsort(digits.T[::-1])
    ordered = embeddings[order]
    differs = np.abs(np.diff(ordered, axis=0)).max(axis=1, initial=0.0) > 4 * scale * max(1e-9, resolution)
    return order, np.concatenate([[0], np.cumsum(differs)]).astype(np.int64)


def mahalanobis(embeddings: Floats, mean: Floats, covariance: Floats) -> Floats:
    r"""Distance :math:`\sqrt{(h - \mu)^T \Sigma^{-1} (h - \mu)}` of each row.

    >>> mahalanobis(np.array([[3.0, 4.0]]), np.zeros(2), np.diag([1.0, 4.0]))
    array([3.60555128])
    """
    offsets = embeddings - mean
    factor = np.linalg.cholesky(covariance)
    whitened = np.linalg.solve(factor, offsets.T)
    distances: Floats = np.sqrt((whitened**2).sum(axis=0))
    return distances


def _affordable(num_clusters: int, num_graphs: int, num_distinct: int) -> tuple[int, int, list[str]]:
    notes = []
    graphs = min(num_graphs, num_distinct)
    clusters = max(1, min(num_clusters, num_distinct // graphs))
    if clusters < num_clusters:
        notes.append(
            f"num_clusters was lowered from {num_clusters} to {clusters}: the class has {num_distinct} different "
            f"graph embeddings, and each cluster needs {graphs}"
        )
    if graphs < num_graphs:
        notes.append(
            f"num_graphs was lowered from {num_graphs} to {graphs}: the class has only {num_distinct} different "
            f"graph embeddings"
        )
    return clusters, graphs, notes


def _mixture(
    embeddings: Floats, groups: Ints, num_clusters: int, num_graphs: int, random_state: int
) -> tuple[Ints, list[Floats], list[Floats], list[str]]:
    """Fit the mixture, then merge away the clusters that cannot have ``num_graphs`` representatives."""
    if len(embeddings) < 2:
        identity = _REGULARISATION * np.eye(embeddings.shape[1])
        return np.zeros(len(embeddings), dtype=np.int64), [embeddings[0]], [identity], []
    model, notes = _fit(embeddings, num_clusters, random_state)
    chances = _log_responsibilities(model, embeddings)
    alive = list(range(num_clusters))
    labels = chances.argmax(axis=1)
    while len(alive) > 1:
        rich = {label: len(np.unique(groups[labels == label])) for label in alive}
        poorest = min(alive, key=lambda label: (rich[label], (labels == label).sum()))
        if rich[poorest] >= num_graphs:
            break
        notes.append(
            f"a cluster of {int((labels == poorest).sum())} graphs with {rich[poorest]} different embeddings, fewer "
            f"than num_graphs={num_graphs}, was merged into the others"
        )
        alive.remove(poorest)
        labels = np.array(alive)[chances[:, alive].argmax(axis=1)]
    numbers = np.searchsorted(alive, labels)
    return (
        numbers,
        [model.means_[label] for label in alive],
        [model.covariances_[label] for label in alive],
        notes,
    )


def _fit(embeddings: Floats, num_clusters: int, random_state: int) -> tuple[Any, list[str]]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    regularisation, notes = _REGULARISATION, []
    with warnings.catch_warnings(), _thread_pools().limit(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        while True:
            model = GaussianMixture(num_clusters, random_state=random_state, reg_covar=regularisation)
            try:
                model.fit(embeddings)
            except ValueError:  # a covariance that is singular in float64: embeddings of a very different scale
                if regularisation > 1e6 * float(embeddings.var()) + 1:
                    raise
                regularisation *= 100
                continue
            break
    if regularisation > _REGULARISATION:
        notes.append(f"the mixture's covariances were singular, so {regularisation:g} was added to every variance")
    if not model.converged_:
        notes.append(f"the mixture did not converge in {model.max_iter} iterations")
    return model, notes


def _log_responsibilities(model: Any, embeddings: Floats) -> Floats:
    """Logarithm of weight times density in each cluster, up to a constant, ``[num_members, num_clusters]``.

    scikit-learn's probabilities underflow to 0 for far clusters; merging needs to know which of those is nearest.
    """
    columns = []
    for weight, mean, covariance in zip(model.weights_, model.means_, model.covariances_, strict=True):
        log_determinant = np.linalg.slogdet(covariance)[1]
        columns.append(np.log(weight) - 0.5 * (mahalanobis(embeddings, mean, covariance) ** 2 + log_determinant))
    return np.stack(columns, axis=1)


@lru_cache(maxsize=1)
def _thread_pools() -> Any:
    """The BLAS and OpenMP libraries in use; on small matrices more than one thread makes them many times slower."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _cluster(
    indices: Ints,
    groups: Ints,
    distances: Floats,
    mean: Floats,
    num_graphs: int,
    resolution: float,
    key: Callable[[int], bytes],
) -> Cluster:
    order = _nearest_first(distances, groups, resolution)
    chosen: list[int] = []
    for group in _unique(groups[order]):
        twins = indices[groups == group]
        chosen.append(int(twins[0]) if len(twins) == 1 else min(map(int, twins), key=lambda i: (key(i), i)))
        if len(chosen) == num_graphs:
            break
    members = tuple(int(i) for i in indices[order])
    return Cluster(members, tuple(float(d) for d in distances[order]), tuple(chosen), mean)


def _nearest_first(distances: Floats, groups: Ints, resolution: float) -> Ints:
    """Order by distance; those that tie keep the canonical order."""
    order = np.argsort(distances, kind="stable")
    tolerance = max(1e-9, 1e3 * resolution) * max(1.0, float(distances.max()))
    ties = np.concatenate([[0], np.cumsum(np.diff(distances[order]) > tolerance)])
    return order[np.lexsort((groups[order], ties))]


def _unique(values: Sequence[int] | Ints) -> list[int]:
    return list(dict.fromkeys(int(value) for value in values))
