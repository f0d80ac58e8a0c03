"""Closing a part: whatever can be added to it without losing a single graph of the cluster belongs to it too."""

from collections.abc import Callable, Sequence
from itertools import islice

from protograph._base.ties import best
from protograph.page.consensus.counting import PatternCounter
from protograph.page.options import ConsensusOptions
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Subgraph, edge
from protograph.patterns.rings import Whole


class Closing:
    """Closes a part: adds what every graph of the cluster that contains the part has besides.

    What is added must be common to all k graphs and specific to the class.

    Args:
        common: The patterns of the k graphs.
        consensus: Their consensus.
        wholes: What it is made of, and what may be added at once.
        counter: Counts in a large sample of the cluster, and in the other classes.
        max_nodes: Most nodes of the result.
        options: How much to try.
        is_common: Whether all k graphs have a pattern; by default, as the patterns say.
    """

    def __init__(
        self,
        common: CommonPatterns,
        consensus: Subgraph,
        wholes: Sequence[Whole],
        counter: PatternCounter,
        max_nodes: int | None = None,
        options: ConsensusOptions | None = None,
        is_common: Callable[[Subgraph], bool] | None = None,
    ) -> None:
        self._source, self._counter = common.source, counter
        self._is_common = is_common or common.is_common
        self._consensus, self._wholes = consensus, wholes
        self._limit = max_nodes or common.sizes[0]
        self._options = options or ConsensusOptions()

    def close(self, part: Subgraph) -> list[Subgraph]:
        """The part, and what it grows to as one thing after the other is added."""
        occurrence, path = self._counter.count(part), [part]
        while occurrence.inside.any() and len(path) <= self._options.max_steps:
            counted = [(grown, self._counter.count(grown, occurrence)) for grown in self._candidates(path[-1])]
            kept = [
                (grown, there)
                for grown, there in counted
                if there.inside.sum() == occurrence.inside.sum() and self._is_specific(grown, path[-1])
            ]
            if not kept:
                break
            grown, occurrence = best(
                kept, lambda pair: pair[1].information, then=lambda pair: (len(pair[0]), sorted(pair[0].nodes))
            )
            path.append(grown)
        return path

    def _candidates(self, part: Subgraph) -> list[Subgraph]:
        """Common patterns that are the part and an edge between its nodes, a whole of the consensus, or a node."""
        source = self._source
        edges = [part.grown((), [ends]) for ends in sorted(source.within(part.nodes).edges - part.edges)]
        wholes = [
            part.grown(whole, self._consensus.within(part.nodes | whole).edges)
            for whole in self._wholes
            if whole & part.nodes and not whole <= part.nodes
        ]
        around = sorted(frozenset().union(*(source.neighbours[node] for node in part.nodes)) - part.nodes)
        nodes = [
            part.grown([node], [edge(node, other) for other in source.neighbours[node] & part.nodes]) for node in around
        ]
        additions = dict.fromkeys([*edges, *wholes, *nodes])
        fitting = (grown for grown in additions if len(grown) <= self._limit and self._is_common(grown))
        return list(islice(fitting, self._counter.affordable(self._options.max_additions)))

    def _is_specific(self, grown: Subgraph, part: Subgraph) -> bool:
        """Whether what was added tells the class, together with the nodes that it hangs on."""
        fresh = grown.nodes - part.nodes
        if not fresh:
            return True
        hangs_on = frozenset().union(*(grown.neighbours[node] for node in fresh))
        addition = grown.within(fresh | hangs_on)
        if not addition.is_connected:
            return True
        return self._counter.count(addition).information >= self._options.least_information
