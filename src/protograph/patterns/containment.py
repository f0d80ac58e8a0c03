"""Where a pattern lies in graphs: as a part, induced, with closed nodes, in at least so many places."""

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.options import check_count
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs

if TYPE_CHECKING:
    from protograph.patterns.containment_kernels import Plan


def contains(
    graph: EncodedGraph,
    pattern: EncodedGraph,
    max_calls: int = MAX_CALLS,
    *,
    induced: bool = False,
    closed: Collection[int] = (),
    at_least: int = 1,
) -> int:
    """Whether a graph has a pattern, kinds included.

    Args:
        graph: The graph, as :class:`~protograph.graphs.encoding.EncodedGraphs` gives it.
        pattern: The pattern, encoded by the same object. Without nodes it is in every graph.
        max_calls: Most nodes to place before giving up.
        induced: Whether nodes that are not joined in the pattern must not be joined in the graph.
        closed: Nodes of the pattern that must have no other neighbours in the graph.
        at_least: In how many different places it must lie; two places differ unless they have the same nodes.

    Returns:
        1 if it has, 0 if not, -1 if ``max_calls`` was reached before that was known.
    """
    from protograph.patterns.containment_kernels import search

    _, kinds = np.unique(np.concatenate([graph.node_kinds, pattern.node_kinds]), return_inverse=True)
    own, wanted = np.split(kinds.astype(np.int32), [graph.num_nodes])
    plan = _planned(pattern._replace(node_kinds=wanted), np.bincount(own), induced, closed, at_least)
    return int(search(own, graph.starts, graph.neighbours, graph.edge_kinds, plan, max_calls))


def contained_in(
    pattern: Data | EncodedGraph,
    graphs: EncodedGraphs,
    *,
    indices: Sequence[int] | Ints | None = None,
    induced: bool = False,
    closed: Collection[int] = (),
    at_least: int = 1,
    max_calls: int = MAX_CALLS,
    workers: int = 1,
) -> NDArray[np.int8]:
    """Which graphs contain a pattern: 1, 0 or -1 for each, as of :func:`contains`.

    Args:
        pattern: The pattern.
        graphs: The data set.
        indices: The graphs to look at, in this order; all where ``None``.
        induced: As of :func:`contains`.
        closed: As of :func:`contains`.
        at_least: As of :func:`contains`.
        max_calls: As of :func:`contains`, for each graph.
        workers: Number of threads; the answer does not depend on it.
    """
    from protograph.patterns.containment_kernels import search_all

    check_count("max_calls", max_calls)
    check_count("workers", workers)
    arrays = graphs.encode(pattern) if isinstance(pattern, Data) else pattern
    plan = _planned(arrays, graphs.kind_counts, induced, closed, at_least)
    chosen = np.arange(len(graphs)) if indices is None else np.asarray(indices, dtype=np.int64)
    answers = np.zeros(chosen.size, np.int8)
    whole = graphs.nodes, graphs.node_kinds, graphs.starts, graphs.neighbours, graphs.edge_kinds

    def search_part(part: Ints) -> None:
        where = slice(part[0], part[-1] + 1)
        search_all(*whole, plan, chosen[where], max_calls, answers[where])

    parts = [part for part in np.array_split(np.arange(chosen.size), 8 * workers if workers > 1 else 1) if part.size]
    if workers == 1:
        for part in parts:
            search_part(part)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(search_part, parts))
    return answers


def _planned(pattern: EncodedGraph, kind_counts: Ints, induced: bool, closed: Collection[int], at_least: int) -> "Plan":
    """Order a pattern's nodes: connected where it can be, rare kinds and many earlier neighbours first."""
    from protograph.patterns.containment_kernels import Plan

    check_count("at_least", at_least)
    if not set(closed) <= set(range(pattern.num_nodes)):
        raise ValueError(f"closed must be nodes of the pattern, below {pattern.num_nodes}, got {sorted(closed)}")
    edges = neighbours_of(pattern)
    distinct, kinds = np.unique(pattern.node_kinds, return_inverse=True)
    order = _search_order(edges, [int(kind_counts[k]) if 0 <= k < kind_counts.size else 0 for k in pattern.node_kinds])
    place = {node: position for position, node in enumerate(order)}
    lookup = np.full(max(kind_counts.size, 1), -1)
    known = (distinct >= 0) & (distinct < lookup.size)
    lookup[distinct[known]] = np.flatnonzero(known)
    around = np.zeros((len(order), distinct.size), np.int64)
    pairs = np.zeros((distinct.size, distinct.size), np.int64)
    earlier = [sorted(place[other] for other in edges[node] if place[other] < place[node]) for node in order]
    for position, node in enumerate(order):
        np.add.at(around[position], kinds[list(edges[node])], 1)
        for other in earlier[position]:
            pairs[tuple(sorted((kinds[node], kinds[order[other]])))] += 1
    return Plan(
        kinds=kinds[order],
        lookup=lookup,
        degrees=np.array([len(edges[node]) for node in order], dtype=np.int64),
        is_closed=np.array([node in closed for node in order], dtype=np.bool_),
        counts=np.bincount(kinds, minlength=distinct.size),
        pairs=pairs,
        around=around,
        begins=np.cumsum([0, *map(len, earlier)]),
        earlier=np.array([other for others in earlier for other in others], dtype=np.int64),
        edge_kinds=np.array(
            [edges[order[i]][order[other]] for i, others in enumerate(earlier) for other in others], np.int64
        ),
        twins=np.array([_twin(position, order, kinds, edges, closed) for position in range(len(order))], np.int64),
        is_induced=induced,
        at_least=at_least,
    )


def _search_order(edges: Sequence[dict[int, int]], frequency: Sequence[int]) -> list[int]:
    order: list[int] = []
    left = set(range(len(edges)))
    while left:
        joined = {node: sum(other in edges[node] for other in order) for node in left}
        order.append(min(left, key=lambda node: (-joined[node], frequency[node], -len(edges[node]), node)))
        left.remove(order[-1])
    return order


def neighbours_of(graph: EncodedGraph) -> list[dict[int, int]]:
    """For each node its neighbours, with the kinds of the edges to them."""
    return [
        dict(zip(graph.neighbours[i:j].tolist(), graph.edge_kinds[i:j].tolist(), strict=True))
        for i, j in zip(graph.starts[:-1], graph.starts[1:], strict=True)
    ]


def are_twins(
    kinds: Sequence[int] | NDArray[np.integer], edges: Sequence[dict[int, int]], node: int, other: int
) -> bool:
    """Whether two nodes could be swapped: of one kind, with the same neighbours but for the two themselves."""
    if kinds[node] != kinds[other] or len(edges[node]) != len(edges[other]):
        return False
    around, around_other = dict(edges[node]), dict(edges[other])
    return around.pop(other, None) == around_other.pop(node, None) and around == around_other


def _twin(
    position: int, order: Sequence[int], kinds: Ints, edges: Sequence[dict[int, int]], closed: Collection[int]
) -> int:
    """The last earlier position whose node can be swapped with this one's, so that one order of them is enough."""
    node = order[position]
    for earlier in range(position - 1, -1, -1):
        other = order[earlier]
        if (node in closed) == (other in closed) and are_twins(kinds, edges, node, other):
            return earlier
    return -1
