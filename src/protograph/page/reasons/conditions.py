"""Conditions: patterns that a graph has or lacks, and in which graphs they hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Bools, Ints
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.patterns.pattern import Subgraph
from protograph.patterns.subgraph_isomorphism import PatternStore, StoredPattern, contained_in, places_of

_NOT_ASKED = -2


@dataclass(frozen=True)
class Condition:
    """A pattern of a source graph that other graphs may have too.

    Attributes:
        source: The graph.
        pattern: Its nodes and edges there.
        has_kinds: Whether nodes must be of the same kind.
        is_induced: Whether nodes that it does not join must not be joined.
        closed: Those of its nodes that must have no other neighbours.
        at_least: In how many places it must lie.
    """

    source: int
    pattern: Subgraph
    has_kinds: bool = True
    is_induced: bool = False
    closed: frozenset[int] = frozenset()
    at_least: int = 1

    @property
    def closed_places(self) -> list[int]:
        """Places of the closed nodes in the order of its nodes."""
        order = sorted(self.pattern.nodes)
        return [order.index(node) for node in self.closed]

    @property
    def is_plain(self) -> bool:
        """Whether it is a pattern that is there as a part, and no more."""
        return not self.is_induced and not self.closed and self.at_least == 1

    @property
    def complexity(self) -> float:
        """How much there is to say of it: a plain pattern with few nodes is the simplest."""
        special = (
            0.5 * self.is_induced + 0.5 * bool(self.closed) + 0.5 * (self.at_least > 1) + 0.5 * (not self.has_kinds)
        )
        return 1 + 0.05 * len(self.pattern) + special


class ConditionReader:
    """Tells in which graphs conditions hold; each is looked for once in each graph.

    Args:
        readings: All graphs as the counting reads them, with kinds of nodes and without; one where both are the same.
        max_calls: Most nodes to place in one graph; a pattern that needs more counts as not lying there.
    """

    def __init__(self, readings: Mapping[bool, EncodedGraphs], max_calls: int) -> None:
        self.readings, self._max_calls = readings, max_calls
        self._answers: dict[Condition, NDArray[np.int8]] = {}
        self._stores = {key: PatternStore(graphs, max_calls) for key, graphs in readings.items()}
        self._plain: dict[Condition, StoredPattern] = {}

    def encoded(self, condition: Condition) -> EncodedGraph:
        """The pattern as the engine reads it; its nodes keep their order."""
        return condition.pattern.encoded(self.readings[condition.has_kinds][condition.source])

    def holds(self, condition: Condition, indices: Ints) -> Bools:
        """In which of the graphs a condition holds."""
        if condition.is_plain:
            return self._stores[condition.has_kinds].answers(self._stored(condition), indices) > 0
        graphs = self.readings[condition.has_kinds]
        answers = self._answers.setdefault(condition, np.full(len(graphs), _NOT_ASKED, np.int8))
        fresh = indices[answers[indices] == _NOT_ASKED]
        if fresh.size:
            answers[fresh] = contained_in(
                self.encoded(condition),
                graphs,
                indices=fresh,
                induced=condition.is_induced,
                closed=condition.closed_places,
                at_least=condition.at_least,
                max_calls=self._max_calls,
            )
        return answers[indices] > 0

    def places(self, condition: Condition, index: int, max_calls: int) -> Iterator[tuple[int, ...]]:
        """The nodes of a graph in each place of a condition's pattern, in the order of its nodes."""
        return places_of(
            self.encoded(condition),
            self.readings[condition.has_kinds][index],
            induced=condition.is_induced,
            closed=condition.closed_places,
            max_calls=max_calls,
        )

    def _stored(self, condition: Condition) -> StoredPattern:
        """What is known of a plain pattern, or of one that differs from it only in the numbers of its nodes."""
        if condition not in self._plain:
            self._plain[condition] = self._stores[condition.has_kinds].stored(self.encoded(condition))
        return self._plain[condition]
