"""The graphs that a file keeps to be shown: which of them have a pattern, and where."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools
from protograph.explanation import Explanation, Pattern, Prototype, Reason
from protograph.explanation.searched_graphs import SearchedGraphs
from protograph.graphs.cleaning import node_count
from protograph.graphs.edge_rule import EdgeRule
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.containment import MAX_BITS, image_of

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
        return Examples(having, lacking, self._marks([prototype.graph], having, matched, prototype.edge_rule))

    def of_reason(self, reason: Reason, target: int) -> Examples:
        """Examples of the class in which a reason holds and in which it does not."""
        known = set(reason.holds_in_indices)
        having, lacking = self._chosen(np.array([index in known for index in self.indices], dtype=bool), target)
        marks: dict[int, list[int]] = {}
        if reason.has and all(_lies_anywhere(pattern) for pattern in reason.has):
            first = reason.has[0]
            if all(one.are_nodes_matched == first.are_nodes_matched for one in reason.has):
                graphs = [one.graph for one in reason.has]
                marks = self._marks(graphs, having, first.are_nodes_matched, first.edge_rule)
        return Examples(having, lacking, marks)

    def _chosen(self, holds: Bools, target: int) -> tuple[list[int], list[int]]:
        having, lacking = list[int](), list[int]()
        for index, has in zip(self.indices, holds.tolist(), strict=True):
            if self._predictions[index] == target:
                (having if has else lacking).append(index)
        return _spread(having), _spread(lacking)

    def _marks(
        self, patterns: Sequence[Data], indices: list[int], matched: bool, rule: EdgeRule
    ) -> dict[int, list[int]]:
        """Where patterns lie in graphs that have them; graphs where that is not found in time are left out."""
        if not indices:
            return {}
        graphs = [self.graphs[index] for index in indices]
        encoded = EncodedGraphs(graphs, match_features=matched, match_edges=rule)
        marks = {}
        for place, index in enumerate(indices):
            if node_count(graphs[place]) > MAX_BITS:
                continue
            images = [image_of(encoded.encode(pattern), encoded[place], MAX_CALLS) for pattern in patterns]
            if None not in images:
                marks[index] = sorted({node for image in images for node in image or ()})
        return marks


def _lies_anywhere(pattern: Pattern) -> bool:
    """Whether any place of the pattern as a part will do, so that the first one found may be marked."""
    return not (pattern.is_induced or pattern.closed or pattern.at_least > 1)


def _spread(indices: list[int]) -> list[int]:
    """At most so many of the indices, evenly from all of them."""
    chosen = np.linspace(0, len(indices) - 1, min(MOST_EXAMPLES, len(indices))).astype(int)
    return [indices[place] for place in chosen.tolist()]
