r"""What a part of a graph weighs: how much it tells of the class, times how much of the class it carries.

.. math:: s(P) = I(P) \cdot (1 + \max(0, z(P))), \qquad
          z(P) = \frac{\sum_{v \in P} (c_v - \bar c)}{\sigma \sqrt{|P|}}

with :math:`I(P)` the information (in bits) that containing P gives on being of the cluster or predicted as another
class, and z how many standard errors its nodes' contributions to the class margin lie above those of any nodes of the
same graphs. So a part must both tell the class and carry it; one that carries no more than others do counts by what it
tells alone.
"""

from dataclasses import dataclass
from math import sqrt

from protograph._base.arrays import Floats
from protograph.page.consensus.counting import Occurrence, PatternCounter
from protograph.patterns.pattern import Subgraph


def weight_of(bits: float, excess: float) -> float:
    """Weight of a part that tells so many bits and whose nodes' contributions lie so far above those of any nodes.

    >>> weight_of(0.5, 2.0), weight_of(0.5, -2.0)
    (1.5, 0.5)
    """
    return bits * (1 + max(0.0, excess))


@dataclass(frozen=True, eq=False)
class WeighedPart:
    """A part with its weight."""

    pattern: Subgraph
    occurrence: Occurrence
    excess: float
    weight: float


class PartWeigher:
    """Weighs parts of a source graph.

    Args:
        counter: Counts parts in samples of the cluster and of the other classes.
        contributions: What each node of the source adds to the margin, above the mean of all nodes and in units of
            their standard deviation.
        is_informed: Whether what a part tells counts; otherwise only what it carries does.
    """

    def __init__(self, counter: PatternCounter, contributions: Floats, *, is_informed: bool = True) -> None:
        self.counter = counter
        self._is_informed = is_informed
        self._contributions = contributions
        self._weighed: dict[Subgraph, WeighedPart] = {}
        self._excess: dict[frozenset[int], float] = {}

    @property
    def num_weighed(self) -> int:
        """How many different parts have been weighed."""
        return len(self._weighed)

    def weigh(self, pattern: Subgraph, within: WeighedPart | None = None) -> WeighedPart:
        """Weigh a part; ``within`` is a smaller part of it that has been weighed."""
        if pattern not in self._weighed:
            occurrence = self.counter.count(pattern, None if within is None else within.occurrence)
            weight = self.weight(occurrence.information, pattern.nodes)
            self._weighed[pattern] = WeighedPart(pattern, occurrence, self.excess(pattern.nodes), weight)
        return self._weighed[pattern]

    def weight(self, bits: float, nodes: frozenset[int]) -> float:
        """What a part of these nodes weighs if it tells so many bits."""
        return weight_of(bits if self._is_informed else 1.0, self.excess(nodes))

    def excess(self, nodes: frozenset[int]) -> float:
        """How far the contributions of a part's nodes lie above those of any nodes: z."""
        if nodes not in self._excess:
            self._excess[nodes] = float(self._contributions[sorted(nodes)].sum()) / sqrt(len(nodes))
        return self._excess[nodes]
