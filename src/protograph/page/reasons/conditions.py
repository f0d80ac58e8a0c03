"""Conditions on patterns, conjunctions of them, and the rules of a class that they make."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from protograph._utils.arrays import Bools, Ints
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.patterns.pattern import Subgraph
from protograph.patterns.subgraph_isomorphism import PatternStore, StoredPattern, contained_in, places_of

_NOT_ASKED = -2
# What nodes are told apart by: nothing, the variable that brings most decisions back, all that suffice together.
SHAPE, MAIN, FULL = range(3)


@dataclass(frozen=True)
class Condition:
    """A pattern of a source graph that other graphs may have too.

    Attributes:
        source: The graph.
        pattern: Its nodes and edges there.
        level: By what nodes must agree: ``SHAPE``, ``MAIN`` or ``FULL``.
        is_induced: Whether nodes that it does not join must not be joined.
        closed: Those of its nodes that must have no other neighbours.
        at_least: In how many places it must lie.
    """

    source: int
    pattern: Subgraph
    level: int = FULL
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
        special = self.is_induced + bool(self.closed) + (self.at_least > 1) + (self.level == SHAPE)
        return 1 + (0.06 if self.level == FULL else 0.05) * len(self.pattern) + 0.5 * special


class ConditionReader:
    """Tells in which graphs conditions hold; each is looked for once in each graph.

    Args:
        readings: All graphs as the counting reads them, by levels; only those that differ.
        max_calls: Most nodes to place in one graph; a pattern that needs more counts as not lying there.
    """

    def __init__(self, readings: Mapping[int, EncodedGraphs], max_calls: int) -> None:
        self.readings, self._max_calls = readings, max_calls
        self._answers: dict[Condition, NDArray[np.int8]] = {}
        self._stores = {key: PatternStore(graphs, max_calls) for key, graphs in readings.items()}
        # What is known of each plain pattern, or of one that differs from it only in the numbers of its nodes.
        self._plain: dict[Condition, StoredPattern] = {}

    def encoded(self, condition: Condition) -> EncodedGraph:
        """The pattern as the engine reads it; its nodes keep their order."""
        return condition.pattern.encoded(self.readings[condition.level][condition.source])

    def holds(self, condition: Condition, indices: Ints) -> Bools:
        """In which of the graphs a condition holds."""
        if condition.is_plain:
            store = self._stores[condition.level]
            if condition not in self._plain:
                self._plain[condition] = store.stored(self.encoded(condition))
            return store.answers(self._plain[condition], indices) > 0
        graphs = self.readings[condition.level]
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
            self.readings[condition.level][index],
            induced=condition.is_induced,
            closed=condition.closed_places,
            max_calls=max_calls,
        )


@dataclass(frozen=True)
class Draft:
    """A reason as it is searched for: what graphs have, and what they lack."""

    has: tuple[Condition, ...] = ()
    lacks: tuple[Condition, ...] = ()

    def __len__(self) -> int:
        return len(self.has) + len(self.lacks)

    def holds(self, reader: ConditionReader, indices: Ints) -> Bools:
        """In which of the graphs it holds; a condition is asked only where those before it leave that open."""
        result = np.ones(indices.size, np.bool_)
        for condition, wanted in [*((one, True) for one in self.has), *((one, False) for one in self.lacks)]:
            left = np.flatnonzero(result)
            result[left] = reader.holds(condition, indices[left]) == wanted
        return result

    def without(self, condition: Condition) -> "Draft":
        """The draft with one condition less."""
        return Draft(
            tuple(one for one in self.has if one is not condition),
            tuple(one for one in self.lacks if one is not condition),
        )

    def replaced(self, old: Condition, new: Condition) -> "Draft":
        """The draft with another condition in the place of one."""
        return Draft(
            tuple(new if one is old else one for one in self.has),
            tuple(new if one is old else one for one in self.lacks),
        )


def any_holds(drafts: Sequence[Draft], reader: ConditionReader, indices: Ints) -> Bools:
    """In which of the graphs one of the drafts holds."""
    result = np.zeros(indices.size, np.bool_)
    for draft in drafts:
        left = np.flatnonzero(~result)
        result[left] = draft.holds(reader, indices[left])
    return result


def balanced(holds: Bools, is_class: Bools) -> float:
    """Mean of the share of the class in which a rule holds and that of the others in which it does not."""
    inside, outside = is_class.sum(), (~is_class).sum()
    there = (holds & is_class).sum() / inside if inside else 0.0
    elsewhere = (~holds & ~is_class).sum() / outside if outside else 0.0
    return float(there + elsewhere) / 2


def simplified(drafts: Sequence[Draft], accuracy: Callable[[list[Draft]], float], loss: float) -> list[Draft]:
    """Drafts without what they do not need.

    Args:
        drafts: The reasons of a class.
        accuracy: How far drafts agree with the model.
        loss: Accuracy that may be lost in one step, and twice that in all.
    """
    rule = list(drafts)
    now = accuracy(rule)
    least = now - 2 * loss
    while True:
        rivals = [(accuracy(simpler), simpler) for simpler in _simpler_rules(rule)]
        best = max(rivals, key=lambda rival: rival[0], default=None)
        if best is None or best[0] < max(now - loss, least):
            return rule
        now, rule = best


def _simpler_rules(rule: list[Draft]) -> Iterator[list[Draft]]:
    """The rule with a reason less, or with a simpler one in its place."""
    for place, draft in enumerate(rule):
        others = [*rule[:place], *rule[place + 1 :]]
        if others:
            yield others
        for simpler in _simpler_drafts(draft):
            if simpler not in others:
                yield [*rule[:place], simpler, *rule[place + 1 :]]


def _simpler_drafts(draft: Draft) -> Iterator[Draft]:
    for condition in (*draft.lacks, *draft.has):
        if len(draft) > 1:
            yield draft.without(condition)
        for plainer in _plainer(condition):
            yield draft.replaced(condition, plainer)


def _plainer(condition: Condition) -> Iterator[Condition]:
    """A condition that says less of how its pattern lies in a graph."""
    if condition.closed:
        yield replace(condition, closed=frozenset())
    if condition.is_induced:
        yield replace(condition, is_induced=False)
    if condition.at_least > 1:
        yield replace(condition, at_least=1)
