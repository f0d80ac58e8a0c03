"""In how many graphs of a cluster, and of other classes, does a pattern lie, and what does that tell?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Bools, Ints
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.page.options import ConsensusOptions
from protograph.patterns.pattern import Subgraph
from protograph.patterns.subgraph_isomorphism import PatternStore, StoredPattern


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """Where patterns are counted.

    Attributes:
        encoded: All graphs.
        cluster: Indices of the cluster's graphs.
        others: Indices of the graphs predicted as another class.
        options: How many graphs, and how long to look.
        known: The number among all graphs of each that is here, ascending; ``None`` where all are.
    """

    encoded: EncodedGraphs
    cluster: Ints
    others: Ints
    options: ConsensusOptions
    known: Ints | None = None

    def numbers_here(self, indices: Sequence[int]) -> Ints:
        """The numbers that graphs have here, by those among all."""
        own = np.array(indices, dtype=np.int64)
        return own if self.known is None else np.searchsorted(self.known, own)

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long growing, trimming with closing, and the counting in these took."""
        return self.store.seconds

    @cached_property
    def store(self) -> PatternStore:
        """What has been counted: sessions come upon the same patterns again and again."""
        return PatternStore(self.encoded, self.options.count_calls)

    def counter(self, source: "SourcePatterns", sample: int, outside: int | None = None) -> "PatternCounter":
        """A counter of the patterns of a source in samples of so many graphs."""
        others = spread(self.others, sample if outside is None else outside)
        return PatternCounter(source, spread(self.cluster, sample), others, self.options)


def population_of(
    encoded: EncodedGraphs, cluster: Ints, others: Ints, asked: Sequence[int], options: ConsensusOptions
) -> Population:
    """Where patterns are counted: among all graphs or, of very many, in a part of them.

    Args:
        encoded: All graphs.
        cluster: As of :class:`Population`.
        others: As of it.
        asked: Further graphs that must be there.
        options: As of it.
    """
    if len(encoded) <= options.max_counted:
        return Population(encoded=encoded, cluster=cluster, others=others, options=options)
    inside, outside = spread(cluster, options.drawn_from), spread(others, options.drawn_from)
    known = np.unique(np.concatenate([inside, outside, np.asarray(asked, dtype=np.int64)]))
    return Population(
        encoded=encoded.part(known),
        cluster=np.searchsorted(known, inside),
        others=np.searchsorted(known, outside),
        options=options,
        known=known,
    )


class SourcePatterns:
    """The patterns of one source graph as they are counted; each is encoded once.

    Args:
        store: Answers which graphs contain a pattern.
        source: The source, encoded as the graphs are.
    """

    def __init__(self, store: PatternStore, source: EncodedGraph) -> None:
        self._store, self.source = store, source
        self._stored: dict[Subgraph, StoredPattern] = {}

    def answers(self, pattern: Subgraph, indices: Ints) -> NDArray[np.int8]:
        """Which of the graphs contain a pattern of the source: 1, 0, or -1 where the search was given up."""
        if pattern not in self._stored:
            self._stored[pattern] = self._store.stored(pattern.encoded(self.source))
        return self._store.answers(self._stored[pattern], indices)


class PatternCounter:
    """Counts the patterns of one source graph in samples of a cluster and of the other classes.

    Args:
        patterns: The patterns of the source.
        inside: Indices of graphs of the cluster.
        outside: Indices of graphs predicted as another class.
        options: How long to look.
    """

    def __init__(
        self,
        patterns: SourcePatterns,
        inside: Ints,
        outside: Ints,
        options: ConsensusOptions | None = None,
    ) -> None:
        self._patterns = patterns
        self._both, self._num_inside = np.concatenate([inside, outside]), inside.size
        self.options = options or ConsensusOptions()

    @property
    def kinds(self) -> list[int]:
        """Kind of each node of the source."""
        kinds: list[int] = self._patterns.source.node_kinds.tolist()
        return kinds

    def affordable(self, most: int) -> int:
        """How many patterns to count where ``most`` are wanted: the more edges the source has, the fewer.

        Searching a dense graph for a part of another takes long; sparse ones as molecules have some 30 edges.
        """
        return max(
            self.options.least_counted,
            min(most, most * self.options.sparse_edges // max(1, self._patterns.source.num_edges)),
        )

    def count(self, pattern: Subgraph, among: Occurrence | None = None) -> Occurrence:
        """Which graphs contain a pattern; ``among`` is what is known of a part of it, which those must contain too."""
        if among is None:
            contains = self._patterns.answers(pattern, self._both) > 0
        else:
            contains = np.concatenate([among.inside, among.outside])
            places = np.flatnonzero(contains)
            if places.size:
                contains[places] = self._patterns.answers(pattern, self._both[places]) > 0
        return Occurrence(contains[: self._num_inside], contains[self._num_inside :])
