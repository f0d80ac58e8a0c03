"""The compiled search for a pattern in a graph: exact backtracking with filters before it and forward checks in it.

Positions of the pattern are given nodes of the graph one after the other. Each position that is joined to one with a
node knows its *candidates*, the nodes that are joined to all of those; the position with the fewest candidates is next,
and where one has none the search goes back.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk. It is written
out in plain loops over few arrays that come from outside: each array that is handed on, and each of NumPy's functions,
would add to compiling.
"""

from typing import Any, NamedTuple

import numpy as np

from protograph._base.arrays import Bools, Ints, Kinds
from protograph._base.compiling import compiled, inner

YES, NO, UNDECIDED = 1, 0, -1
# Columns of a plan's positions: compact kind; degree that a node must have, -1 for any; how many positions, itself
# included, need a node of its kind with all that it needs; an earlier position that it could be swapped with, -1 for
# none; how many leaves, itself included, hang on the same node and could be swapped.
KIND, DEGREE, NEEDED, TWIN, ALIKE = range(5)
# Rows of a scratch's steps: the node of each position, -1 for none; the position of each step; how far each step is.
_IMAGE, _ORDER, _CURSOR, _END = range(4)
# So many neighbours looked at count as one more node that is placed: what is dense takes longer.
_NEIGHBOURS_A_CALL = 64


class Plan(NamedTuple):
    """A pattern and how it must lie in a graph."""

    positions: Ints  # [size, 5] see above
    joined: Ints  # [size, size] one more than the kind of the edge between two positions, 0 where there is none,
    # below 0 where no graph has such an edge
    around: Ints  # [size, num_kinds] neighbours of each compact kind
    least: Ints  # [num_kinds + 1, num_kinds] neighbours of each kind that nodes of each kind have; last, nodes
    lookup: Ints  # compact kind of each kind, -1 where the pattern has no such node
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
    around: Ints  # [nodes of the largest graph, num_kinds]
    seen: Ints  # [num_kinds + 1, num_kinds]
    allowed: Bools  # [size + 1, nodes of the largest graph] which nodes may take a position; last, which are taken
    steps: Ints  # [4, size] see above
    spans: Ints  # [size + 1, size + 1, 2] at each step where each position's candidates begin and end, or -1 and how
    # many nodes are allowed; last, where the next ones go
    candidates: Ints
    places: Ints  # [at_least, size] the nodes of each place, ascending


def scratch_for(plan: Plan, num_nodes: int, most_neighbours: int) -> Scratch:
    """Room for searching graphs of up to so many nodes with up to so many neighbours."""
    size, num_kinds = plan.around.shape
    num_edges = np.count_nonzero(plan.joined) // 2
    return Scratch(
        np.empty(num_nodes, np.int64),
        np.empty((num_nodes, num_kinds), np.int64),
        np.empty((num_kinds + 1, num_kinds), np.int64),
        np.zeros((size + 1, num_nodes), np.bool_),
        np.empty((4, size), np.int64),
        np.empty((size + 1, size + 1, 2), np.int64),
        np.empty(num_edges * most_neighbours, np.int64),
        np.empty((plan.at_least, size), np.int64),
    )


@inner
def _has_candidates(graphs: Graphs, first: int, size: int, plan: Plan, scratch: Scratch) -> bool:  # pragma: no cover
    """Note which nodes have the neighbours that a position needs, kind by kind.

    False if there are fewer nodes of a kind, fewer edges between two kinds, or fewer nodes for a position and those
    that need as much, than the pattern has.
    """
    kinds, seen, around = scratch.kinds, scratch.seen, scratch.around
    num_kinds = plan.around.shape[1]
    for kind in range(num_kinds + 1):
        for other in range(num_kinds):
            seen[kind, other] = 0
    for node in range(size):
        kind = plan.lookup[graphs.node_kinds[first + node]]
        kinds[node] = kind
        if kind >= 0:
            seen[num_kinds, kind] += 1
    for kind in range(num_kinds):
        if seen[num_kinds, kind] < plan.least[num_kinds, kind]:
            return False
    for node in range(size):
        own = kinds[node]
        if own >= 0:
            for kind in range(num_kinds):
                around[node, kind] = 0
            for at in range(graphs.starts[first + node], graphs.starts[first + node + 1]):
                kind = kinds[graphs.neighbours[at]]
                if kind >= 0:
                    around[node, kind] += 1
            for kind in range(num_kinds):
                seen[own, kind] += around[node, kind]
    for kind in range(num_kinds):
        for other in range(num_kinds):
            if seen[kind, other] < plan.least[kind, other]:
                return False
    for position in range(plan.positions.shape[0]):
        missing = plan.positions[position, NEEDED]
        own, degree = plan.positions[position, KIND], plan.positions[position, DEGREE]
        for node in range(size):
            fits = kinds[node] == own
            if fits and degree >= 0:
                fits = graphs.starts[first + node + 1] - graphs.starts[first + node] == degree
            if fits:
                for kind in range(num_kinds):
                    if around[node, kind] < plan.around[position, kind]:
                        fits = False
            scratch.allowed[position, node] = fits
            if fits:
                missing -= 1
        if missing > 0:
            return False
        # Unknown yet, so that all that are allowed are candidates.
        scratch.spans[0, position, 0] = -1
        scratch.spans[0, position, 1] = plan.positions[position, NEEDED] - missing
    return True


@inner
def _num_alike(plan: Plan, image: Ints, position: int, hub: int) -> int:  # pragma: no cover - compiled
    """How many open positions need the same candidates: the position, and leaves of the hub that could be swapped."""
    number = plan.positions[position, ALIKE]
    if number > 1:
        for other in range(image.size):
            if (
                image[other] >= 0
                and plan.positions[other, ALIKE] == plan.positions[position, ALIKE]
                and plan.positions[other, KIND] == plan.positions[position, KIND]
                and plan.joined[other, hub] == plan.joined[position, hub]
            ):
                number -= 1
    return number


@inner
def _narrow(graphs: Graphs, first: int, plan: Plan, scratch: Scratch, step: int) -> int:  # pragma: no cover - compiled
    """Leave to each open position only the candidates that are joined to the node that was placed last.

    Returns:
        How many neighbours were looked at; below 0 where a position is left with too few candidates.
    """
    image, spans, candidates, looked = scratch.steps[_IMAGE], scratch.spans, scratch.candidates, np.int64(1)
    num_positions = plan.positions.shape[0]
    placed = scratch.steps[_ORDER, step]
    begin, end = graphs.starts[first + image[placed]], graphs.starts[first + image[placed] + 1]
    top = spans[step, num_positions, 0]
    for position in range(num_positions):
        spans[step + 1, position, 0], spans[step + 1, position, 1] = spans[step, position, 0], spans[step, position, 1]
        kind = plan.joined[placed, position]
        if kind == 0 or image[position] >= 0:
            continue
        fresh, old, last = top, spans[step, position, 0], spans[step, position, 1]
        for at in range(begin, end):
            node = graphs.neighbours[at]
            if old >= 0:  # both ascend
                while old < last and candidates[old] < node:
                    old += 1
                if old == last:
                    break
                if candidates[old] > node:
                    continue
            if (
                graphs.edge_kinds[at] + 1 == kind
                and scratch.allowed[position, node]
                and not scratch.allowed[num_positions, node]
            ):
                candidates[top] = node
                top += 1
        looked += end - begin
        if top - fresh < _num_alike(plan, image, position, placed):
            return -looked
        spans[step + 1, position, 0], spans[step + 1, position, 1] = fresh, top
    spans[step + 1, num_positions, 0] = top
    return looked


@inner
def _choose(plan: Plan, scratch: Scratch, step: int, size: int) -> None:  # pragma: no cover - compiled
    """The open position with the fewest candidates is next."""
    steps, num_positions = scratch.steps, plan.positions.shape[0]
    best, fewest = np.int64(-1), np.int64(0)
    for position in range(num_positions):
        if steps[_IMAGE, position] < 0:
            number = scratch.spans[step, position, 1]
            if scratch.spans[step, position, 0] >= 0:
                number -= scratch.spans[step, position, 0]
            if best < 0 or number < fewest:
                best, fewest = position, number
    steps[_ORDER, step] = best
    steps[_CURSOR, step], steps[_END, step] = 0, size
    if scratch.spans[step, best, 0] >= 0:
        steps[_CURSOR, step], steps[_END, step] = scratch.spans[step, best, 0], scratch.spans[step, best, 1]


@inner
def _fits(graphs: Graphs, first: int, plan: Plan, scratch: Scratch, position: int, node: int) -> bool:  # pragma: no cover
    """Whether a candidate is free, comes after its twin's node and, if induced, is joined to no other node."""
    image, is_taken = scratch.steps[_IMAGE], scratch.allowed[plan.positions.shape[0]]
    if is_taken[node] or not scratch.allowed[position, node]:
        return False
    for other in range(plan.positions.shape[0]):  # one order of those that could be swapped is enough
        if image[other] >= 0:
            if plan.positions[position, TWIN] == other and node < image[other]:
                return False
            if plan.positions[other, TWIN] == position and node > image[other]:
                return False
    if plan.is_induced:
        joined = np.int64(0)
        for other in range(plan.positions.shape[0]):
            if image[other] >= 0 and plan.joined[position, other] != 0:
                joined += 1
        for at in range(graphs.starts[first + node], graphs.starts[first + node + 1]):
            if is_taken[graphs.neighbours[at]]:
                joined -= 1
        return bool(joined == 0)
    return True


@inner
def _is_new_place(scratch: Scratch, num_places: int) -> bool:  # pragma: no cover - compiled
    """Write the nodes of an image, ascending, behind the places; whether none of those has the same nodes."""
    places, num_positions = scratch.places, scratch.places.shape[1]
    for position in range(num_positions):
        node, at = scratch.steps[_IMAGE, position], position
        while at > 0 and places[num_places, at - 1] > node:
            places[num_places, at] = places[num_places, at - 1]
            at -= 1
        places[num_places, at] = node
    for place in range(num_places):
        is_same = True
        for position in range(num_positions):
            if places[place, position] != places[num_places, position]:
                is_same = False
        if is_same:
            return False
    return True


@inner
def _search(graphs: Graphs, first: int, size: int, plan: Plan, max_calls: int, scratch: Scratch) -> int:  # pragma: no cover
    """Place the pattern's nodes one after the other, backtracking, until enough different places are known."""
    steps, num_positions = scratch.steps, plan.positions.shape[0]
    is_taken = scratch.allowed[num_positions]
    for node in range(size):
        is_taken[node] = False
    for position in range(num_positions):
        steps[_IMAGE, position] = -1
    scratch.spans[0, num_positions, 0] = 0
    # Plain zeros would have Numba compile what is called with them twice.
    num_places, step, calls, looked = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    _choose(plan, scratch, step, size)
    while step >= 0:
        position = steps[_ORDER, step]
        if steps[_IMAGE, position] >= 0:  # coming back
            is_taken[steps[_IMAGE, position]] = False
            steps[_IMAGE, position] = -1
        if steps[_CURSOR, step] == steps[_END, step]:
            step -= 1
            continue
        node = steps[_CURSOR, step]
        if scratch.spans[step, position, 0] >= 0:
            node = scratch.candidates[node]
        steps[_CURSOR, step] += 1
        if not _fits(graphs, first, plan, scratch, position, node):
            continue
        steps[_IMAGE, position] = node
        is_taken[node] = True
        calls += 1
        if step + 1 == num_positions:
            if plan.at_least == 1:
                return YES
            if _is_new_place(scratch, num_places):
                num_places += 1
            if num_places == plan.at_least:
                return YES
        else:
            narrowed = _narrow(graphs, first, plan, scratch, step)
            looked += abs(narrowed)
            if narrowed > 0:
                step += 1
                _choose(plan, scratch, step, size)
        if calls + looked // _NEIGHBOURS_A_CALL >= max_calls:
            return UNDECIDED
    return NO


@compiled
def search_all(
    graphs: Graphs, plan: Plan, indices: Ints, max_calls: int, answers: Any, scratch: Scratch
) -> None:  # pragma: no cover - compiled
    """Search graph ``indices[i]`` and write the answer to ``answers[i]``."""
    for i in range(indices.size):
        first = graphs.nodes[indices[i]]
        size = graphs.nodes[indices[i] + 1] - first
        if plan.positions.shape[0] == 0:
            answers[i] = YES
        elif _has_candidates(graphs, first, size, plan, scratch):
            answers[i] = _search(graphs, first, size, plan, max_calls, scratch)
        else:
            answers[i] = NO
