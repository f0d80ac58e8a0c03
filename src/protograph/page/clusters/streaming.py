"""Phase 1 of a class of very many graphs: the mixture is fitted to a sample, all are assigned block by block.

Kept of a graph are its cluster, its distance and whether it is far off. Which of the graphs near a mean have the same
embedding is found out for as many of them as the searches look at.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.growing import give_back, rows_of
from protograph._base.linear_algebra import one_thread
from protograph._base.ties import TOLERANCE, levels, tolerance_for
from protograph.models.exact_rows import ExactRows
from protograph.page.clusters.components import mahalanobis
from protograph.page.clusters.mixture import NORMAL_RANGE, Mixture, Scaling, num_different, quartiles
from protograph.page.clusters.selection import (
    Cluster,
    Selection,
    canonical_order,
    clustered,
    distances_from,
    far_notes,
    grain_of,
    settled_distances,
)
from protograph.page.clusters.unsure import unsure_rows
from protograph.page.options import ClusterOptions

# Graphs that are assigned at a time.
_BLOCK = 2**16
# Different graphs nearest a mean that the searches choose among, and of each how many twins are compared by content.
NUM_NEAR, _NUM_TWINS = 400, 16
# Graphs nearest a mean that are looked at for these.
_MOST_LOOKED_AT = 2**17


def select_streamed(
    embeddings: Floats,
    members: Ints,
    *,
    num_clusters: int | Literal["auto"],
    num_graphs: int,
    random_state: int,
    resolution: float,
    content_key: Callable[[int], bytes],
    options: ClusterOptions,
    graph_label: Callable[[int], str] = "graph {}".format,
    exact: ExactRows | None = None,
) -> Selection:
    """As :func:`~protograph.page.clusters.selection.select`, in memory that grows by a few numbers a graph.

    Args:
        embeddings: Those of all graphs, ``[num_graphs, dim]``.
        members: Indices of the graphs of the class, ascending.
        num_clusters: As of ``select``.
        num_graphs: As of ``select``.
        random_state: Seed of the sample and of the mixture.
        resolution: As of ``select``.
        content_key: As of ``select``.
        options: As of ``select``; ``max_fitted`` is the size of the sample.
        graph_label: As of ``select``.
        exact: As of ``select``.
    """
    chosen = np.random.default_rng(random_state).choice(members.size, options.max_fitted, replace=False)
    drawn = members[np.sort(chosen)]
    if exact is not None:
        exact.make(drawn[unsure_rows(rows_of(embeddings, drawn), exact.order_errors(drawn))])
    sample = rows_of(embeddings, drawn)
    order, twins = canonical_order(sample, resolution)
    sample = sample[order]
    with one_thread():
        grain = grain_of(sample, resolution)
        scaling = Scaling.of(sample, grain)
        positions = scaling(sample)
        mixture, strengths, notes = clustered(positions, twins, num_clusters, num_graphs, random_state, options)
        graphs = min(num_graphs, int(twins[-1]) + 1)
        limits = _far_limits(positions, twins, mixture.labels, graphs, options)
        found = _assigned(embeddings, members, scaling, mixture, limits, options)
        if exact is not None:
            _settle_nearest(embeddings, members, found, scaling, mixture, options, exact)
            # Twins are told by what is known of all.
            resolution = max(resolution, exact.relative_error)
            grain = grain_of(sample, resolution)
        clusters = [
            _cluster(label, embeddings, members, found, graphs, grain, resolution, content_key)
            for label in range(len(mixture.means))
        ]
    clusters = sorted((one for one in clusters if one.members), key=lambda cluster: -len(cluster.members))
    notes = (
        f"the mixture was fitted to {options.max_fitted:,} of the {members.size:,} graphs of the class, drawn by the "
        f"seed {random_state}; all of them were assigned to its clusters",
        *notes,
        *mixture.notes,
        *far_notes(members, found.farness[:, None], found.is_far, graph_label),
    )
    return Selection(tuple(clusters), notes, mixture.covariance, mixture.reason, strengths)


@dataclass(frozen=True, eq=False)
class _Assigned:
    """What is kept of each graph of the class, and the sum and number of those of each cluster that are not far off."""

    labels: Ints
    distances: Floats
    is_far: Bools
    farness: Floats
    means: Floats


# For each cluster its median and its units, beyond which a graph is far off; ``None`` where none is.
_Limits = list[tuple[Floats, Floats] | None]


def _far_limits(positions: Floats, twins: Ints, labels: Ints, num_graphs: int, options: ClusterOptions) -> _Limits:
    limits: _Limits = []
    for label in range(int(labels.max()) + 1):
        inside = np.flatnonzero(labels == label)
        low, middle, high = quartiles(positions[inside])
        units = np.maximum(1.0, (high - low) / NORMAL_RANGE)
        outside = _are_far(positions[inside], middle, units, options)
        is_enough = num_different(twins[inside[~outside]]) >= max(num_graphs, options.min_others)
        limits.append((middle, units) if is_enough else None)
    return limits


def _are_far(positions: Floats, middle: Floats, units: Floats, options: ClusterOptions) -> Bools:
    if not positions.shape[1]:
        return np.zeros(len(positions), np.bool_)
    are_far: Bools = (np.abs(positions - middle) > options.far * units).mean(axis=1) >= options.far_share
    return are_far


def _assigned(
    embeddings: Floats, members: Ints, scaling: Scaling, mixture: Mixture, limits: _Limits, options: ClusterOptions
) -> _Assigned:
    """The most likely cluster of each graph, its distance from the mean, and whether it is far off."""
    sizes = np.bincount(mixture.labels, minlength=len(mixture.means))
    constants = np.log(sizes / sizes.sum()) - 0.5 * np.array([_log_determinant(one) for one in mixture.covariances])
    number = len(mixture.means)
    labels, distances = np.zeros(members.size, np.int64), np.zeros(members.size)
    is_far, farness = np.zeros(members.size, np.bool_), np.zeros(members.size)
    sums, counts = np.zeros((number, embeddings.shape[1])), np.zeros(number)
    for first in range(0, members.size, _BLOCK):
        block = slice(first, min(first + _BLOCK, members.size))
        own = embeddings[members[block]]
        positions = scaling(own)
        points = positions.clip(-options.clip, options.clip)
        away = np.stack([mahalanobis(points, *pair) for pair in zip(mixture.means, mixture.covariances, strict=True)])
        labels[block] = best = (constants[:, None] - 0.5 * away**2).argmax(axis=0)
        distances[block] = away[best, np.arange(best.size)]
        farness[block] = np.abs(positions).mean(axis=1) if positions.shape[1] else 0.0
        for label, limit in enumerate(limits):
            inside = np.flatnonzero(best == label)
            far = np.zeros(inside.size, np.bool_) if limit is None else _are_far(positions[inside], *limit, options)
            is_far[first + inside] = far
            sums[label] += own[inside[~far]].sum(axis=0)
            counts[label] += np.count_nonzero(~far)
        give_back(embeddings)
    return _Assigned(labels, distances, is_far, farness, sums / np.maximum(counts, 1)[:, None])


def _settle_nearest(
    embeddings: Floats,
    members: Ints,
    found: _Assigned,
    scaling: Scaling,
    mixture: Mixture,
    options: ClusterOptions,
    exact: ExactRows,
) -> None:
    """Let the order of those graphs nearest a mean that the searches choose among not hang on last digits."""
    for label, pair in enumerate(zip(mixture.means, mixture.covariances, strict=True)):
        inside = np.flatnonzero(found.labels == label)
        nearest = inside[np.argsort(found.distances[inside], kind="stable")[: 2 * NUM_NEAR]]
        away = partial(distances_from, scaling=scaling, component=pair, clip=options.clip)
        own = members[nearest]
        found.distances[nearest] = settled_distances(away, embeddings[own], own, exact)


def _log_determinant(covariance: Floats) -> float:
    return float(np.log(covariance).sum() if covariance.ndim == 1 else np.linalg.slogdet(covariance)[1])


def _cluster(
    label: int,
    embeddings: Floats,
    members: Ints,
    found: _Assigned,
    num_graphs: int,
    grain: float,
    resolution: float,
    key: Callable[[int], bytes],
) -> Cluster:
    inside = np.flatnonzero(found.labels == label)
    distances = found.distances[inside]
    tolerance = max(TOLERANCE, 1e3 * resolution) * max(1.0, float(distances.max(initial=0.0)))
    ranks = np.lexsort((inside, -levels(distances, tolerance)))
    nearest = inside[ranks]
    near = _different(embeddings, members[nearest[~found.is_far[nearest]]], grain, resolution, key)
    return Cluster(
        members=tuple(members[nearest].tolist()),
        distances=tuple(found.distances[nearest].tolist()),
        representatives=tuple(near[:num_graphs]),
        mean=found.means[label],
        far=frozenset(members[inside[found.is_far[inside]]].tolist()),
        near=tuple(near),
    )


def _different(
    embeddings: Floats, nearest: Ints, grain: float, resolution: float, key: Callable[[int], bytes]
) -> list[int]:
    """The first graphs no two of which have the same embedding; of those that have, the first by content."""
    found: list[list[int]] = []
    rows = np.zeros((0, embeddings.shape[1]))
    for first in range(0, min(nearest.size, _MOST_LOOKED_AT), _NUM_TWINS * NUM_NEAR):
        block = nearest[first : first + _NUM_TWINS * NUM_NEAR]
        for index, row in zip(block.tolist(), embeddings[block], strict=True):
            own = max(grain, tolerance_for(1.0, resolution) * float(np.abs(row).max(initial=0.0)))
            same = np.flatnonzero(np.abs(rows - row).max(axis=1, initial=0.0) <= 4 * own).tolist()
            if same:
                if len(found[same[0]]) < _NUM_TWINS:
                    found[same[0]].append(index)
            elif len(found) < NUM_NEAR:
                found.append([index])
                rows = np.concatenate([rows, row[None]])
        if len(found) >= NUM_NEAR:
            break
    return [alike[0] if len(alike) == 1 else min(alike, key=lambda one: (key(one), one)) for alike in found]
