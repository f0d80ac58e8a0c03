"""The compiled loops of the consensus search: does a growing pattern lie in all graphs, and how large can it get?

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk. It is written
out in plain loops over few arrays, whose rows or columns have names: each array that is handed on, each row taken out
of one, and each of NumPy's functions would add to compiling.

The k graphs are laid out as in :class:`~.joint.JointGraphs`; the first is the source, whose nodes and edges the pattern
takes. A pattern is an array with a row for each position, in the order in which nodes of the source joined it: the
node, the position it joined at (its parent), and for each position one more than the kind of the edge to it, 0 where
there is none.
"""

from typing import Any, NamedTuple

import numpy as np

from protograph._utils.arrays import Bools, Floats, Ints
from protograph._utils.compiling import compiled, inner

# Of the items of a source: undecided, in the pattern, and out of it.
_FREE, IN, _OUT = range(3)
# Columns of what is around the nodes of the k graphs: a neighbour, and the kind of the edge to it.
_NEIGHBOUR, _KIND = range(2)
# Columns of a pattern; the first position's edges are in the column JOINED, the next one's follow.
NODE, PARENT, JOINED = range(3)
# Columns of the source's items, its nodes and then its edges: its ends, a node's being itself; an edge's kind, as seen
# from its source and from its target; a node's rank; its group, of which so many can be common.
SOURCE, TARGET, EDGE_KIND, BACK_KIND, RANK, GROUP, MOST = range(7)
# Rows of notes: of each item whether it is free, in or out, and what it was when the pattern was best; the edges that
# were decided, in this order, and whether each brought a node; of each node its position, -1 for none, and whether it
# can be reached; how many of each group are counted.
_STATUS, BEST, _STACK, _MADE_NODE, _PLACE, _REACHED, _COUNTED = range(7)
# Rows of images: in the graph that is searched the node of each position, and where its candidates go on and end; then
# the nodes at which the pattern lies best.
_FOUND, _CURSOR, _END, IMAGE = range(4)
# Rows of the sums of scores: the most that is to come from each position on, and what there is before it.
_TO_COME, _TOTAL = range(2)


class Graphs(NamedTuple):
    """The k graphs as the loops read them."""

    offsets: Ints
    starts: Ints
    around: Ints  # see above
    agrees: Bools  # [source nodes, all nodes]: which nodes of the k graphs may stand for a node of the source


class Room(NamedTuple):
    """Room for one search."""

    pattern: Ints  # that grows and shrinks at its end
    notes: Ints  # see above
    images: Ints  # see above
    calls: Ints  # [1] nodes that may still be tried


def room_for(graphs: Graphs, items: Ints, is_barred: Bools, max_calls: int) -> Room:
    """Room for a search that leaves barred nodes alone."""
    num_nodes, num_items = is_barred.size, items.shape[0]
    notes = np.zeros((7, num_items + 1), np.int64)
    notes[_PLACE] = -1
    ends = items[num_nodes:, SOURCE : TARGET + 1]
    notes[_STATUS, num_nodes:num_items] = np.where(is_barred[ends].any(axis=1), _OUT, _FREE)
    return Room(
        np.zeros((num_nodes, JOINED + num_nodes), np.int64),
        notes,
        images_for(num_nodes),
        np.array([max_calls]),
    )


def images_for(size: int) -> Ints:
    """Room for where a pattern of so many positions lies."""
    return np.full((4, size), -1)


@inner
def _fits(
    graphs: Graphs, first: int, pattern: Ints, images: Ints, at: int, node: int
) -> Any:  # pragma: no cover - compiled
    """Whether a node of the graph that begins at ``first`` can take a position, given the images of those before it."""
    if not graphs.agrees[pattern[at, NODE], first + node]:
        return False
    for earlier in range(at):
        other, kind = images[_FOUND, earlier], pattern[at, JOINED + earlier]
        if other == node:
            return False
        if kind > 0:  # there must be an edge of this kind; neighbours ascend
            low, high = graphs.starts[first + other], graphs.starts[first + other + 1]
            end = high
            while low < high:
                middle = (low + high) >> 1
                if graphs.around[middle, _NEIGHBOUR] < node:
                    low = middle + 1
                else:
                    high = middle
            if low == end or graphs.around[low, _NEIGHBOUR] != node or graphs.around[low, _KIND] + 1 != kind:
                return False
    return True


@inner
def _begin(graphs: Graphs, q: int, pattern: Ints, images: Ints, at: int) -> None:  # pragma: no cover
    """Note where the candidates for a position begin and end: neighbours of its parent's image, or all nodes."""
    if at == 0:
        images[_CURSOR, 0], images[_END, 0] = 0, graphs.offsets[q + 1] - graphs.offsets[q]
    else:
        parent = graphs.offsets[q] + images[_FOUND, pattern[at, PARENT]]
        images[_CURSOR, at], images[_END, at] = graphs.starts[parent], graphs.starts[parent + 1]


@inner
def _lies_in(graphs: Graphs, pattern: Ints, size: int, images: Ints, calls: Ints) -> Any:  # pragma: no cover - compiled
    """Whether a pattern lies in all graphs.

    ``calls[0]`` counts down with every node that is tried; when it is spent the answer is no.
    """
    for q in range(1, graphs.offsets.size - 1):
        at = np.int64(0)  # a plain zero would have Numba compile what is called with it twice
        _begin(graphs, q, pattern, images, at)
        while 0 <= at < size:
            node, cursor = -1, images[_CURSOR, at]
            while cursor < images[_END, at] and node < 0:
                node = graphs.around[cursor, _NEIGHBOUR] if at > 0 else cursor
                cursor += 1
                calls[0] -= 1
                if not _fits(graphs, graphs.offsets[q], pattern, images, at, node):
                    node = -1
            if calls[0] <= 0:
                return False
            images[_FOUND, at], images[_CURSOR, at] = node, cursor
            at += 1 if node >= 0 else -1
            if node >= 0 and at < size:
                _begin(graphs, q, pattern, images, at)
        if at < 0:
            return False
    return True


@inner
def _most(items: Ints, notes: Ints, num_nodes: int) -> Any:  # pragma: no cover - compiled
    """Bound on the nodes and edges of any pattern that grows from this one without the edges that are out."""
    for node in range(num_nodes):
        notes[_REACHED, node] = 0 if notes[_PLACE, node] < 0 else 1
    is_growing = True
    while is_growing:
        is_growing = False
        for edge in range(num_nodes, items.shape[0]):
            u, v = items[edge, SOURCE], items[edge, TARGET]
            if notes[_STATUS, edge] != _OUT and notes[_REACHED, u] != notes[_REACHED, v]:
                notes[_REACHED, u] = notes[_REACHED, v] = 1
                is_growing = True
    for group in range(items.shape[0]):
        notes[_COUNTED, group] = 0
    total = np.int64(0)
    for item in range(items.shape[0]):
        if notes[_STATUS, item] != _OUT and notes[_REACHED, items[item, SOURCE]] != 0:
            group = items[item, GROUP]
            if notes[_COUNTED, group] < items[item, MOST]:
                notes[_COUNTED, group] += 1
                total += 1
    return total


@inner
def _next_edge(items: Ints, notes: Ints, num_nodes: int) -> Any:  # pragma: no cover - compiled
    """The free edge to decide next: one that closes a ring, else the one that leads to the node of lowest rank."""
    best, lowest = -1, np.int64(2**62)
    for edge in range(num_nodes, items.shape[0]):
        if notes[_STATUS, edge] != _FREE:
            continue
        u, v = items[edge, SOURCE], items[edge, TARGET]
        is_in, is_in_too = notes[_PLACE, u] >= 0, notes[_PLACE, v] >= 0
        if is_in and is_in_too:
            return edge
        if is_in or is_in_too:
            rank = items[v if is_in else u, RANK]
            if rank < lowest:
                best, lowest = edge, rank
    return best


@inner
def _add(items: Ints, room: Room, size: int, edge: int) -> Any:  # pragma: no cover - compiled
    """Add an edge of the source, and its other node where that is new; return how many nodes are."""
    pattern, notes = room.pattern, room.notes
    u, v = items[edge, SOURCE], items[edge, TARGET]
    made = 0
    if notes[_PLACE, u] < 0:
        u, v = v, u
    if notes[_PLACE, v] < 0:
        made = 1
        notes[_PLACE, v] = size
        pattern[size, NODE], pattern[size, PARENT] = v, notes[_PLACE, u]
    at, other = notes[_PLACE, u], notes[_PLACE, v]
    # Each as seen from the other position, from which it is looked for.
    is_forth = u == items[edge, SOURCE]
    pattern[other, JOINED + at] = items[edge, EDGE_KIND if is_forth else BACK_KIND] + 1
    pattern[at, JOINED + other] = items[edge, BACK_KIND if is_forth else EDGE_KIND] + 1
    return made


@inner
def _remove(items: Ints, room: Room, edge: int, made: int) -> None:  # pragma: no cover - compiled
    """Take back what was added last."""
    notes = room.notes
    u, v = items[edge, SOURCE], items[edge, TARGET]
    at, other = notes[_PLACE, u], notes[_PLACE, v]
    room.pattern[at, JOINED + other] = room.pattern[other, JOINED + at] = 0
    if made != 0:  # the one that came last
        notes[_PLACE, u if at > other else v] = -1


@inner
def _keep(notes: Ints) -> None:  # pragma: no cover - compiled
    """The pattern is the best one so far."""
    for item in range(notes.shape[1]):
        notes[BEST, item] = notes[_STATUS, item]


@compiled
def grow(graphs: Graphs, items: Ints, start: int, floor: Any, room: Room) -> Any:  # pragma: no cover - compiled
    """The common connected pattern with ``start`` of most nodes and edges: depth first, each edge in, then out.

    Edges whose status is out are left alone, and a pattern of no more than ``floor`` is as good as none. The start and
    the edges of the best pattern are in at the row ``BEST`` of ``room.notes``.

    Returns:
        How many nodes and edges it has, a bound on that, and whether it is proven to be the best.
    """
    notes, calls = room.notes, room.calls
    num_nodes, depth, size = room.pattern.shape[0], np.int64(0), np.int64(1)
    room.pattern[0, NODE], notes[_PLACE, start], notes[_STATUS, start] = start, 0, IN
    bound = _most(items, notes, num_nodes)
    if not _lies_in(graphs, room.pattern, size, room.images, calls):
        is_known = calls[0] > 0
        return np.int64(0), np.int64(0) if is_known else bound, is_known
    total, best, is_new_state = np.int64(1), floor, True
    if total > best:
        best = total
        _keep(notes)
    while True:
        if is_new_state:
            calls[0] -= 1 + ((items.shape[0] - num_nodes) >> 3)  # the bound goes through all edges
        if is_new_state and _most(items, notes, num_nodes) > best:
            edge = _next_edge(items, notes, num_nodes)
            if edge >= 0:
                made = _add(items, room, size, edge)
                is_common = _lies_in(graphs, room.pattern, size + made, room.images, calls)
                if calls[0] <= 0:
                    return best, bound, False
                notes[_STACK, depth], notes[_MADE_NODE, depth] = edge, made
                if is_common:
                    notes[_STATUS, edge] = IN
                    size += made
                    total += 1 + made
                    if total > best:
                        best = total
                        _keep(notes)
                else:
                    notes[_STATUS, edge] = _OUT
                    _remove(items, room, edge, made)
                depth += 1
                continue
        depth -= 1
        if depth < 0:
            return best, best, True
        edge = notes[_STACK, depth]
        is_new_state = notes[_STATUS, edge] == IN
        if is_new_state:
            made = notes[_MADE_NODE, depth]
            total -= 1 + made
            _remove(items, room, edge, made)
            size -= made
            notes[_STATUS, edge] = _OUT
            depth += 1
        else:
            notes[_STATUS, edge] = _FREE


@compiled
def best_image(
    graphs: Graphs, q: int, pattern: Ints, scores: Floats, tolerance: float, max_calls: int, images: Ints, sums: Floats
) -> None:  # pragma: no cover - compiled
    """Where a pattern lies in graph ``q`` with the highest sum of ``scores[position, node]``; of ties the first.

    Written to ``images``, where -1 stays if none was found in time. ``sums`` has two rows, a column for each position
    and one more: the most that is to come, and what there is so far.
    """
    size, first = pattern.shape[0], graphs.offsets[q]
    sums[_TO_COME, size] = sums[_TOTAL, 0] = 0.0
    for position in range(size - 1, -1, -1):
        highest = -np.inf
        for node in range(scores.shape[1]):
            if graphs.agrees[pattern[position, NODE], first + node] and scores[position, node] > highest:
                highest = scores[position, node]
        sums[_TO_COME, position] = sums[_TO_COME, position + 1] + highest
    highest, at, calls = -np.inf, np.int64(0), 0
    _begin(graphs, q, pattern, images, at)
    while at >= 0:
        found, cursor, end = -1, images[_CURSOR, at], images[_END, at]
        needed = highest + tolerance
        while cursor < end and found < 0:
            node = graphs.around[cursor, _NEIGHBOUR] if at > 0 else cursor
            cursor += 1
            calls += 1
            if sums[_TOTAL, at] + scores[at, node] + sums[_TO_COME, at + 1] > needed and _fits(
                graphs, first, pattern, images, at, node
            ):
                found = node
        if calls > max_calls:
            return
        images[_FOUND, at], images[_CURSOR, at] = found, cursor
        if found < 0:
            at -= 1
            continue
        sums[_TOTAL, at + 1] = sums[_TOTAL, at] + scores[at, found]
        at += 1
        if at == size:
            highest = sums[_TOTAL, size]
            for position in range(size):
                images[IMAGE, position] = images[_FOUND, position]
            at -= 1
            continue
        _begin(graphs, q, pattern, images, at)
