"""The compiled search for a pattern in a graph of very many nodes; as :mod:`.containment_kernels`, but without bits.

Candidates are lists of nodes, ascending, and known only of positions that are joined to one with a node.
"""

from typing import Any, NamedTuple

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph._base.compiling import compiled, inner
from protograph.patterns.containment_kernels import (
    CURSOR,
    END,
    IMAGE,
    JOINED,
    LOOKS_A_CALL,
    MOST_AT_ONCE,
    NEEDED,
    NEXT,
    NO,
    ORDER,
    PLACES,
    TWIN,
    UNDECIDED,
    YES,
    Graphs,
    Plan,
    Tally,
    has_enough,
    is_new_place,
    may_be,
    num_alike,
    tally_for,
)


class Scratch(NamedTuple):
    """Room for the search of one graph after the other."""

    tally: Tally
    allowed: Bools  # [size + 1, nodes of the largest graph] which nodes may take a position; last, which are taken
    steps: Ints  # [PLACES + at_least, size] as of the search with bits
    spans: Ints  # [size + 1, size + 1, 2] at each step where each position's candidates begin and end, or -1 and how
    # many nodes are allowed; last, where the next ones go
    candidates: Ints


def scratch_for(plan: Plan, num_nodes: int, most_neighbours: int) -> Scratch:
    """Room for searching graphs of up to so many nodes with up to so many neighbours."""
    size = plan.positions.shape[0]
    num_edges = np.count_nonzero(plan.positions[:, JOINED : JOINED + size]) // 2
    return Scratch(
        tally_for(plan, num_nodes),
        np.zeros((size + 1, num_nodes), np.bool_),
        np.empty((PLACES + plan.at_least, size), np.int64),
        np.empty((size + 1, size + 1, 2), np.int64),
        np.empty(num_edges * most_neighbours, np.int64),
    )


@inner
def _prepare(graphs: Graphs, first: int, size: int, plan: Plan, scratch: Scratch) -> bool:  # pragma: no cover
    """Note which nodes have the neighbours that a position needs; false if these are too few."""
    num_positions = plan.positions.shape[0]
    for position in range(num_positions):
        number = np.int64(0)
        for node in range(size):
            scratch.allowed[position, node] = may_be(
                graphs.starts, first + node, scratch.tally.nodes, node, plan.positions, position
            )
            if scratch.allowed[position, node]:
                number += 1
        if number < plan.positions[position, NEEDED]:
            return False
        scratch.steps[IMAGE, position] = -1
        scratch.spans[0, position, 0], scratch.spans[0, position, 1] = -1, number
    scratch.spans[0, num_positions, 0] = 0
    for node in range(size):
        scratch.allowed[num_positions, node] = False
    return True


@inner
def _narrow(graphs: Graphs, first: int, plan: Plan, scratch: Scratch, step: int) -> Any:  # pragma: no cover - compiled
    """Leave to each open position only the candidates that are joined to the node that was placed last.

    Returns:
        How many neighbours were looked at; below 0 where a position is left with too few candidates.
    """
    image, spans, candidates, looked = scratch.steps[IMAGE], scratch.spans, scratch.candidates, np.int64(1)
    num_positions = plan.positions.shape[0]
    placed = scratch.steps[ORDER, step]
    begin, end = graphs.starts[first + image[placed]], graphs.starts[first + image[placed] + 1]
    top = spans[step, num_positions, 0]
    for position in range(num_positions):
        spans[step + 1, position, 0], spans[step + 1, position, 1] = spans[step, position, 0], spans[step, position, 1]
        kind = plan.positions[placed, JOINED + position]
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
                graphs.edge_kinds[at] == plan.edge_kinds[kind - 1]
                and scratch.allowed[position, node]
                and not scratch.allowed[num_positions, node]
            ):
                candidates[top] = node
                top += 1
        looked += end - begin
        if top - fresh < num_alike(plan.positions, scratch.steps, position, placed):
            return -looked
        spans[step + 1, position, 0], spans[step + 1, position, 1] = fresh, top
    spans[step + 1, num_positions, 0] = top
    return looked


@inner
def _choose(plan: Plan, scratch: Scratch, step: int, size: int) -> None:  # pragma: no cover - compiled
    """The open position with the fewest candidates is next."""
    steps, num_positions = scratch.steps, plan.positions.shape[0]
    best: Any = np.int64(-1)
    fewest: Any = np.int64(0)
    for position in range(num_positions):
        if steps[IMAGE, position] < 0:
            number = scratch.spans[step, position, 1]
            if scratch.spans[step, position, 0] >= 0:
                number -= scratch.spans[step, position, 0]
            if best < 0 or number < fewest:
                best, fewest = position, number
    steps[ORDER, step] = best
    steps[CURSOR, step], steps[END, step] = 0, size
    if scratch.spans[step, best, 0] >= 0:
        steps[CURSOR, step], steps[END, step] = scratch.spans[step, best, 0], scratch.spans[step, best, 1]


@inner
def _fits(
    graphs: Graphs, first: int, plan: Plan, scratch: Scratch, position: int, node: int
) -> bool:  # pragma: no cover
    """Whether a candidate is free, comes after its twin's node and, if induced, is joined to no other node."""
    image, is_taken = scratch.steps[IMAGE], scratch.allowed[plan.positions.shape[0]]
    if is_taken[node] or not scratch.allowed[position, node]:
        return False
    # Of positions that could be swapped, the later has the higher node.
    before, after = plan.positions[position, TWIN], plan.positions[position, NEXT]
    if before >= 0 and image[before] > node:
        return False
    if after >= 0 and image[after] >= 0 and image[after] < node:
        return False
    if plan.is_induced:
        joined = np.int64(0)
        for other in range(plan.positions.shape[0]):
            if image[other] >= 0 and plan.positions[position, JOINED + other] != 0:
                joined += 1
        for at in range(graphs.starts[first + node], graphs.starts[first + node + 1]):
            if is_taken[graphs.neighbours[at]]:
                joined -= 1
        return bool(joined == 0)
    return True


@inner
def _search(
    graphs: Graphs, first: int, size: int, plan: Plan, max_calls: int, scratch: Scratch
) -> int:  # pragma: no cover
    """Place the pattern's nodes one after the other, backtracking, until enough different places are known."""
    steps, num_positions = scratch.steps, plan.positions.shape[0]
    is_taken = scratch.allowed[num_positions]
    # Plain zeros would have Numba compile what is called with them twice.
    num_places, step, calls, looked = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    _choose(plan, scratch, step, size)
    while step >= 0:
        position = steps[ORDER, step]
        if steps[IMAGE, position] >= 0:  # coming back
            is_taken[steps[IMAGE, position]] = False
            steps[IMAGE, position] = -1
        if steps[CURSOR, step] == steps[END, step]:
            step -= 1
            continue
        node = steps[CURSOR, step]
        if scratch.spans[step, position, 0] >= 0:
            node = scratch.candidates[node]
        steps[CURSOR, step] += 1
        if not _fits(graphs, first, plan, scratch, position, node):
            continue
        steps[IMAGE, position] = node
        is_taken[node] = True
        calls += 1
        if step + 1 == num_positions:
            if plan.at_least == 1:
                return YES
            if is_new_place(steps, num_places):
                num_places += 1
            if num_places == plan.at_least:
                return YES
        else:
            narrowed = _narrow(graphs, first, plan, scratch, step)
            looked += abs(narrowed)
            if narrowed > 0:
                step += 1
                _choose(plan, scratch, step, size)
        if calls + looked // LOOKS_A_CALL >= max_calls:
            return UNDECIDED
    return NO


@compiled
def search_all(
    graphs: Graphs, plan: Plan, indices: Ints, begin: int, max_calls: int, answers: Any, scratch: Scratch
) -> Any:  # pragma: no cover - compiled
    """Search graph ``indices[i]`` and write the answer to ``answers[i]``, from ``begin`` until enough is done for now.

    Each graph that is searched counts as if it took all of ``max_calls``.

    Returns:
        Where to go on; how many there are, if all are done.
    """
    done = np.int64(0)
    for i in range(begin, indices.size):
        if done > MOST_AT_ONCE:
            return i
        first = graphs.nodes[indices[i]]
        size = graphs.nodes[indices[i] + 1] - first
        done += size
        answers[i] = NO
        if plan.positions.shape[0] == 0:
            answers[i] = YES
        elif has_enough(graphs, first, size, plan, scratch.tally) and _prepare(graphs, first, size, plan, scratch):
            answers[i] = _search(graphs, first, size, plan, max_calls, scratch)
            done += max_calls
    return indices.size
