"""Whether the edges of many graphs, laid end to end, are those of simple undirected graphs: one compiled loop.

Sorting all edges of a chunk took longer than a small model takes for its graphs. Here the edges of a small graph are
marked in a table of all pairs of its nodes. Those of a larger one are put in order by counting, first by one end, then
by the other, which takes some more steps an edge.
"""

from typing import Any

import numpy as np

from protograph._base.arrays import Ints
from protograph._base.compiling import compiled, inner

# Nodes of a graph for which there is a table of all pairs: it is to stay in the processor's cache.
_MOST_IN_TABLE = 128


def are_simple(edges: Ints, sizes: Ints, counts: Ints) -> bool:
    """Whether all edges join nodes of their graph, none is there twice, and each has its reverse.

    Args:
        edges: Both ends of each edge, ``[2, num_edges]``, with the nodes of each graph numbered from 0.
        sizes: Number of nodes of each graph.
        counts: Number of edges of each graph.

    >>> there_and_back = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> are_simple(there_and_back, np.array([3]), np.array([4]))
    True
    >>> are_simple(there_and_back[:, :3], np.array([3]), np.array([3]))
    False
    """
    largest = int(sizes.max(initial=0))
    most_nodes, most_edges = (largest, int(counts.max(initial=0))) if largest > _MOST_IN_TABLE else (0, 0)
    room = np.empty((2, most_nodes + 1), np.int64), np.empty((3, most_edges), np.int64)
    marks = np.full((min(largest, _MOST_IN_TABLE) + 1) ** 2, -1, np.int32)
    ends = (np.ascontiguousarray(end) for end in edges)
    return bool(_are_simple(*ends, np.ascontiguousarray(sizes), np.ascontiguousarray(counts), marks, *room))


@compiled
def _are_simple(source: Any, target: Any, sizes: Any, counts: Any, marks: Any, of_nodes: Any, of_edges: Any) -> bool:
    first = 0
    for graph in range(len(sizes)):
        size, last = sizes[graph], first + counts[graph]
        for edge in range(first, last):
            if source[edge] < 0 or source[edge] >= size or target[edge] < 0 or target[edge] >= size:
                return False
        if size * size <= len(marks):
            if not _is_simple_by_marks(source, target, first, last, size, graph, marks):
                return False
        elif not _is_simple_in_order(source, target, first, last, size, of_nodes, of_edges):
            return False
        first = last
    return True


@inner
def _is_simple_by_marks(source: Any, target: Any, first: int, last: int, size: int, graph: int, marks: Any) -> bool:
    """Mark pairs by the graph's number, so that nothing is to be wiped out after it."""
    for edge in range(first, last):
        place = source[edge] * size + target[edge]
        if marks[place] == graph:
            return False
        marks[place] = graph
    for edge in range(first, last):  # noqa: SIM110 - a generator is not compiled
        if marks[target[edge] * size + source[edge]] != graph:
            return False
    return True


@inner
def _is_simple_in_order(
    source: Any, target: Any, first: int, last: int, size: int, of_nodes: Any, of_edges: Any
) -> bool:
    starts, places = of_nodes
    order, sources, targets = of_edges
    # By the second end, then by the first, where those before keep their order.
    places[: size + 1] = 0
    for edge in range(first, last):
        places[target[edge] + 1] += 1
    for node in range(size):
        places[node + 1] += places[node]
    for edge in range(first, last):
        order[places[target[edge]]] = edge
        places[target[edge]] += 1
    starts[: size + 1] = 0
    for edge in range(first, last):
        starts[source[edge] + 1] += 1
    for node in range(size):
        starts[node + 1] += starts[node]
        places[node] = starts[node]
    for number in range(last - first):
        edge = order[number]
        place = places[source[edge]]
        sources[place], targets[place] = source[edge], target[edge]
        places[source[edge]] += 1
    # Reverses of edges in this order come in it too, at each node by themselves.
    for node in range(size):
        places[node] = starts[node]
    for number in range(last - first):
        node, other = sources[number], targets[number]
        if number and sources[number - 1] == node and targets[number - 1] == other:
            return False
        place = places[other]
        if place >= starts[other + 1] or targets[place] != node:
            return False
        places[other] += 1
    return True
