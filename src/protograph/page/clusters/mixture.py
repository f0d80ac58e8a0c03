r"""The Gaussian mixture of Phase 1, on embeddings of any scale, number and dimension.

The paper fits a mixture to the embeddings as they are. Sum pooling makes those heavy-tailed, so that one huge graph
takes a cluster for itself, and a class often has fewer graphs than a covariance has entries. Here

- each dimension is scaled by its median and inter-quartile range, :math:`z = 1.349 (h - q_{1/2}) / (q_{3/4} - q_{1/4})`
  (about 1 for a normal distribution's standard deviation), and values beyond 3 count as 3,
- the covariances have as many parameters as the graphs can decide,
- a cluster of very few graphs is merged into the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.linear_algebra import one_thread
from protograph._base.words import count_of
from protograph.page.clusters.components import (
    Cloud,
    Components,
    Kind,
    Steps,
    from_responsibilities,
    improved,
    joint_log_densities,
)
from protograph.page.clusters.starts import k_means_starts
from protograph.page.options import ClusterOptions

Covariance = Literal["full", "diag", "spherical", "none"]

# A normal distribution's inter-quartile range, in standard deviations.
NORMAL_RANGE = 1.349
# A covariance that is singular even so is another mistake.
_MOST_REGULARISATION = 1e6
_WORDS = {"full": "full", "diag": "diagonal", "spherical": "spherical", "none": "no"}


@dataclass(frozen=True)
class Mixture:
    """A fitted mixture.

    Attributes:
        labels: ``[num_graphs]``, the cluster of each graph.
        means: One for each cluster, ``[dim]``.
        covariances: One for each cluster, ``[dim, dim]``, or the variances alone, ``[dim]``.
        covariance: Which of them were fitted.
        reason: Why, in a sentence.
        notes: What had to be done differently from what was asked.
        num_merged: How many clusters were merged into these.
    """

    labels: Ints
    means: Sequence[Floats]
    covariances: Sequence[Floats]
    covariance: Covariance
    reason: str
    notes: tuple[str, ...] = ()
    num_merged: int = 0


def scaled(embeddings: Floats, tolerance: float = 0.0) -> Floats:
    """Scale each dimension by its median and inter-quartile range; those that do not vary are left out.

    Where half of a dimension's values agree its range is 0, and its standard deviation stands in.

    Args:
        embeddings: ``[num_graphs, dim]``.
        tolerance: A spread up to this is rounding, and counts as 0.

    >>> scaled(np.array([[0.0, 5.0], [10.0, 5.0], [20.0, 5.0]])).round(4)
    array([[-1.349], [ 0.   ], [ 1.349]])
    """
    return Scaling.of(embeddings, tolerance)(embeddings)


@dataclass(frozen=True, eq=False)
class Scaling:
    """How each dimension is scaled; see :func:`scaled`.

    Attributes:
        kept: Which dimensions vary.
        middle: The median of each of these.
        spread: What each of these is divided by.
    """

    kept: Bools
    middle: Floats
    spread: Floats

    @classmethod
    def of(cls, embeddings: Floats, tolerance: float) -> "Scaling":
        """The scaling by these rows."""
        largest = np.abs(embeddings).max(axis=0, initial=0.0)
        unit = np.where(largest > 0, largest, 1.0)  # keeps the squares in range
        deviation = (embeddings / unit).std(axis=0)
        # Four roundings: constant values such as 0.1 have a deviation of about one.
        deviation = np.where(deviation > 4 * np.finfo(np.float64).eps, deviation * unit, 0.0)
        low, middle, high = quartiles(embeddings)
        least = np.maximum(tolerance, 1e-300 * unit)
        spread = (high - low) / NORMAL_RANGE
        spread = np.where(spread > least, spread, deviation)
        kept = spread > least
        return cls(kept, middle[kept], spread[kept])

    def __call__(self, embeddings: Floats) -> Floats:
        """Rows, scaled."""
        result: Floats = (embeddings[:, self.kept] - self.middle) / self.spread
        return result


def quartiles(points: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the quartiles of each column as ``numpy.quantile`` does, which takes several times as long.

    >>> quartiles(np.array([[1.0], [2.0], [3.0], [5.0]]))
    (array([1.75]), array([2.5]), array([3.5]))
    """
    columns = np.sort(points.T, axis=1)
    last = columns.shape[1] - 1
    low, middle, high = (_between(columns, 0.25 * last), _between(columns, 0.5 * last), _between(columns, 0.75 * last))
    return low, middle, high


def _between(columns: Floats, place: float) -> Floats:
    """Of ascending rows the value at a place between two entries; rounded as in NumPy, from the nearer one."""
    first = int(place)
    below, above = columns[:, first], columns[:, min(first + 1, columns.shape[1] - 1)]
    share = place - first
    step = above - below
    result: Floats = below + step * share if share < 0.5 else above - step * (1 - share)
    return result


def num_different(twins: Ints) -> int:
    """How many different numbers there are among ascending ones.

    >>> num_different(np.array([0, 0, 3, 4, 4]))
    3
    """
    return int(np.count_nonzero(twins[1:] != twins[:-1])) + (len(twins) > 0)


def covariance_for(num_distinct: int, num_clusters: int, dim: int, options: ClusterOptions) -> tuple[Kind, str]:
    """Return the richest covariance that the graphs can decide, and why.

    >>> covariance_for(100, 2, 32, ClusterOptions())
    ('diag', 'diagonal covariances: 50 different graphs a cluster are fewer than twice the 32 dimensions')
    """
    each, least = num_distinct / num_clusters, options.variances_from
    times = "twice" if options.full_from == 2 else f"{options.full_from:g} times"
    dims = f"{times} the {count_of(dim, 'dimension')}"
    is_full = each >= options.full_from * dim
    kind: Kind = "full" if is_full else "diag" if each >= least else "spherical"
    why = {
        "full": f"at least {dims}",
        "diag": f"fewer than {dims}",
        "spherical": f"fewer than {dims}, and than {least}",
    }[kind]
    return kind, f"{_WORDS[kind]} covariances: {each:.4g} different graphs a cluster are {why}"


def fit_mixture(
    points: Floats,
    twins: Ints,
    *,
    num_clusters: int,
    num_graphs: int,
    random_state: int,
    options: ClusterOptions,
    aside: Bools | None = None,
) -> Mixture:
    """Fit the mixture, then merge away the clusters that are too small.

    Args:
        points: ``[num_graphs, dim]``, scaled and clipped, in canonical order.
        twins: Equal for graphs whose embeddings coincide.
        num_clusters: L of the paper.
        num_graphs: How many different embeddings a cluster must have.
        random_state: Seed of the starts.
        options: How to fit, and how small a cluster may be.
        aside: Which graphs the mixture is fitted without; they join the cluster that they are most likely in.
    """
    fitted = np.ones(len(points), dtype=np.bool_) if aside is None else ~aside
    num_distinct = num_different(twins[fitted])
    if points.shape[1] == 0 or num_distinct == 1:
        return _single(points)
    kind, reason = covariance_for(num_distinct, num_clusters, points.shape[1], options)
    components, notes = fit_components(points[fitted], num_clusters, kind, random_state, options)
    chances = np.zeros((1, len(points))) if num_clusters == 1 else joint_log_densities(points, components)
    labels, alive, merged = _merge(chances, twins, num_graphs, options.min_share)
    return Mixture(
        labels=labels,
        means=[components.means[label] for label in alive],
        covariances=[components.covariance(label) for label in alive],
        covariance=kind,
        reason=reason,
        notes=(*notes, *merged),
        num_merged=num_clusters - len(alive),
    )


def fit_components(
    points: Floats, num_clusters: int, covariance: Kind, random_state: int, options: ClusterOptions
) -> tuple[Components, list[str]]:
    """Fit components from the best of several starts.

    Args:
        points: ``[num_graphs, dim]``.
        num_clusters: How many components.
        covariance: Of which kind.
        random_state: Seed of the starts.
        options: How many starts, iterations, and what is added to every variance; more until none is singular.

    Returns:
        The components, and notes on what went otherwise than planned.
    """
    if not np.isfinite(points).all():
        raise ValueError("embeddings must be finite to be clustered, got NaN or infinite numbers")
    raised, notes = options.regularisation, []
    with one_thread():
        while True:
            try:
                components, has_converged = _from_best_start(
                    points, num_clusters, covariance, random_state, options, raised
                )
            except np.linalg.LinAlgError:  # a covariance that is singular in float64
                if raised > _MOST_REGULARISATION:
                    raise
                raised *= 100
                continue
            break
    if raised > options.regularisation:
        notes.append(f"the mixture's covariances were singular, so {raised:g} was added to every variance")
    if not has_converged:
        notes.append(f"the mixture did not converge in {options.max_iterations} iterations")
    return components, notes


def _from_best_start(
    points: Floats, num_clusters: int, kind: Kind, random_state: int, options: ClusterOptions, regularisation: float
) -> tuple[Components, bool]:
    """Try starts on some of the points; the likeliest goes on with all. Also whether that converged."""
    cloud = Cloud.of(points, kind)
    if num_clusters == 1:  # there is nothing to improve
        return from_responsibilities(cloud, np.ones((1, len(points))), regularisation), True
    most = max(options.start_graphs, 2 * points.shape[1] * num_clusters)
    sample = cloud if len(points) <= most else Cloud.of(points[evenly(len(points), most)], kind)
    steps = Steps(options.start_iterations, options.tolerance, regularisation)
    fits = []
    for labels in k_means_starts(sample.points, num_clusters, options.num_starts, random_state):
        inside = (labels == np.arange(num_clusters)[:, None]).astype(np.float64)
        start = from_responsibilities(sample, inside, regularisation, is_quick=True)
        fits.append(improved(sample, start, steps))
    best = max(fits, key=lambda fit: fit.likelihood)
    if sample is not cloud or not best.has_converged:
        components = from_responsibilities(sample, best.responsibilities, regularisation, is_quick=True)
        best = improved(cloud, components, replace(steps, most=options.max_iterations), best.likelihood)
    return from_responsibilities(cloud, best.responsibilities, regularisation), best.has_converged


def evenly(total: int, most: int) -> Ints:
    """Return up to ``most`` numbers below ``total``, evenly spaced.

    >>> evenly(10, 4)
    array([0, 2, 5, 7])
    """
    number = min(total, most)
    return np.arange(number, dtype=np.int64) * total // max(1, number)


def _single(points: Floats) -> Mixture:
    """The cluster of graphs whose embeddings all coincide."""
    number, dim = points.shape
    graphs = "a single graph" if number == 1 else f"{number} graphs, all with the same embedding"
    return Mixture(
        labels=np.zeros(number, dtype=np.int64),
        means=[points[0]],
        covariances=[np.ones(dim)],
        covariance="none",
        reason=f"{_WORDS['none']} covariances: the class has {graphs}",
    )


def _merge(chances: Floats, twins: Ints, num_graphs: int, min_share: float) -> tuple[Ints, list[int], list[str]]:
    """Dissolve the clusters that are too small, poorest first; their members go to the next most likely."""
    alive, notes = list(range(len(chances))), []
    labels = chances.argmax(axis=0)
    while len(alive) > 1:
        sizes = {label: int((labels == label).sum()) for label in alive}
        rich = {label: num_different(twins[labels == label]) for label in alive}
        small = [label for label in alive if rich[label] < num_graphs or sizes[label] < min_share * len(labels)]
        if not small:
            break
        poorest = min(small, key=lambda label: (rich[label], sizes[label]))
        why = (
            f"its graphs have {count_of(rich[poorest], 'different embedding')}, fewer than num_graphs={num_graphs}"
            if rich[poorest] < num_graphs
            else f"a cluster must hold {min_share:.0%}"
        )
        notes.append(
            f"a cluster of {count_of(sizes[poorest], 'graph')}, {sizes[poorest] / len(labels):.1%} of the class, was "
            f"merged into the others: {why}"
        )
        alive.remove(poorest)
        labels = np.array(alive)[chances[alive].argmax(axis=0)]
    return np.searchsorted(alive, labels).astype(np.int64), alive, notes
