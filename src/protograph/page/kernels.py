"""The compiled loops: a walk over a matching tensor that is there as a whole, and a graph's components.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RUNNING, FULL, EXHAUSTED, DEAD_END, MAX_ITERATIONS = 0, 1, 2, 3, 4


@njit(cache=True)  # type: ignore[untyped-decorator]
def component(
    offsets: Ints, starts: Ints, neighbours: Ints, graph: int, start: int, allowed: Bools
) -> Bools:  # pragma: no cover - compiled
    """Nodes of ``graph`` that can be reached from ``start`` over allowed nodes."""
    seen = np.zeros(allowed.size, dtype=np.bool_)
    stack = np.empty(allowed.size, dtype=np.int64)
    seen[start] = True
    stack[0], height = start, 1
    while height > 0:
        height -= 1
        joint = offsets[graph] + stack[height]
        for position in range(starts[joint], starts[joint + 1]):
            node = neighbours[position]
            if allowed[node] and not seen[node]:
                seen[node] = True
                stack[height] = node
                height += 1
    return seen


@njit(cache=True)  # type: ignore[untyped-decorator]
def _value(
    log_scores: Floats,
    strides: Ints,
    offsets: Ints,
    neighbours: Ints,
    edge_kinds: Ints,
    counts: Ints,
    log_decay: float,
    positions: Ints,
) -> float:  # pragma: no cover - compiled
    """Decayed log score of the candidate at ``positions`` of the neighbour lists."""
    flat, decays = 0, 0
    for q in range(positions.size):
        if edge_kinds[positions[q]] != edge_kinds[positions[0]]:
            return -np.inf
        node = neighbours[positions[q]]
        flat += node * strides[q]
        decays += counts[offsets[q] + node]
    return float(log_scores[flat] - log_decay * decays)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _advance(positions: Ints, first: Ints, last: Ints) -> bool:  # pragma: no cover - compiled
    """Move to the next candidate in lexicographic order; ``False`` after the last one."""
    for q in range(positions.size - 1, -1, -1):
        positions[q] += 1
        if positions[q] < last[q]:
            return True
        positions[q] = first[q]
    return False


@njit(cache=True)  # type: ignore[untyped-decorator]
def walk(
    log_scores: Floats,
    strides: Ints,
    offsets: Ints,
    starts: Ints,
    neighbours: Ints,
    edge_kinds: Ints,
    start: Ints,
    limits: Ints,
    log_decay: float,
    max_iterations: int,
    tolerance: float,
) -> Any:  # pragma: no cover - compiled
    """Walk from ``start``; see :func:`protograph.page.search.walk` for the meaning.

    Args:
        log_scores: The whole tensor of log matching scores, flat.
        strides: Step in ``log_scores`` for one node along each axis.
        offsets: Joint number of the first node of each graph.
        starts: Where the neighbours of each joint node begin in ``neighbours``.
        neighbours: Neighbours of all nodes, ascending.
        edge_kinds: Kind of each of those edges.
        start: The first tuple.
        limits: Number of nodes at which each list can no longer grow.
        log_decay: What a decay takes off a log score.
        max_iterations: Most steps after the start.
        tolerance: Log scores that differ by no more are a tie.

    Returns:
        The path, the nodes of each list, the step at which each joined, the lengths of the lists, the number of
        steps, and why it stopped.
    """
    k = start.size
    path = np.empty((max_iterations + 1, k), dtype=np.int64)
    nodes = np.full((k, limits.max()), -1, dtype=np.int64)
    joined = np.full((k, limits.max()), -1, dtype=np.int64)
    lengths = np.zeros(k, dtype=np.int64)
    counts = np.zeros(offsets[-1], dtype=np.int64)
    is_listed = np.zeros(offsets[-1], dtype=np.bool_)
    first, last, positions = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    path[0] = start
    step = 0
    while True:
        done = True
        for q in range(k):
            node = path[step, q]
            joint = offsets[q] + node
            counts[joint] += 1
            if not is_listed[joint] and lengths[q] < limits[q]:
                is_listed[joint] = True
                nodes[q, lengths[q]] = node
                joined[q, lengths[q]] = step
                lengths[q] += 1
            done = done and lengths[q] == limits[q]
            first[q], last[q] = starts[joint], starts[joint + 1]
        if done:
            return path, nodes, joined, lengths, step, EXHAUSTED
        if step == max_iterations:
            return path, nodes, joined, lengths, step, MAX_ITERATIONS
        for q in range(k):
            if first[q] == last[q]:
                return path, nodes, joined, lengths, step, DEAD_END
        positions[:] = first
        best = -np.inf
        while True:
            value = _value(log_scores, strides, offsets, neighbours, edge_kinds, counts, log_decay, positions)
            best = max(best, value)
            if not _advance(positions, first, last):
                break
        if best == -np.inf:
            return path, nodes, joined, lengths, step, DEAD_END
        positions[:] = first
        while (
            _value(log_scores, strides, offsets, neighbours, edge_kinds, counts, log_decay, positions)
            < best - tolerance
        ):
            _advance(positions, first, last)
        step += 1
        for q in range(k):
            path[step, q] = neighbours[positions[q]]
