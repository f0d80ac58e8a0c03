"""The compiled search for a pattern in a graph: exact backtracking with filters before it.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk. It is written
out in plain loops over arrays that come from outside: each of NumPy's functions would add seconds to compiling.
"""

from typing import Any, NamedTuple

import numpy as np

from protograph._base.arrays import Bools, Ints, Kinds
from protograph._base.compiling import compiled, inner

YES, NO, UNDECIDED = 1, 0, -1


class Plan(NamedTuple):
    """A pattern in the order in which its nodes are placed, and how it must lie in a graph."""

    kinds: Ints  # [size] compact kind of each position
    lookup: Ints  # compact kind of each kind, -1 where the pattern has no such node
    degrees: Ints  # [size]
    is_closed: Bools  # [size] whether the node may have no other neighbours
    counts: Ints  # [num_kinds] nodes of each compact kind
    pairs: Ints  # [num_kinds, num_kinds] for nodes of each compact kind, their neighbours of each
    around: Ints  # [size, num_kinds] neighbours of each compact kind
    begins: Ints  # [size + 1] where the earlier neighbours of each position begin
    earlier: Ints  # their positions; the first one's neighbours are the candidates
    edge_kinds: Ints  # their edges' kinds
    needed: Ints  # [size] how many positions, itself included, need a node of its kind with all that it needs
    twins: Ints  # [size] an earlier position that could be swapped with this one, -1 where none
    is_induced: bool  # whether nodes that are not joined in the pattern must not be joined in the graph
    at_least: int  # in how many places, no two with the same nodes


class Graphs(NamedTuple):
    """A data set as :class:`~protograph.graphs.encoding.EncodedGraphs` has it."""

    nodes: Ints  # [num_graphs + 1] where the nodes of each graph begin
    node_kinds: Kinds
    starts: Ints
    neighbours: Kinds
    edge_kinds: Kinds


class Scratch(NamedTuple):
    """Room for the search of one graph after the other."""

    kinds: Ints  # [nodes of the largest graph] compact kind of each node
    counts: Ints  # [num_kinds]
    pairs: Ints  # [num_kinds, num_kinds]
    around: Ints  # [nodes of the largest graph, num_kinds]
    allowed: Bools  # [size, nodes of the largest graph]
    is_used: Bools  # [nodes of the largest graph]
    image: Ints  # [size] the node of each position, -1 where it has none
    cursor: Ints  # [size]
    end: Ints  # [size]
    places: Ints  # [at_least, size] the nodes of each place, ascending


def scratch_for(plan: Plan, num_nodes: int) -> Scratch:
    """Room for searching graphs of up to so many nodes."""
    size, num_kinds = plan.kinds.size, plan.counts.size
    return Scratch(
        np.zeros(num_nodes, np.int64),
        np.zeros(num_kinds, np.int64),
        np.zeros((num_kinds, num_kinds), np.int64),
        np.zeros((num_nodes, num_kinds), np.int64),
        np.zeros((size, num_nodes), np.bool_),
        np.zeros(num_nodes, np.bool_),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((plan.at_least, size), np.int64),
    )


@inner
def _place_of(neighbours: Kinds, first: int, last: int, node: int) -> int:  # pragma: no cover - compiled
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


@inner
def _has_candidates(graphs: Graphs, first: int, size: int, plan: Plan, scratch: Scratch) -> bool:  # pragma: no cover
    """Note which nodes have the neighbours that a position needs, kind by kind.

    False if there are fewer nodes of a kind, fewer edges between two kinds, or fewer nodes for a position and those
    that need as much, than the pattern has.
    """
    kinds, counts, pairs, around = scratch.kinds, scratch.counts, scratch.pairs, scratch.around
    num_kinds = plan.counts.size
    for kind in range(num_kinds):
        counts[kind] = 0
        for other in range(num_kinds):
            pairs[kind, other] = 0
    for node in range(size):
        kinds[node] = plan.lookup[graphs.node_kinds[first + node]]
        if kinds[node] >= 0:
            counts[kinds[node]] += 1
    for kind in range(num_kinds):
        if counts[kind] < plan.counts[kind]:
            return False
    for node in range(size):
        if kinds[node] >= 0:
            for kind in range(num_kinds):
                around[node, kind] = 0
            for at in range(graphs.starts[first + node], graphs.starts[first + node + 1]):
                kind = kinds[graphs.neighbours[at]]
                if kind >= 0:
                    around[node, kind] += 1
                    pairs[kinds[node], kind] += 1
    for kind in range(num_kinds):
        for other in range(num_kinds):
            if pairs[kind, other] < plan.pairs[kind, other]:
                return False
    for position in range(plan.kinds.size):
        missing = plan.needed[position]
        for node in range(size):
            fits = kinds[node] == plan.kinds[position]
            if fits and plan.is_closed[position]:
                fits = graphs.starts[first + node + 1] - graphs.starts[first + node] == plan.degrees[position]
            if fits:
                for kind in range(num_kinds):
                    if around[node, kind] < plan.around[position, kind]:
                        fits = False
            scratch.allowed[position, node] = fits
            if fits:
                missing -= 1
        if missing > 0:
            return False
    return True


@inner
def _agrees(
    graphs: Graphs, first: int, plan: Plan, position: int, node: int, scratch: Scratch
) -> bool:  # pragma: no cover - compiled
    """Whether a node has the edges to the images of the earlier neighbours, and no others if they are induced."""
    begin, end = graphs.starts[first + node], graphs.starts[first + node + 1]
    for at in range(plan.begins[position], plan.begins[position + 1]):
        place = _place_of(graphs.neighbours, begin, end, scratch.image[plan.earlier[at]])
        if place < 0 or graphs.edge_kinds[place] != plan.edge_kinds[at]:
            return False
    if plan.is_induced:
        joined = plan.begins[position + 1] - plan.begins[position]
        for at in range(begin, end):
            if scratch.is_used[graphs.neighbours[at]]:
                joined -= 1
        return bool(joined == 0)
    return True


@inner
def _is_new_place(image: Ints, places: Ints, num_places: int) -> bool:  # pragma: no cover - compiled
    """Write the nodes of an image, ascending, behind the places; whether none of those has the same nodes."""
    for position in range(image.size):
        at = position
        while at > 0 and places[num_places, at - 1] > image[position]:
            places[num_places, at] = places[num_places, at - 1]
            at -= 1
        places[num_places, at] = image[position]
    for place in range(num_places):
        is_same = True
        for position in range(image.size):
            if places[place, position] != places[num_places, position]:
                is_same = False
        if is_same:
            return False
    return True


@inner
def _search(
    graphs: Graphs, first: int, size: int, plan: Plan, max_calls: int, scratch: Scratch
) -> int:  # pragma: no cover - compiled
    """Place the pattern's nodes one after the other, backtracking, until enough different places are known."""
    image, is_used, cursor, end = scratch.image, scratch.is_used, scratch.cursor, scratch.end
    for at in range(size):
        is_used[at] = False
    for at in range(image.size):
        image[at] = -1
    # Plain zeros would have Numba compile what is called with them twice.
    num_places, position, calls = np.int64(0), np.int64(0), np.int64(0)
    cursor[0], end[0] = 0, size
    while position >= 0:
        if image[position] >= 0:  # coming back
            is_used[image[position]] = False
            image[position] = -1
        follows = plan.begins[position] < plan.begins[position + 1]
        above = image[plan.twins[position]] if plan.twins[position] >= 0 else np.int64(-1)
        while cursor[position] < end[position]:
            node = np.int64(graphs.neighbours[cursor[position]]) if follows else cursor[position]
            cursor[position] += 1
            if node <= above or is_used[node] or not scratch.allowed[position, node]:
                continue
            if _agrees(graphs, first, plan, position, node, scratch):
                image[position] = node
                is_used[node] = True
                break
        if image[position] < 0:
            position -= 1
            continue
        position += 1
        if position == image.size:
            if plan.at_least == 1:
                return YES
            if _is_new_place(image, scratch.places, num_places):
                num_places += 1
            if num_places == plan.at_least:
                return YES
            position -= 1
        calls += 1
        if calls >= max_calls:
            return UNDECIDED
        if image[position] >= 0:  # a place that was there before, or one of several
            continue
        if plan.begins[position] < plan.begins[position + 1]:
            parent = first + image[plan.earlier[plan.begins[position]]]
            cursor[position], end[position] = graphs.starts[parent], graphs.starts[parent + 1]
        else:
            cursor[position], end[position] = 0, size
    return NO


@compiled
def search_all(
    graphs: Graphs, plan: Plan, indices: Ints, max_calls: int, answers: Any, scratch: Scratch
) -> None:  # pragma: no cover - compiled
    """Search graph ``indices[i]`` and write the answer to ``answers[i]``."""
    for i in range(indices.size):
        first = graphs.nodes[indices[i]]
        size = graphs.nodes[indices[i] + 1] - first
        if plan.kinds.size == 0:
            answers[i] = YES
        elif _has_candidates(graphs, first, size, plan, scratch):
            answers[i] = _search(graphs, first, size, plan, max_calls, scratch)
        else:
            answers[i] = NO
