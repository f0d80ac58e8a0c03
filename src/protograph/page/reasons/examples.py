"""Examples of reasons: a part of a real graph in which a reason holds, which the model predicts as the class."""

from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools
from protograph.explanation import Example
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.models.predictions import Judge
from protograph.page.reasons.conditions import ConditionReader
from protograph.page.reasons.drafts import Draft

# Tells of sets of nodes of a graph whether the parts that they induce will do.
WillDo = Callable[[Sequence[frozenset[int]]], Bools]
# Nodes to place before a graph is no source: the places are known to be there.
_PLACE_CALLS = 200_000


def example_of(
    draft: Draft,
    lacks_rest: Callable[[Data], bool],
    sources: Sequence[tuple[int, Data]],
    judge: Judge,
    target: int,
    reader: ConditionReader,
) -> Example | None:
    """The smallest example that some source graphs give; ``None`` where no place of a pattern could be found.

    Args:
        draft: The reason.
        lacks_rest: Whether a part lacks all that it must.
        sources: Graphs in which it holds and that the model predicts as the class, each with its index.
        judge: The model.
        target: The class.
        reader: Reads the patterns.
    """
    examples = []
    for index, graph in sources:
        places = _places(draft, index, reader)
        if places is None:
            continue

        def will_do(sets: Sequence[frozenset[int]], graph: Data = graph) -> Bools:
            parts = [induced_subgraph(graph, sorted(nodes)) for nodes in sets]
            predicted = judge(parts, target).predictions == target
            return np.array([bool(ok) and lacks_rest(part) for ok, part in zip(predicted, parts, strict=True)])

        marked = frozenset(node for place in places for node in place)
        nodes = sorted(smallest(marked, frozenset(range(node_count(graph))), _distances(graph, marked), will_do))
        number = {node: place for place, node in enumerate(nodes)}
        part = induced_subgraph(graph, nodes)
        examples.append(
            Example(
                source=index,
                nodes=tuple(nodes),
                graph=part,
                marked=tuple(tuple(number[node] for node in place) for place in places),
                probability=float(judge([part], target).probabilities[0]),
                is_whole=len(nodes) == node_count(graph),
            )
        )
    return min(examples, key=lambda one: (len(one.nodes), -one.probability), default=None)


def _places(draft: Draft, index: int, reader: ConditionReader) -> list[tuple[int, ...]] | None:
    """Nodes of the graph for each place in which a pattern must be there."""
    places: list[tuple[int, ...]] = []
    for condition in draft.has:
        own = list(islice(reader.places(condition, index, _PLACE_CALLS), condition.at_least))
        if len(own) < condition.at_least:
            return None
        places += own
    return places


def _distances(graph: Data, marked: frozenset[int]) -> dict[int, int]:
    """How far each node is from those that are marked."""
    ends = graph.edge_index.T.tolist()
    near: dict[int, set[int]] = {node: set() for node in range(node_count(graph))}
    for u, v in ends:
        near[u].add(v)
        near[v].add(u)
    distances, frontier, steps = dict.fromkeys(marked, 0), set(marked), 0
    while frontier:
        steps += 1
        frontier = {other for node in frontier for other in near[node]} - distances.keys()
        distances |= dict.fromkeys(frontier, steps)
    return {node: distances.get(node, steps) for node in near}


def smallest(
    marked: frozenset[int], every: frozenset[int], distances: dict[int, int], will_do: WillDo
) -> frozenset[int]:
    """A set of nodes with those that are marked that will do, and from which none of the others can be left out.

    All nodes do, so the set is looked for in ever larger surroundings of what is marked; then as many nodes as possible
    go at a time, the farthest first.
    """
    steps = sorted(set(distances.values()))
    surroundings = [marked | {node for node in every if distances[node] <= step} for step in steps]
    candidates = [one for one in dict.fromkeys([marked, *surroundings]) if one]
    fits = np.flatnonzero(will_do(candidates))
    nodes = candidates[int(fits[0])] if fits.size else every
    size = max(1, len(nodes - marked) // 2)
    while nodes - marked:
        spare = sorted(nodes - marked, key=lambda node: (-distances[node], node))
        fewer = [nodes - frozenset(spare[at : at + size]) for at in range(0, len(spare), size)]
        fewer = [one for one in fewer if one]
        fits = np.flatnonzero(will_do(fewer)) if fewer else np.zeros(0, np.int64)
        if fits.size:
            nodes = fewer[int(fits[0])]
        elif size == 1:
            break
        else:
            size = max(1, size // 2)
    return nodes
