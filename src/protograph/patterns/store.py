"""Which graphs contain which patterns: each is looked for once, whichever copy of it is asked for."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Bools, Ints
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs
from protograph.patterns.containment import neighbours_of, planned, searchable, searched

if TYPE_CHECKING:
    from protograph.patterns.containment_kernels import Graphs, Plan

# Answers beyond this are not kept: with 100,000 graphs those of some thousand patterns.
MAX_BYTES = 2**27
_NOT_ASKED = -2


class _Entry(NamedTuple):
    """A pattern, and what is known of it: for each graph the answer of the search, or that it was not asked for."""

    plan: "Plan"
    pattern: "Graphs"
    answers: NDArray[np.int8]


class PatternStore:
    """Answers whether graphs contain patterns, and remembers.

    Args:
        graphs: The graphs.
        max_calls: Most nodes to place in one graph; a pattern that needs more counts as not lying there.
    """

    def __init__(self, graphs: EncodedGraphs, max_calls: int = MAX_CALLS) -> None:
        self._graphs, self._searchable, self._max_calls = graphs, searchable(graphs), max_calls
        self._entries: dict[tuple[object, ...], list[_Entry]] = {}
        self._num_kept = 0

    def contain(self, pattern: EncodedGraph, indices: Ints) -> Bools:
        """Which of the graphs contain the pattern, encoded by the same object."""
        if (pattern.node_kinds < 0).any():  # a kind that no graph has
            return np.zeros(indices.size, np.bool_)
        entry = self._entry(pattern)
        answers = entry.answers[indices]
        fresh = answers == _NOT_ASKED
        if fresh.any():
            answers[fresh] = searched(self._searchable, entry.plan, indices[fresh], self._max_calls)
            entry.answers[indices[fresh]] = answers[fresh]
        return answers > 0

    def _entry(self, pattern: EncodedGraph) -> _Entry:
        """What is known of the pattern, or of one that differs only in the numbers of its nodes."""
        plan = planned(pattern, self._graphs.kind_counts)
        alike = self._entries.setdefault(_signature(pattern), [])
        for entry in alike:
            # Of as many nodes and edges, what contains the other is the other.
            if searched(entry.pattern, plan, np.zeros(1, np.int64), self._max_calls)[0] == 1:
                return entry
        own = searchable(pattern)
        entry = _Entry(plan, own, np.full(len(self._graphs), _NOT_ASKED, np.int8))
        if self._num_kept * len(self._graphs) < MAX_BYTES:
            self._num_kept += 1
            alike.append(entry)
        return entry


def _signature(pattern: EncodedGraph) -> tuple[object, ...]:
    """Equal for patterns that differ only in the numbers of their nodes, and for few others."""
    kinds = pattern.node_kinds.tolist()
    around = (sorted((kind, kinds[other]) for other, kind in row.items()) for row in neighbours_of(pattern))
    return tuple(sorted((kind, tuple(row)) for kind, row in zip(kinds, around, strict=True)))
