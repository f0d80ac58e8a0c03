r"""What of a consensus belongs to the class: trimming it to the part that carries the class, and closing that part.

A part P of the consensus is weighed by

.. math:: s(P) = I(P) \cdot (1 + \max(0, z(P))), \qquad
          z(P) = \frac{\sum_{v \in P} (c_v - \bar c)}{\sigma \sqrt{|P|}}

with :math:`I(P)` the information (in bits) that containing P gives on being of the cluster or predicted as another
class, and z how many standard errors its nodes' contributions to the class margin lie above those of any nodes of the
same graphs. So a part must both tell the class and carry it; one that carries no more than others do counts by what it
tells alone.

The smallest part that weighs nearly as much as the heaviest is then closed: whatever of the source can be added, common
to all k graphs and specific to the class, without losing a single graph of the cluster, belongs to it too.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from protograph.page.consensus.counting import Found, PatternCounter, information
from protograph.page.walk.scoring import Floats
from protograph.patterns.common import CommonGround, Pattern
from protograph.patterns.wholes import MAX_EDGES, MAX_NODES, Unit, units_of

# Parts that weigh within this of the heaviest are as good, and the smallest of them is taken.
SLACK = 0.1
# What is added in closing must by itself tell the class by so many bits: a backbone node, found everywhere, does not.
LEAST_INFORMATION = 0.01
# Parts that are counted for one consensus, additions for one step of closing, and such steps.
MAX_PARTS, MAX_ADDITIONS, MAX_STEPS = 60, 30, 20


def weight_of(bits: float, excess: float) -> float:
    """Weight of a part that tells so many bits and whose nodes' contributions lie so far above those of any nodes.

    >>> weight_of(0.5, 2.0), weight_of(0.5, -2.0)
    (1.5, 0.5)
    """
    return bits * (1 + max(0.0, excess))


@dataclass(frozen=True)
class Weighed:
    """A part with its weight."""

    pattern: Pattern
    found: Found
    excess: float
    weight: float


class Scales:
    """Weighs parts of a source graph.

    Args:
        counter: Counts parts in samples of the cluster and of the other classes.
        contributions: What each node of the source adds to the margin, above the mean of all nodes and in units of
            their standard deviation.
    """

    def __init__(self, counter: PatternCounter, contributions: Floats) -> None:
        self.counter = counter
        self._contributions = contributions
        self._known: dict[Pattern, Weighed] = {}

    @property
    def num_weighed(self) -> int:
        """How many different parts have been weighed."""
        return len(self._known)

    def weigh(self, pattern: Pattern, within: Weighed | None = None) -> Weighed:
        """Weigh a part; ``within`` is a smaller part of it that has been weighed."""
        known = self._known.get(pattern)
        if known is None:
            found = self.counter.count(pattern, None if within is None else within.found)
            excess = self.excess(pattern)
            known = Weighed(pattern, found, excess, weight_of(found.information, excess))
            self._known[pattern] = known
        return known

    def excess(self, pattern: Pattern) -> float:
        """How far the contributions of the part's nodes lie above those of any nodes: z."""
        return float(self._contributions[sorted(pattern.nodes)].sum()) / float(np.sqrt(len(pattern)))


class Surroundings:
    """What a part can grow by in its source, whether or not the consensus has it.

    A consensus is one way of many in which the k graphs agree. A ring that tells the class may have had to give way to
    a longer piece of backbone, so parts may also take units of the source, if all k graphs have them.

    Args:
        ground: The k graphs.
        labels: Label of each node of the source.
        start: The node that the consensus grew from.
    """

    def __init__(self, ground: CommonGround, labels: Sequence[int], start: int) -> None:
        self._ground = ground
        self._units = units_of(ground.whole.around(start, MAX_NODES, MAX_EDGES), labels)
        self._start = start

    def seeds(self) -> list[Pattern]:
        """The units that the start belongs to, if they are common."""
        own = (self._ground.whole.within(unit) for unit in self._units if self._start in unit)
        return [pattern for pattern in own if self.is_common(pattern)]

    def grown(self, part: Pattern) -> list[Pattern]:
        """The part with each unit of the source that touches it; not all of these need be common."""
        whole, found = self._ground.whole, []
        for unit in self._units:
            if unit & part.nodes and not unit <= part.nodes:
                nodes = part.nodes | unit
                fresh = {edge for edge in whole.within(nodes).edges if not part.nodes.issuperset(edge)}
                found.append(Pattern(nodes, part.edges | fresh))
        return found

    def is_common(self, pattern: Pattern) -> bool:
        """Whether all k graphs have the pattern."""
        return self._ground.is_common(pattern)


def trim(
    consensus: Pattern,
    units: Sequence[Unit],
    scales: Scales,
    max_nodes: int | None = None,
    surroundings: Surroundings | None = None,
) -> Weighed:
    """The smallest part of a consensus that weighs nearly as much as the heaviest.

    Args:
        consensus: The consensus.
        units: What its parts are made of.
        scales: To weigh with.
        max_nodes: Most nodes of a part.
        surroundings: What parts may grow by besides.
    """
    limit = max_nodes or 2**31
    fitting = [unit for unit in units if len(unit) <= limit]
    seeds = [] if surroundings is None else [seed for seed in surroundings.seeds() if len(seed) <= limit]
    if not fitting and not seeds:
        # A single node, or a ring larger than what is allowed.
        only = consensus if len(consensus) <= limit else consensus.within(consensus.ordered()[:limit])
        return scales.weigh(only)
    parts = dict.fromkeys([*(consensus.within(unit) for unit in fitting), *seeds])
    first = sorted(parts, key=lambda part: -round(scales.excess(part), 9))[: scales.counter.affordable(MAX_PARTS)]
    weighed = [scales.weigh(part) for part in first]
    if len(parts) <= MAX_PARTS:
        weighed += _weighed_up(_shrinking(consensus, fitting, scales), scales, limit)
    weighed += _grown(_Growth(consensus, fitting, surroundings), scales, weighed, limit)
    enough = _enough(max(part.weight for part in weighed))
    return min(
        (part for part in weighed if part.weight >= enough),
        key=lambda part: (len(part.pattern), -round(part.weight, 9), sorted(part.pattern.nodes)),
    )


@dataclass(frozen=True)
class _Growth:
    """How parts grow: by units of the consensus, and of the source."""

    consensus: Pattern
    units: Sequence[Unit]
    surroundings: Surroundings | None

    def grown(self, part: Pattern) -> list[tuple[Pattern, bool]]:
        """Larger parts, and whether they are known to be common."""
        touching = (unit for unit in self.units if unit & part.nodes and not unit <= part.nodes)
        found = {}
        if part.nodes <= self.consensus.nodes and part.edges <= self.consensus.edges:
            found = {self.consensus.within(part.nodes | unit): True for unit in touching}
        if self.surroundings is not None:
            found = dict.fromkeys(self.surroundings.grown(part), False) | found
        return list(found.items())

    def is_common(self, pattern: Pattern) -> bool:
        """Whether all k graphs have the pattern."""
        return self.surroundings is not None and self.surroundings.is_common(pattern)


def _enough(heaviest: float) -> float:
    return heaviest - SLACK * abs(heaviest) - 1e-12


def _shrinking(consensus: Pattern, units: Sequence[Unit], scales: Scales) -> list[Pattern]:
    """The consensus, and what is left as unit after unit goes, that which carries least of the margin first."""
    left, part = list(units), consensus
    path = [part] if units else []
    while len(left) > 1:
        options = []
        for unit in left:
            others = [other for other in left if other is not unit]
            rest = consensus.within(frozenset().union(*others))
            if _is_joined(others) and len(rest) < len(part):
                lost = Pattern(part.nodes - rest.nodes, frozenset())
                options.append((round(scales.excess(lost) / np.sqrt(len(lost)), 9), sorted(lost.nodes), unit, rest))
        if not options:
            break
        _, _, gone, part = min(options, key=lambda option: option[:2])
        left = [unit for unit in left if unit is not gone]
        path.append(part)
    return path


def _is_joined(units: Sequence[Unit]) -> bool:
    """Whether units hang together by their nodes; what only an edge of a ring joins would leave half of that ring."""
    reached, left = units[0], list(units[1:])
    while touching := [unit for unit in left if unit & reached]:
        left = [unit for unit in left if not unit & reached]
        reached = reached.union(*touching)
    return not left


def _weighed_up(path: Sequence[Pattern], scales: Scales, limit: int) -> list[Weighed]:
    """Weigh what is left of the consensus from the smallest part up, since each part must have those before it."""
    found: list[Weighed] = []
    for part in reversed(path):
        if len(part) <= limit:
            found.append(scales.weigh(part, found[-1] if found else None))
    return found


def _grown(growth: _Growth, scales: Scales, weighed: Sequence[Weighed], limit: int) -> list[Weighed]:
    """Parts that come of adding units to the heaviest part so far, and so on, until enough have been weighed.

    A part of which it is known beforehand that it cannot weigh enough is left alone: what is added never makes a
    pattern more frequent in the cluster, and at best it becomes unknown elsewhere.
    """
    queue = [(-round(part.weight, 9), sorted(part.pattern.nodes), n, part) for n, part in enumerate(weighed)]
    heapq.heapify(queue)
    seen, heaviest = {part.pattern for part in weighed}, max(part.weight for part in weighed)
    found: list[Weighed] = []
    while queue and scales.num_weighed < scales.counter.affordable(MAX_PARTS):
        part = heapq.heappop(queue)[3]
        for grown, is_known in growth.grown(part.pattern):
            most = weight_of(information(part.found.shares[0], 0.0), scales.excess(grown))
            if grown in seen or len(grown) > limit or most < _enough(heaviest):
                continue
            seen.add(grown)
            if is_known or growth.is_common(grown):
                found.append(scales.weigh(grown, part))
                heaviest = max(heaviest, found[-1].weight)
                entry = -round(found[-1].weight, 9), sorted(grown.nodes), len(weighed) + len(found), found[-1]
                heapq.heappush(queue, entry)
    return found


class Closing:
    """Closes a part: adds what every graph of the cluster that contains the part has besides.

    Args:
        ground: The k graphs.
        consensus: Their consensus.
        units: Its units, which may be added as a whole.
        counter: Counts in a large sample of the cluster, and in the other classes.
        max_nodes: Most nodes of the result.
    """

    def __init__(
        self,
        ground: CommonGround,
        consensus: Pattern,
        units: Sequence[Unit],
        counter: PatternCounter,
        max_nodes: int | None = None,
    ) -> None:
        self._ground, self._counter = ground, counter
        self._consensus, self._units = consensus, units
        self._limit = max_nodes or int(ground.sizes[0])

    def close(self, part: Pattern) -> list[Pattern]:
        """The part, and what it grows to as one thing after the other is added."""
        found, path = self._counter.count(part), [part]
        while found.inside.any() and len(path) <= MAX_STEPS:
            options = []
            for grown in self._candidates(path[-1]):
                there = self._counter.count(grown, found)
                if there.inside.sum() == found.inside.sum() and self._is_specific(grown, path[-1]):
                    options.append((-round(there.information, 9), len(grown), sorted(grown.nodes), grown, there))
            if not options:
                break
            *_, grown, found = min(options, key=lambda option: option[:3])
            path.append(grown)
        return path

    def _candidates(self, part: Pattern) -> list[Pattern]:
        """Common patterns that are the part and an edge between its nodes, a unit of the consensus, or a node."""
        whole = self._ground.whole
        missing = whole.within(part.nodes).edges - part.edges
        edges = [Pattern(part.nodes, part.edges | {edge}) for edge in sorted(missing)]
        units = [
            Pattern(part.nodes | unit, part.edges | self._consensus.within(part.nodes | unit).edges)
            for unit in self._units
            if unit & part.nodes and not unit <= part.nodes
        ]
        around = sorted(frozenset().union(*(whole.neighbours[node] for node in part.nodes)) - part.nodes)
        nodes = [Pattern(part.nodes | {node}, part.edges | _edges_to(whole, part, node)) for node in around]
        found = dict.fromkeys([*edges, *units, *nodes])
        fitting = (grown for grown in found if len(grown) <= self._limit and self._ground.is_common(grown))
        return list(islice(fitting, self._counter.affordable(MAX_ADDITIONS)))

    def _is_specific(self, grown: Pattern, part: Pattern) -> bool:
        """Whether what was added tells the class, together with the nodes that it hangs on."""
        fresh = grown.nodes - part.nodes
        if not fresh:
            return True
        hangs_on = frozenset().union(*(grown.neighbours[node] for node in fresh))
        addition = grown.within(fresh | hangs_on)
        if not addition.is_connected:
            return True
        return self._counter.count(addition).information >= LEAST_INFORMATION


def _edges_to(whole: Pattern, part: Pattern, node: int) -> frozenset[tuple[int, int]]:
    return frozenset((min(node, other), max(node, other)) for other in whole.neighbours[node] & part.nodes)
