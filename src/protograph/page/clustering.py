r"""Phase 1 (paper, Section 4.1): clusters of a class's graph embeddings, and the graphs nearest their means.

The paper fits a Gaussian mixture to the embeddings as they are. Sum pooling makes those heavy-tailed, so that one huge
graph takes a cluster for itself, and a class often has fewer graphs than a covariance has entries. Here

- each dimension is scaled by its median and inter-quartile range, :math:`z = 1.349 (h - q_{1/2}) / (q_{3/4} - q_{1/4})`
  (about 1 for a normal distribution's standard deviation), and values beyond 3 count as 3,
- the covariances have as many parameters as the graphs can decide,
- a cluster of very few graphs is merged into the others.

How many clusters a class has is told by prediction strength (Tibshirani and Walther, 2005). The class is split at
random into halves, and each half is clustered by the mixture. A cluster of one half is real if the other half's mixture
also puts its graphs together:

.. math:: s(L) = \min_{c} \; \frac{|\{(i, j) \in c : i \ne j,\ \ell'(i) = \ell'(j)\}|}{|c| (|c| - 1)}

with :math:`\ell'` the labels by the other half's mixture, averaged over both halves and several splits. Criteria of the
likelihood (BIC) grow with every cluster that fits the embeddings' shape a little better; clusters that two halves of
the data do not agree on are no groups that deserve a prototype each.
"""

import operator
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from protograph._utils.arrays import Bools, Floats, Ints
from protograph._utils.projection import project
from protograph._utils.ties import TOLERANCE, levels, row_ranks, tolerance_for
from protograph._utils.words import count_of
from protograph.explanation import EmbeddingMap
from protograph.models.predictions import EmbeddedGraphs

if TYPE_CHECKING:
    from sklearn.mixture import GaussianMixture

Covariance = Literal["full", "diag", "spherical"]

MIN_SHARE = 0.05  # share of its class that a cluster holds at least; fewer graphs are chance
CLIP = 3.0  # scaled units beyond which a coordinate says no more than "far": sums are heavy-tailed
FAR = 10.0  # units from the median; graphs so far off represent no cluster ...
FAR_SHARE = 0.25  # ... if they are in this share of the dimensions: one dead dimension has hardly a spread
MIN_OTHERS = 8  # different graphs that must be left without those far off; of fewer, quartiles say little
NORMAL_RANGE = 1.349  # a normal distribution's inter-quartile range, in standard deviations
NUM_STARTS = 3  # of the mixture; a single start is stuck too often
START_GRAPHS = 1000  # graphs that starts are tried on, at least; which is best shows on few
MAX_FITTED = 20_000  # graphs that the mixture is fitted to; of more, so many, evenly spaced: all are assigned
FULL_FROM = 2  # different graphs a cluster and dimension for full covariances; fewer cannot decide them
VARIANCES_FROM = 5  # different graphs a cluster for a variance a dimension; below, one for all
MAX_CLUSTERS = 5  # most that "auto" looks at; more prototypes of a class nobody reads
LEAST_STRENGTH = 0.95  # two halves of the class must put so many pairs together alike
NUM_SPLITS = 3  # into halves, averaged; one is a matter of luck
MAX_HALVED = 800  # graphs that halves are taken of; more let ever slighter bends of one cluster count as two
MIN_HALVED = 10  # different graphs a cluster in each half; with 5, chance made two clusters in 16% of trials
SPLIT_STARTS, SPLIT_TOLERANCE = 2, 1e-2  # of halves: which graphs go together is clear long before the likelihood is


@dataclass(frozen=True)
class Cluster:
    """One cluster of a class.

    Attributes:
        members: Indices of its graphs, nearest the mean first.
        distances: Their Mahalanobis distances to the mean, both scaled; empty where the user named the graphs.
        representatives: The indices of the k graphs nearest the mean, no two with the same embedding, none far off.
        nearest: The same of as many graphs as sessions choose among.
    """

    members: tuple[int, ...]
    distances: tuple[float, ...]
    representatives: tuple[int, ...]
    nearest: tuple[int, ...]


@dataclass(frozen=True)
class Selection:
    """The clusters of a class, largest first, and how they were found.

    It can be gone through like a list of its clusters.

    Attributes:
        clusters: The clusters.
        notes: What had to be done differently from what was asked.
        strengths: For ``num_clusters="auto"`` the prediction strength of each number that was tried.
    """

    clusters: tuple[Cluster, ...]
    notes: tuple[str, ...] = ()
    strengths: dict[int, float] = field(default_factory=dict)

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
    num_clusters: int | Literal["auto"],
    num_graphs: int,
    random_state: int,
    num_nearest: int = 0,
    resolution: float = 1e-13,
    content_keys: Callable[[Sequence[int]], Sequence[bytes]] = lambda indices: [b""] * len(indices),
    graph_label: Callable[[int], str] = "graph {}".format,
) -> Selection:
    """Cluster the embeddings of one class and pick each cluster's representatives.

    Graphs whose embeddings coincide are chosen once. Too few of them for ``num_clusters`` clusters of ``num_graphs``
    means fewer clusters, then fewer graphs; a cluster with fewer than ``num_graphs`` different ones, or too small a
    share of the class, is merged into the others. Graphs far outside of the class represent no cluster. All of that is
    said in the notes.

    Args:
        embeddings: ``[num_members, dim]``.
        indices: Index of each of them in the data set.
        num_clusters: L of the paper; ``"auto"`` is the largest number that two halves of the class agree on.
        num_graphs: k of the paper.
        random_state: Seed of the mixture and of the halves.
        num_nearest: How many graphs of a cluster sessions choose among, if more than ``num_graphs``.
        resolution: Relative precision of the embeddings.
        content_keys: Give what tells graphs with equal embeddings apart, so that their order never matters.
        graph_label: What notes call a graph, by its index.
    """
    from threadpoolctl import threadpool_limits

    order, twins = canonical_order(embeddings, resolution)
    embeddings, indices = embeddings[order], indices[order]
    # On one thread: more would add up in another order, and rounding could decide between clusters.
    with threadpool_limits(limits=1):
        positions = scaled(embeddings, grain_of(embeddings, resolution))
        points, num_distinct = positions.clip(-CLIP, CLIP), int(twins[-1]) + 1
        graphs, asked = min(num_graphs, num_distinct), 1 if num_clusters == "auto" else num_clusters
        number = max(1, min(asked, num_distinct // graphs))
        is_far = far_off(positions, twins, number * graphs, graphs)
        strengths = {number: 1.0}
        if num_clusters == "auto":
            strengths = prediction_strengths(points[~is_far], twins[~is_far], graphs, random_state)
        mixture = _fitted_mixture(points, twins, is_far, strengths, graphs, random_state)
    clusters = []
    for label in range(len(mixture.distances)):
        inside = np.flatnonzero(mixture.labels == label)
        distances = mixture.distances[label, inside]
        tolerance = max(TOLERANCE, 1e3 * resolution) * max(1.0, float(distances.max()))
        ranks = np.lexsort((twins[inside], -levels(distances, tolerance)))  # those that tie keep the canonical order
        ordered = inside[ranks]
        nearest = _different(ordered[~is_far[ordered]], indices, twins, max(num_nearest, graphs), content_keys)
        members = tuple(indices[ordered].tolist())
        clusters.append(Cluster(members, tuple(distances[ranks].tolist()), nearest[:graphs], nearest))
    clusters.sort(key=lambda cluster: -len(cluster.members))
    return Selection(
        clusters=tuple(clusters),
        notes=(
            *_lowered_notes(asked, number, num_graphs, graphs, num_distinct),
            *mixture.notes,
            *_far_notes(indices, positions, is_far, graph_label),
        ),
        strengths=strengths if num_clusters == "auto" else {},
    )


def given_cluster(representatives: Sequence[int], num_graphs: int, least: int, because: str) -> Selection:
    """The user's own representatives as the only cluster.

    Args:
        representatives: Indices of graphs.
        num_graphs: How many graphs there are.
        least: How many it takes.
        because: What it takes so many for.
    """
    try:
        chosen = tuple(map(operator.index, representatives))
    except TypeError:
        raise TypeError(f"representatives must be a list of graph indices, got {representatives!r}") from None
    outside = [number for number in chosen if not 0 <= number < num_graphs]
    if outside:
        raise ValueError(f"representatives must be indices of graphs in [0, {num_graphs}), got {outside[0]}")
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError(f"representatives must be different graphs, at least one, got {list(chosen)}")
    if len(chosen) < least:
        raise ValueError(f"{because} needs at least {least} representatives, got {len(chosen)}")
    return Selection((Cluster(members=chosen, distances=(), representatives=chosen, nearest=chosen),))


def class_map(embedded: EmbeddedGraphs, members: Ints, clusters: Sequence[Cluster]) -> EmbeddingMap:
    """The graphs of a class in two dimensions of their own."""
    cluster_of = np.full(len(embedded.graph_embeddings), -1)
    for number, cluster in enumerate(clusters):
        cluster_of[list(cluster.members)] = number
    positions, explained = project(embedded.graph_embeddings, members)
    return EmbeddingMap(
        indices=tuple(members.tolist()),
        positions=positions,
        clusters=tuple(cluster_of[members].tolist()),
        explained=explained,
    )


# ---- order and scale -------------------------------------------------------------------------------------------------


def canonical_order(embeddings: Floats, resolution: float) -> tuple[Ints, Ints]:
    """Order rows by their content, and number those that coincide alike.

    Returns:
        The order, and for each row *in that order* a number, ascending from 0, that it shares with its twins.

    >>> order, twins = canonical_order(np.array([[2.0], [1.0], [2.0]]), 1e-11)
    >>> twins
    array([0, 1, 1])
    """
    grain = grain_of(embeddings, resolution)
    order = np.argsort(row_ranks(embeddings, grain), kind="stable")
    ordered = embeddings[order]
    # Rounding grows with a graph's own numbers: those of one huge graph must not make all others coincide.
    own = np.maximum(grain, tolerance_for(1.0, resolution) * np.abs(ordered).max(axis=1, initial=0.0))
    steps = np.abs(np.diff(ordered, axis=0)).max(axis=1, initial=0.0)
    differs = steps > 4 * np.maximum(own[1:], own[:-1])
    return order, np.concatenate([[0], np.cumsum(differs)]).astype(np.int64)


def grain_of(embeddings: Floats, resolution: float) -> float:
    """What is taken for rounding, by the numbers of an ordinary graph."""
    sizes = np.abs(embeddings).max(axis=1, initial=0.0)
    return (float(np.median(sizes)) or float(sizes.max())) * tolerance_for(1.0, resolution)


def scaled(embeddings: Floats, tolerance: float = 0.0) -> Floats:
    """Scale each dimension by its median and inter-quartile range; those that do not vary are left out.

    Where half of a dimension's values agree its range is 0, and its standard deviation stands in.

    Args:
        embeddings: ``[num_graphs, dim]``.
        tolerance: A spread up to this is rounding, and counts as 0.

    >>> scaled(np.array([[0.0, 5.0], [10.0, 5.0], [20.0, 5.0]])).round(4)
    array([[-1.349], [ 0.   ], [ 1.349]])
    """
    low, middle, high = np.quantile(embeddings, [0.25, 0.5, 0.75], axis=0)
    spread = (high - low) / NORMAL_RANGE
    deviation = embeddings.std(axis=0)
    # Four roundings: constant values such as 0.1 have a deviation of about one.
    is_constant = deviation <= 4 * np.finfo(np.float64).eps * np.abs(embeddings).max(axis=0, initial=0.0)
    spread = np.where(spread > tolerance, spread, np.where(is_constant, 0.0, deviation))
    kept = spread > tolerance
    result: Floats = (embeddings[:, kept] - middle[kept]) / spread[kept]
    return result


def far_off(positions: Floats, twins: Ints, num_needed: int, num_graphs: int) -> Bools:
    """Which graphs lie far outside of the class: the mixture is fitted without them, and they represent no cluster.

    The likelihood knows no bound where a single graph has a component: it would take one from the others. So many that
    they could be a cluster are none; nor are there any where too few different graphs would be left.
    """
    far = np.zeros(len(twins), np.bool_)
    if positions.size:
        far = (np.abs(positions) > FAR).mean(axis=1) >= FAR_SHARE
    is_small = far.sum() < MIN_SHARE * len(far) or num_different(twins[far]) < num_graphs
    if not is_small or num_different(twins[~far]) < max(num_needed, MIN_OTHERS):
        far[:] = False
    return far


def num_different(twins: Ints) -> int:
    """How many different numbers there are."""
    return int(np.unique(twins).size)


# ---- the mixture -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Mixture:
    """A fitted mixture.

    Attributes:
        labels: ``[num_graphs]``, the cluster of each graph.
        distances: ``[num_clusters, num_graphs]``, Mahalanobis distances to the clusters' means.
        notes: What had to be done differently from what was asked.
    """

    labels: Ints
    distances: Floats
    notes: tuple[str, ...] = ()


def fit_mixture(
    points: Floats,
    num_clusters: int,
    covariance: Covariance,
    random_state: int,
    *,
    num_starts: int = NUM_STARTS,
    tolerance: float = 1e-3,
) -> "GaussianMixture":
    """Fit a Gaussian mixture.

    Args:
        points: ``[num_graphs, dim]``, scaled and clipped.
        num_clusters: How many components.
        covariance: Of which kind.
        random_state: Seed of the starts.
        num_starts: The best of them goes on with all graphs.
        tolerance: Gain in mean log-likelihood that another iteration is worth.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    dim = points.shape[1]
    sample = points[evenly(len(points), max(START_GRAPHS, 2 * dim * num_clusters))]
    options = {"covariance_type": covariance, "tol": tolerance, "random_state": random_state}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a note says so
        fitted = GaussianMixture(num_clusters, n_init=num_starts if num_clusters > 1 else 1, **options).fit(sample)
        if len(sample) < len(points):
            options |= {"weights_init": fitted.weights_, "means_init": fitted.means_}
            fitted = GaussianMixture(num_clusters, precisions_init=fitted.precisions_, **options).fit(points)
    return fitted


def distances_and_densities(mixture: "GaussianMixture", points: Floats) -> tuple[Floats, Floats]:
    """Mahalanobis distances to the means, and weighted log densities up to a constant, ``[num_clusters, num_points]``.

    Probabilities would be 0 in far components, and none of those the nearest.
    """
    whitening = mixture.precisions_cholesky_  # by its product a component becomes the standard normal distribution
    if mixture.covariance_type != "full":
        whitening = whitening.reshape(len(whitening), -1, 1) * np.eye(points.shape[1])
    log_determinants = np.log(np.diagonal(whitening, axis1=1, axis2=2)).sum(axis=1)
    pairs = zip(mixture.means_, whitening, strict=True)
    distances = np.stack([np.linalg.norm((points - mean) @ white, axis=1) for mean, white in pairs])
    return distances, (np.log(mixture.weights_) + log_determinants)[:, None] - 0.5 * distances**2


def covariance_for(num_distinct: int, num_clusters: int, dim: int) -> Covariance:
    """Return the richest covariance that the graphs can decide.

    >>> covariance_for(100, 2, 32), covariance_for(100, 2, 16)
    ('diag', 'full')
    """
    each = num_distinct / num_clusters
    if each >= FULL_FROM * dim:
        return "full"
    return "diag" if each >= VARIANCES_FROM else "spherical"


def _fitted_mixture(
    points: Floats, twins: Ints, is_far: Bools, strengths: dict[int, float], num_graphs: int, random_state: int
) -> Mixture:
    """The mixture with the largest of some numbers of clusters that is strong enough and leaves none to be merged.

    If there is only one number, clusters that are too small are merged into the others.

    Args:
        points: ``[num_graphs, dim]``, scaled and clipped, in canonical order.
        twins: Equal for graphs whose embeddings coincide.
        is_far: Which graphs the mixture is fitted without; they join the cluster that they are most likely in.
        strengths: The prediction strengths of the numbers.
        num_graphs: How many different embeddings a cluster must have.
        random_state: Seed of the starts.
    """
    near, dim = np.flatnonzero(~is_far), points.shape[1]
    num_distinct = num_different(twins[near])
    if dim == 0 or num_distinct == 1:
        return Mixture(np.zeros(len(points), np.int64), np.linalg.norm(points - points[0], axis=1)[None])
    sample = points[near[evenly(near.size, MAX_FITTED)]]
    strong = [number for number in sorted(strengths, reverse=True) if strengths[number] >= LEAST_STRENGTH]
    for number in strong:
        mixture = fit_mixture(sample, number, covariance_for(num_distinct, number, dim), random_state)
        distances, log_densities = distances_and_densities(mixture, points)
        labels, alive, merges = merged(log_densities, twins, num_graphs)
        if not merges or number == strong[-1]:
            break
    notes = [] if mixture.converged_ else [f"the mixture did not converge in {mixture.max_iter} iterations"]
    if near.size > MAX_FITTED:
        notes.append(
            f"the mixture was fitted to {MAX_FITTED:,} of the {near.size:,} graphs of the class, evenly spaced by "
            f"their embeddings; all of them were assigned to its clusters"
        )
    return Mixture(labels, distances[alive], (*notes, *merges))


def merged(log_densities: Floats, twins: Ints, num_graphs: int) -> tuple[Ints, list[int], list[str]]:
    """Dissolve the clusters that are too small, poorest first; their members go to the next most likely.

    Returns:
        The cluster of each graph, by its place among those that are left; which these are; and what was done.
    """
    alive = list(range(len(log_densities)))
    notes: list[str] = []
    while True:
        labels = log_densities[alive].argmax(axis=0)
        sizes = np.bincount(labels, minlength=len(alive))
        rich = [num_different(twins[labels == place]) for place in range(len(alive))]
        share = sizes / len(labels)
        small = [place for place in range(len(alive)) if rich[place] < num_graphs or share[place] < MIN_SHARE]
        if len(alive) == 1 or not small:
            return labels, alive, notes
        poorest = min(small, key=lambda place: (rich[place], sizes[place]))
        why = (
            f"its graphs have {count_of(rich[poorest], 'different embedding')}, fewer than num_graphs={num_graphs}"
            if rich[poorest] < num_graphs
            else f"a cluster must hold {MIN_SHARE:.0%}"
        )
        notes.append(
            f"a cluster of {count_of(int(sizes[poorest]), 'graph')}, {share[poorest]:.1%} of the class, was merged "
            f"into the others: {why}"
        )
        del alive[poorest]


def evenly(total: int, most: int) -> Ints:
    """Return up to ``most`` numbers below ``total``, evenly spaced.

    >>> evenly(10, 4)
    array([0, 2, 5, 7])
    """
    number = min(total, most)
    return np.arange(number, dtype=np.int64) * total // max(1, number)


# ---- how many clusters -----------------------------------------------------------------------------------------------


def prediction_strengths(points: Floats, twins: Ints, num_graphs: int, random_state: int) -> dict[int, float]:
    """Return the prediction strength of each number of clusters, up to the largest that the halves have graphs for.

    One cluster always has 1. Of a number that can no longer come to the least strength, not all splits are looked at.

    Args:
        points: ``[num_graphs, dim]``, scaled and clipped, in canonical order.
        twins: Equal for graphs whose embeddings coincide.
        num_graphs: How many different embeddings a cluster must have.
        random_state: Seed of the splits and of the mixtures.
    """
    sample = evenly(len(points), MAX_HALVED)
    points, twins = points[sample], twins[sample]
    generator = np.random.default_rng(random_state)
    halves = [_half(twins, generator) for _ in range(NUM_SPLITS)]
    num_distinct = num_different(twins) // 2
    most = min(MAX_CLUSTERS, num_distinct // max(MIN_HALVED, num_graphs)) if points.shape[1] else 1
    strengths = {1: 1.0}
    for number in range(2, most + 1):
        shares: list[float] = []
        for first in halves:
            shares.append(_halves_agree(points, twins, first, number, random_state))
            if sum(shares) + NUM_SPLITS - len(shares) < LEAST_STRENGTH * NUM_SPLITS:
                break
        strengths[number] = float(np.mean(shares))
    return strengths


def _half(twins: Ints, generator: np.random.Generator) -> Bools:
    """A random half; graphs that coincide are in the same: in both they would agree with themselves."""
    names, position = np.unique(twins, return_inverse=True)
    chosen = np.zeros(len(names), np.bool_)
    chosen[generator.permutation(len(names))[: len(names) // 2]] = True
    half: Bools = chosen[position]
    return half


def _halves_agree(points: Floats, twins: Ints, first: Bools, num_clusters: int, random_state: int) -> float:
    labels = []
    for half in (first, ~first):
        covariance = covariance_for(num_different(twins[half]), num_clusters, points.shape[1])
        mixture = fit_mixture(
            points[half], num_clusters, covariance, random_state, num_starts=SPLIT_STARTS, tolerance=SPLIT_TOLERANCE
        )
        labels.append(distances_and_densities(mixture, points)[1].argmax(axis=0))
    own, other = labels
    return 0.5 * (
        agreement(own[first], other[first], num_clusters) + agreement(other[~first], own[~first], num_clusters)
    )


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


# ---- representatives, and what is said -------------------------------------------------------------------------------


def _different(
    ordered: Ints, indices: Ints, twins: Ints, count: int, content_keys: Callable[[Sequence[int]], Sequence[bytes]]
) -> tuple[int, ...]:
    """The first graphs no two of which have the same embedding; of twins the first by content."""
    numbers = list(dict.fromkeys(twins[ordered].tolist()))[:count]
    alike = [indices[slice(*np.searchsorted(twins, [number, number + 1]))].tolist() for number in numbers]
    # All at once, which is much quicker than one by one.
    asked = [index for group in alike if len(group) > 1 for index in group]
    keys = dict(zip(asked, content_keys(asked), strict=True))
    return tuple(min(group, key=lambda index: (keys.get(index, b""), index)) for group in alike)


def _lowered_notes(asked: int, number: int, num_graphs: int, graphs: int, num_distinct: int) -> list[str]:
    notes = []
    if number < asked:
        notes.append(
            f"num_clusters was lowered from {asked} to {number}: the class has {num_distinct} different graph "
            f"embeddings, and each cluster needs {graphs}"
        )
    if graphs < num_graphs:
        notes.append(
            f"num_graphs was lowered from {num_graphs} to {graphs}: the class has only "
            f"{count_of(num_distinct, 'different graph embedding')}"
        )
    return notes


def _far_notes(indices: Ints, positions: Floats, is_far: Bools, graph_label: Callable[[int], str]) -> list[str]:
    """Say how many graphs are far off, and which is the farthest."""
    number = int(is_far.sum())
    if not number:
        return []
    farthest = graph_label(int(indices[np.where(is_far, np.abs(positions).mean(axis=1), -1.0).argmax()]))
    if number == 1:
        return [f"{farthest} lies far outside of the class; it counts as a member but represents no cluster"]
    return [
        f"{number} graphs lie far outside of the class (the farthest is {farthest}); they count as members but "
        f"represent no cluster"
    ]
