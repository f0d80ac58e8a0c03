"""Graphs are assigned to the clusters of a mixture that was fitted to some of them, without regard to last digits."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.ties import TOLERANCE
from protograph.page.clusters.components import mahalanobis
from protograph.page.clusters.mixture import NORMAL_RANGE, Mixture, Scaling, num_different, quartiles
from protograph.page.options import ClusterOptions

# For each cluster its median and its units, beyond which a graph is far off; ``None`` where none is.
Limits = list[tuple[Floats, Floats] | None]


def far_limits(positions: Floats, twins: Ints, labels: Ints, num_graphs: int, options: ClusterOptions) -> Limits:
    """Beyond what a graph is far off its cluster, by the graphs that the mixture was fitted to."""
    limits: Limits = []
    for label in range(int(labels.max()) + 1):
        inside = np.flatnonzero(labels == label)
        low, middle, high = quartiles(positions[inside])
        units = np.maximum(1.0, (high - low) / NORMAL_RANGE)
        outside = _are_far(np.abs(positions[inside] - middle), units, options)
        is_enough = num_different(twins[inside[~outside]]) >= max(num_graphs, options.min_others)
        limits.append((middle, units) if is_enough else None)
    return limits


def _are_far(offsets: Floats, units: Floats, options: ClusterOptions) -> Bools:
    if not offsets.shape[1]:
        return np.zeros(len(offsets), np.bool_)
    are_far: Bools = (offsets > options.far * units).mean(axis=1) >= options.far_share
    return are_far


class Assignment(NamedTuple):
    """The cluster of each of some graphs, its distance from the mean, whether it is far off, and how far."""

    labels: Ints
    distances: Floats
    is_far: Bools
    farness: Floats


@dataclass(frozen=True, eq=False)
class Assigning:
    """Assigns graphs to the most likely cluster of a mixture.

    Attributes:
        scaling: How embeddings are scaled.
        mixture: The mixture.
        limits: Beyond what a graph is far off its cluster.
        options: How clusters are made.
    """

    scaling: Scaling
    mixture: Mixture
    limits: Limits
    options: ClusterOptions

    def __call__(self, rows: Floats) -> Assignment:
        """Assign graphs by their embeddings; of clusters that are as likely, to the first."""
        positions = self.scaling(rows)
        away = self._away(positions)
        labels = _first_likely(self._scores(away))
        is_far = np.zeros(len(rows), np.bool_)
        for label, limit in enumerate(self.limits):
            if limit is not None:
                inside = np.flatnonzero(labels == label)
                is_far[inside] = _are_far(np.abs(positions[inside] - limit[0]), limit[1], self.options)
        farness = np.abs(positions).mean(axis=1) if positions.shape[1] else np.zeros(len(rows))
        return Assignment(labels, away[labels, np.arange(len(rows))], is_far, farness)

    def distances(self, rows: Floats, label: int) -> Floats:
        """Distances of embeddings from the mean of a cluster."""
        points = self.scaling(rows).clip(-self.options.clip, self.options.clip)
        return mahalanobis(points, self.mixture.means[label], self.mixture.covariances[label])

    def distance_errors(self, errors: Floats) -> Floats:
        """Most by which distances from the mean of each cluster are wrong, ``[num_clusters, num_graphs]``.

        A distance changes by no more than what it changes by for each dimension alone, in sum.

        Args:
            errors: Most by which each number of the graphs' embeddings is wrong.
        """
        if not self.scaling.middle.size:
            return np.zeros((len(self.mixture.means), len(errors)))
        units = np.eye(self.scaling.middle.size) / self.scaling.spread
        means, covariances = self.mixture.means, self.mixture.covariances
        steps = [mahalanobis(mean + units, mean, one) for mean, one in zip(means, covariances, strict=True)]
        result: Floats = np.stack(steps) @ errors[:, self.scaling.kept].T
        return result

    def are_unsure(self, rows: Floats, errors: Floats) -> Bools:
        """Which graphs might belong to another cluster, or be far off or not, by the errors of their embeddings."""
        positions = self.scaling(rows)
        away, off = self._away(positions), self.distance_errors(errors)
        scores, slack = self._scores(away), off * (away + off / 2)
        labels, every = _first_likely(scores), np.arange(len(rows))
        lowest, highest = (scores - slack)[labels, every], scores + slack
        highest[labels, every] = -np.inf
        highest += TOLERANCE * (1 + np.abs(lowest))
        unsure: Bools = (highest.max(axis=0) >= lowest) & (off.max(axis=0) > 0)
        reach = errors[:, self.scaling.kept] / self.scaling.spread
        for label, limit in enumerate(self.limits):
            if limit is not None:
                inside = np.flatnonzero(labels == label)
                beyond = np.abs(positions[inside] - limit[0]) - self.options.far * limit[1]
                unsure[inside] |= (np.abs(beyond) < reach[inside]).any(axis=1)
        return unsure

    def _away(self, positions: Floats) -> Floats:
        """Distances from the mean of each cluster, ``[num_clusters, num_graphs]``."""
        points = positions.clip(-self.options.clip, self.options.clip)
        pairs = zip(self.mixture.means, self.mixture.covariances, strict=True)
        return np.stack([mahalanobis(points, *pair) for pair in pairs])

    def _scores(self, away: Floats) -> Floats:
        """How likely each cluster is, as a logarithm."""
        sizes = np.bincount(self.mixture.labels, minlength=len(self.mixture.means))
        shares = np.log(sizes / sizes.sum())
        constants = shares - 0.5 * np.array([_log_determinant(one) for one in self.mixture.covariances])
        scores: Floats = constants[:, None] - 0.5 * away**2
        return scores


def _first_likely(scores: Floats) -> Ints:
    """The first cluster of each graph that is as likely as the likeliest."""
    most = scores.max(axis=0)
    labels: Ints = (scores >= most - TOLERANCE * (1 + np.abs(most))).argmax(axis=0)
    return labels


def _log_determinant(covariance: Floats) -> float:
    return float(np.log(covariance).sum() if covariance.ndim == 1 else np.linalg.slogdet(covariance)[1])
