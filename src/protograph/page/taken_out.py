"""What becomes of the margin when a pattern is taken out of graphs that have it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._base.randomness import preserved_random_state
from protograph.explanation import Pattern, Prototype, Reason
from protograph.explanation.survey import TakenOut
from protograph.graphs.cleaning import node_count
from protograph.graphs.cutting import induced_subgraph
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.store import GraphStore
from protograph.models.judging import Judge
from protograph.page.fitted import FittedClass
from protograph.patterns.containment import MAX_BITS, image_of

# Graphs that a pattern is taken out of, and nodes to place before one is passed over.
NUM_GRAPHS, MAX_CALLS = 12, 20_000

# A graph by its index, and its nodes that are to go.
Place = tuple[int, tuple[int, ...]]


def prototype_places(prototype: Prototype) -> list[Place]:
    """The sources of a prototype, and where it lies in them."""
    if prototype.matches is None or prototype.sources is None:
        return []
    columns = prototype.matches.T.tolist()
    return [
        (source, tuple(sorted({node for node in column if node >= 0})))
        for source, column in zip(prototype.sources, columns, strict=True)
    ]


def reason_places(reason: Reason, is_class: Callable[[int], bool], graphs: EncodedGraphs) -> list[Place]:
    """Graphs of the class in which a reason holds, and where the patterns that it has lie: its example first.

    In others a pattern is looked for only where any place will do.
    """
    example, places = reason.example, list[Place]()
    if example is not None and reason.has:
        marked = {example.nodes[node] for place in example.marked for node in place}
        places.append((example.source, tuple(sorted(marked))))
    if not reason.has or not all(_lies_anywhere(pattern, graphs) for pattern in reason.has):
        return places
    taken = {index for index, _ in places}
    members = [index for index in reason.holds_in_indices if is_class(index) and index not in taken]
    chosen = np.linspace(0, len(members) - 1, min(NUM_GRAPHS - len(places), len(members))).astype(int).tolist()
    for index in (members[place] for place in chosen):
        if nodes := _nodes_of(reason.has, graphs, index):
            places.append((index, nodes))
    return places


def _lies_anywhere(pattern: Pattern, graphs: EncodedGraphs) -> bool:
    is_plain = not pattern.is_induced and not pattern.closed and pattern.at_least == 1
    return is_plain and pattern.are_nodes_matched == graphs.match_features


def _nodes_of(patterns: Sequence[Pattern], graphs: EncodedGraphs, index: int) -> tuple[int, ...]:
    """The nodes that patterns have in a graph; none where one is not found in time."""
    graph = graphs[index]
    if graph.num_nodes > MAX_BITS:
        return ()
    images = [image_of(graphs.encode(pattern.graph), graph, MAX_CALLS) for pattern in patterns]
    return () if None in images else tuple(sorted({node for image in images for node in image or ()}))


def taken_out_fields(
    fitted: FittedClass, store: GraphStore, prototypes: Sequence[Prototype], reasons: Sequence[Reason]
) -> dict[str, Any]:
    """The fields of an explanation that tell what its patterns are worth to the model inside graphs."""
    target, predictions = fitted.target, fitted.embedded.predictions
    of_reasons = [
        reason_places(reason, lambda index: bool(predictions[index] == target), fitted.encoded) for reason in reasons
    ]

    def margins(some: Sequence[list[Place]]) -> tuple[tuple[TakenOut, ...], ...]:
        return tuple(taken_out(places, store.__getitem__, fitted.judge, target) for places in some)

    with preserved_random_state():
        return {
            "prototypes_taken_out": margins([prototype_places(one) for one in prototypes]),
            "reasons_taken_out": margins(of_reasons),
        }


def taken_out(places: Sequence[Place], graph: Callable[[int], Data], judge: Judge, target: int) -> tuple[TakenOut, ...]:
    """Margins of graphs, and of what is left of them without some nodes; those that have no others are left out."""
    wholes = [(index, nodes, graph(index)) for index, nodes in places]
    wholes = [(index, nodes, whole) for index, nodes, whole in wholes if 0 < len(nodes) < node_count(whole)]
    if not wholes:
        return ()
    rest = [
        induced_subgraph(whole, [n for n in range(node_count(whole)) if n not in set(nodes)])
        for _, nodes, whole in wholes
    ]
    margins = judge([*(whole for _, _, whole in wholes), *rest], target).margins.tolist()
    return tuple(
        TakenOut(index=index, nodes=nodes, margin=before, margin_without=after)
        for (index, nodes, _), before, after in zip(wholes, margins, margins[len(wholes) :], strict=False)
    )
