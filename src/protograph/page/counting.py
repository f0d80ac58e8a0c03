"""In how many graphs of a cluster, and of other classes, does a pattern lie, and what does that tell?"""

from dataclasses import dataclass
from functools import cached_property
from math import log2

import numpy as np

from protograph._utils.arrays import Bools, Ints
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.patterns.pattern import Subgraph
from protograph.patterns.subgraph_isomorphism import PatternStore

SPARSE_EDGES = 60  # edges of a source up to which all parts are counted that one may want to
LEAST_COUNTED = 8  # parts counted in a dense source nevertheless
COUNT_CALLS = 2_000  # nodes to try in one graph; a pattern that needs more counts as not lying there


def information(inside: float, outside: float) -> float:
    r"""Bits that "does it contain the pattern?" tells about "is it of the cluster or of another class?".

    .. math:: H\big(\tfrac{a + b}{2}\big) - \tfrac{H(a) + H(b)}{2}

    with a and b the shares of graphs that contain it in the cluster and elsewhere, both equally likely. Negative where
    the pattern speaks for the other classes.

    >>> information(1.0, 0.0), information(0.5, 0.5), information(0.0, 1.0)
    (1.0, 0.0, -1.0)
    """
    bits = _entropy((inside + outside) / 2) - (_entropy(inside) + _entropy(outside)) / 2
    return max(0.0, bits) if inside >= outside else min(0.0, -bits)


def _entropy(share: float) -> float:
    if share <= 0 or share >= 1:
        return 0.0
    return -share * log2(share) - (1 - share) * log2(1 - share)


@dataclass(frozen=True)
class Occurrence:
    """Which graphs of the two samples contain a pattern."""

    inside: Bools
    outside: Bools

    @cached_property
    def shares(self) -> tuple[float, float]:
        """Share of the graphs of the cluster, and of the others, that contain it; 0 where there are none."""
        inside, outside = np.count_nonzero(self.inside), np.count_nonzero(self.outside)
        return inside / max(self.inside.size, 1), outside / max(self.outside.size, 1)

    @cached_property
    def information(self) -> float:
        """See :func:`information`."""
        return information(*self.shares)


def spread(indices: Ints, count: int) -> Ints:
    """At most ``count`` of the indices, evenly spaced.

    >>> spread(np.arange(10), 3)
    array([0, 4, 9])
    """
    if indices.size <= count:
        return indices
    return indices[np.linspace(0, indices.size - 1, count).round().astype(np.int64)]


@dataclass(frozen=True, eq=False)
class Sample:
    """Graphs of a cluster, and graphs predicted as another class, that patterns are counted in."""

    inside: Ints
    outside: Ints


class Population:
    """Where patterns are counted.

    Args:
        encoded: All graphs.
        cluster: Indices of the cluster's graphs.
        others: Indices of the graphs predicted as another class.

    Attributes:
        store: What has been counted: sessions come upon the same patterns again and again.
    """

    def __init__(self, encoded: EncodedGraphs, cluster: Ints, others: Ints) -> None:
        self._cluster, self._others = cluster, others
        self.store = PatternStore(encoded, COUNT_CALLS)

    def sample(self, inside: int, outside: int) -> Sample:
        """So many graphs of the cluster and so many others, evenly spaced."""
        return Sample(spread(self._cluster, inside), spread(self._others, outside))


class PatternCounter:
    """Counts the patterns of one source graph.

    Args:
        store: Answers which graphs contain a pattern.
        source: The source, encoded as the graphs are.
    """

    def __init__(self, store: PatternStore, source: EncodedGraph) -> None:
        self._store, self.source = store, source

    def affordable(self, most: int) -> int:
        """How many patterns to count where ``most`` are wanted: the more edges the source has, the fewer.

        Searching a dense graph for a part of another takes long; sparse ones as molecules have some 30 edges.
        """
        return max(LEAST_COUNTED, min(most, most * SPARSE_EDGES // max(1, self.source.num_edges)))

    def count(self, pattern: Subgraph, sample: Sample, among: Occurrence | None = None) -> Occurrence:
        """Which graphs contain a pattern; ``among`` is what is known of a part of it, which those must contain too."""
        both = np.concatenate([sample.inside, sample.outside])
        contains = np.ones(both.size, np.bool_)
        if among is not None:
            contains = np.concatenate([among.inside, among.outside])
        places, stored = np.flatnonzero(contains), self._store.stored(pattern.encoded(self.source))
        contains[places] = self._store.answers(stored, both[places]) > 0
        return Occurrence(contains[: sample.inside.size], contains[sample.inside.size :])
