"""Does a graph contain a pattern? An exact, compiled backtracking search with filters before it.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph.graphs.encoding import MAX_CALLS, EncodedGraphs, GraphArrays, Ints, Labels

__all__ = ["MAX_CALLS", "EncodedGraphs", "GraphArrays", "contained_in", "contains", "is_isomorphic"]

YES, NO, UNDECIDED = 1, 0, -1


class _Plan(NamedTuple):
    """A pattern in the order in which its nodes are placed."""

    kinds: Ints  # [size] compact label of each position
    lookup: Ints  # compact label of each label, -1 where the pattern has no such node
    degrees: Ints  # [size]
    counts: Ints  # [num_kinds] nodes of each compact label
    pairs: Ints  # [num_kinds, num_kinds] edges between each two compact labels, the lower one first
    around: Ints  # [size, num_kinds] neighbours of each compact label
    begins: Ints  # [size + 1] where the earlier neighbours of each position begin
    earlier: Ints  # their positions; the first one's neighbours are the candidates
    bonds: Ints  # their edges' labels
    twins: Ints  # [size] an earlier position that could be swapped with this one, -1 where none


def contains(graph: GraphArrays, pattern: GraphArrays, max_calls: int = MAX_CALLS, *, induced: bool = False) -> int:
    """Whether a graph has a subgraph that is a pattern, labels included.

    Args:
        graph: The graph, as :class:`~protograph.graphs.encoding.EncodedGraphs` gives it.
        pattern: The pattern, encoded by the same object. Without nodes it is in every graph.
        max_calls: Most nodes to place before giving up.
        induced: Whether nodes that are not joined in the pattern must not be joined in the graph.

    Returns:
        1 if it has, 0 if not, -1 if ``max_calls`` was reached before that was known.
    """
    _, labels = np.unique(np.concatenate([graph.labels, pattern.labels]), return_inverse=True)
    own, wanted = np.split(labels.astype(np.int32), [graph.num_nodes])
    plan = _planned(pattern._replace(labels=wanted), np.bincount(own))
    return int(_search(own, graph.starts, graph.neighbours, graph.bonds, plan, induced, max_calls))


def is_isomorphic(first: GraphArrays, second: GraphArrays, max_calls: int = MAX_CALLS) -> bool:
    """Whether two graphs, encoded by the same object, are the same up to the numbers of their nodes."""
    sizes = [(graph.num_nodes, graph.num_edges) for graph in (first, second)]
    return sizes[0] == sizes[1] and contains(first, second, max_calls) == YES


def contained_in(
    pattern: Data | GraphArrays,
    graphs: EncodedGraphs,
    *,
    indices: Sequence[int] | Ints | None = None,
    induced: bool = False,
    max_calls: int = MAX_CALLS,
    workers: int = 1,
) -> NDArray[np.int8]:
    """Which graphs contain a pattern: 1, 0 or -1 for each, as of :func:`contains`.

    Args:
        pattern: The pattern.
        graphs: The data set.
        indices: The graphs to look at, in this order; all where ``None``.
        induced: As of :func:`contains`.
        max_calls: As of :func:`contains`, for each graph.
        workers: Number of threads; the answer does not depend on it.
    """
    if max_calls < 1:
        raise ValueError(f"max_calls must be at least 1, got {max_calls}")
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    arrays = graphs.encode(pattern) if isinstance(pattern, Data) else pattern
    plan = _planned(arrays, graphs.label_counts)
    chosen = np.arange(len(graphs)) if indices is None else np.asarray(indices, dtype=np.int64)
    found = np.zeros(chosen.size, np.int8)

    def search(part: Ints) -> None:
        where = slice(part[0], part[-1] + 1)
        _search_all(
            graphs.nodes,
            graphs.labels,
            graphs.starts,
            graphs.neighbours,
            graphs.bonds,
            plan,
            chosen[where],
            induced,
            max_calls,
            found[where],
        )

    parts = [part for part in np.array_split(np.arange(chosen.size), 8 * workers if workers > 1 else 1) if part.size]
    if workers == 1:
        for part in parts:
            search(part)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(search, parts))
    return found


def _planned(pattern: GraphArrays, label_counts: Ints) -> _Plan:
    """Order a pattern's nodes: connected where it can be, rare labels and many earlier neighbours first."""
    size = pattern.num_nodes
    bonds = [
        dict(zip(pattern.neighbours[i:j].tolist(), pattern.bonds[i:j].tolist(), strict=True))
        for i, j in zip(pattern.starts[:-1], pattern.starts[1:], strict=True)
    ]
    distinct, kinds = np.unique(pattern.labels, return_inverse=True)
    frequency = [int(label_counts[label]) if 0 <= label < label_counts.size else 0 for label in pattern.labels]
    order: list[int] = []
    left = set(range(size))
    while left:
        joined = {node: sum(other in bonds[node] for other in order) for node in left}
        order.append(min(left, key=lambda node: (-joined[node], frequency[node], -len(bonds[node]), node)))
        left.remove(order[-1])
    place = {node: position for position, node in enumerate(order)}
    lookup = np.full(max(label_counts.size, 1), -1)
    known = (distinct >= 0) & (distinct < lookup.size)
    lookup[distinct[known]] = np.flatnonzero(known)
    around = np.zeros((size, distinct.size), np.int64)
    pairs = np.zeros((distinct.size, distinct.size), np.int64)
    earlier = [sorted(place[other] for other in bonds[node] if place[other] < place[node]) for node in order]
    for position, node in enumerate(order):
        np.add.at(around[position], kinds[list(bonds[node])], 1)
        for other in earlier[position]:
            pairs[tuple(sorted((kinds[node], kinds[order[other]])))] += 1
    return _Plan(
        kinds=kinds[order],
        lookup=lookup,
        degrees=np.array([len(bonds[node]) for node in order], dtype=np.int64),
        counts=np.bincount(kinds, minlength=distinct.size),
        pairs=pairs,
        around=around,
        begins=np.cumsum([0, *map(len, earlier)]),
        earlier=np.array([other for others in earlier for other in others], dtype=np.int64),
        bonds=np.array(
            [bonds[order[i]][order[other]] for i, others in enumerate(earlier) for other in others], np.int64
        ),
        twins=np.array([_twin(position, order, kinds, bonds) for position in range(size)], dtype=np.int64),
    )


def _twin(position: int, order: Sequence[int], kinds: Ints, bonds: Sequence[dict[int, int]]) -> int:
    """The last earlier position whose node has the same label and the same neighbours but for the two themselves.

    Two such nodes can be swapped in any match, so that only one order of their images need be tried.
    """
    node = order[position]
    for earlier in range(position - 1, -1, -1):
        other = order[earlier]
        if kinds[other] == kinds[node]:
            around, around_other = dict(bonds[node]), dict(bonds[other])
            if around.pop(other, None) == around_other.pop(node, None) and around == around_other:
                return earlier
    return -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _place_of(neighbours: Labels, first: int, last: int, node: int) -> int:  # pragma: no cover - compiled
    """Where a node stands in ``neighbours[first:last]``, -1 if it does not."""
    while first < last:
        middle = (first + last) // 2
        if neighbours[middle] < node:
            first = middle + 1
        elif neighbours[middle] > node:
            last = middle
        else:
            return middle
    return -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _has_enough(labels: Labels, starts: Ints, neighbours: Labels, plan: _Plan) -> bool:  # pragma: no cover - compiled
    """Whether a graph has enough nodes of each label, by degrees too, and enough edges between each two labels."""
    counts = np.zeros(plan.counts.size, np.int64)
    for label in labels:
        if plan.lookup[label] >= 0:
            counts[plan.lookup[label]] += 1
    for kind in range(counts.size):
        if counts[kind] < plan.counts[kind]:
            return False
    pairs = np.zeros(plan.pairs.shape, np.int64)
    for node in range(labels.size):
        kind = plan.lookup[labels[node]]
        if kind >= 0:
            for at in range(starts[node], starts[node + 1]):
                other = plan.lookup[labels[neighbours[at]]]
                if neighbours[at] > node and other >= 0:
                    pairs[min(kind, other), max(kind, other)] += 1
    for kind in range(counts.size):
        for other in range(kind, counts.size):
            if pairs[kind, other] < plan.pairs[kind, other]:
                return False
    for position in range(plan.kinds.size):  # the n-th highest degree of each label
        missing = 0
        for other in range(plan.kinds.size):
            if plan.kinds[other] == plan.kinds[position] and plan.degrees[other] >= plan.degrees[position]:
                missing += 1
        for node in range(labels.size):
            degree = starts[node + 1] - starts[node]
            if plan.lookup[labels[node]] == plan.kinds[position] and degree >= plan.degrees[position]:
                missing -= 1
        if missing > 0:
            return False
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _allowed(
    labels: Labels, starts: Ints, neighbours: Labels, plan: _Plan, allowed: NDArray[np.bool_]
) -> bool:  # pragma: no cover - compiled
    """Fill in which nodes have the neighbours that a position needs, label by label. False if a position has none."""
    around = np.zeros((labels.size, plan.counts.size), np.int64)
    for node in range(labels.size):
        for at in range(starts[node], starts[node + 1]):
            kind = plan.lookup[labels[neighbours[at]]]
            if kind >= 0:
                around[node, kind] += 1
    for position in range(plan.kinds.size):
        is_possible = False
        for node in range(labels.size):
            fits = plan.lookup[labels[node]] == plan.kinds[position]
            if fits:
                for kind in range(plan.counts.size):
                    fits = fits and around[node, kind] >= plan.around[position, kind]
            allowed[position, node] = fits
            is_possible = is_possible or fits
        if not is_possible:
            return False
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _agrees(
    starts: Ints,
    neighbours: Labels,
    bonds: Labels,
    plan: _Plan,
    position: int,
    node: int,
    image: Ints,
    is_used: NDArray[np.bool_],
    induced: bool,
) -> bool:  # pragma: no cover - compiled
    """Whether a node has the edges to the images of the earlier neighbours, and no others if ``induced``."""
    first, last = starts[node], starts[node + 1]
    for at in range(plan.begins[position], plan.begins[position + 1]):
        place = _place_of(neighbours, first, last, image[plan.earlier[at]])
        if place < 0 or bonds[place] != plan.bonds[at]:
            return False
    if induced:
        joined = 0
        for at in range(first, last):
            if is_used[neighbours[at]]:
                joined += 1
        return bool(joined == plan.begins[position + 1] - plan.begins[position])
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _search(
    labels: Labels, starts: Ints, neighbours: Labels, bonds: Labels, plan: _Plan, induced: bool, max_calls: int
) -> int:  # pragma: no cover - compiled
    """Place the pattern's nodes one after the other, backtracking."""
    size = plan.kinds.size
    if size == 0:
        return YES
    allowed = np.zeros((size, labels.size), np.bool_)
    if not _has_enough(labels, starts, neighbours, plan) or not _allowed(labels, starts, neighbours, plan, allowed):
        return NO
    image, is_used = np.full(size, -1), np.zeros(labels.size, np.bool_)
    cursor, end = np.zeros(size, np.int64), np.zeros(size, np.int64)
    # A plain 0 would have Numba compile what is called with it twice.
    end[0], position, calls = labels.size, np.int64(0), 0
    while position >= 0:
        if image[position] >= 0:  # coming back
            is_used[image[position]] = False
            image[position] = -1
        follows = plan.begins[position] < plan.begins[position + 1]
        above = image[plan.twins[position]] if plan.twins[position] >= 0 else -1
        while cursor[position] < end[position]:
            node = np.int64(neighbours[cursor[position]]) if follows else cursor[position]
            cursor[position] += 1
            if node <= above or is_used[node] or not allowed[position, node]:
                continue
            if _agrees(starts, neighbours, bonds, plan, position, node, image, is_used, induced):
                image[position] = node
                is_used[node] = True
                break
        if image[position] < 0:
            position -= 1
            continue
        position += 1
        if position == size:
            return YES
        calls += 1
        if calls >= max_calls:
            return UNDECIDED
        if plan.begins[position] < plan.begins[position + 1]:
            parent = image[plan.earlier[plan.begins[position]]]
            cursor[position], end[position] = starts[parent], starts[parent + 1]
        else:
            cursor[position], end[position] = 0, labels.size
    return NO


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _search_all(
    nodes: Ints,
    labels: Labels,
    starts: Ints,
    neighbours: Labels,
    bonds: Labels,
    plan: _Plan,
    indices: Ints,
    induced: bool,
    max_calls: int,
    found: Any,
) -> None:  # pragma: no cover - compiled
    """Search graph ``indices[i]`` and write the answer to ``found[i]``."""
    for i in range(indices.size):
        first, last = nodes[indices[i]], nodes[indices[i] + 1]
        found[i] = _search(labels[first:last], starts[first : last + 1], neighbours, bonds, plan, induced, max_calls)
