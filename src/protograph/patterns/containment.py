"""Where a pattern lies in graphs: as a part, induced, with closed nodes, in at least so many places."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from operator import ge
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.growing import give_back
from protograph._base.options import check_count
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs

# Nodes of a graph up to which sets of nodes are bits.
MAX_BITS = 620
# Graphs from which on threads, or the workers of an engine, share the search without being asked to.
MANY = 20_000

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
    if graphs.counted_by is not None and chosen.size >= MANY:
        return graphs.counted_by(plan, chosen, max_calls)
    return searched_by(searchable(graphs), plan, chosen, max_calls, workers)


def searched_by(graphs: "Graphs", plan: "Plan", indices: Ints, max_calls: int, workers: int = 1) -> NDArray[np.int8]:
    """As :func:`searched`, by as many threads as asked for; of very many graphs by as many as PyTorch has."""
    workers = max(workers, torch.get_num_threads()) if indices.size >= MANY else workers
    if workers == 1 or indices.size < 2:
        return searched(graphs, plan, indices, max_calls)
    return _searched_in_threads(graphs, plan, indices, max_calls, min(workers, indices.size))


def _searched_in_threads(
    graphs: "Graphs", plan: "Plan", indices: Ints, max_calls: int, workers: int
) -> NDArray[np.int8]:
    """As :func:`searched`, by so many threads, of which this is one."""
    is_over, answers = Event(), np.empty(indices.size, np.int8)

    def search(share: slice) -> None:
        answers[share] = searched(graphs, plan, indices[share].copy(), max_calls, is_over.is_set)

    # Every so manyth graph to each: neighbours in a data set are often alike, and so the shares take as long.
    own, *others = (slice(first, None, workers) for first in range(workers))
    with ThreadPoolExecutor(workers - 1) as pool:
        try:
            working = [pool.submit(search, share) for share in others]
            search(own)
            for one in working:
                one.result()
        finally:
            is_over.set()  # after Ctrl-C, nobody waits for the others' answers
    return answers


def image_of(pattern: EncodedGraph, graph: EncodedGraph, max_calls: int = MAX_CALLS) -> list[int] | None:
    """A node of the graph for each node of a pattern that lies in it as a part; ``None`` where none was found in time.

    Args:
        pattern: The pattern, encoded as the graph is.
        graph: The graph, of at most ``MAX_BITS`` nodes.
        max_calls: Most nodes to place before giving up.
    """
    from protograph.patterns.containment_kernels import IMAGE, scratch_for, search_all

    _, kinds = np.unique(np.concatenate([graph.node_kinds, pattern.node_kinds]), return_inverse=True)
    own, wanted = np.split(kinds.astype(np.int32), [graph.num_nodes])
    counts = np.bincount(own, minlength=int(kinds.max(initial=-1)) + 1)
    plan = planned(pattern._replace(node_kinds=wanted), counts)
    scratch, answers = scratch_for(plan, graph.num_nodes), np.zeros(1, np.int8)
    search_all(searchable(graph._replace(node_kinds=own)), plan, np.zeros(1, np.int64), 0, max_calls, answers, scratch)
    if answers[0] <= 0:
        return None
    order = _placing_order(wanted.tolist(), neighbours_of(pattern), counts)
    image = dict(zip(order, scratch.steps[IMAGE].tolist(), strict=True))
    return [image[node] for node in range(pattern.num_nodes)]


def searchable(graphs: EncodedGraph | EncodedGraphs) -> "Graphs":
    """Graphs, or a single one, as the compiled search takes them."""
    from protograph.patterns.containment_kernels import Graphs

    nodes = graphs.nodes if isinstance(graphs, EncodedGraphs) else np.array([0, graphs.num_nodes])
    return Graphs(nodes, graphs.node_kinds, graphs.starts, graphs.neighbours, graphs.edge_kinds)


def searched(
    graphs: "Graphs", plan: "Plan", indices: Ints, max_calls: int, is_over: Callable[[], bool] = lambda: False
) -> NDArray[np.int8]:
    """Search some of the graphs for what was planned: 1, 0 or -1 for each, as of :func:`contains`.

    The compiled search comes back every now and then, so that Python hears of Ctrl-C. Once ``is_over`` holds, the rest
    is left out.
    """
    from protograph.patterns.containment_kernels import scratch_for, search_all

    answers = np.zeros(indices.size, np.int8)
    sizes = graphs.nodes[indices + 1] - graphs.nodes[indices]
    is_large = sizes > MAX_BITS
    if not is_large.any():
        scratch, done = scratch_for(plan, int(sizes.max(initial=0))), 0
        while done < indices.size and not is_over():
            done = search_all(graphs, plan, indices, done, max_calls, answers, scratch)
            give_back(*graphs)
        return answers
    answers[~is_large] = searched(graphs, plan, indices[~is_large], max_calls, is_over)
    answers[is_large] = _searched_large(graphs, plan, indices[is_large], max_calls, is_over)
    return answers


def _searched_large(
    graphs: "Graphs", plan: "Plan", indices: Ints, max_calls: int, is_over: Callable[[], bool]
) -> NDArray[np.int8]:
    from protograph.patterns.large_containment_kernels import scratch_for, search_all

    answers = np.zeros(indices.size, np.int8)
    first, last = graphs.nodes[indices], graphs.nodes[indices + 1]
    # No node has more neighbours than there are other nodes, nor than there are edges.
    largest, edges = int((last - first).max()), int((graphs.starts[last] - graphs.starts[first]).max()) // 2
    scratch, done = scratch_for(plan, largest, min(largest, edges)), 0
    while done < indices.size and not is_over():
        done = search_all(graphs, plan, indices, done, max_calls, answers, scratch)
        give_back(*graphs)
    return answers


def planned(
    pattern: EncodedGraph,
    kind_counts: Ints,
    induced: bool = False,
    closed: Collection[int] = (),
    at_least: int = 1,
    edges: Sequence[dict[int, int]] | None = None,
) -> "Plan":
    """Order a pattern's nodes, rare kinds and many neighbours first, and say what each of them needs.

    In plain numbers, since patterns are small and thousands are planned; ``edges`` are its :func:`neighbours_of`, where
    these are at hand.
    """
    from protograph.patterns.containment_kernels import Plan

    check_count("at_least", at_least)
    if not set(closed) <= set(range(pattern.num_nodes)):
        raise ValueError(f"closed must be nodes of the pattern, below {pattern.num_nodes}, got {sorted(closed)}")
    edges, own = neighbours_of(pattern) if edges is None else edges, pattern.node_kinds.tolist()
    order = _placing_order(own, edges, kind_counts)
    compact = {kind: number for number, kind in enumerate(sorted(set(own)))}
    edge_kinds = sorted({kind for row in edges for kind in row.values()})
    number_of = {kind: number for number, kind in enumerate(edge_kinds, start=1)}
    place = {node: position for position, node in enumerate(order)}
    joined = [[0] * len(own) for _ in own]
    around = [[0] * len(compact) for _ in own]
    least = [[0] * len(compact) for _ in range(len(compact) + 1)]
    for position, node in enumerate(order):
        kind = compact[own[node]]
        least[-1][kind] += 1
        for other, edge_kind in edges[node].items():
            joined[position][place[other]] = number_of[edge_kind]
            around[position][compact[own[other]]] += 1
            least[kind][compact[own[other]]] += 1
    lookup = np.full(max(kind_counts.size, 1), -1)
    for kind, number in compact.items():
        if 0 <= kind < lookup.size:
            lookup[kind] = number
    return Plan(
        positions=_positions(order, own, edges, compact, joined, around, frozenset(closed)),
        least=np.array(least, dtype=np.int64).reshape(len(compact) + 1, len(compact)),
        lookup=lookup,
        edge_kinds=np.array(edge_kinds, dtype=np.int64),
        is_induced=induced,
        at_least=at_least,
    )


def _placing_order(own: Sequence[int], edges: Sequence[dict[int, int]], kind_counts: Ints) -> list[int]:
    """The nodes of a pattern, rare kinds and many neighbours first."""
    frequency = {kind: int(kind_counts[kind]) if 0 <= kind < kind_counts.size else 0 for kind in set(own)}
    return sorted(range(len(own)), key=lambda node: (frequency[own[node]], -len(edges[node])))


def _positions(
    order: Sequence[int],
    own: Sequence[int],
    edges: Sequence[dict[int, int]],
    compact: dict[int, int],
    joined: Sequence[list[int]],
    around: Sequence[list[int]],
    closed: frozenset[int],
) -> Ints:
    """The columns of a plan's positions."""
    wanted = Counter([(own[node], *needs) for node, needs in zip(order, around, strict=True)]).items()
    enough = {
        needs: sum([number for others, number in wanted if needs[0] == others[0] and all(map(ge, others, needs))])
        for needs, _ in wanted
    }
    rows = []
    twins = _twins(order, own, edges, closed)
    for position, node in enumerate(order):
        needs, alike = around[position], twins[position]
        at = alike.index(position)
        # A node that is enough for a closed position may have too many neighbours for another.
        needed = 1 if node in closed else enough[own[node], *needs]
        rows.append(
            (
                compact[own[node]],
                len(edges[node]) if node in closed else -1,
                needed,
                alike[at - 1] if at else -1,
                alike[at + 1] if at + 1 < len(alike) else -1,
                len(alike) if len(edges[node]) == 1 and order[alike[at - 1]] not in edges[node] else 1,
                *joined[position],
                *needs,
            )
        )
    return np.array(rows, dtype=np.int64).reshape(len(order), 6 + len(order) + len(compact))


def _twins(
    order: Sequence[int], own: Sequence[int], edges: Sequence[dict[int, int]], closed: frozenset[int]
) -> list[list[int]]:
    """For each position those that could be swapped, itself among them: of one kind, with the same neighbours.

    Two that are joined are neighbours of each other only; then the sets of each with itself are the same.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    keys: list[list[tuple[object, ...]]] = []
    looks = [(own[node], len(edges[node]), node in closed) for node in range(len(own))]
    number = Counter(looks)
    for position, node in enumerate(order):
        look, ends = looks[node], edges[node].items()
        keys.append([(*look, frozenset(ends))] if number[look] > 1 else [(look,)])  # nothing else looks like it
        joined = {kind for other, kind in ends if looks[other] == look}
        keys[-1] += [(*look, kind, frozenset([*ends, (node, kind)])) for kind in joined]
        for key in keys[-1]:
            groups.setdefault(key, []).append(position)
    # A node cannot have twins of both sorts.
    return [max((groups[key] for key in own_keys), key=len) for own_keys in keys]


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
