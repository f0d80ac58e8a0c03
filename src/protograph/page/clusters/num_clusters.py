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
from dataclasses import dataclass

import numpy as np

from protograph.page.clusters.mixture import (
    Booleans,
    Ints,
    Mixture,
    covariance_for,
    evenly,
    fit_components,
    fit_mixture,
    log_responsibilities,
    one_thread,
)
from protograph.page.walk.scoring import Floats

MAX_CLUSTERS = 5
LEAST_STRENGTH = 0.95
_SPLITS = 3
# More graphs make it slower, and let ever slighter bends of a single group count as two.
_MAX_GRAPHS = 800
# With fewer different graphs a cluster in each half, chance alone agrees too often: with 5 it made two clusters of 16%
# of the sets of 20 normal points, with 10 of 4% of those of 40.
_MIN_GRAPHS = 10
# Which graphs go together is clear long before scikit-learn's own tolerance of 0.001, and after two iterations which
# start is the best. With a single start, halves that agree look as if they did not whenever one of them got stuck.
_TOLERANCE = 1e-2
_STARTS = 2
_START_ITERATIONS = 2


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
    groups: Ints,
    *,
    num_graphs: int,
    min_share: float,
    random_state: int,
    aside: Booleans | None = None,
) -> NumClusters:
    """Fit the mixture with the largest number of clusters that two halves of the class agree on.

    Args:
        points: ``[num_graphs, dim]``, scaled and clipped, in canonical order.
        groups: Equal for graphs whose embeddings coincide.
        num_graphs: How many different embeddings a cluster must have.
        min_share: Which share of the graphs it must hold.
        random_state: Seed of the splits and of the mixtures.
        aside: Which graphs are not asked, and no mixture is fitted to.
    """
    asked = np.ones(len(points), dtype=np.bool_) if aside is None else ~aside
    strengths = prediction_strengths(points[asked], groups[asked], num_graphs=num_graphs, random_state=random_state)
    for number in sorted(strengths, reverse=True):
        if strengths[number] >= LEAST_STRENGTH:
            mixture = fit_mixture(
                points,
                groups,
                num_clusters=number,
                num_graphs=num_graphs,
                min_share=min_share,
                random_state=random_state,
                aside=aside,
            )
            if mixture.num_merged == 0:
                return NumClusters(number, strengths, mixture)
    raise AssertionError("one cluster has strength 1 and is never merged")


def prediction_strengths(points: Floats, groups: Ints, *, num_graphs: int, random_state: int) -> dict[int, float]:
    """Return the prediction strength of each number of clusters, up to the largest that the halves have graphs for."""
    sample = evenly(len(points), _MAX_GRAPHS)
    points, groups = points[sample], groups[sample]
    # Graphs that coincide go to the same half: in both they would agree with themselves.
    generator = np.random.default_rng(random_state)
    splits = [_split(groups, generator) for _ in range(_SPLITS)]
    num_distinct = len(np.unique(groups)) // 2
    most = min(MAX_CLUSTERS, num_distinct // max(_MIN_GRAPHS, num_graphs)) if points.shape[1] else 1
    strengths = {1: 1.0}
    with one_thread():
        for number in range(2, most + 1):
            strengths[number] = _strength(points, groups, splits, number, random_state)
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


def _split(groups: Ints, generator: np.random.Generator) -> Booleans:
    names, position = np.unique(groups, return_inverse=True)
    first = np.zeros(len(names), dtype=bool)
    first[generator.permutation(len(names))[: len(names) // 2]] = True
    chosen: Booleans = first[position]
    return chosen


def _strength(points: Floats, groups: Ints, splits: Sequence[Booleans], num_clusters: int, random_state: int) -> float:
    """Average over the splits; those are not looked at that could no longer lift it to the least strength."""
    found: list[float] = []
    for first in splits:
        found.append(_halves_agree(points, groups, first, num_clusters, random_state))
        if sum(found) + len(splits) - len(found) < LEAST_STRENGTH * len(splits):
            break
    return float(np.mean(found))


def _halves_agree(points: Floats, groups: Ints, first: Booleans, num_clusters: int, random_state: int) -> float:
    labels = []
    for half in (first, ~first):
        kind, _ = covariance_for(len(np.unique(groups[half])), num_clusters, points.shape[1])
        model, _ = fit_components(
            points[half],
            num_clusters,
            kind,
            random_state,
            tolerance=_TOLERANCE,
            num_starts=_STARTS,
            start_iterations=_START_ITERATIONS,
        )
        labels.append(log_responsibilities(model, points).argmax(axis=1))
    own, other = labels
    return 0.5 * (
        agreement(own[first], other[first], num_clusters) + agreement(other[~first], own[~first], num_clusters)
    )
