"""Where a pattern lies in graphs: as a part, induced, with closed nodes, in at least so many places."""

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from operator import ge
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.options import check_count
from protograph._base.slices import timed_slices
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs

# Nodes placed in the first call of the compiled search, if every graph of it takes as many as it may: a second or so.
_FIRST_CALLS = 2**17

if TYPE_CHECKING:
    from protograph.patterns.containment_kernels import Graphs, Plan


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
    _, kinds = np.unique(np.concatenate([graph.node_kinds, pattern.node_kinds]), return_inverse=True)
    own, wanted = np.split(kinds.astype(np.int32), [graph.num_nodes])
    plan = planned(pattern._replace(node_kinds=wanted), np.bincount(own), induced, closed, at_least)
    return int(searched(searchable(graph._replace(node_kinds=own)), plan, np.zeros(1, np.int64), max_calls)[0])


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
    check_count("max_calls", max_calls)
    check_count("workers", workers)
    arrays = graphs.encode(pattern) if isinstance(pattern, Data) else pattern
    plan = planned(arrays, graphs.kind_counts, induced, closed, at_least)
    chosen = np.arange(len(graphs)) if indices is None else np.asarray(indices, dtype=np.int64)
    whole = searchable(graphs)
    if workers == 1 or not chosen.size:
        return searched(whole, plan, chosen, max_calls)
    parts = np.array_split(chosen, min(8 * workers, chosen.size))
    with ThreadPoolExecutor(workers) as pool:
        return np.concatenate(list(pool.map(lambda part: searched(whole, plan, part, max_calls), parts)))


def searchable(graphs: EncodedGraph | EncodedGraphs) -> "Graphs":
    """Graphs, or a single one, as the compiled search takes them."""
    from protograph.patterns.containment_kernels import Graphs

    nodes = graphs.nodes if isinstance(graphs, EncodedGraphs) else np.array([0, graphs.num_nodes])
    return Graphs(nodes, graphs.node_kinds, graphs.starts, graphs.neighbours, graphs.edge_kinds)


def searched(graphs: "Graphs", plan: "Plan", indices: Ints, max_calls: int) -> NDArray[np.int8]:
    """Search some of the graphs for what was planned: 1, 0 or -1 for each, as of :func:`contains`."""
    from protograph.patterns.containment_kernels import scratch_for, search_all

    answers = np.zeros(indices.size, np.int8)
    sizes = graphs.nodes[indices + 1] - graphs.nodes[indices]
    scratch = scratch_for(plan, int(sizes.max(initial=0)))
    for part in timed_slices(indices.size, _FIRST_CALLS // max_calls):
        search_all(graphs, plan, indices[part], max_calls, answers[part], scratch)
    return answers


def planned(
    pattern: EncodedGraph,
    kind_counts: Ints,
    induced: bool = False,
    closed: Collection[int] = (),
    at_least: int = 1,
) -> "Plan":
    """Order a pattern's nodes: connected where it can be, rare kinds and many earlier neighbours first.

    In plain numbers, since patterns are small and thousands are planned.
    """
    from protograph.patterns.containment_kernels import Plan

    check_count("at_least", at_least)
    if not set(closed) <= set(range(pattern.num_nodes)):
        raise ValueError(f"closed must be nodes of the pattern, below {pattern.num_nodes}, got {sorted(closed)}")
    edges, own = neighbours_of(pattern), pattern.node_kinds.tolist()
    distinct = sorted(set(own))
    compact = {kind: number for number, kind in enumerate(distinct)}
    kinds = [compact[kind] for kind in own]
    order = _search_order(edges, [int(kind_counts[k]) if 0 <= k < kind_counts.size else 0 for k in own])
    place = {node: position for position, node in enumerate(order)}
    earlier = [sorted(place[other] for other in edges[node] if place[other] < place[node]) for node in order]
    lookup = np.full(max(kind_counts.size, 1), -1)
    for kind, number in compact.items():
        if 0 <= kind < lookup.size:
            lookup[kind] = number
    around = [[0] * len(distinct) for _ in order]
    pairs = [[0] * len(distinct) for _ in distinct]
    for position, node in enumerate(order):
        for other in edges[node]:
            around[position][kinds[other]] += 1
            pairs[kinds[node]][kinds[other]] += 1
    return Plan(
        kinds=_ints([kinds[node] for node in order]),
        lookup=lookup,
        degrees=_ints([len(edges[node]) for node in order]),
        is_closed=np.array([node in closed for node in order], dtype=np.bool_),
        counts=_ints([kinds.count(kind) for kind in range(len(distinct))]),
        pairs=_ints(pairs).reshape(len(distinct), len(distinct)),
        around=_ints(around).reshape(len(order), len(distinct)),
        begins=_ints([0, *accumulate(map(len, earlier))]),
        earlier=_ints([other for others in earlier for other in others]),
        edge_kinds=_ints([edges[order[i]][order[other]] for i, others in enumerate(earlier) for other in others]),
        needed=_ints([_needed(position, order, kinds, around, closed) for position in range(len(order))]),
        twins=_ints([_twin(position, order, kinds, edges, closed) for position in range(len(order))]),
        is_induced=induced,
        at_least=at_least,
    )


def _needed(
    position: int, order: Sequence[int], kinds: Sequence[int], around: Sequence[list[int]], closed: Collection[int]
) -> int:
    """How many positions, itself included, need a node of its kind with at least the neighbours that it needs."""
    if order[position] in closed:  # those of others may have too many
        return 1
    own = around[position]
    return sum(
        kinds[node] == kinds[order[position]] and all(map(ge, around[place], own)) for place, node in enumerate(order)
    )


def _ints(values: Sequence[Any]) -> Ints:
    return np.array(values, dtype=np.int64)


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
    pairs, starts = list(zip(graph.neighbours.tolist(), graph.edge_kinds.tolist(), strict=True)), graph.starts.tolist()
    return [dict(pairs[first:last]) for first, last in pairwise(starts)]


def are_twins(
    kinds: Sequence[int] | NDArray[np.integer], edges: Sequence[dict[int, int]], node: int, other: int
) -> bool:
    """Whether two nodes could be swapped: of one kind, with the same neighbours but for the two themselves."""
    if kinds[node] != kinds[other] or len(edges[node]) != len(edges[other]):
        return False
    around, around_other = dict(edges[node]), dict(edges[other])
    return around.pop(other, None) == around_other.pop(node, None) and around == around_other


def _twin(
    position: int, order: Sequence[int], kinds: Sequence[int], edges: Sequence[dict[int, int]], closed: Collection[int]
) -> int:
    """The last earlier position whose node can be swapped with this one's, so that one order of them is enough."""
    node = order[position]
    for earlier in range(position - 1, -1, -1):
        other = order[earlier]
        if (node in closed) == (other in closed) and are_twins(kinds, edges, node, other):
            return earlier
    return -1
