r"""Trimming a consensus to the part that carries the class, and closing that part.

What a part weighs is how much it tells of the class, times how much of the class it carries:

.. math:: s(P) = I(P) \cdot (1 + \max(0, z(P))), \qquad
          z(P) = \frac{\sum_{v \in P} (c_v - \bar c)}{\sigma \sqrt{|P|}}

with :math:`I(P)` the information (in bits) that containing P gives on being of the cluster or predicted as another
class, and z how many standard errors its nodes' contributions to the class margin lie above those of any nodes of the
same graphs. So a part must both tell the class and carry it; one that carries no more than others do counts by what it
tells alone. The smallest part is taken that weighs nearly as much as the heaviest.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt

import numpy as np

from protograph._utils.arrays import Floats
from protograph._utils.ties import best, best_first
from protograph.page.counting import Occurrence, PatternCounter, Sample, information
from protograph.patterns.pattern import Subgraph, edge
from protograph.patterns.rings import Whole

SLACK = 0.1  # the smallest part within this share of the heaviest: NO2 rather than NO2 with a carbon
MAX_PARTS = 60  # parts weighed for one consensus
LEAST_INFORMATION = 0.01  # bits; what closing adds must tell the class: a backbone node does not
MAX_ADDITIONS = 30  # additions tried in a step of closing
MAX_STEPS = 20  # steps of closing


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
        counter: Counts parts.
        sample: Where to count them.
        contributions: What each node of the source adds to the margin, above the mean of all nodes and in units of
            their standard deviation.
    """

    def __init__(self, counter: PatternCounter, sample: Sample, contributions: Floats) -> None:
        self.counter, self._sample = counter, sample
        self._contributions = contributions
        self._weighed: dict[Subgraph, WeighedPart] = {}

    @property
    def num_weighed(self) -> int:
        """How many different parts have been weighed."""
        return len(self._weighed)

    def weigh(self, pattern: Subgraph, within: WeighedPart | None = None) -> WeighedPart:
        """Weigh a part; ``within`` is a smaller part of it that has been weighed."""
        if pattern not in self._weighed:
            occurrence = self.counter.count(pattern, self._sample, None if within is None else within.occurrence)
            weight = self.weight(occurrence.information, pattern.nodes)
            self._weighed[pattern] = WeighedPart(pattern, occurrence, self.excess(pattern.nodes), weight)
        return self._weighed[pattern]

    def weight(self, bits: float, nodes: frozenset[int]) -> float:
        """What a part of these nodes weighs if it tells so many bits."""
        return bits * (1 + max(0.0, self.excess(nodes)))

    def excess(self, nodes: frozenset[int]) -> float:
        """How far the contributions of a part's nodes lie above those of any nodes: z."""
        return float(self._contributions[sorted(nodes)].sum()) / sqrt(len(nodes))


@dataclass(frozen=True, kw_only=True, eq=False)
class Surroundings:
    """A consensus, and what its parts can grow by in the source, whether or not the consensus has it.

    A consensus is one way of many in which the k graphs agree. A ring that tells the class may have had to give way to
    a longer piece of backbone, so parts may also take wholes of the source, if all k graphs have them.

    Attributes:
        source: The source.
        consensus: The consensus, near the node that it grew from.
        start: That node.
        wholes: What the consensus is made of, and what may be added at once.
        around: What the source is made of around the start.
        is_common: Whether all k graphs have a pattern.
        max_nodes: Most nodes of a part.
    """

    source: Subgraph
    consensus: Subgraph
    start: int
    wholes: Sequence[Whole]
    around: Sequence[Whole]
    is_common: Callable[[Subgraph], bool]
    max_nodes: int


def trim(surroundings: Surroundings, weigher: PartWeigher) -> WeighedPart:
    """The smallest part of a consensus that weighs nearly as much as the heaviest.

    Args:
        surroundings: The consensus, and what its parts may grow by besides.
        weigher: To weigh with.
    """
    consensus, source, limit = surroundings.consensus, surroundings.source, surroundings.max_nodes
    fitting = [whole for whole in surroundings.wholes if len(whole) <= limit]
    near = [source.within(whole) for whole in surroundings.around if surroundings.start in whole]
    seeds = [seed for seed in near if len(seed) <= limit and surroundings.is_common(seed)]
    if not fitting and not seeds:
        # A single node, or a ring larger than what is allowed.
        only = consensus if len(consensus) <= limit else consensus.within(consensus.ordered()[:limit])
        return weigher.weigh(only)
    parts = dict.fromkeys([*(consensus.within(whole) for whole in fitting), *seeds])
    most = weigher.counter.affordable(MAX_PARTS)
    weighed = [weigher.weigh(part) for part in best_first(parts, lambda part: weigher.excess(part.nodes))[:most]]
    if len(parts) <= MAX_PARTS:
        weighed += _shrunk(consensus, fitting, weigher, limit)
    weighed += _grown(surroundings, fitting, weigher, weighed)
    enough = _enough(max(part.weight for part in weighed))
    heavy = [part for part in weighed if part.weight >= enough]
    size = min(len(part.pattern) for part in heavy)
    smallest = [part for part in heavy if len(part.pattern) == size]
    return best(smallest, lambda part: part.weight, then=lambda part: sorted(part.pattern.nodes))


def _enough(heaviest: float) -> float:
    """What a part must weigh to be as good as the heaviest."""
    return heaviest - SLACK * abs(heaviest) - 1e-12


def _grown(
    surroundings: Surroundings, wholes: Sequence[Whole], weigher: PartWeigher, seeds: Sequence[WeighedPart]
) -> list[WeighedPart]:
    """Parts that come of adding wholes to the heaviest part so far, and so on, until enough have been weighed.

    A part of which it is known beforehand that it cannot weigh enough is left alone: what is added never makes a
    pattern more frequent in the cluster, and at best it becomes unknown elsewhere.
    """
    consensus, limit = surroundings.consensus, surroundings.max_nodes
    queue, seen = list(seeds), {part.pattern for part in seeds}
    heaviest, parts = max(part.weight for part in seeds), list[WeighedPart]()
    while queue and weigher.num_weighed < weigher.counter.affordable(MAX_PARTS):
        part = best(queue, lambda one: one.weight, then=lambda one: sorted(one.pattern.nodes))
        queue.remove(part)
        pattern, bits = part.pattern, information(part.occurrence.shares[0], 0.0)
        added = [pattern.grown_in(surroundings.source, whole) for whole in _touching(surroundings.around, pattern)]
        of_consensus: list[Subgraph] = []  # which are known to be common
        if pattern.nodes <= consensus.nodes and pattern.edges <= consensus.edges:
            own = consensus.within(pattern.nodes)
            of_consensus = [own.grown_in(consensus, whole) for whole in _touching(wholes, pattern)]
        for grown in dict.fromkeys([*added, *of_consensus]):
            if grown in seen or len(grown) > limit or weigher.weight(bits, grown.nodes) < _enough(heaviest):
                continue
            seen.add(grown)
            if grown in of_consensus or surroundings.is_common(grown):
                parts.append(weigher.weigh(grown, part))
                heaviest = max(heaviest, parts[-1].weight)
                queue.append(parts[-1])
    return parts


def _touching(wholes: Iterable[Whole], part: Subgraph) -> list[Whole]:
    """The wholes that touch a part and add nodes to it."""
    return [whole for whole in wholes if whole & part.nodes and not whole <= part.nodes]


def _shrunk(consensus: Subgraph, wholes: Sequence[Whole], weigher: PartWeigher, limit: int) -> list[WeighedPart]:
    """The consensus, and what is left as whole after whole goes, that which carries least of the margin first.

    They are weighed from the smallest up, since each must lie where those before it do.
    """
    left, part = list(wholes), consensus
    path = [part] if wholes else []
    while len(left) > 1:
        choices = []
        for whole in left:
            others = [other for other in left if other is not whole]
            rest = consensus.within(frozenset().union(*others))
            if _is_joined(others) and len(rest) < len(part):
                choices.append((whole, rest, part.nodes - rest.nodes))
        if not choices:
            break
        gone, part, _ = best(
            choices,
            lambda choice: -weigher.excess(choice[2]) / float(np.sqrt(len(choice[2]))),
            then=lambda choice: sorted(choice[2]),
        )
        left = [whole for whole in left if whole is not gone]
        path.append(part)
    parts: list[WeighedPart] = []
    for pattern in reversed(path):
        if len(pattern) <= limit:
            parts.append(weigher.weigh(pattern, parts[-1] if parts else None))
    return parts


def _is_joined(wholes: Sequence[Whole]) -> bool:
    """Whether wholes hang together by their nodes; what only an edge of a ring joins would leave half of that ring."""
    reached, left = wholes[0], list(wholes[1:])
    while touching := [whole for whole in left if whole & reached]:
        left = [whole for whole in left if not whole & reached]
        reached = reached.union(*touching)
    return not left


def close(part: Subgraph, surroundings: Surroundings, counter: PatternCounter, sample: Sample) -> list[Subgraph]:
    """The part, and what it grows to as what every graph of the cluster that contains it has besides is added.

    What is added must be common to all k graphs and specific to the class.

    Args:
        part: The part.
        surroundings: What it may grow by.
        counter: Counts patterns of the source.
        sample: A large sample of the cluster, and one of the other classes.
    """
    occurrence, path = counter.count(part, sample), [part]
    for _ in range(MAX_STEPS if occurrence.inside.any() else 0):
        counted = [
            (grown, counter.count(grown, sample, occurrence)) for grown in _additions(part, surroundings, counter)
        ]
        kept = [
            (grown, there)
            for grown, there in counted
            if there.inside.sum() == occurrence.inside.sum() and _is_specific(grown, part, counter, sample)
        ]
        if not kept:
            break
        part, occurrence = best(
            kept, lambda pair: pair[1].information, then=lambda pair: (len(pair[0]), sorted(pair[0].nodes))
        )
        path.append(part)
    return path


def _additions(part: Subgraph, surroundings: Surroundings, counter: PatternCounter) -> list[Subgraph]:
    """Common patterns that are the part and an edge between its nodes, a whole of the consensus, or a node."""
    source, consensus = surroundings.source, surroundings.consensus
    edges = [part.grown((), [ends]) for ends in sorted(source.within(part.nodes).edges - part.edges)]
    wholes = [
        part.grown(whole, consensus.within(part.nodes | whole).edges) for whole in _touching(surroundings.wholes, part)
    ]
    around = sorted(frozenset().union(*(source.neighbours[node] for node in part.nodes)) - part.nodes)
    nodes = [
        part.grown([node], [edge(node, other) for other in source.neighbours[node] & part.nodes]) for node in around
    ]
    grown = dict.fromkeys([*edges, *wholes, *nodes])
    fitting = (one for one in grown if len(one) <= surroundings.max_nodes and surroundings.is_common(one))
    return list(islice(fitting, counter.affordable(MAX_ADDITIONS)))


def _is_specific(grown: Subgraph, part: Subgraph, counter: PatternCounter, sample: Sample) -> bool:
    """Whether what was added tells the class, together with the nodes that it hangs on."""
    fresh = grown.nodes - part.nodes
    if not fresh:
        return True
    hangs_on = frozenset().union(*(grown.neighbours[node] for node in fresh))
    addition = grown.within(fresh | hangs_on)
    if not addition.is_connected:
        return True
    return counter.count(addition, sample).information >= LEAST_INFORMATION
