"""Whether the planted reasons of a world are among those of its explanations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import networkx as nx
import numpy as np
from torch_geometric.data import Data

from protograph.explanation import Explanation, Pattern, Reason
from protograph.graphs.conditions import Conditions, Reading
from research.worlds.planting import PlantedPattern, PlantedReason, Sketch, World


def is_same_pattern(planted: PlantedPattern, ours: Pattern) -> bool:
    """Whether a pattern is the planted one: the same graph, kind, closed nodes and count.

    A complete graph is the same as a part and induced. A pattern that asks for colours or kinds of edges is not one
    that leaves them open.
    """
    if ours.at_least != planted.at_least:
        return False
    if ours.kind != planted.kind and not _is_complete(planted.sketch):
        return False
    return is_isomorphic(of_pattern(ours), of_sketch(planted.sketch, planted.closed))


def _is_complete(sketch: Sketch) -> bool:
    return len(sketch.edges) == sketch.num_nodes * (sketch.num_nodes - 1) // 2


def of_sketch(sketch: Sketch, closed: Iterable[int] = ()) -> nx.Graph:
    """A planted graph: colours, kinds of edges and whether nodes are closed as attributes, ``None`` for any."""
    result = nx.Graph()
    for node in range(sketch.num_nodes):
        result.add_node(node, kind=sketch.colours[node] if sketch.colours else None, closed=node in closed)
    for number, (u, v) in enumerate(sketch.edges):
        result.add_edge(u, v, kind=sketch.edge_kinds[number] if sketch.edge_kinds else None)
    return result


def of_pattern(pattern: Pattern, *, has_edge_kinds: bool = True) -> nx.Graph:
    """The same of a pattern, by its conditions: what is neither one column nor open is no colour of a planted one."""
    result = nx.Graph()
    for node, asked in enumerate(pattern.of_nodes):
        result.add_node(node, kind=_column(asked, pattern.node_reading), closed=node in pattern.closed)
    for ends in pattern.edges:
        asked = pattern.of_edges[ends] if has_edge_kinds else ()
        result.add_edge(*ends, kind=_column(asked, pattern.edge_reading))
    return result


def _column(asked: Conditions, reading: Reading) -> object:
    """The column that a node or an edge must have a 1 in; ``None`` for any, and else what is asked of it."""
    if len(asked) == 1 and asked[0].is_single and not asked[0].is_not and asked[0].low >= 0:
        return reading.variable(asked[0].variable).places[int(asked[0].low)]
    return asked or None


def of_graph(graph: Data, has_colours: bool, has_edge_kinds: bool, closed: Iterable[int] = ()) -> nx.Graph:
    """The same of a graph, whose colours or kinds of edges are left out where they do not count."""
    colours = graph.x.argmax(dim=1).tolist() if has_colours and graph.x is not None else [None] * graph.num_nodes
    kinds = graph.edge_attr.argmax(dim=1).tolist() if has_edge_kinds else [None] * graph.num_edges
    result = nx.Graph()
    result.add_nodes_from((node, {"kind": colour, "closed": node in closed}) for node, colour in enumerate(colours))
    for (u, v), kind in zip(graph.edge_index.T.tolist(), kinds, strict=True):
        result.add_edge(u, v, kind=kind)
    return result


def is_isomorphic(one: nx.Graph, other: nx.Graph) -> bool:
    """Whether two graphs are the same, with all attributes of their nodes and edges."""
    is_same: bool = nx.is_isomorphic(one, other, node_match=lambda a, b: a == b, edge_match=lambda a, b: a == b)
    return is_same


def are_same_patterns(planted: Sequence[PlantedPattern], ours: Sequence[Pattern]) -> bool:
    """Whether patterns are the planted ones, in any order."""
    return len(planted) == len(ours) and any(
        all(is_same_pattern(one, other) for one, other in zip(planted, order, strict=True))
        for order in permutations(ours)
    )


def is_same_reason(planted: PlantedReason, ours: Reason) -> bool:
    """Whether a reason is the planted one.

    What a class only lacks may be told by its special reason, that no reason of the other classes holds: those that
    have one pattern and no more are then what it lacks.
    """
    if ours.unless:
        lacked = [*ours.lacks, *(one.has[0] for one in ours.unless if len(one.has) == 1 and not one.lacks)]
        return not planted.has and all(any(is_same_pattern(one, two) for two in lacked) for one in planted.lacks)
    return are_same_patterns(planted.has, ours.has) and are_same_patterns(planted.lacks, ours.lacks)


def found_reasons(world: World, explanations: Mapping[int, Explanation]) -> list[bool]:
    """Of each planted reason, whether its class's explanation has it."""
    return [any(is_same_reason(one, ours) for ours in reasons_of(explanations, t)) for t, one in world.reasons]


def is_found(planted: PlantedReason, explanation: Explanation) -> bool:
    """Whether a reason is told by the explanation of its class: by a reason, or by a prototype that is its motif."""
    if any(is_same_reason(planted, ours) for ours in explanation.reasons):
        return True
    if len(planted.has) != 1 or planted.lacks:
        return False
    motif = planted.has[0]
    is_plain = motif.at_least == 1 and not motif.closed and (motif.kind == "part" or _is_complete(motif.sketch))
    return is_plain and any(_is_motif(prototype.graph, motif.sketch) for prototype in explanation.prototypes)


def is_found_graph(truth: Data, explanation: Explanation) -> bool:
    """Whether a graph is one of the prototypes, or all that a reason asks for; nodes by their features."""
    alone = [one.has[0] for one in explanation.reasons if len(one.has) == 1 and not one.lacks and not one.unless]
    wanted = of_graph(truth, has_colours=True, has_edge_kinds=False)
    graphs = [of_graph(one.graph, has_colours=True, has_edge_kinds=False) for one in explanation.prototypes]
    return any(is_isomorphic(wanted, one) for one in graphs) or any(is_graph_of(truth, one) for one in alone)


def is_graph_of(graph: Data, pattern: Pattern) -> bool:
    """Whether a pattern is a graph, in the features of its nodes too if it asks for some, whatever is closed."""
    wanted = of_graph(graph, has_colours=any(pattern.of_nodes), has_edge_kinds=False)
    return is_isomorphic(wanted, of_pattern(replace(pattern, closed=()), has_edge_kinds=False))


def reasons_of(explanations: Mapping[int, Explanation], target: int) -> tuple[Reason, ...]:
    """The reasons of a class; none where it has no explanation."""
    return explanations[target].reasons if target in explanations else ()


def prototype_accuracy(world: World, explanations: Mapping[int, Explanation]) -> float | None:
    """Share of the prototypes, of classes that have a planted motif, that are such a motif; ``None`` without any."""
    is_right = []
    for target, explanation in explanations.items():
        motifs = [one.sketch for reason in world.classes[target].reasons for one in reason.has]
        for prototype in explanation.prototypes if motifs else ():
            is_right.append(any(_is_motif(prototype.graph, motif) for motif in motifs))
    return float(np.mean(is_right)) if is_right else None


def _is_motif(graph: Data, motif: Sketch) -> bool:
    """Whether a graph is a motif, by colours and kinds of edges where it was planted by them."""
    has_edge_kinds = bool(motif.edge_kinds) and graph.edge_attr is not None
    return is_isomorphic(of_graph(graph, bool(motif.colours), has_edge_kinds), of_sketch(motif))
