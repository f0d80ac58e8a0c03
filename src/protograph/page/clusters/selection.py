"""Phase 1 (paper, Section 4.1): clusters of a class's graph embeddings, and the graphs nearest their means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

import numpy as np

from protograph._base.words import count
from protograph.page.clusters.mixture import (
    CLIP,
    NORMAL_RANGE,
    Booleans,
    Covariance,
    Ints,
    Mixture,
    fit_mixture,
    mahalanobis,
    one_thread,
    scaled,
)
from protograph.page.clusters.num_clusters import choose
from protograph.page.walk.scoring import Floats

# A graph is far off that is this many units away in this share of the dimensions.
_FAR = 10.0
_FAR_SHARE = 0.25
# Of fewer different graphs than this, quartiles say little.
_MIN_OTHERS = 8


@dataclass(frozen=True)
class Cluster:
    """One cluster of a class.

    Attributes:
        members: Indices of its graphs, nearest the mean first.
        distances: Their Mahalanobis distances to the mixture's mean, both scaled (see :mod:`.mixture`).
        representatives: The indices of the k graphs nearest the mean, no two with the same embedding, none far off.
        mean: ``[dim]``, the mean of its graphs' embeddings as they are, without those far off.
        far: Its graphs that are far off.
    """

    members: tuple[int, ...]
    distances: tuple[float, ...]
    representatives: tuple[int, ...]
    mean: Floats
    far: frozenset[int] = frozenset()


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
    min_share: float = 0.05,
) -> Selection:
    """Cluster the embeddings of one class and pick each cluster's representatives.

    Graphs whose embeddings coincide are chosen once. Too few of them for ``num_clusters`` clusters of ``num_graphs``
    means fewer clusters, then fewer graphs; a cluster with fewer than ``num_graphs`` different ones, or with less than
    ``min_share`` of the class, is merged into the others. Graphs far outside of their cluster represent none. All of
    that is said in the notes.

    Args:
        embeddings: ``[num_members, dim]``.
        indices: Index of each of them in the data set.
        num_clusters: L of the paper; ``"auto"`` is the largest number that two halves of the class agree on (see
            :mod:`protograph.page.clusters.num_clusters`).
        num_graphs: k of the paper.
        random_state: Seed of the mixture.
        resolution: Relative precision of the embeddings.
        content_key: Gives what tells graphs with equal embeddings apart, so that their order never matters.
        min_share: Which share of the class a cluster holds at least.
    """
    key = content_key or (lambda index: index.to_bytes(8, "big"))
    order, groups = canonical_order(embeddings, resolution)
    embeddings, indices = embeddings[order], indices[order]
    with one_thread():
        positions = scaled(embeddings, _grain(embeddings, resolution))
        mixture, strengths, notes = _clustered(positions, groups, num_clusters, num_graphs, min_share, random_state)
        points, graphs = positions.clip(-CLIP, CLIP), min(num_graphs, int(groups[-1]) + 1)
        is_far = _far_off(positions, groups, mixture.labels, graphs)
        found = []
        for label, (mean, covariance) in enumerate(zip(mixture.means, mixture.covariances, strict=True)):
            inside = np.flatnonzero(mixture.labels == label)
            distances = mahalanobis(points[inside], mean, covariance)
            ranks = _nearest_first(distances, groups[inside], resolution)
            nearest = inside[ranks]
            found.append(
                Cluster(
                    members=tuple(int(i) for i in indices[nearest]),
                    distances=tuple(float(d) for d in distances[ranks]),
                    representatives=_representatives(nearest[~is_far[nearest]], indices, groups, graphs, key),
                    mean=embeddings[inside[~is_far[inside]]].mean(axis=0),
                    far=frozenset(indices[inside[is_far[inside]]].tolist()),
                )
            )
    found.sort(key=lambda cluster: -len(cluster.members))
    notes = (*notes, *mixture.notes, *_far_notes(indices, positions, is_far))
    return Selection(tuple(found), notes, mixture.covariance, mixture.reason, strengths)


def canonical_order(embeddings: Floats, resolution: float) -> tuple[Ints, Ints]:
    """Order rows by their content, and number the groups of rows that coincide.

    Returns:
        The order, and for each row *in that order* the number of its group, ascending from 0.

    >>> order, groups = canonical_order(np.array([[2.0], [1.0], [2.0]]), 1e-11)
    >>> groups
    array([0, 1, 1])
    """
    grain = _grain(embeddings, resolution)
    order = np.lexsort(np.round(embeddings / grain).T[::-1])
    ordered = embeddings[order]
    # Rounding grows with a graph's own numbers: those of one huge graph must not make all others coincide.
    own = np.maximum(grain, max(1e-9, resolution) * np.abs(ordered).max(axis=1, initial=0.0))
    steps = np.abs(np.diff(ordered, axis=0)).max(axis=1, initial=0.0)
    differs = steps > 4 * np.maximum(own[1:], own[:-1])
    return order, np.concatenate([[0], np.cumsum(differs)]).astype(np.int64)


def _grain(embeddings: Floats, resolution: float) -> float:
    """What is taken for rounding, by the numbers of an ordinary graph."""
    sizes = np.abs(embeddings).max(axis=1, initial=0.0)
    typical = float(np.median(sizes)) or float(sizes.max())
    return max(1e-300, 1e-300 * float(sizes.max()), typical * max(1e-9, resolution))


class _Options(TypedDict):
    num_graphs: int
    min_share: float
    random_state: int
    aside: Booleans


def _clustered(
    positions: Floats,
    groups: Ints,
    num_clusters: int | Literal["auto"],
    num_graphs: int,
    min_share: float,
    random_state: int,
) -> tuple[Mixture, dict[int, float], tuple[str, ...]]:
    """The mixture, the strengths of the numbers tried, and notes."""
    number = 1 if num_clusters == "auto" else num_clusters
    number, graphs, notes = _affordable(number, num_graphs, int(groups[-1]) + 1)
    points = positions.clip(-CLIP, CLIP)
    aside = _aside(positions, groups, number * graphs, graphs, min_share)
    options = _Options(num_graphs=graphs, min_share=min_share, random_state=random_state, aside=aside)
    if num_clusters == "auto":
        choice = choose(points, groups, **options)
        return choice.mixture, choice.strengths, tuple(notes)
    return fit_mixture(points, groups, num_clusters=number, **options), {}, tuple(notes)


def _aside(positions: Floats, groups: Ints, num_needed: int, num_graphs: int, min_share: float) -> Booleans:
    """Which graphs the mixture is fitted without: those far outside of the class, too few to be a cluster.

    The likelihood knows no bound where a single graph has a component: it would take one from the others.
    """
    far = (np.abs(positions) > _FAR).mean(axis=1) >= _FAR_SHARE if positions.size else np.zeros(len(groups), np.bool_)
    is_small = far.sum() < min_share * len(far) or len(np.unique(groups[far])) < num_graphs
    if not is_small or len(np.unique(groups[~far])) < max(num_needed, _MIN_OTHERS):
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
            f"{count(num_distinct, 'different graph embedding')}"
        )
    return clusters, graphs, notes


def _far_off(positions: Floats, groups: Ints, labels: Ints, num_graphs: int) -> Booleans:
    """Which graphs lie so far outside of their cluster that they must not represent it.

    In a quarter of the dimensions they are more than 10 units from the cluster's median; a unit is the cluster's own
    inter-quartile range / 1.349, or the class's where that is larger. Fewer dimensions do not count: one that is dead
    for most graphs has hardly a spread. A cluster that would have too few others keeps all.
    """
    far = np.zeros(len(labels), dtype=np.bool_)
    if not (np.abs(positions) > _FAR).any():
        return far
    for label in np.unique(labels):
        inside = np.flatnonzero(labels == label)
        low, middle, high = np.quantile(positions[inside], [0.25, 0.5, 0.75], axis=0)
        units = np.maximum(1.0, (high - low) / NORMAL_RANGE)
        beyond = np.abs(positions[inside] - middle) > _FAR * units
        outside = beyond.mean(axis=1) >= _FAR_SHARE
        if len(np.unique(groups[inside[~outside]])) >= max(num_graphs, _MIN_OTHERS):
            far[inside] = outside
    return far


def _far_notes(indices: Ints, positions: Floats, is_far: Booleans) -> list[str]:
    number = int(is_far.sum())
    if not number:
        return []
    farthest = int(indices[np.where(is_far, np.abs(positions).mean(axis=1), -1.0).argmax()])
    if number == 1:
        return [f"graph {farthest} lies far outside of the class; it counts as a member but represents no cluster"]
    return [
        f"{number} graphs lie far outside of the class (the farthest is graph {farthest}); they count as members but "
        f"represent no cluster"
    ]


def _representatives(
    nearest: Ints, indices: Ints, groups: Ints, num_graphs: int, key: Callable[[int], bytes]
) -> tuple[int, ...]:
    """One graph for each of the first groups; of those that coincide, the first by content."""
    chosen = []
    for group in _unique(groups[nearest])[:num_graphs]:
        twins = indices[nearest[groups[nearest] == group]]
        chosen.append(int(twins[0]) if len(twins) == 1 else min(map(int, twins), key=lambda i: (key(i), i)))
    return tuple(chosen)


def _nearest_first(distances: Floats, groups: Ints, resolution: float) -> Ints:
    """Order by distance; those that tie keep the canonical order."""
    order = np.argsort(distances, kind="stable")
    tolerance = max(1e-9, 1e3 * resolution) * max(1.0, float(distances.max()))
    ties = np.concatenate([[0], np.cumsum(np.diff(distances[order]) > tolerance)])
    return order[np.lexsort((groups[order], ties))]


def _unique(values: Sequence[int] | Ints) -> list[int]:
    return list(dict.fromkeys(int(value) for value in values))
