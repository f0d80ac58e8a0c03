"""What a found pattern asks of its nodes and edges: the codes that they have, as far as these make a difference."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Bools
from protograph.explanation.pattern import Pattern, noun_of
from protograph.graphs.conditions import Conditions, Reading, equal_to
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.graphs.variables import ONE_HOT, Variable
from protograph.patterns.subgraph_isomorphism import contained_in, neighbours_of

AT_ONCE = 256  # graphs that are searched before it is looked whether one of them has the looser pattern


def pattern_of(
    part: Data, encoded: EncodedGraph, graphs: EncodedGraphs, full: EncodedGraphs | None = None, **lies: Any
) -> Pattern:
    """A pattern that asks for what its nodes and edges are.

    Args:
        part: The pattern, with all that its nodes and edges hold.
        encoded: The same, encoded as the graphs are.
        graphs: All graphs, as the pattern was found in them.
        full: The same as all patterns are counted in them; ``None`` where that is no other.
        lies: How it must lie in a graph, as fields of a pattern.
    """
    reading = (full or graphs).node_rule
    nodes = tuple(equal_to(graphs.node_table[kind], graphs.node_rule) for kind in encoded.node_kinds.tolist())
    found = {
        (node, other): _common(equal_to(rows[0], graphs.edge_rule), rows.min(axis=0) == rows.max(axis=0))
        for node, own in enumerate(neighbours_of(encoded))
        for other, kind in own.items()
        if node < other and (rows := graphs.edge_table[kind]) is not None
    }
    edges = tuple(found[ends] for ends in sorted(found))
    return Pattern(
        graph=shown(part, nodes, reading, graphs.edge_rule),
        node_reading=reading,
        edge_reading=graphs.edge_rule,
        node_conditions=nodes,
        edge_conditions=edges,
        **lies,
    )


def _common(conditions: Conditions, is_alike: Bools) -> Conditions:
    """Those on what an edge holds there and back alike."""
    return tuple(one for one, is_so in zip(conditions, is_alike.tolist(), strict=True) if is_so)


def shown(part: Data, conditions: Sequence[Conditions], nodes: Reading, edges: Reading) -> Data:
    """The pattern as it is drawn: nodes that may be anything look like nothing in particular."""
    graph = Data(edge_index=part.edge_index, num_nodes=part.num_nodes)
    if isinstance(part.x, Tensor) and nodes.noun is not None:
        noun, rows = nodes.noun, part.x.clone()
        is_open = [node for node, own in enumerate(conditions) if noun_of(own, noun) is None]
        if noun.key == "x" and is_open:
            flat = rows.reshape(len(rows), -1)
            flat[np.ix_(is_open, noun.places)] = 0 if noun.kind == ONE_HOT else -1
        graph.x = rows
    if not edges.is_empty and isinstance(part.edge_attr, Tensor):
        graph.edge_attr = part.edge_attr
    return graph


def relaxed(pattern: Pattern, graphs: EncodedGraphs, holds: Bools, max_calls: int) -> Pattern:
    """A pattern without the conditions that make no difference: it holds in the same graphs.

    What a node is called by stays, so that it has a name. Everything else is dropped, or of ordered values one end of
    the interval, from all nodes at once where that can be, else one by one; what says the least goes first.

    Args:
        pattern: The pattern.
        graphs: All graphs, read by its readings.
        holds: In which of them it holds.
        max_calls: Nodes to place in a graph; where that does not suffice, the condition stays.
    """
    others = np.flatnonzero(~holds)

    def is_same(looser: Pattern) -> bool:
        asked = looser.asked(graphs)
        return not any(
            contained_in(asked, graphs, indices=others[at : at + AT_ONCE], max_calls=max_calls, **looser.lies).any()
            for at in range(0, others.size, AT_ONCE)
        )

    for variable in reversed(pattern.node_reading.variables):
        if variable != pattern.node_reading.noun:
            pattern = _looser(pattern, "node_conditions", variable, is_same)
    for variable in reversed(pattern.edge_reading.variables):
        pattern = _looser(pattern, "edge_conditions", variable, is_same)
    return pattern


def _looser(pattern: Pattern, field: str, variable: Variable, is_same: Callable[[Pattern], bool]) -> Pattern:
    """The pattern with as few conditions on a variable as can be."""
    every: tuple[Conditions, ...] = getattr(pattern, field)
    without = tuple(_without(own, variable) for own in every)
    if without == every:
        return pattern
    if is_same(looser := _with(pattern, field, without)):
        return looser
    for place in range(len(every)):
        for own in _looser_ones(getattr(pattern, field)[place], variable):
            changed = _exchanged(getattr(pattern, field), place, own)
            if is_same(looser := _with(pattern, field, changed)):
                pattern = looser
                break
    return pattern


def _with(pattern: Pattern, field: str, conditions: tuple[Conditions, ...]) -> Pattern:
    changes: Any = {field: conditions}
    return replace(pattern, **changes)


def _exchanged(every: tuple[Conditions, ...], place: int, own: Conditions) -> tuple[Conditions, ...]:
    return (*every[:place], own, *every[place + 1 :])


def _without(conditions: Conditions, variable: Variable) -> Conditions:
    return tuple(one for one in conditions if one.variable != variable.name)


def _looser_ones(conditions: Conditions, variable: Variable) -> Iterator[Conditions]:
    """Conditions that ask for less of a variable, those that ask for the least first."""
    for at, one in enumerate(conditions):
        if one.variable == variable.name:
            yield _without(conditions, variable)
            if variable.is_ordered:
                first, last = variable.values[0], variable.values[-1]
                # Bins end there; of numbers there may be others in new graphs.
                ends = (first, last) if variable.is_quantity else (-inf, inf)
                for is_open, looser in ((one.low > first, {"low": ends[0]}), (one.high < last, {"high": ends[1]})):
                    if is_open:
                        yield (*conditions[:at], replace(one, **looser), *conditions[at + 1 :])  # type: ignore[arg-type]
