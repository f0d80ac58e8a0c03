"""Which small graphs contain others of as many nodes: a mask of edges each, tried under all orders of the nodes."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations, groupby, permutations, product

import numpy as np
from numpy.typing import NDArray

from protograph.graphs.encoding import EncodedGraph
from protograph.patterns.containment import contains, neighbours_of

Masks = NDArray[np.uint64]
_BITS = 64


def spanning_parts(graphs: Sequence[EncodedGraph]) -> list[list[int]]:
    """For each graph those of the others that contain it.

    Args:
        graphs: Graphs with the same kinds of nodes, as many of each.
    """
    edge_kinds = sorted({kind for graph in graphs for kind in graph.edge_kinds.tolist()})
    size = graphs[0].num_nodes
    if size * (size - 1) // 2 * len(edge_kinds) > _BITS:
        return [
            [other for other in others if contains(graphs[other], graph) == 1]
            for graph, others in zip(graphs, _with_as_many_edges(graphs), strict=True)
        ]
    bits = _bits(size, edge_kinds)
    orders = _orders(sorted(graphs[0].node_kinds.tolist()))
    masks = np.array([_mask(graph, range(size), bits) for graph in graphs], dtype=np.uint64)
    result = []
    for place, graph in enumerate(graphs):
        turned = np.array([_mask(graph, order, bits) for order in orders], dtype=np.uint64)
        is_in = ((turned[:, None] & ~masks[None, :]) == 0).any(axis=0)
        result.append([other for other in np.flatnonzero(is_in).tolist() if other != place])
    return result


def _with_as_many_edges(graphs: Sequence[EncodedGraph]) -> list[list[int]]:
    """For each graph those of the others that have as many edges of each kind between nodes of the same kinds."""
    edges = [
        Counter(
            (*sorted((int(graph.node_kinds[node]), int(graph.node_kinds[other]))), kind)
            for node, row in enumerate(neighbours_of(graph))
            for other, kind in row.items()
            if node < other
        )
        for graph in graphs
    ]
    column = {look: number for number, look in enumerate(sorted({look for own in edges for look in own}))}
    counts = np.zeros((len(graphs), len(column)), np.int8)
    for row, own in zip(counts, edges, strict=True):
        row[[column[look] for look in own]] = list(own.values())
    result = []
    for place, row in enumerate(counts):
        own_kinds = np.flatnonzero(row)
        is_enough = (counts[:, own_kinds] >= row[own_kinds]).all(axis=1)
        result.append([other for other in np.flatnonzero(is_enough).tolist() if other != place])
    return result


def _bits(size: int, edge_kinds: Sequence[int]) -> dict[tuple[int, int, int], int]:
    """A bit for each pair of places, both ways, and each kind of edge."""
    bits = {}
    for number, ((i, j), kind) in enumerate(product(combinations(range(size), 2), edge_kinds)):
        bits[i, j, kind] = bits[j, i, kind] = 1 << number
    return bits


def _orders(kinds: Sequence[int]) -> list[tuple[int, ...]]:
    """The orders of places under which nodes, sorted by their kinds, keep these."""
    blocks = [list(block) for _, block in groupby(range(len(kinds)), key=lambda place: kinds[place])]
    return [tuple(chain.from_iterable(order)) for order in product(*(permutations(block) for block in blocks))]


def _mask(graph: EncodedGraph, order: Sequence[int], bits: dict[tuple[int, int, int], int]) -> int:
    """The edges of a graph whose nodes, sorted by their kinds, take these places."""
    place = dict(zip(np.argsort(graph.node_kinds, kind="stable").tolist(), order, strict=True))
    return sum(
        bits[place[node], place[other], kind]
        for node, row in enumerate(neighbours_of(graph))
        for other, kind in row.items()
        if node < other
    )
