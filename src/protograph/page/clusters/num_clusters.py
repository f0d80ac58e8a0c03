r"""How many clusters a class has: prediction strength (Tibshirani and Walther, 2005).

The class is split at random into halves, and each half is clustered by the mixture. A cluster of one half is real if
the other half's mixture also puts its graphs together:

.. math:: s(L) = \min_{c} \; \frac{|\{(i, j) \in c : i \ne j,\ \ell'(i) = \ell'(j)\}|}{|c| (|c| - 1)}

with :math:`\ell'` the labels by the other half's mixture. It is averaged over both halves and several splits. The
number of clusters is the largest whose strength is at least 0.95 and whose clusters hold a least share of the class.

Criteria of the likelihood (BIC) grow with every cluster that fits the embeddings' shape a little better. Clusters that
two halves of the data do not agree on are no groups that deserve a prototype each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.linear_algebra import one_thread
from protograph.page.clusters.components import joint_log_densities
from protograph.page.clusters.mixture import Mixture, covariance_for, evenly, fit_components, fit_mixture, num_different
from protograph.page.options import ClusterOptions


@dataclass(frozen=True)
class NumClusters:
    """The number of clusters that was chosen.

    Attributes:
        number: L of the paper.
        strengths: The prediction strength of each number that was tried; one cluster always has 1.
        mixture: The mixture with that number.
    """

    number: int
    strengths: dict[int, float]
    mixture: Mixture


def choose(
    points: Floats,
    twins: Ints,
    *,
    num_graphs: int,
    random_state: int,
    options: ClusterOptions,
    aside: Bools | None = None,
) -> NumClusters:
    """Fit the mixture with the largest number of clusters that two halves of the class agree on.

    Args:
        points: ``[num_graphs, dim]``, scaled and clipped, in canonical order.
        twins: Equal for graphs whose embeddings coincide.
        num_graphs: How many different embeddings a cluster must have.
        random_state: Seed of the splits and of the mixtures.
        options: How strong and how large clusters must be.
        aside: Which graphs are not asked, and no mixture is fitted to.
    """
    asked = np.ones(len(points), dtype=np.bool_) if aside is None else ~aside
    strengths = prediction_strengths(
        points[asked], twins[asked], num_graphs=num_graphs, random_state=random_state, options=options
    )
    for number in sorted(strengths, reverse=True):
        if strengths[number] >= options.least_strength:
            mixture = fit_mixture(
                points,
                twins,
                num_clusters=number,
                num_graphs=num_graphs,
                random_state=random_state,
                options=options,
                aside=aside,
            )
            if mixture.num_merged == 0:
                return NumClusters(number, strengths, mixture)
    raise AssertionError("one cluster has strength 1 and is never merged")


def prediction_strengths(
    points: Floats, twins: Ints, *, num_graphs: int, random_state: int, options: ClusterOptions
) -> dict[int, float]:
    """Return the prediction strength of each number of clusters, up to the largest that the halves have graphs for."""
    sample = evenly(len(points), options.max_graphs)
    points, twins = points[sample], twins[sample]
    # Graphs that coincide go to the same half: in both they would agree with themselves.
    generator = np.random.default_rng(random_state)
    splits = [_split(twins, generator) for _ in range(options.num_splits)]
    num_distinct = num_different(twins) // 2
    most = min(options.max_clusters, num_distinct // max(options.min_graphs, num_graphs)) if points.shape[1] else 1
    strengths = {1: 1.0}
    quick = replace(
        options,
        tolerance=options.split_tolerance,
        num_starts=options.split_starts,
        start_iterations=options.split_iterations,
    )
    with one_thread():
        for number in range(2, most + 1):
            strengths[number] = _strength(points, twins, splits, number, random_state, quick)
    return strengths


def agreement(labels: Ints, others: Ints, num_clusters: int) -> float:
    """Smallest share, over the clusters of ``labels``, of their pairs that ``others`` puts together too.

    A cluster without pairs has a share of 0.

    >>> agreement(np.array([0, 0, 0, 1, 1]), np.array([1, 1, 0, 0, 0]), 2)
    0.3333333333333333
    """
    table = np.zeros((num_clusters, num_clusters))
    np.add.at(table, (labels, others), 1)
    sizes = table.sum(axis=1)
    together, pairs = (table * (table - 1)).sum(axis=1), sizes * (sizes - 1)
    return float((together / np.maximum(pairs, 1)).min())


def _split(twins: Ints, generator: np.random.Generator) -> Bools:
    names, position = np.unique(twins, return_inverse=True)
    first = np.zeros(len(names), dtype=bool)
    first[generator.permutation(len(names))[: len(names) // 2]] = True
    chosen: Bools = first[position]
    return chosen


def _strength(
    points: Floats,
    twins: Ints,
    splits: Sequence[Bools],
    num_clusters: int,
    random_state: int,
    options: ClusterOptions,
) -> float:
    """Average over the splits; those are not looked at that could no longer lift it to the least strength."""
    shares: list[float] = []
    for first in splits:
        shares.append(_halves_agree(points, twins, first, num_clusters, random_state, options))
        if sum(shares) + len(splits) - len(shares) < options.least_strength * len(splits):
            break
    return float(np.mean(shares))


def _halves_agree(
    points: Floats, twins: Ints, first: Bools, num_clusters: int, random_state: int, options: ClusterOptions
) -> float:
    clusters = []
    for half in (first, ~first):
        kind, _ = covariance_for(num_different(twins[half]), num_clusters, points.shape[1], options)
        components, _ = fit_components(points[half], num_clusters, kind, random_state, options)
        clusters.append(joint_log_densities(points, components).argmax(axis=0))
    own, other = clusters
    return 0.5 * (
        agreement(own[first], other[first], num_clusters) + agreement(other[~first], own[~first], num_clusters)
    )
