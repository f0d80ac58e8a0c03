"""Trimming a consensus to the part that carries the class: the smallest that weighs nearly as much as the heaviest."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from protograph._base.ties import best, best_first
from protograph.page.consensus.counting import information
from protograph.page.consensus.weighing import PartWeigher, WeighedPart
from protograph.page.options import ConsensusOptions
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Subgraph
from protograph.patterns.rings import Whole, WholesOf, wholes_of


class Surroundings:
    """What a part can grow by in its source, whether or not the consensus has it.

    A consensus is one way of many in which the k graphs agree. A ring that tells the class may have had to give way to
    a longer piece of backbone, so parts may also take wholes of the source, if all k graphs have them.

    Args:
        common: The patterns of the k graphs.
        kinds: Kind of each node of the source.
        start: The node that the consensus grew from.
        options: How far to look.
        is_common: Whether all k graphs have a pattern; by default, as the patterns say.
        divided: What the source is divided into.
    """

    def __init__(
        self,
        common: CommonPatterns,
        kinds: Sequence[int],
        start: int,
        options: ConsensusOptions | None = None,
        is_common: Callable[[Subgraph], bool] | None = None,
        divided: WholesOf = wholes_of,
    ) -> None:
        limits = options or ConsensusOptions()
        around = common.source.around(start, limits.max_nodes_around, limits.max_edges_around)
        self._source, self._start = common.source, start
        self.is_common = is_common or common.is_common
        self._wholes = divided(around, kinds)

    def seeds(self) -> list[Subgraph]:
        """The wholes that the start belongs to, if they are common."""
        own = (self._source.within(whole) for whole in self._wholes if self._start in whole)
        return [pattern for pattern in own if self.is_common(pattern)]

    def grown(self, part: Subgraph, is_worthwhile: Callable[[frozenset[int]], bool]) -> list[Subgraph]:
        """The part with each whole of the source that touches it and is worthwhile; not all of these need be common."""
        return [part.grown_in(self._source, whole) for whole in _added(self._wholes, part, is_worthwhile)]


def trim(
    consensus: Subgraph,
    wholes: Sequence[Whole],
    weigher: PartWeigher,
    max_nodes: int | None = None,
    surroundings: Surroundings | None = None,
    options: ConsensusOptions | None = None,
) -> WeighedPart:
    """The smallest part of a consensus that weighs nearly as much as the heaviest.

    Args:
        consensus: The consensus.
        wholes: What its parts are made of.
        weigher: To weigh with.
        max_nodes: Most nodes of a part.
        surroundings: What parts may grow by besides.
        options: How many parts to weigh, and what is nearly as much.
    """
    limit, options = max_nodes or 2**31, options or ConsensusOptions()
    fitting = [whole for whole in wholes if len(whole) <= limit]
    seeds = [] if surroundings is None else [seed for seed in surroundings.seeds() if len(seed) <= limit]
    if not fitting and not seeds:
        # A single node, or a ring larger than what is allowed.
        only = consensus if len(consensus) <= limit else consensus.within(consensus.ordered()[:limit])
        return weigher.weigh(only)
    parts = dict.fromkeys([*(consensus.within(whole) for whole in fitting), *seeds])
    most = weigher.counter.affordable(options.max_parts)
    weighed = [weigher.weigh(part) for part in best_first(parts, lambda part: weigher.excess(part.nodes))[:most]]
    if len(parts) <= options.max_parts:
        weighed += _weighed_up(_shrinking(consensus, fitting, weigher), weigher, limit)
    growth = _Growth(consensus, fitting, surroundings, options)
    weighed += growth.weighed(weigher, weighed, limit)
    enough = growth.enough(max(part.weight for part in weighed))
    smallest_first = sorted((part for part in weighed if part.weight >= enough), key=lambda part: len(part.pattern))
    smallest = [part for part in smallest_first if len(part.pattern) == len(smallest_first[0].pattern)]
    return best(smallest, lambda part: part.weight, then=lambda part: sorted(part.pattern.nodes))


@dataclass(frozen=True)
class _Growth:
    """How parts grow: by wholes of the consensus, and of the source."""

    consensus: Subgraph
    wholes: Sequence[Whole]
    surroundings: Surroundings | None
    options: ConsensusOptions

    def enough(self, heaviest: float) -> float:
        """What a part must weigh to be as good as the heaviest."""
        return heaviest - self.options.slack * abs(heaviest) - 1e-12

    def weighed(self, weigher: PartWeigher, seeds: Sequence[WeighedPart], limit: int) -> list[WeighedPart]:
        """Parts that come of adding wholes to the heaviest part so far, and so on, until enough have been weighed.

        A part of which it is known beforehand that it cannot weigh enough is left alone: what is added never makes a
        pattern more frequent in the cluster, and at best it becomes unknown elsewhere.
        """
        queue, seen = list(seeds), {part.pattern for part in seeds}
        heaviest, parts = max(part.weight for part in seeds), list[WeighedPart]()

        def is_worthwhile(nodes: frozenset[int], bits: float) -> bool:
            return len(nodes) <= limit and weigher.weight(bits, nodes) >= self.enough(heaviest)

        while queue and weigher.num_weighed < weigher.counter.affordable(self.options.max_parts):
            part = best(queue, lambda one: one.weight, then=lambda one: sorted(one.pattern.nodes))
            queue.remove(part)
            bits = information(part.occurrence.shares[0], 0.0)
            for grown, is_known in self._grown(part.pattern, partial(is_worthwhile, bits=bits)):
                if grown in seen or not is_worthwhile(grown.nodes, bits):
                    continue
                seen.add(grown)
                if is_known or (self.surroundings is not None and self.surroundings.is_common(grown)):
                    parts.append(weigher.weigh(grown, part))
                    heaviest = max(heaviest, parts[-1].weight)
                    queue.append(parts[-1])
        return parts

    def _grown(self, part: Subgraph, is_worthwhile: Callable[[frozenset[int]], bool]) -> list[tuple[Subgraph, bool]]:
        """Larger parts that are worthwhile by their nodes, and whether they are known to be common."""
        larger = {}
        if part.nodes <= self.consensus.nodes and part.edges <= self.consensus.edges:
            own = self.consensus.within(part.nodes)
            larger = {own.grown_in(self.consensus, whole): True for whole in _added(self.wholes, part, is_worthwhile)}
        if self.surroundings is not None:
            larger = dict.fromkeys(self.surroundings.grown(part, is_worthwhile), False) | larger
        return list(larger.items())


def _added(wholes: Iterable[Whole], part: Subgraph, is_worthwhile: Callable[[frozenset[int]], bool]) -> list[Whole]:
    """The wholes that touch a part and add nodes to it, if these are worthwhile."""
    return [
        whole
        for whole in wholes
        if whole & part.nodes and not whole <= part.nodes and is_worthwhile(part.nodes | whole)
    ]


def _shrinking(consensus: Subgraph, wholes: Sequence[Whole], weigher: PartWeigher) -> list[Subgraph]:
    """The consensus, and what is left as whole after whole goes, that which carries least of the margin first."""
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
    return path


def _is_joined(wholes: Sequence[Whole]) -> bool:
    """Whether wholes hang together by their nodes; what only an edge of a ring joins would leave half of that ring."""
    reached, left = wholes[0], list(wholes[1:])
    while touching := [whole for whole in left if whole & reached]:
        left = [whole for whole in left if not whole & reached]
        reached = reached.union(*touching)
    return not left


def _weighed_up(path: Sequence[Subgraph], weigher: PartWeigher, limit: int) -> list[WeighedPart]:
    """Weigh what is left of the consensus from the smallest part up, since each part must have those before it."""
    parts: list[WeighedPart] = []
    for part in reversed(path):
        if len(part) <= limit:
            parts.append(weigher.weigh(part, parts[-1] if parts else None))
    return parts
