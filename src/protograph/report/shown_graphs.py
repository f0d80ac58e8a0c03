"""The graphs that a file keeps to be shown: which of them have a pattern, and where."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools
from protograph.explanation import Explanation, Pattern, Prototype, Reason
from protograph.explanation.searched_graphs import SearchedGraphs
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.locating import places_of

# Examples of each kind that a card shows, and nodes to place before a pattern is not marked in one.
MOST_EXAMPLES, MAX_CALLS = 12, 20_000


class Examples(NamedTuple):
    """Graphs of a class that have something and graphs that have not, by index, and where it lies in the former."""

    having: list[int]
    lacking: list[int]
    marks: dict[int, list[int]]


class ShownGraphs:
    """The kept graphs of an explanation; each way to look for patterns in them is made ready once.

    Args:
        explanation: One of the explanations of a fit.
    """

    def __init__(self, explanation: Explanation) -> None:
        survey = explanation.survey
        self.graphs = {} if survey is None else dict(survey.graphs)
        self.indices = list(self.graphs)
        self._predictions = () if survey is None else survey.predictions
        self._searched = SearchedGraphs(self.graphs.values())

    def of_prototype(self, prototype: Prototype, target: int) -> Examples:
        """Examples of the class with a prototype and without."""
        if not self.graphs:
            return Examples([], [], {})
        matched = prototype.are_nodes_matched
        holds = self._searched.contain(prototype.graph, match_features=matched, edge_rule=prototype.edge_rule)
        having, lacking = self._chosen(holds, target)
        graph = prototype.graph if matched else _bare(prototype.graph)
        try:
            patterns = [Pattern(graph=graph, edge_rule=prototype.edge_rule)]
        except ValueError:  # one that is not connected, which was made
            patterns = []
        return Examples(having, lacking, self._marks(patterns, having))

    def of_reason(self, reason: Reason, target: int) -> Examples:
        """Examples of the class in which a reason holds and in which it does not."""
        known = set(reason.holds_in_indices)
        having, lacking = self._chosen(np.array([index in known for index in self.indices], dtype=bool), target)
        return Examples(having, lacking, self._marks(reason.has, having))

    def _chosen(self, holds: Bools, target: int) -> tuple[list[int], list[int]]:
        having, lacking = list[int](), list[int]()
        for index, has in zip(self.indices, holds.tolist(), strict=True):
            if self._predictions[index] == target:
                (having if has else lacking).append(index)
        return _spread(having), _spread(lacking)

    def _marks(self, patterns: Sequence[Pattern], indices: list[int]) -> dict[int, list[int]]:
        """Where patterns lie in graphs that have them; graphs where that is not found in time are left out."""
        if not indices or not patterns:
            return {}
        graphs = [self.graphs[index] for index in indices]
        found: list[list[list[int] | None]] = []
        for pattern in patterns:
            matched = pattern.are_nodes_matched
            encoded = EncodedGraphs(graphs, match_features=matched, match_edges=pattern.edge_rule)
            found.append([_places(pattern, encoded, place) for place in range(len(graphs))])
        marks = {}
        for index, places in zip(indices, zip(*found, strict=True), strict=True):
            if None not in places:
                marks[index] = sorted({node for nodes in places for node in nodes or ()})
        return marks


def _places(pattern: Pattern, graphs: EncodedGraphs, index: int) -> list[int] | None:
    """The nodes of a pattern in a graph, in as many places as it is asked for; ``None`` where fewer are found."""
    wanted = graphs.encode(pattern.graph)
    search = places_of(wanted, graphs[index], induced=pattern.is_induced, closed=pattern.closed, max_calls=MAX_CALLS)
    found = list(islice(search, pattern.at_least))
    return [node for nodes in found for node in nodes] if len(found) == pattern.at_least else None


def _bare(graph: Data) -> Data:
    """A graph of which any nodes will do."""
    return Data(edge_index=graph.edge_index, edge_attr=graph.edge_attr, num_nodes=graph.num_nodes)


def _spread(indices: list[int]) -> list[int]:
    """At most so many of the indices, evenly from all of them."""
    chosen = np.linspace(0, len(indices) - 1, min(MOST_EXAMPLES, len(indices))).astype(int)
    return [indices[place] for place in chosen.tolist()]
