"""The compiled search for a pattern in a graph: exact backtracking with filters before it.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from protograph._base.arrays import Bools, Ints, Kinds

YES, NO, UNDECIDED = 1, 0, -1


class Plan(NamedTuple):
    """A pattern in the order in which its nodes are placed, and how it must lie in a graph."""

    kinds: Ints  # [size] compact kind of each position
    lookup: Ints  # compact kind of each kind, -1 where the pattern has no such node
    degrees: Ints  # [size]
    is_closed: Bools  # [size] whether the node may have no other neighbours
    counts: Ints  # [num_kinds] nodes of each compact kind
    pairs: Ints  # [num_kinds, num_kinds] edges between each two compact kinds, the lower one first
    around: Ints  # [size, num_kinds] neighbours of each compact kind
    begins: Ints  # [size + 1] where the earlier neighbours of each position begin
    earlier: Ints  # their positions; the first one's neighbours are the candidates
    edge_kinds: Ints  # their edges' kinds
    twins: Ints  # [size] an earlier position that could be swapped with this one, -1 where none
    is_induced: bool  # whether nodes that are not joined in the pattern must not be joined in the graph
    at_least: int  # in how many places, no two with the same nodes


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def place_of(neighbours: Kinds, first: int, last: int, node: int) -> int:  # pragma: no cover - compiled
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
def _has_enough(node_kinds: Kinds, starts: Ints, neighbours: Kinds, plan: Plan) -> bool:  # pragma: no cover - compiled
    """Whether a graph has enough nodes of each kind, by degrees too, and enough edges between each two kinds."""
    counts = np.zeros(plan.counts.size, np.int64)
    for kind in node_kinds:
        if plan.lookup[kind] >= 0:
            counts[plan.lookup[kind]] += 1
    for kind in range(counts.size):
        if counts[kind] < plan.counts[kind]:
            return False
    pairs = np.zeros(plan.pairs.shape, np.int64)
    for node in range(node_kinds.size):
        kind = plan.lookup[node_kinds[node]]
        if kind >= 0:
            for at in range(starts[node], starts[node + 1]):
                other = plan.lookup[node_kinds[neighbours[at]]]
                if neighbours[at] > node and other >= 0:
                    pairs[min(kind, other), max(kind, other)] += 1
    for kind in range(counts.size):
        for other in range(kind, counts.size):
            if pairs[kind, other] < plan.pairs[kind, other]:
                return False
    for position in range(plan.kinds.size):  # the n-th highest degree of each kind
        missing = 0
        for other in range(plan.kinds.size):
            if plan.kinds[other] == plan.kinds[position] and plan.degrees[other] >= plan.degrees[position]:
                missing += 1
        for node in range(node_kinds.size):
            degree = starts[node + 1] - starts[node]
            if plan.lookup[node_kinds[node]] == plan.kinds[position] and degree >= plan.degrees[position]:
                missing -= 1
        if missing > 0:
            return False
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _allowed(
    node_kinds: Kinds, starts: Ints, neighbours: Kinds, plan: Plan, allowed: Bools
) -> bool:  # pragma: no cover - compiled
    """Fill in which nodes have the neighbours that a position needs, kind by kind. False if a position has none."""
    around = np.zeros((node_kinds.size, plan.counts.size), np.int64)
    for node in range(node_kinds.size):
        for at in range(starts[node], starts[node + 1]):
            kind = plan.lookup[node_kinds[neighbours[at]]]
            if kind >= 0:
                around[node, kind] += 1
    for position in range(plan.kinds.size):
        is_possible = False
        for node in range(node_kinds.size):
            fits = plan.lookup[node_kinds[node]] == plan.kinds[position]
            if fits and plan.is_closed[position]:
                fits = starts[node + 1] - starts[node] == plan.degrees[position]
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
    neighbours: Kinds,
    edge_kinds: Kinds,
    plan: Plan,
    position: int,
    node: int,
    image: Ints,
    is_used: Bools,
) -> bool:  # pragma: no cover - compiled
    """Whether a node has the edges to the images of the earlier neighbours, and no others if they are induced."""
    first, last = starts[node], starts[node + 1]
    for at in range(plan.begins[position], plan.begins[position + 1]):
        place = place_of(neighbours, first, last, image[plan.earlier[at]])
        if place < 0 or edge_kinds[place] != plan.edge_kinds[at]:
            return False
    if plan.is_induced:
        joined = 0
        for at in range(first, last):
            if is_used[neighbours[at]]:
                joined += 1
        return bool(joined == plan.begins[position + 1] - plan.begins[position])
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _noted(places: Ints, num_places: int, image: Ints) -> int:  # pragma: no cover - compiled
    """Add the nodes of an image to the places, unless one has the same; return how many there are."""
    nodes = np.sort(image)
    for place in range(num_places):
        if (places[place] == nodes).all():
            return num_places
    places[num_places] = nodes
    return num_places + 1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def search(
    node_kinds: Kinds, starts: Ints, neighbours: Kinds, edge_kinds: Kinds, plan: Plan, max_calls: int
) -> int:  # pragma: no cover - compiled
    """Place the pattern's nodes one after the other, backtracking, until enough different places are known."""
    size = plan.kinds.size
    if size == 0:
        return YES
    allowed = np.zeros((size, node_kinds.size), np.bool_)
    if not _has_enough(node_kinds, starts, neighbours, plan) or not _allowed(
        node_kinds, starts, neighbours, plan, allowed
    ):
        return NO
    image, is_used = np.full(size, -1), np.zeros(node_kinds.size, np.bool_)
    # Most searches need one place: no array is made for the others before there is one.
    places, num_places = image.reshape((1, size)), 0
    cursor, end = np.zeros(size, np.int64), np.zeros(size, np.int64)
    # A plain 0 would have Numba compile what is called with it twice.
    end[0], position, calls = node_kinds.size, np.int64(0), 0
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
            if _agrees(starts, neighbours, edge_kinds, plan, position, node, image, is_used):
                image[position] = node
                is_used[node] = True
                break
        if image[position] < 0:
            position -= 1
            continue
        position += 1
        if position == size:
            if plan.at_least == 1:
                return YES
            if num_places == 0:
                places = np.zeros((plan.at_least, size), np.int64)
            num_places = _noted(places, num_places, image)
            if num_places == plan.at_least:
                return YES
            position -= 1
        calls += 1
        if calls >= max_calls:
            return UNDECIDED
        if image[position] >= 0:  # a place that was there before, or one of several
            continue
        if plan.begins[position] < plan.begins[position + 1]:
            parent = image[plan.earlier[plan.begins[position]]]
            cursor[position], end[position] = starts[parent], starts[parent + 1]
        else:
            cursor[position], end[position] = 0, node_kinds.size
    return NO


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def search_all(
    nodes: Ints,
    node_kinds: Kinds,
    starts: Ints,
    neighbours: Kinds,
    edge_kinds: Kinds,
    plan: Plan,
    indices: Ints,
    max_calls: int,
    answers: Any,
) -> None:  # pragma: no cover - compiled
    """Search graph ``indices[i]`` and write the answer to ``answers[i]``."""
    for i in range(indices.size):
        first, last = nodes[indices[i]], nodes[indices[i] + 1]
        answers[i] = search(node_kinds[first:last], starts[first : last + 1], neighbours, edge_kinds, plan, max_calls)
