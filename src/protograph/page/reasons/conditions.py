"""Conditions on patterns, conjunctions of them, and the rules of a class that they make."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protograph._utils.arrays import Bools, Floats, Ints, Kinds
from protograph.graphs.conditions import Reading
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.patterns.pattern import Edge, Subgraph, edge
from protograph.patterns.subgraph_isomorphism import (
    Asked,
    PatternStore,
    StoredPattern,
    contained_in,
    neighbours_of,
    places_of,
)

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
        open: Nodes and edges of it with the name of a variable that may be anything there.
    """

    source: int
    pattern: Subgraph
    level: int = FULL
    is_induced: bool = False
    closed: frozenset[int] = frozenset()
    at_least: int = 1
    open: frozenset[tuple[int | Edge, str]] = frozenset()

    @property
    def closed_places(self) -> list[int]:
        """Places of the closed nodes in the order of its nodes."""
        order = sorted(self.pattern.nodes)
        return [order.index(node) for node in self.closed]

    @property
    def is_plain(self) -> bool:
        """Whether it is a pattern that is there as a part, and no more."""
        return not self.is_induced and not self.closed and self.at_least == 1 and not self.open

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

    def asked(self, condition: Condition) -> EncodedGraph | Asked:
        """The pattern as the engine reads it, without what may be anything."""
        encoded = self.encoded(condition)
        if not condition.open:
            return encoded
        graphs = self.readings[condition.level]
        nodes, node_table = sorted(condition.pattern.nodes), graphs.node_table
        edges = [edge(nodes[u], nodes[v]) for u, row in enumerate(neighbours_of(encoded)) for v in sorted(row)]
        edge_table = np.array([rows[0] for rows in graphs.edge_table])
        node_classes, accepts = _classes(nodes, encoded.node_kinds, node_table, graphs.node_rule, condition.open)
        edge_classes, accepts_edges = _classes(edges, encoded.edge_kinds, edge_table, graphs.edge_rule, condition.open)
        return Asked(encoded._replace(node_kinds=node_classes, edge_kinds=edge_classes), accepts, accepts_edges)

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
                self.asked(condition),
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
            self.asked(condition),
            self.readings[condition.level][index],
            induced=condition.is_induced,
            closed=condition.closed_places,
            max_calls=max_calls,
        )


def _classes(
    items: Sequence[int | Edge], kinds: Kinds, table: Floats, reading: Reading, is_open: Collection[tuple[Any, str]]
) -> tuple[Kinds, Bools]:
    """The class of each node or edge, and which kinds each class accepts: those alike in all that is not open."""
    names = [variable.name for variable in reading.variables]
    asked = [
        (kind, tuple(place for place, name in enumerate(names) if (item, name) not in is_open))
        for item, kind in zip(items, kinds.tolist(), strict=True)
    ]
    different = sorted(set(asked))
    accepts = [(table[:, list(places)] == table[kind, list(places)]).all(axis=1) for kind, places in different]
    classes = np.array([different.index(one) for one in asked], np.int32)
    return classes, np.array(accepts, np.bool_).reshape(len(different), len(table)).T


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
