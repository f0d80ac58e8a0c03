"""The most edges that two graphs have in common, kinds included: an exact, compiled branch and bound.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk.
"""

from typing import Any, NamedTuple

import numpy as np

from protograph._utils.arrays import Bools, Ints, Kinds
from protograph._utils.compiling import compiled, inner
from protograph.graphs.encoding import EncodedGraph
from protograph.patterns.subgraph_isomorphism import are_twins, neighbours_of

_FREE = -1


class CommonSubgraph(NamedTuple):
    """What the search found.

    Attributes:
        image: For each node of the smaller graph its node in the larger one, -1 where it has none.
        bound: No correspondence has more common edges than this.
        is_exact: Whether none has more than this one.
    """

    image: Ints
    bound: int
    is_exact: bool


class _Side(NamedTuple):
    """One of the two graphs."""

    node_kinds: Kinds
    starts: Ints
    neighbours: Kinds
    edge_kinds: Kinds
    kinds: Ints  # for each entry of ``neighbours``: number of the node's kind and the edge's together
    around: Ints  # [num_nodes, num_kinds] free neighbours of each kind
    twins: Ints  # number of the class of nodes that can be swapped without changing the graph


def largest_common_subgraph(small: EncodedGraph, large: EncodedGraph, max_calls: int) -> CommonSubgraph:
    """The correspondence of nodes with equal node_kinds that has the most edges in both graphs.

    Another pair of nodes never takes edges away, so that for each kind all nodes of the graph that has fewer of them
    have partners; only the edges need be counted. Nodes of the smaller graph get theirs one after the other. What is
    left can add at most what each free node has with its best partner: its edges to placed nodes and half of the most
    edges to free ones, kind by kind.

    Args:
        small: The graph with fewer nodes (or as many).
        large: The other, encoded with the same node_kinds.
        max_calls: Most pairs of nodes to try.
    """
    padded = _padded(large, small)
    owners = [np.repeat(graph.node_kinds, np.diff(graph.starts)) for graph in (small, padded)]
    kinds = np.stack([np.concatenate(owners), np.concatenate([small.edge_kinds, padded.edge_kinds])])
    _, numbers = np.unique(kinds, axis=1, return_inverse=True)
    own, other = np.split(numbers.reshape(-1), [small.neighbours.size])
    num_kinds = int(numbers.max(initial=-1)) + 1
    image, bound, is_exact = _branch_and_bound(_side(small, own, num_kinds), _side(padded, other, num_kinds), max_calls)
    return CommonSubgraph(_completed(image, small, large), int(bound), bool(is_exact))


def _padded(large: EncodedGraph, small: EncodedGraph) -> EncodedGraph:
    """The graph with nodes of their own, joined to nothing, for those of the other one that must go without partner."""
    kinds, counts = np.unique(small.node_kinds, return_counts=True)
    missing = [max(0, count - (large.node_kinds == kind).sum()) for kind, count in zip(kinds, counts, strict=True)]
    return large._replace(
        node_kinds=np.concatenate([large.node_kinds, np.repeat(kinds, missing)]),
        starts=np.concatenate([large.starts, np.full(sum(missing), large.starts[-1])]),
    )


def _side(graph: EncodedGraph, kinds: Ints, num_kinds: int) -> _Side:
    around = np.zeros((graph.num_nodes, num_kinds), np.int64)
    np.add.at(around, (graph.neighbours, kinds), 1)
    edges, twins = neighbours_of(graph), np.arange(graph.num_nodes)
    firsts: list[int] = []
    for node in range(graph.num_nodes):
        twins[node] = next((first for first in firsts if are_twins(graph.node_kinds, edges, node, first)), node)
        if twins[node] == node:
            firsts.append(node)
    return _Side(*graph, kinds.astype(np.int64), around, twins)


def _completed(image: Ints, small: EncodedGraph, large: EncodedGraph) -> Ints:
    """Give every node a partner that can have one."""
    image = np.where(image < large.num_nodes, image, _FREE)
    for kind in np.unique(small.node_kinds):
        free = np.setdiff1d(np.flatnonzero(large.node_kinds == kind), image)
        without = np.flatnonzero((small.node_kinds == kind) & (image < 0))
        count = min(free.size, without.size)
        image[without[:count]] = free[:count]
    return image


@inner
def _worth(small: _Side, large: _Side, common: Ints, node: int, other: int) -> Any:  # pragma: no cover - compiled
    """Twice the edges that a pair of nodes can add: those to placed nodes, and half of those to free ones."""
    total = 2 * common[node, other]
    for kind in range(small.around.shape[1]):
        total += min(small.around[node, kind], large.around[other, kind])
    return total


@inner
def _most_to_come(
    small: _Side, large: _Side, common: Ints, image: Ints, is_used: Bools
) -> Any:  # pragma: no cover - compiled
    """Upper bound on the edges that the free nodes can still add."""
    total = np.int64(0)
    for node in range(small.node_kinds.size):
        if image[node] == _FREE:
            highest = np.int64(0)
            for other in range(large.node_kinds.size):
                if not is_used[other] and small.node_kinds[node] == large.node_kinds[other]:
                    highest = max(highest, _worth(small, large, common, node, other))
            total += highest
    return total // 2


@inner
def _place(
    small: _Side, large: _Side, common: Ints, node: int, other: int, sign: int
) -> None:  # pragma: no cover - compiled
    """Note that two nodes are partners (``sign`` 1), or no longer (-1)."""
    for at in range(small.starts[node], small.starts[node + 1]):
        small.around[small.neighbours[at], small.kinds[at]] -= sign
    for at in range(large.starts[other], large.starts[other + 1]):
        large.around[large.neighbours[at], large.kinds[at]] -= sign
    for at in range(small.starts[node], small.starts[node + 1]):
        for there in range(large.starts[other], large.starts[other + 1]):
            if small.edge_kinds[at] == large.edge_kinds[there]:
                common[small.neighbours[at], large.neighbours[there]] += sign


@inner
def _next_node(small: _Side, image: Ints) -> int:  # pragma: no cover - compiled
    """The free node with the most placed neighbours, then the most neighbours."""
    best, highest = -1, -1
    for node in range(small.node_kinds.size):
        if image[node] == _FREE:
            degree, placed = small.starts[node + 1] - small.starts[node], 0
            for at in range(small.starts[node], small.starts[node + 1]):
                if image[small.neighbours[at]] != _FREE:
                    placed += 1
            if placed * (small.node_kinds.size + 1) + degree > highest:
                best, highest = node, placed * (small.node_kinds.size + 1) + degree
    return best


@inner
def _candidates(
    small: _Side, large: _Side, common: Ints, image: Ints, is_used: Bools, node: int, out: Ints
) -> int:  # pragma: no cover - compiled
    """List the partners to try for a node, the most promising first.

    Nodes that can be swapped need be tried in one order only: a node takes the first free one of its partner's twins,
    and of twins, the one placed later gets the later partner.
    """
    above = -1
    for twin in range(small.node_kinds.size):
        if image[twin] != _FREE and small.twins[twin] == small.twins[node]:
            above = max(above, image[twin])
    count = 0
    for other in range(large.node_kinds.size):
        if is_used[other] or other < above or small.node_kinds[node] != large.node_kinds[other]:
            continue
        is_first = True
        for twin in range(large.twins[other], other):
            is_first = is_first and (is_used[twin] or large.twins[twin] != large.twins[other])
        if is_first:
            worth, at = _worth(small, large, common, node, other), count
            while at > 0 and _worth(small, large, common, node, out[at - 1]) < worth:
                out[at] = out[at - 1]
                at -= 1
            out[at] = other
            count += 1
    return count


@compiled
def _branch_and_bound(small: _Side, large: _Side, max_calls: int) -> Any:  # pragma: no cover - compiled
    """Depth first, trying the partners of one node at each depth.

    Returns:
        The best image of each node (-1: any), a bound on the edges, and whether that is reached.
    """
    size, num_others = small.node_kinds.size, large.node_kinds.size
    common, listed = np.zeros((size, num_others), np.int64), np.zeros((size + 1, num_others), np.int64)
    image, best, is_used = np.full(size, _FREE), np.full(size, _FREE), np.zeros(num_others, np.bool_)
    length, cursor, chosen = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    edges, highest, bound, depth, calls, is_new = 0, 0, 0, 0, 0, True
    while True:
        if is_new:
            length[depth], cursor[depth] = 0, 0
            most = _most_to_come(small, large, common, image, is_used)
            if depth == 0:
                bound = most
            if edges + most > highest:
                chosen[depth] = _next_node(small, image)
                length[depth] = _candidates(small, large, common, image, is_used, chosen[depth], listed[depth])
        is_new = cursor[depth] < length[depth]
        if is_new:
            if calls == max_calls:
                return best, bound, False
            calls += 1
            node, other = chosen[depth], listed[depth, cursor[depth]]
            cursor[depth] += 1
            depth += 1
        elif depth == 0:
            return best, highest, True
        else:
            depth -= 1
            node, other = chosen[depth], image[chosen[depth]]
        # One place for both ways, since Numba would compile the call twice.
        sign = 1 if is_new else -1
        is_used[other] = is_new
        edges += sign * common[node, other]
        image[node] = other if is_new else _FREE
        _place(small, large, common, node, other, sign)
        if edges > highest:
            highest = edges
            for placed in range(size):
                best[placed] = image[placed]
            if highest == bound:
                return best, highest, True
