"""Phase 1 of a class of very many graphs: the mixture is fitted to a sample, all are assigned block by block.

Kept of a graph are its cluster, its distance and whether it is far off. Which of the graphs near a mean have the same
embedding is found out for as many of them as the searches look at.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.growing import give_back, rows_of
from protograph._base.linear_algebra import one_thread
from protograph._base.ties import TOLERANCE, levels, tolerance_for
from protograph.models.exact_rows import ExactRows
from protograph.page.clusters.assigning import Assigning, far_limits
from protograph.page.clusters.mixture import Scaling
from protograph.page.clusters.selection import (
    Cluster,
    Selection,
    canonical_order,
    clustered,
    far_notes,
    grain_of,
)
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
        exact: Makes embeddings exact, where they are of single precision: those of the sample, of graphs whose cluster
            hangs on last digits, and of those nearest a mean; ``None`` where all are.
    """
    chosen = np.random.default_rng(random_state).choice(members.size, options.max_fitted, replace=False)
    drawn = members[np.sort(chosen)]
    if exact is not None:
        exact.make(drawn)  # all clusters hang on each of them
    sample = rows_of(embeddings, drawn)
    order, twins = canonical_order(sample, resolution)
    sample = sample[order]
    with one_thread():
        grain = grain_of(sample, resolution)
        scaling = Scaling.of(sample, grain)
        positions = scaling(sample)
        mixture, strengths, notes = clustered(positions, twins, num_clusters, num_graphs, random_state, options)
        graphs = min(num_graphs, int(twins[-1]) + 1)
        limits = far_limits(positions, twins, mixture.labels, graphs, options)
        assigning = Assigning(scaling, mixture, limits, options)
        found = _assigned(embeddings, members, assigning, exact)
        same = _Twins(grain, resolution, content_key)
        clusters = [
            _cluster(_Nearest(label, found, assigning, resolution, exact), embeddings, graphs, same)
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
    """What is kept of each graph of the class, and the mean of those of each cluster that are not far off.

    ``errors`` has the most by which each distance may be wrong, 0 of exact ones.
    """

    members: Ints
    labels: Ints
    distances: Floats
    errors: Floats
    is_far: Bools
    farness: Floats
    means: Floats


def _assigned(embeddings: Floats, members: Ints, assigning: Assigning, exact: ExactRows | None) -> _Assigned:
    """The cluster of each graph, its distance from the mean, and whether it is far off."""
    number = len(assigning.mixture.means)
    labels, distances, errors = np.zeros(members.size, np.int64), np.zeros(members.size), np.zeros(members.size)
    is_far, farness = np.zeros(members.size, np.bool_), np.zeros(members.size)
    sums, counts = np.zeros((number, embeddings.shape[1])), np.zeros(number)
    for first in range(0, members.size, _BLOCK):
        block = slice(first, min(first + _BLOCK, members.size))
        indices = members[block]
        own = embeddings[indices]
        if exact is not None:
            unsure = np.flatnonzero(assigning.are_unsure(own, exact.errors(indices)))
            own[unsure] = exact.rows(indices[unsure])
        labels[block], distances[block], is_far[block], farness[block] = assigning(own)
        if exact is not None:
            off = assigning.distance_errors(exact.errors(indices))
            errors[block] = off[labels[block], np.arange(indices.size)]
        for label in range(number):
            inside = own[(labels[block] == label) & ~is_far[block]]
            sums[label] += inside.sum(axis=0)
            counts[label] += len(inside)
        give_back(embeddings)
    means = sums / np.maximum(counts, 1)[:, None]
    return _Assigned(members, labels, distances, errors, is_far, farness, means)


class _Nearest:
    """Graphs of a cluster, those nearest the mean first, of which the first are in the order of exact distances.

    Args:
        label: The cluster.
        found: What is kept of each graph.
        assigning: Tells distances.
        resolution: Relative precision of embeddings that are exact.
        exact: Makes embeddings exact; ``None`` where all are.
    """

    def __init__(
        self, label: int, found: _Assigned, assigning: Assigning, resolution: float, exact: ExactRows | None
    ) -> None:
        self.label, self.found, self._assigning, self._exact = label, found, assigning, exact
        self._inside = np.flatnonzero(found.labels == label)
        farthest = float(found.distances[self._inside].max(initial=0.0))
        self._tolerance = max(TOLERANCE, 1e3 * resolution) * max(1.0, farthest)

    def all(self) -> Ints:
        """All of them; from where nobody has looked on, distances may be those of single precision."""
        return self._in_order(self._inside)

    def blocks(self, size: int, most: int) -> Iterator[Ints]:
        """Those that are not far off, so many at a time, up to a number."""
        free = self._inside[~self.found.is_far[self._inside]]
        order = self._in_order(free) if self._exact is None else free
        for first in range(0, min(free.size, most), size):
            if self._exact is not None:
                self._settle(free, min(first + size, free.size), self._exact)
                order = self._in_order(free)
            yield order[first : first + size]

    def _in_order(self, graphs: Ints) -> Ints:
        return graphs[np.lexsort((graphs, -levels(self.found.distances[graphs], self._tolerance)))]

    def _settle(self, graphs: Ints, number: int, exact: ExactRows) -> None:
        """Make those exact that might be among the first."""
        distances, errors = self.found.distances, self.found.errors
        last = np.partition(distances[graphs] + errors[graphs], number - 1)[number - 1]
        unsure = graphs[(errors[graphs] > 0) & (distances[graphs] - errors[graphs] <= last + self._tolerance)]
        if unsure.size:
            distances[unsure] = self._assigning.distances(exact.rows(self.found.members[unsure]), self.label)
            errors[unsure] = 0.0


@dataclass(frozen=True, eq=False)
class _Twins:
    """Graphs with the same embedding: ``grain`` is what is taken for rounding, ``key`` the content of a graph."""

    grain: float
    resolution: float
    key: Callable[[int], bytes]

    def reach(self, row: Floats) -> float:
        """Most by which the embedding of a twin differs."""
        return 4 * max(self.grain, tolerance_for(1.0, self.resolution) * float(np.abs(row).max(initial=0.0)))

    def first(self, alike: list[int]) -> int:
        """The first of twins, by content."""
        return alike[0] if len(alike) == 1 else min(alike, key=lambda one: (self.key(one), one))


def _cluster(nearest: _Nearest, embeddings: Floats, num_graphs: int, twins: _Twins) -> Cluster:
    found = nearest.found
    near = _different(nearest, embeddings, twins)
    graphs = nearest.all()
    return Cluster(
        members=tuple(found.members[graphs].tolist()),
        distances=tuple(found.distances[graphs].tolist()),
        representatives=tuple(near[:num_graphs]),
        mean=found.means[nearest.label],
        far=frozenset(found.members[graphs[found.is_far[graphs]]].tolist()),
        near=tuple(near),
    )


def _different(nearest: _Nearest, embeddings: Floats, twins: _Twins) -> list[int]:
    """The first graphs no two of which have the same embedding; of those that have, the first by content."""
    found: list[list[int]] = []
    rows = np.zeros((0, embeddings.shape[1]))
    for graphs in nearest.blocks(_NUM_TWINS * NUM_NEAR, _MOST_LOOKED_AT):
        block = nearest.found.members[graphs]
        for index, row in zip(block.tolist(), embeddings[block], strict=True):
            same = np.flatnonzero(np.abs(rows - row).max(axis=1, initial=0.0) <= twins.reach(row)).tolist()
            if same:
                if len(found[same[0]]) < _NUM_TWINS:
                    found[same[0]].append(index)
            elif len(found) < NUM_NEAR:
                found.append([index])
                rows = np.concatenate([rows, row[None]])
        if len(found) >= NUM_NEAR:
            break
    return [twins.first(alike) for alike in found]
