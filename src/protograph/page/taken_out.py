"""What becomes of the margin when a pattern is taken out of graphs that have it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._base.randomness import preserved_random_state
from protograph.explanation import Prototype, Reason
from protograph.explanation.places import nodes_of
from protograph.explanation.survey import TakenOut
from protograph.graphs.dataset import GraphStore
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.models.predictions import Judge
from protograph.page.fitted import FittedClass

# Graphs that a pattern is taken out of.
NUM_GRAPHS = 12

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


def reason_places(
    reason: Reason, is_class: Callable[[int], bool], take: Callable[[list[int]], list[Data]]
) -> list[Place]:
    """Graphs of the class in which a reason holds, and where the patterns that it has lie: its example first.

    Args:
        reason: The reason.
        is_class: Whether a graph is predicted as the class.
        take: Gives graphs by their indices.
    """
    example, places = reason.example, list[Place]()
    if example is not None and reason.has:
        marked = {example.nodes[node] for place in example.marked for node in place}
        places.append((example.source, tuple(sorted(marked))))
    if not reason.has:
        return places
    taken = {index for index, _ in places}
    members = [index for index in reason.holds_in_indices if is_class(index) and index not in taken]
    spread = np.linspace(0, len(members) - 1, min(NUM_GRAPHS - len(places), len(members))).astype(int).tolist()
    chosen = [members[place] for place in spread]
    found = nodes_of(reason.has, take(chosen)) if chosen else []
    return places + [(index, nodes) for index, nodes in zip(chosen, found, strict=True) if nodes]


def taken_out_fields(
    fitted: FittedClass, store: GraphStore, prototypes: Sequence[Prototype], reasons: Sequence[Reason]
) -> dict[str, Any]:
    """The fields of an explanation that tell what its patterns are worth to the model inside graphs."""
    target, predictions = fitted.target, fitted.embedded.predictions
    of_reasons = [
        reason_places(reason, lambda index: bool(predictions[index] == target), store.take) for reason in reasons
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
    # One after the other: a part has not all the entries of a whole graph, and a batch takes graphs of one kind.
    margins = [judge(graphs, target).margins.tolist() for graphs in ([whole for _, _, whole in wholes], rest)]
    return tuple(
        TakenOut(index=index, nodes=nodes, margin=before, margin_without=after)
        for (index, nodes, _), before, after in zip(wholes, *margins, strict=True)
    )
