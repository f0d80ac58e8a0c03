"""The compiled loops of the consensus search: does a growing pattern lie in all graphs, and how large can it get?

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk. It is written
out in plain loops: each of NumPy's functions on whole arrays would add seconds to compiling.

The k graphs are laid out as in :class:`~.joint.JointGraphs`; the first is the source, whose nodes and
edges the pattern takes. A pattern is a list of source nodes in the order in which they joined it, each with the
position it joined at (its parent), and ``joined[i, j]``, one more than the kind of the edge between two positions.
"""

from typing import Any, NamedTuple

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.compiling import compiled, inner

_FREE, _IN, _OUT = 0, 1, 2


class Graphs(NamedTuple):
    """The k graphs as the loops read them."""

    offsets: Ints
    starts: Ints
    neighbours: Ints
    edge_kinds: Ints
    agrees: Bools  # [source nodes, all nodes]: which nodes of the k graphs may stand for a node of the source


class Layout(NamedTuple):
    """A pattern that grows and shrinks at its end; ``size[0]`` positions count."""

    size: Ints
    nodes: Ints
    parents: Ints
    joined: Ints


class Worth(NamedTuple):
    """What each node and edge of the source adds to a pattern, and how many of each kind can be common."""

    nodes: Floats
    edges: Floats
    nodes_first: Ints  # nodes, the most worth first
    edges_first: Ints
    node_kinds: Ints
    edge_kinds: Ints
    most_nodes: Ints  # of each kind, in the graph that has the fewest
    most_edges: Ints


class Room(NamedTuple):
    """Room for one search: the growing pattern, the best one, and what has been decided of the source's edges."""

    pattern: Layout
    best: Layout
    place: Ints  # position of each node of the source in the pattern, -1 where it has none
    images: Ints  # [k, nodes of the source]
    calls: Ints  # [1] nodes that may still be tried
    status: Ints  # of each edge: free, in or out
    stack: Ints  # the edges that were decided, in this order
    made_node: Bools  # whether each of them brought a node
    reached: Bools  # [nodes of the source]
    marks: Ints  # [3, nodes of the source] see ``lies_in``
    nodes_left: Ints  # [kinds of nodes]
    edges_left: Ints  # [kinds of edges]


def room_for(graphs: Graphs, source: Ints, target: Ints, worth: Worth, is_barred: Bools, max_calls: int) -> Room:
    """Room for a search that leaves barred nodes alone."""
    num_nodes, k = int(graphs.offsets[1]), graphs.offsets.size - 1
    return Room(
        _empty_layout(num_nodes),
        _empty_layout(num_nodes),
        np.full(num_nodes, -1),
        np.full((k, num_nodes), -1),
        np.array([max_calls]),
        np.where(is_barred[source] | is_barred[target], _OUT, _FREE),
        np.zeros(source.size + 1, np.int64),
        np.zeros(source.size + 1, np.bool_),
        np.zeros(num_nodes, np.bool_),
        np.empty((3, num_nodes), np.int64),
        np.zeros(worth.most_nodes.size, np.int64),
        np.zeros(worth.most_edges.size, np.int64),
    )


def _empty_layout(num_nodes: int) -> Layout:
    nodes, parents = np.full(num_nodes, -1), np.full(num_nodes, -1)
    return Layout(np.zeros(1, np.int64), nodes, parents, np.zeros((num_nodes, num_nodes), np.int64))


@inner
def kind_between(graphs: Graphs, q: int, u: int, v: int) -> int:  # pragma: no cover - compiled
    """One more than the kind of the edge between two nodes of a graph, 0 where there is none."""
    # Its own search, as a call into another module's compiled code made growing ten times slower.
    low, high = graphs.starts[graphs.offsets[q] + u], graphs.starts[graphs.offsets[q] + u + 1]
    while low < high:
        middle = (low + high) // 2
        if graphs.neighbours[middle] < v:
            low = middle + 1
        elif graphs.neighbours[middle] > v:
            high = middle
        else:
            return int(graphs.edge_kinds[middle]) + 1
    return 0


@inner
def _fits(graphs: Graphs, pattern: Layout, q: int, image: Ints, at: int, node: int) -> bool:  # pragma: no cover
    """Whether a node of graph ``q`` can take a position, given the images of those before it."""
    if not graphs.agrees[pattern.nodes[at], graphs.offsets[q] + node]:
        return False
    for earlier in range(at):
        if image[earlier] == node:
            return False
        kind = pattern.joined[at, earlier]
        if kind > 0 and kind_between(graphs, q, image[earlier], node) != kind:
            return False
    return True


@inner
def _window(graphs: Graphs, pattern: Layout, q: int, image: Ints, at: int) -> Any:  # pragma: no cover - compiled
    """Where the candidates for a position begin and end: neighbours of its parent's image, or all nodes."""
    if at == 0:
        return np.int64(0), graphs.offsets[q + 1] - graphs.offsets[q]
    parent = graphs.offsets[q] + image[pattern.parents[at]]
    return graphs.starts[parent], graphs.starts[parent + 1]


@inner
def _extends(graphs: Graphs, pattern: Layout, q: int, image: Ints) -> bool:  # pragma: no cover - compiled
    """Whether the image from before the pattern's last change still serves, perhaps with one more node."""
    last = pattern.size[0] - 1
    if last > 0 and image[0] < 0:  # there is none
        return False
    for at in range(last):
        for earlier in range(at):
            kind = pattern.joined[at, earlier]
            if kind > 0 and kind_between(graphs, q, image[earlier], image[at]) != kind:
                return False
    if image[last] >= 0:
        return bool(_fits(graphs, pattern, q, image, last, image[last]))
    first, end = _window(graphs, pattern, q, image, last)
    for cursor in range(first, end):
        node = graphs.neighbours[cursor] if last > 0 else cursor
        if _fits(graphs, pattern, q, image, last, node):
            image[last] = node
            return True
    return False


@compiled
def lies_in(
    graphs: Graphs, pattern: Layout, q: int, image: Ints, calls: Ints, marks: Ints
) -> bool:  # pragma: no cover - compiled
    """Whether the pattern lies in graph ``q``; if so, ``image`` says where.

    ``calls[0]`` counts down with every node that is tried; when it is spent the answer is no. ``marks`` has three rows
    of a column for each position: its node, and where its candidates begin and end.
    """
    size = pattern.size[0]
    if _extends(graphs, pattern, q, image):
        return True
    found, cursor, end = marks[0], marks[1], marks[2]
    at = np.int64(0)
    cursor[0], end[0] = _window(graphs, pattern, q, found, 0)
    while at >= 0:
        found[at] = -1
        while cursor[at] < end[at] and found[at] < 0:
            node = graphs.neighbours[cursor[at]] if at > 0 else cursor[at]
            cursor[at] += 1
            calls[0] -= 1
            if _fits(graphs, pattern, q, found, at, node):
                found[at] = node
        if calls[0] <= 0:
            return False
        if found[at] < 0:
            at -= 1
            continue
        at += 1
        if at == size:
            for position in range(size):
                image[position] = found[position]
            return True
        cursor[at], end[at] = _window(graphs, pattern, q, found, at)
    return False


@inner
def _most(source: Ints, target: Ints, worth: Worth, room: Room) -> float:  # pragma: no cover - compiled
    """Bound on the worth of any pattern that grows from this one without the edges that are out."""
    status, reached, nodes, edges = room.status, room.reached, room.nodes_left, room.edges_left
    for node in range(reached.size):
        reached[node] = room.place[node] >= 0
    is_growing = True
    while is_growing:
        is_growing = False
        for edge in range(source.size):
            if status[edge] != _OUT and reached[source[edge]] != reached[target[edge]]:
                reached[source[edge]] = reached[target[edge]] = True
                is_growing = True
    for kind in range(nodes.size):
        nodes[kind] = worth.most_nodes[kind]
    for kind in range(edges.size):
        edges[kind] = worth.most_edges[kind]
    total = 0.0
    for at in range(worth.nodes_first.size):
        node = worth.nodes_first[at]
        if reached[node] and nodes[worth.node_kinds[node]] > 0:
            nodes[worth.node_kinds[node]] -= 1
            total += worth.nodes[node]
    for at in range(worth.edges_first.size):
        edge = worth.edges_first[at]
        if status[edge] != _OUT and reached[source[edge]] and edges[worth.edge_kinds[edge]] > 0:
            edges[worth.edge_kinds[edge]] -= 1
            total += worth.edges[edge]
    return total


@inner
def _next_edge(source: Ints, target: Ints, status: Ints, ranks: Ints, place: Ints) -> int:  # pragma: no cover
    """The free edge to decide next: one that closes a ring, else the one that leads to the node of lowest rank."""
    best, lowest = -1, np.int64(2**62)
    for edge in range(source.size):
        if status[edge] != _FREE:
            continue
        is_in, is_in_too = place[source[edge]] >= 0, place[target[edge]] >= 0
        if is_in and is_in_too:
            return edge
        if is_in or is_in_too:
            rank = ranks[target[edge]] if is_in else ranks[source[edge]]
            if rank < lowest:
                best, lowest = edge, rank
    return best


@inner
def _add(pattern: Layout, place: Ints, images: Ints, u: int, v: int, kind: int) -> bool:  # pragma: no cover - compiled
    """Add an edge of the source, and its other node where that is new; return whether it is."""
    is_new = bool(place[u] < 0 or place[v] < 0)
    if is_new:
        old, new = (u, v) if place[u] >= 0 else (v, u)
        at = pattern.size[0]
        place[new] = at
        pattern.nodes[at], pattern.parents[at] = new, place[old]
        for q in range(images.shape[0]):
            images[q, at] = -1
        pattern.size[0] += 1
    pattern.joined[place[u], place[v]] = pattern.joined[place[v], place[u]] = kind + 1
    return is_new


@inner
def _remove(pattern: Layout, place: Ints, u: int, v: int, is_new: bool) -> None:  # pragma: no cover - compiled
    """Take back what was added last."""
    pattern.joined[place[u], place[v]] = pattern.joined[place[v], place[u]] = 0
    if is_new:
        pattern.size[0] -= 1
        place[pattern.nodes[pattern.size[0]]] = -1


@inner
def _keep(pattern: Layout, best: Layout) -> None:  # pragma: no cover - compiled
    """Copy a pattern over the best one so far."""
    best.size[0] = pattern.size[0]
    for at in range(pattern.size[0]):
        best.nodes[at] = pattern.nodes[at]
        for earlier in range(pattern.size[0]):
            best.joined[at, earlier] = pattern.joined[at, earlier]


@inner
def _is_common(
    graphs: Graphs, pattern: Layout, images: Ints, calls: Ints, marks: Ints
) -> bool:  # pragma: no cover - compiled
    """Whether the pattern lies in all graphs."""
    for q in range(1, graphs.offsets.size - 1):  # noqa: SIM110 - a generator takes longer to compile
        if not lies_in(graphs, pattern, q, images[q], calls, marks):
            return False
    return True


@compiled
def grow(
    graphs: Graphs,
    source: Ints,
    target: Ints,
    kinds: Ints,
    worth: Worth,
    ranks: Ints,
    start: int,
    floor: float,
    room: Room,
) -> Any:  # pragma: no cover - compiled
    """The common connected pattern with ``start`` that is worth the most: depth first, each edge in, then out.

    Edges whose status is out are left alone, and a pattern not worth more than ``floor`` is as good as none. The
    pattern is written to ``room.best``.

    Returns:
        Its worth, a bound on that, and whether it is proven to be the best.
    """
    pattern, place, images, calls, status = room.pattern, room.place, room.images, room.calls, room.status
    stack, made_node, depth = room.stack, room.made_node, np.int64(0)
    pattern.nodes[0], pattern.size[0], place[start] = start, 1, 0
    bound = _most(source, target, worth, room)
    if not _is_common(graphs, pattern, images, calls, room.marks):
        is_known = bool(calls[0] > 0)
        return 0.0, 0.0 if is_known else bound, is_known
    total, best, tolerance, is_new_state = worth.nodes[start], floor, 1e-9 * bound, True
    if total > best + tolerance:
        best = total
        _keep(pattern, room.best)
    while True:
        if is_new_state:
            calls[0] -= 1 + source.size // 8  # the bound goes through all edges
        if is_new_state and _most(source, target, worth, room) > best + tolerance:
            edge = _next_edge(source, target, status, ranks, place)
            if edge >= 0:
                made_node[depth] = _add(pattern, place, images, source[edge], target[edge], kinds[edge])
                is_common = _is_common(graphs, pattern, images, calls, room.marks)
                if calls[0] <= 0:
                    return best, bound, False
                status[edge], stack[depth] = _IN if is_common else _OUT, edge
                if is_common:
                    last = pattern.nodes[pattern.size[0] - 1]
                    total += worth.edges[edge] + (worth.nodes[last] if made_node[depth] else 0.0)
                    if total > best + tolerance:
                        best = total
                        _keep(pattern, room.best)
                else:
                    _remove(pattern, place, source[edge], target[edge], made_node[depth])
                depth += 1
                continue
        depth -= 1
        if depth < 0:
            return best, best, True
        edge = stack[depth]
        if status[edge] == _IN:
            total -= worth.edges[edge]
            if made_node[depth]:
                total -= worth.nodes[pattern.nodes[pattern.size[0] - 1]]
            _remove(pattern, place, source[edge], target[edge], made_node[depth])
            status[edge] = _OUT
            depth += 1
            is_new_state = True
        else:
            status[edge] = _FREE
            is_new_state = False


@compiled
def best_image(
    graphs: Graphs, pattern: Layout, q: int, scores: Floats, tolerance: float, max_calls: int, marks: Ints, sums: Floats
) -> bool:  # pragma: no cover - compiled
    """Where the pattern lies in graph ``q`` with the highest sum of ``scores[position, node]``; of ties the first.

    Written to the last of the four rows of ``marks``, of which the others are as of ``lies_in``. ``sums`` has two rows,
    a column for each position and one more: the most that is to come, and what there is so far.

    Returns:
        Whether it is proven to be the best.
    """
    size = pattern.size[0]
    found, cursor, end, best = marks[0], marks[1], marks[2], marks[3]
    to_come, total = sums[0], sums[1]
    to_come[size] = total[0] = 0.0
    for position in range(size - 1, -1, -1):
        highest = -np.inf
        for node in range(scores.shape[1]):
            if graphs.agrees[pattern.nodes[position], graphs.offsets[q] + node]:
                highest = max(highest, scores[position, node])
        to_come[position] = to_come[position + 1] + highest
    best[0], highest, at, calls = -1, -np.inf, np.int64(0), 0
    cursor[0], end[0] = _window(graphs, pattern, q, found, 0)
    while at >= 0:
        found[at] = -1
        while cursor[at] < end[at] and found[at] < 0:
            node = graphs.neighbours[cursor[at]] if at > 0 else cursor[at]
            cursor[at] += 1
            calls += 1
            if total[at] + scores[at, node] + to_come[at + 1] > highest + tolerance and _fits(
                graphs, pattern, q, found, at, node
            ):
                found[at] = node
        if calls > max_calls and best[0] >= 0:
            return False
        if found[at] < 0:
            at -= 1
            continue
        total[at + 1] = total[at] + scores[at, found[at]]
        at += 1
        if at == size:
            highest = total[size]
            for position in range(size):
                best[position] = found[position]
            at -= 1
            continue
        cursor[at], end[at] = _window(graphs, pattern, q, found, at)
    return True
