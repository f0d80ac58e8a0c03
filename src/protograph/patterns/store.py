"""Which graphs contain which patterns: each is looked for once, whichever copy of it is asked for."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Ints
from protograph._base.timing import timed
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs
from protograph.patterns.containment import neighbours_of, planned, searchable, searched, searched_by

if TYPE_CHECKING:
    from protograph.patterns.containment_kernels import Plan

# Answers beyond this are not kept: with 100,000 graphs those of some thousand patterns.
MAX_BYTES = 2**27
_NOT_ASKED = -2
_FIRST = np.zeros(1, np.int64)


class StoredPattern:
    """A pattern, and what is known of it.

    Attributes:
        plan: How it is looked for.
        answers: For each graph the answer of the search, or that it was not asked for.
    """

    def __init__(self, plan: "Plan", num_graphs: int) -> None:
        self.plan = plan
        self.answers: NDArray[np.int8] = np.full(num_graphs, _NOT_ASKED, np.int8)

    def is_same(self, pattern: EncodedGraph) -> bool:
        """Whether a pattern of as many nodes and edges differs from this one only in the numbers of its nodes."""
        # Of as many nodes and edges, what contains the other is the other.
        return bool(searched(searchable(pattern), self.plan, _FIRST, MAX_CALLS)[0] == 1)


class PatternStore:
    """Answers whether graphs contain patterns, and remembers.

    Args:
        graphs: The graphs.
        max_calls: Most nodes to place in one graph; a pattern that needs more counts as not lying there.

    Attributes:
        num_asked: How many graphs were searched for patterns.
        num_given_up: In how many of these the search was given up.
        seconds: How long searching took, as ``"counting"``.
    """

    def __init__(self, graphs: EncodedGraphs, max_calls: int = MAX_CALLS) -> None:
        self._graphs, self._searchable, self._max_calls = graphs, searchable(graphs), max_calls
        self._stored: dict[tuple[int, ...], list[StoredPattern]] = {}
        self._by_content: dict[tuple[bytes, ...], StoredPattern] = {}
        self._num_kept = 0
        self.num_asked = self.num_given_up = 0
        self.seconds = {"counting": 0.0}

    def answers(self, pattern: StoredPattern, indices: Ints) -> NDArray[np.int8]:
        """Which of the graphs contain the pattern: 1, 0, or -1 where the search was given up."""
        answers = pattern.answers[indices]
        open_ones = np.flatnonzero(answers == _NOT_ASKED)
        if open_ones.size:
            asked = indices[open_ones]
            with timed(self.seconds, "counting"):
                fresh = searched_by(self._searchable, pattern.plan, asked, self._max_calls)
            answers[open_ones] = pattern.answers[asked] = fresh
            self.num_asked += fresh.size
            self.num_given_up += int(np.count_nonzero(fresh < 0))
        return answers

    def stored(self, pattern: EncodedGraph) -> StoredPattern:
        """What is known of a pattern, encoded as the graphs are, or of one with other numbers of its nodes."""
        content = tuple(part.tobytes() for part in pattern)
        known = self._by_content.get(content)
        if known is None:
            if (pattern.node_kinds < 0).any():  # a kind that no graph has
                return StoredPattern(planned(pattern, self._graphs.kind_counts), len(self._graphs))
            known = self._same(pattern)
            if self._num_kept * len(self._graphs) < MAX_BYTES:
                self._by_content[content] = known
        return known

    def _same(self, pattern: EncodedGraph) -> StoredPattern:
        """The pattern that differs from one only in the numbers of its nodes, or if there is none, a new one."""
        edges = neighbours_of(pattern)
        alike = self._stored.setdefault(_signature(pattern.node_kinds.tolist(), edges), [])
        for known in alike:
            if known.is_same(pattern):
                return known
        fresh = StoredPattern(planned(pattern, self._graphs.kind_counts, edges=edges), len(self._graphs))
        if self._num_kept * len(self._graphs) < MAX_BYTES:
            self._num_kept += 1
            alike.append(fresh)
        return fresh


def _signature(colors: list[int], edges: Sequence[Mapping[int, int]]) -> tuple[int, ...]:
    """Equal for patterns that differ only in the numbers of their nodes, and for few others: colours refined twice."""
    has_kinds = any(any(row.values()) for row in edges)
    for _ in range(2):
        around = [
            sorted([(kind, colors[other]) for other, kind in row.items()] if has_kinds else [colors[n] for n in row])
            for row in edges
        ]
        colors = [hash((color, *row)) for color, row in zip(colors, around, strict=True)]
    return tuple(sorted(colors))
