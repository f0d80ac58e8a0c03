"""Where a pattern lies in graphs: as a part, induced, with closed nodes, in at least so many places."""

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._base.arrays import Bools, Ints
from protograph._base.options import check_count
from protograph._base.slices import timed_slices
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs

# Nodes of a graph up to which sets of nodes are bits.
MAX_BITS = 620
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
    is_large = sizes > MAX_BITS
    if not is_large.any():
        scratch = scratch_for(plan, int(sizes.max(initial=0)))
        for part in timed_slices(indices.size, _FIRST_CALLS // max_calls):
            search_all(graphs, plan, indices[part], max_calls, answers[part], scratch)
        return answers
    answers[~is_large] = searched(graphs, plan, indices[~is_large], max_calls)
    answers[is_large] = _searched_large(graphs, plan, indices[is_large], max_calls)
    return answers


def _searched_large(graphs: "Graphs", plan: "Plan", indices: Ints, max_calls: int) -> NDArray[np.int8]:
    from protograph.patterns.large_containment_kernels import scratch_for, search_all

    answers = np.zeros(indices.size, np.int8)
    first, last = graphs.nodes[indices], graphs.nodes[indices + 1]
    # No node has more neighbours than there are other nodes, nor than there are edges.
    largest, edges = int((last - first).max()), int((graphs.starts[last] - graphs.starts[first]).max()) // 2
    scratch = scratch_for(plan, largest, min(largest, edges))
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
    """Order a pattern's nodes, rare kinds and many neighbours first, and say what each of them needs."""
    from protograph.patterns.containment_kernels import Plan

    check_count("at_least", at_least)
    if not set(closed) <= set(range(pattern.num_nodes)):
        raise ValueError(f"closed must be nodes of the pattern, below {pattern.num_nodes}, got {sorted(closed)}")
    degrees, own = np.diff(pattern.starts), pattern.node_kinds
    is_known = (own >= 0) & (own < kind_counts.size)
    frequency = np.where(is_known, kind_counts[np.where(is_known, own, 0)] if kind_counts.size else 0, 0)
    order = np.lexsort((-degrees, frequency))
    is_closed = np.zeros(pattern.num_nodes, np.bool_)
    is_closed[list(closed)] = True
    distinct, kinds = np.unique(own[order], return_inverse=True)
    edge_kinds, compact = np.unique(pattern.edge_kinds, return_inverse=True)
    joined = joined_matrix(pattern, compact)[order][:, order]
    is_kind = (kinds[:, None] == np.arange(distinct.size)).astype(np.int64)
    around = (joined > 0).astype(np.int64) @ is_kind
    lookup = np.full(max(kind_counts.size, 1), -1)
    in_graphs = (distinct >= 0) & (distinct < lookup.size)
    lookup[distinct[in_graphs]] = np.flatnonzero(in_graphs)
    return Plan(
        positions=_positions(kinds, joined, around, is_closed[order]),
        joined=joined,
        around=around,
        least=np.concatenate([is_kind.T @ around, is_kind.sum(axis=0, keepdims=True)]),
        lookup=lookup,
        edge_kinds=edge_kinds.astype(np.int64),
        is_induced=induced,
        at_least=at_least,
    )


def joined_matrix(pattern: EncodedGraph, edge_kinds: NDArray[np.integer]) -> Ints:
    """One more than the kind of the edge between two nodes, 0 where there is none."""
    joined = np.zeros((pattern.num_nodes, pattern.num_nodes), np.int64)
    owners = np.repeat(np.arange(pattern.num_nodes), np.diff(pattern.starts))
    joined[owners, pattern.neighbours] = edge_kinds + 1
    return joined


def _positions(kinds: Ints, joined: Ints, around: Ints, is_closed: Bools) -> Ints:
    """The columns of a plan's positions."""
    same_kind, degrees = kinds[:, None] == kinds, (joined > 0).sum(axis=1)
    needs_no_more = np.ones_like(same_kind)
    for column in around.T:
        needs_no_more &= column[:, None] <= column
    # A node that is enough for a closed position may have too many neighbours for another.
    needed = np.where(is_closed, 1, (same_kind & needs_no_more).sum(axis=1))
    twins = same_kind & (is_closed[:, None] == is_closed) & _can_be_swapped(joined)
    before, after = _last(np.tril(twins, -1)), kinds.size - 1 - _last(np.triu(twins, 1)[:, ::-1])
    alike = np.where(degrees == 1, (twins & (joined == 0)).sum(axis=1), 1)
    after[after == kinds.size] = -1
    return np.stack([kinds, np.where(is_closed, degrees, -1), needed, before, after, alike], axis=1)


def _last(rows: Bools) -> Ints:
    """Where in each row the last one is true, -1 where none is."""
    last: Ints = (rows * np.arange(1, len(rows) + 1)).max(axis=1, initial=0) - 1
    return last


def _can_be_swapped(joined: Ints) -> Bools:
    """Whether two nodes have the same neighbours, by the same kinds of edges, but for the two themselves."""
    agreements = np.zeros(joined.shape, np.float32)
    for kind in np.unique(joined):
        is_kind = (joined == kind).astype(np.float32)
        agreements += is_kind @ is_kind.T
    result: Bools = len(joined) - agreements == 2 * (joined > 0)
    return result


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
