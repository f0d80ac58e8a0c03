"""In how many graphs of a cluster, and of other classes, does a pattern lie, and what does that tell?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protograph.graphs.encoding import EncodedGraphs, EncodedGraph
from protograph.patterns.common import Pattern

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
# Nodes to try in one graph; a pattern that needs more counts as not lying there.
_MAX_CALLS = 2_000
# Up to this many edges of the source all patterns are counted that one may want to; see PatternCounter.affordable.
_SPARSE = 60


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
    return float(-share * np.log2(share) - (1 - share) * np.log2(1 - share))


@dataclass(frozen=True)
class Found:
    """Which graphs of the two samples contain a pattern."""

    inside: Bools
    outside: Bools

    @property
    def shares(self) -> tuple[float, float]:
        """Share of the graphs of the cluster, and of the others, that contain it; 0 where there are none."""
        return tuple(float(part.mean()) if part.size else 0.0 for part in (self.inside, self.outside))  # type: ignore[return-value]

    @property
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


class PatternCounter:
    """Counts the patterns of one source graph in samples of a cluster and of the other classes.

    Args:
        encoded: All graphs.
        source: Index of the source.
        inside: Indices of graphs of the cluster.
        outside: Indices of graphs predicted as another class.
    """

    def __init__(self, encoded: EncodedGraphs, source: int, inside: Ints, outside: Ints) -> None:
        self._encoded = encoded
        self._source = encoded[source]
        self._both, self._num_inside = np.concatenate([inside, outside]), inside.size

    @property
    def labels(self) -> list[int]:
        """Label of each node of the source: equal where features are."""
        labels: list[int] = self._source.labels.tolist()
        return labels

    def affordable(self, most: int) -> int:
        """How many patterns to count where ``most`` are wanted: fewer, down to 8, the more edges the source has.

        Searching a dense graph for a part of another takes long; sparse ones as molecules have some 30 edges.
        """
        num_edges = max(1, self._source.neighbours.size // 2)
        return max(8, min(most, most * _SPARSE // num_edges))

    def count(self, pattern: Pattern, among: Found | None = None) -> Found:
        """Which graphs contain a pattern; ``among`` is what is known of a part of it, which those must contain too."""
        from protograph.patterns.containment import contained_in

        known = np.ones(self._both.size, np.bool_) if among is None else np.concatenate([among.inside, among.outside])
        result = np.zeros(self._both.size, np.bool_)
        if known.any():
            found = contained_in(self.encode(pattern), self._encoded, indices=self._both[known], max_calls=_MAX_CALLS)
            result[known] = found > 0
        return Found(result[: self._num_inside], result[self._num_inside :])

    def encode(self, pattern: Pattern) -> EncodedGraph:
        """A pattern as the compiled search reads it."""
        order = sorted(pattern.nodes)
        place = {node: position for position, node in enumerate(order)}
        neighbours = [sorted(place[other] for other in pattern.neighbours[node]) for node in order]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in neighbours])]).astype(np.int64)
        bonds = [self._bond(node, order[other]) for node, row in zip(order, neighbours, strict=True) for other in row]
        return EncodedGraph(
            self._source.labels[order],
            starts,
            np.array([other for row in neighbours for other in row], dtype=np.int32),
            np.array(bonds, dtype=np.int32),
        )

    def _bond(self, node: int, other: int) -> int:
        first, last = self._source.starts[node], self._source.starts[node + 1]
        at = first + int(np.searchsorted(self._source.neighbours[first:last], other))
        return int(self._source.bonds[at])
