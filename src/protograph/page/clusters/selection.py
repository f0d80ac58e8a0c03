"""Phase 1 (paper, Section 4.1): clusters of a class's graph embeddings, and the graphs nearest their means."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.linear_algebra import one_thread
from protograph._base.ties import TOLERANCE, levels, row_ranks, tolerance_for
from protograph._base.words import count_of
from protograph.page.clusters.components import mahalanobis
from protograph.page.clusters.mixture import (
    NORMAL_RANGE,
    Covariance,
    Mixture,
    Scaling,
    fit_mixture,
    num_different,
    quartiles,
)
from protograph.page.clusters.num_clusters import choose
from protograph.page.options import ClusterOptions


@dataclass(frozen=True)
class Cluster:
    """One cluster of a class.

    Attributes:
        members: Indices of its graphs, nearest the mean first; of very many, from where the searches do not look, by
            distances of single precision.
        distances: Their Mahalanobis distances to the mixture's mean, both scaled (see :mod:`.mixture`).
        representatives: The indices of the k graphs nearest the mean, no two with the same embedding, none far off.
        mean: ``[dim]``, the mean of its graphs' embeddings as they are, without those far off.
        far: Its graphs that are far off.
        near: Of very many graphs those that the searches choose among, no two with the same embedding, nearest the mean
            first; empty where they choose among all.
    """

    members: tuple[int, ...]
    distances: tuple[float, ...]
    representatives: tuple[int, ...]
    mean: Floats
    far: frozenset[int] = frozenset()
    near: tuple[int, ...] = ()

    @property
    def in_settled_order(self) -> tuple[int, ...]:
        """Its graphs in an order that hangs on no last digits, for samples: nearest first; of very many, as they came.

        >>> Cluster((4, 1, 3), (0.1, 0.2, 0.3), (4,), np.zeros(1), near=(4, 1)).in_settled_order
        (1, 3, 4)
        """
        return tuple(sorted(self.members)) if self.near else self.members


@dataclass(frozen=True)
class Selection:
    """The clusters of a class, largest first, and how they were found.

    It can be gone through like a list of its clusters.

    Attributes:
        clusters: The clusters.
        notes: What had to be done differently from what was asked.
        covariance: Which covariances the mixture has: ``"full"``, ``"diag"``, ``"spherical"``, or ``"none"``.
        reason: Why these, in a sentence.
        strengths: For ``num_clusters="auto"`` the prediction strength of each number that was tried.
    """

    clusters: tuple[Cluster, ...]
    notes: tuple[str, ...]
    covariance: Covariance = "none"
    reason: str = ""
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
    resolution: float = 1e-13,
    content_key: Callable[[int], bytes] | None = None,
    options: ClusterOptions | None = None,
    graph_label: Callable[[int], str] = "graph {}".format,
) -> Selection:
    """Cluster the embeddings of one class and pick each cluster's representatives.

    Graphs whose embeddings coincide are chosen once. Too few of them for ``num_clusters`` clusters of ``num_graphs``
    means fewer clusters, then fewer graphs; a cluster with fewer than ``num_graphs`` different ones, or too small a
    share of the class, is merged into the others. Graphs far outside of their cluster represent none. All of
    that is said in the notes.

    Args:
        embeddings: ``[num_members, dim]``, of double precision where the model has that: clusters hang on all of them.
        indices: Index of each of them in the data set.
        num_clusters: L of the paper; ``"auto"`` is the largest number that two halves of the class agree on (see
            :mod:`protograph.page.clusters.num_clusters`).
        num_graphs: k of the paper.
        random_state: Seed of the mixture.
        resolution: Relative precision of the embeddings.
        content_key: Gives what tells graphs with equal embeddings apart, so that their order never matters.
        options: How clusters are made.
        graph_label: What notes call a graph, by its index.
    """
    options = options or ClusterOptions()
    key = content_key or (lambda index: index.to_bytes(8, "big"))
    order, twins = canonical_order(embeddings, resolution)
    embeddings, indices = embeddings[order], indices[order]
    with one_thread():
        scaling = Scaling.of(embeddings, grain_of(embeddings, resolution))
        positions = scaling(embeddings)
        mixture, strengths, notes = clustered(positions, twins, num_clusters, num_graphs, random_state, options)
        graphs = min(num_graphs, int(twins[-1]) + 1)
        is_far = _far_off(positions, twins, mixture.labels, graphs, options)
        clusters = []
        for label, (mean, covariance) in enumerate(zip(mixture.means, mixture.covariances, strict=True)):
            inside = np.flatnonzero(mixture.labels == label)
            distances = mahalanobis(positions[inside].clip(-options.clip, options.clip), mean, covariance)
            ranks = _nearest_first(distances, twins[inside], resolution)
            nearest = inside[ranks]
            clusters.append(
                Cluster(
                    members=tuple(indices[nearest].tolist()),
                    distances=tuple(distances[ranks].tolist()),
                    representatives=_representatives(nearest[~is_far[nearest]], indices, twins, graphs, key),
                    mean=embeddings[inside[~is_far[inside]]].mean(axis=0),
                    far=frozenset(indices[inside[is_far[inside]]].tolist()),
                )
            )
    clusters.sort(key=lambda cluster: -len(cluster.members))
    notes = (*notes, *mixture.notes, *far_notes(indices, positions, is_far, graph_label))
    return Selection(tuple(clusters), notes, mixture.covariance, mixture.reason, strengths)


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
    typical = float(np.median(sizes)) or float(sizes.max())
    return max(1e-300, 1e-300 * float(sizes.max()), typical * tolerance_for(1.0, resolution))


def clustered(
    positions: Floats,
    twins: Ints,
    num_clusters: int | Literal["auto"],
    num_graphs: int,
    random_state: int,
    options: ClusterOptions,
) -> tuple[Mixture, dict[int, float], tuple[str, ...]]:
    """The mixture, the strengths of the numbers tried, and notes."""
    number = 1 if num_clusters == "auto" else num_clusters
    number, graphs, notes = _affordable(number, num_graphs, int(twins[-1]) + 1)
    points = positions.clip(-options.clip, options.clip)
    aside = _aside(positions, twins, number * graphs, graphs, options)
    fit = partial(fit_mixture, num_clusters=number) if num_clusters != "auto" else choose
    result = fit(points, twins, num_graphs=graphs, random_state=random_state, options=options, aside=aside)
    if isinstance(result, Mixture):
        return result, {}, tuple(notes)
    return result.mixture, result.strengths, tuple(notes)


def _aside(positions: Floats, twins: Ints, num_needed: int, num_graphs: int, options: ClusterOptions) -> Bools:
    """Which graphs the mixture is fitted without: those far outside of the class, too few to be a cluster.

    The likelihood knows no bound where a single graph has a component: it would take one from the others.
    """
    far = np.zeros(len(twins), np.bool_)
    if positions.size:
        far = (np.abs(positions) > options.far).mean(axis=1) >= options.far_share
    is_small = far.sum() < options.min_share * len(far) or num_different(twins[far]) < num_graphs
    if not is_small or num_different(twins[~far]) < max(num_needed, options.min_others):
        far[:] = False
    return far


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
            f"num_graphs was lowered from {num_graphs} to {graphs}: the class has only "
            f"{count_of(num_distinct, 'different graph embedding')}"
        )
    return clusters, graphs, notes


def _far_off(positions: Floats, twins: Ints, labels: Ints, num_graphs: int, options: ClusterOptions) -> Bools:
    """Which graphs lie so far outside of their cluster that they must not represent it.

    In enough of the dimensions they are many units from the cluster's median; a unit is the cluster's own
    inter-quartile range / 1.349, or the class's where that is larger. A cluster that would have too few others keeps
    all.
    """
    far = np.zeros(len(labels), dtype=np.bool_)
    if not (np.abs(positions) > options.far).any():
        return far
    for label in np.unique(labels):
        inside = np.flatnonzero(labels == label)
        low, middle, high = quartiles(positions[inside])
        units = np.maximum(1.0, (high - low) / NORMAL_RANGE)
        beyond = np.abs(positions[inside] - middle) > options.far * units
        outside = beyond.mean(axis=1) >= options.far_share
        if num_different(twins[inside[~outside]]) >= max(num_graphs, options.min_others):
            far[inside] = outside
    return far


def far_notes(indices: Ints, positions: Floats, is_far: Bools, graph_label: Callable[[int], str]) -> list[str]:
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


def _representatives(
    nearest: Ints, indices: Ints, twins: Ints, num_graphs: int, key: Callable[[int], bytes]
) -> tuple[int, ...]:
    """The nearest graphs, of twins the first by content."""
    chosen = []
    for number in list(dict.fromkeys(twins[nearest].tolist()))[:num_graphs]:
        alike = indices[nearest[twins[nearest] == number]].tolist()
        chosen.append(alike[0] if len(alike) == 1 else min(alike, key=lambda i: (key(i), i)))
    return tuple(chosen)


def _nearest_first(distances: Floats, twins: Ints, resolution: float) -> Ints:
    """Order by distance; those that tie keep the canonical order."""
    tolerance = max(TOLERANCE, 1e3 * resolution) * max(1.0, float(distances.max()))
    return np.lexsort((twins, -levels(distances, tolerance)))
