"""The graphs that a file keeps to be shown: which of them have a pattern, and where."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from protograph._utils.arrays import Bools, Ints
from protograph.explanation import Explanation, Pattern, Prototype, Reason
from protograph.explanation.pattern import SearchedGraphs, nodes_of

# Examples of each kind that a card shows.
MOST_EXAMPLES = 12


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
        self.graphs = dict(survey.graphs)
        self.indices = list(self.graphs)
        self.predictions: Ints = np.array(survey.predictions, dtype=np.int64)[self.indices]  # for each of them
        self._searched = SearchedGraphs(self.graphs.values(), are_validated=True)

    def have(self, prototype: Prototype) -> Bools:
        """Whether each of them has a prototype."""
        if prototype.pattern is not None:
            return self._searched.contain(prototype.pattern)
        return self._searched.contain(prototype.graph, nodes=prototype.node_rule, edges=prototype.edge_rule)

    def of_prototype(self, prototype: Prototype, target: int) -> Examples:
        """Examples of the class with a prototype and without."""
        if not self.graphs:
            return Examples([], [], {})
        having, lacking = self._chosen(self.have(prototype), target)
        patterns = [prototype.pattern] if prototype.pattern is not None else []
        return Examples(having, lacking, self._marks(patterns, having))

    def of_reason(self, reason: Reason, target: int) -> Examples:
        """Examples of the class in which a reason holds and in which it does not."""
        known = set(reason.holds_in_indices)
        having, lacking = self._chosen(np.array([index in known for index in self.indices], dtype=bool), target)
        return Examples(having, lacking, self._marks(reason.has, having))

    def _chosen(self, holds: Bools, target: int) -> tuple[list[int], list[int]]:
        having, lacking = list[int](), list[int]()
        for index, has, predicted in zip(self.indices, holds.tolist(), self.predictions.tolist(), strict=True):
            if predicted == target:
                (having if has else lacking).append(index)
        return _spread(having), _spread(lacking)

    def _marks(self, patterns: Sequence[Pattern], indices: list[int]) -> dict[int, list[int]]:
        """Where patterns lie in graphs that have them; graphs where that is not found in time are left out."""
        found = nodes_of(patterns, [self.graphs[index] for index in indices]) if indices else []
        return {index: list(nodes) for index, nodes in zip(indices, found, strict=True) if nodes}


def _spread(indices: list[int]) -> list[int]:
    """At most so many of the indices, evenly from all of them."""
    chosen = np.linspace(0, len(indices) - 1, min(MOST_EXAMPLES, len(indices))).astype(int)
    return [indices[place] for place in chosen.tolist()]
