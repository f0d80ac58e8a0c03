"""The compiled search for a pattern in a graph: exact backtracking with filters before it and forward checks in it.

Positions of the pattern are given nodes of the graph one after the other. Each open position has its *candidates*, the
nodes that it may still have: free, and joined to the nodes of all positions that it is joined to. The position with the
fewest candidates is next, and where one has none the search goes back. Sets of nodes are bits of whole numbers, which
are cut by one operation for every 62 nodes.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk. It is written
out in plain loops over few arrays that come from outside: each array that is handed on, and each of NumPy's functions,
would add to compiling.
"""

from typing import Any, NamedTuple

import numpy as np

from protograph._utils.arrays import Bools, Ints, Kinds
from protograph._utils.compiling import compiled, inner

YES, NO, UNDECIDED = 1, 0, -1
# What a node of a pattern accepts is a *class*: some kinds of nodes; what an edge accepts likewise.
# Columns of a plan's positions: class; degree that a node must have, -1 for any; the last earlier position that it
# could be swapped with, and the first later one, -1 for none. Then, for each position, one more than the class of the
# edge to it, 0 where there is none; and how many neighbours it has of each class.
KIND, DEGREE, TWIN, NEXT, JOINED = range(5)
# Bits of a word that are used: its sign and the one below stay 0, so that shifts and sums keep it positive.
BITS = 62
# Rows of a scratch's steps: the node of each position, -1 for none; the position of each step; then the nodes of each
# place, ascending.
IMAGE, ORDER, PLACES = range(3)
# Columns of a scratch's nodes: class, SEVERAL where more than one accepts it, -1 for none; then for each class how many
# neighbours it accepts.
_OWN, _AROUND = range(2)
SEVERAL = -2
# So many words looked at count as one more node that is placed: in very large graphs a step takes longer.
WORDS_A_CALL = 4096
# Nodes placed, and nodes of graphs gone through, before Python is asked whether to go on: a tenth of a second or two.
MOST_AT_ONCE = 2**20


class Plan(NamedTuple):
    """A pattern and how it must lie in a graph."""

    positions: Ints  # [size, JOINED + size + num_classes] see above
    least: Ints  # [num_classes] nodes of each class
    lookup: Ints  # the class that accepts each kind, SEVERAL where more than one does, -1 where none
    accepts: Bools  # [num_kinds, num_classes]
    accepts_edges: Bools  # [num_edge_kinds, num_edge_classes]
    order: Ints  # node of the pattern of each position
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

    nodes: Ints  # [nodes of the largest graph + 1, 1 + num_classes] see above; last, nodes that each class accepts
    near: Ints  # [edge classes + 1, words] neighbours of the node placed last, by each class of edge; last, by any
    candidates: Ints  # [size + 1, size, 1 + words] of each position at each step: how many, then which
    steps: Ints  # [PLACES + at_least, size] see above


def scratch_for(plan: Plan, num_nodes: int) -> Scratch:
    """Room for searching graphs of up to so many nodes."""
    size, words = plan.positions.shape[0], 1 + num_nodes // BITS
    return Scratch(
        np.empty((num_nodes + 1, 1 + plan.least.size), np.int64),
        np.empty((plan.accepts_edges.shape[1] + 1, words), np.int64),
        np.empty((size + 1, size, words + 1), np.int64),
        np.empty((PLACES + plan.at_least, size), np.int64),
    )


@inner
def _has_enough(graphs: Graphs, first: int, size: int, plan: Plan, nodes: Ints) -> bool:  # pragma: no cover - compiled
    """Count nodes by class, and neighbours of each by class; false if the pattern has more nodes of a class."""
    num_classes, total = plan.least.size, nodes.shape[0] - 1
    for own in range(num_classes):
        nodes[total, _AROUND + own] = 0
    for node in range(size):
        own = plan.lookup[graphs.node_kinds[first + node]]
        nodes[node, _OWN] = own
        if own >= 0:
            nodes[total, _AROUND + own] += 1
        elif own == SEVERAL:
            _count(nodes, total, plan.accepts, graphs.node_kinds[first + node])
    for own in range(num_classes):
        if nodes[total, _AROUND + own] < plan.least[own]:
            return False
    for node in range(size):
        if nodes[node, _OWN] != -1:
            for own in range(num_classes):
                nodes[node, _AROUND + own] = 0
            for at in range(graphs.starts[first + node], graphs.starts[first + node + 1]):
                other = graphs.neighbours[at]
                own = nodes[other, _OWN]
                if own >= 0:
                    nodes[node, _AROUND + own] += 1
                elif own == SEVERAL:
                    _count(nodes, node, plan.accepts, graphs.node_kinds[first + other])
    return True


@inner
def _count(nodes: Ints, row: int, accepts: Bools, kind: int) -> None:  # pragma: no cover - compiled
    """Count a node of a kind for each class that accepts it."""
    for one in range(accepts.shape[1]):
        if accepts[kind, one]:
            nodes[row, _AROUND + one] += 1


@inner
def _may_be(degree: int, nodes: Ints, node: int, positions: Ints, position: int) -> bool:  # pragma: no cover - compiled
    """Whether a node of this degree has what a position needs, class by class; of several classes its own."""
    if nodes[node, _OWN] != positions[position, KIND] and nodes[node, _OWN] != SEVERAL:
        return False
    if positions[position, DEGREE] >= 0 and positions[position, DEGREE] != degree:
        return False
    needs = JOINED + positions.shape[0]
    for one in range(positions.shape[1] - needs):
        if nodes[node, _AROUND + one] < positions[position, needs + one]:
            return False
    return True


@inner
def _prepare(graphs: Graphs, first: int, size: int, plan: Plan, scratch: Scratch) -> bool:  # pragma: no cover
    """Note the candidates of each position; false if one has none."""
    candidates, positions, starts = scratch.candidates, plan.positions, graphs.starts
    if not _has_enough(graphs, first, size, plan, scratch.nodes):
        return False
    for position in range(positions.shape[0]):
        for at in range(2 + (size - 1) // BITS):
            candidates[0, position, at] = 0
        for node in range(size):
            degree = starts[first + node + 1] - starts[first + node]
            is_several = scratch.nodes[node, _OWN] == SEVERAL
            if is_several and not plan.accepts[graphs.node_kinds[first + node], positions[position, KIND]]:
                continue
            if _may_be(degree, scratch.nodes, node, positions, position):
                candidates[0, position, 1 + node // BITS] |= np.int64(1) << (node % BITS)
                candidates[0, position, 0] += 1
        if candidates[0, position, 0] == 0:
            return False
        scratch.steps[IMAGE, position] = -1
    return True


@inner
def _num_bits(word: Any) -> Any:  # pragma: no cover - compiled
    """How many bits of a word are set: sums of neighbouring bits, of pairs, of fours, and of all bytes."""
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56


@inner
def _note_neighbours(
    graphs: Graphs, place: int, accepts: Bools, near: Ints, words: int
) -> None:  # pragma: no cover - compiled
    """Write down which nodes are joined to the one at a place among all nodes, by each class of edge and by any."""
    last = accepts.shape[1]
    for own in range(last + 1):
        for word in range(words):
            near[own, word] = 0
    for at in range(graphs.starts[place], graphs.starts[place + 1]):
        other = graphs.neighbours[at]
        bit = np.int64(1) << (other % BITS)
        near[last, other // BITS] |= bit
        for own in range(last):
            if accepts[graphs.edge_kinds[at], own]:
                near[own, other // BITS] |= bit


@inner
def _narrow(
    positions: Ints, is_induced: bool, near: Ints, candidates: Ints, steps: Ints, words: int, step: int
) -> bool:  # pragma: no cover - compiled
    """Leave to each open position the candidates that go with the node that was placed; false if one has none."""
    any_kind, placed = near.shape[0] - 1, steps[ORDER, step]
    node = steps[IMAGE, placed]
    own, bit = node // BITS, np.int64(1) << (node % BITS)
    for position in range(positions.shape[0]):
        if steps[IMAGE, position] >= 0:
            continue
        kind, number = positions[placed, JOINED + position], np.int64(0)
        for word in range(words):
            left = candidates[step, position, 1 + word]
            if word == own:
                left &= ~bit
            if kind > 0:
                left &= near[kind - 1, word]
            elif is_induced:
                left &= ~near[any_kind, word]
            # Of positions that could be swapped, the later has the higher node.
            if positions[position, TWIN] == placed:
                if word < own:
                    left = 0
                elif word == own:
                    left &= -bit
            elif positions[position, NEXT] == placed:
                if word > own:
                    left = 0
                elif word == own:
                    left &= bit - 1
            candidates[step + 1, position, 1 + word] = left
            number += _num_bits(left)
        if number == 0:
            return False
        candidates[step + 1, position, 0] = number
    return True


@inner
def _choose(candidates: Ints, steps: Ints, step: int) -> None:  # pragma: no cover - compiled
    """The open position with the fewest candidates is next."""
    best, fewest = -1, np.int64(2**62)
    for position in range(steps.shape[1]):
        if steps[IMAGE, position] < 0 and candidates[step, position, 0] < fewest:
            best, fewest = position, candidates[step, position, 0]
    steps[ORDER, step] = best


@inner
def _next_node(candidates: Ints, words: int, step: int, position: int) -> Any:  # pragma: no cover - compiled
    """Take the lowest of a position's candidates; -1 if there is none left."""
    for word in range(words):
        left = candidates[step, position, 1 + word]
        if left != 0:
            lowest = left & -left
            candidates[step, position, 1 + word] = left ^ lowest
            return word * BITS + _num_bits(lowest - 1)
    return -1


@inner
def _is_new_place(steps: Ints, num_places: int) -> bool:  # pragma: no cover - compiled
    """Write the nodes of an image, ascending, behind the places; whether none of those has the same nodes."""
    last = PLACES + num_places
    for position in range(steps.shape[1]):
        node, at = steps[IMAGE, position], position
        while at > 0 and steps[last, at - 1] > node:
            steps[last, at] = steps[last, at - 1]
            at -= 1
        steps[last, at] = node
    for place in range(PLACES, last):
        at = 0
        while at < steps.shape[1] and steps[place, at] == steps[last, at]:
            at += 1
        if at == steps.shape[1]:
            return False
    return True


@compiled
def search_all(
    graphs: Graphs, plan: Plan, indices: Ints, begin: int, max_calls: int, answers: Any, scratch: Scratch
) -> Any:  # pragma: no cover - compiled
    """Search graph ``indices[i]`` and write the answer to ``answers[i]``, from ``begin`` until enough is done for now.

    The pattern's nodes are placed one after the other, backtracking, until enough different places are known.

    Returns:
        Where to go on; how many there are, if all are done.
    """
    positions, candidates, steps, done = plan.positions, scratch.candidates, scratch.steps, np.int64(0)
    for i in range(begin, indices.size):
        if done > MOST_AT_ONCE:
            return i
        first = graphs.nodes[indices[i]]
        size = graphs.nodes[indices[i] + 1] - first
        # Plain zeros would have Numba compile what is called with them twice.
        num_places, step, calls = np.int64(0), np.int64(0), np.int64(0)
        words = 1 + (size - 1) // BITS
        cost = 1 + positions.shape[0] * words // WORDS_A_CALL
        done += size
        answers[i] = YES if positions.shape[0] == 0 else NO
        if positions.shape[0] == 0 or not _prepare(graphs, first, size, plan, scratch):
            continue
        _choose(candidates, steps, step)
        while step >= 0:
            position = steps[ORDER, step]
            node = _next_node(candidates, words, step, position)
            steps[IMAGE, position] = node
            if node < 0:
                step -= 1
                continue
            if step + 1 == positions.shape[0]:
                if plan.at_least == 1 or _is_new_place(steps, num_places):
                    num_places += 1
                if num_places == plan.at_least:
                    answers[i] = YES
                    break
            else:
                _note_neighbours(graphs, first + node, plan.accepts_edges, scratch.near, words)
                if _narrow(positions, plan.is_induced, scratch.near, candidates, steps, words, step):
                    step += 1
                    _choose(candidates, steps, step)
            calls += cost
            if calls >= max_calls:
                answers[i] = UNDECIDED
                break
        done += calls
    return indices.size
