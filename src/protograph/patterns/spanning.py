"""Which small graphs contain others of as many nodes: a mask of edges each, tried under all orders of the nodes."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations, groupby, permutations, product

import numpy as np
from numpy.typing import NDArray

from protograph.graphs.encoding import EncodedGraph
from protograph.patterns.subgraph_isomorphism import contains, neighbours_of

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
    turned = [_masks(graph, orders, bits, edge_kinds) for graph in graphs]
    masks = np.array([one[0] for one in turned], dtype=np.uint64)  # the first order leaves all as it is
    result = []
    for place, own in enumerate(turned):
        is_in = ((own[:, None] & ~masks[None, :]) == 0).any(axis=0)
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


def _bits(size: int, edge_kinds: Sequence[int]) -> Masks:
    """A bit for each pair of places, both ways, and each kind of edge."""
    bits = np.zeros((size, size, len(edge_kinds)), np.uint64)
    for number, ((i, j), kind) in enumerate(product(combinations(range(size), 2), range(len(edge_kinds)))):
        bits[i, j, kind] = bits[j, i, kind] = 1 << number
    return bits


def _orders(kinds: Sequence[int]) -> NDArray[np.int64]:
    """The orders of places under which nodes, sorted by their kinds, keep these; the first is as they are."""
    blocks = [list(block) for _, block in groupby(range(len(kinds)), key=lambda place: kinds[place])]
    return np.array(
        [tuple(chain.from_iterable(order)) for order in product(*(permutations(block) for block in blocks))]
    )


def _masks(graph: EncodedGraph, orders: NDArray[np.int64], bits: Masks, edge_kinds: Sequence[int]) -> Masks:
    """The edges of a graph whose nodes, sorted by their kinds, take places in each of these orders."""
    place = {node: at for at, node in enumerate(np.argsort(graph.node_kinds, kind="stable").tolist())}
    masks = np.zeros(len(orders), np.uint64)
    for node, row in enumerate(neighbours_of(graph)):
        for other, kind in row.items():
            if node < other:
                masks |= bits[orders[:, place[node]], orders[:, place[other]], edge_kinds.index(kind)]
    return masks
