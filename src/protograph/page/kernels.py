"""The compiled loops for a matching tensor that is there as a whole: its logarithms, the starts, the walks.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

COMPLETE, DEAD_END, MAX_ITERATIONS = 0, 1, 2


@njit(cache=True)  # type: ignore[untyped-decorator]
def log_matching(scores: Floats, sizes: Ints) -> Floats:  # pragma: no cover - compiled
    """Logarithms of the matching scores for the flat tensor of raw scores; see :mod:`protograph.page.matching`."""
    result = np.full(scores.size, -np.inf)
    inner = scores.size
    for axis in range(sizes.size):
        size = sizes[axis]
        outer = scores.size // inner
        inner //= size
        for fibre in range(outer * inner):
            base = fibre // inner * inner * size + fibre % inner
            highest, mean, total = -np.inf, 0.0, 0.0
            for j in range(size):
                value = scores[base + j * inner]
                highest = max(highest, value)
                mean += value
            mean /= size
            for j in range(size):
                total += np.exp(scores[base + j * inner] - highest)
            log_sigmoid = -np.log1p(np.exp(-mean)) if mean > 0 else mean - np.log1p(np.exp(mean))
            term = log_sigmoid - highest - np.log(total)
            for j in range(size):
                index = base + j * inner
                value, before = scores[index] + term, result[index]
                larger, smaller = max(value, before), min(value, before)
                result[index] = larger + np.log1p(np.exp(smaller - larger))
    result -= np.log(sizes.size)
    return result


@njit(cache=True)  # type: ignore[untyped-decorator]
def reachable(
    offsets: Ints, starts: Ints, neighbours: Ints, groups: Ints, start: Ints
) -> Ints:  # pragma: no cover - compiled
    """Upper bound on how many nodes of each graph a walk from ``start`` can visit; see :mod:`.structure`."""
    k, num_groups = start.size, groups.max() + 1
    allowed = np.ones(groups.size, dtype=np.bool_)
    counts = np.zeros(k, dtype=np.int64)
    stack = np.empty(groups.size, dtype=np.int64)
    while True:
        seen = np.zeros(groups.size, dtype=np.bool_)
        shared = np.zeros(num_groups, dtype=np.int64)
        for q in range(k):
            seen[offsets[q] + start[q]] = True
            stack[0], height = offsets[q] + start[q], 1
            while height > 0:
                height -= 1
                joint = stack[height]
                if shared[groups[joint]] == q:
                    shared[groups[joint]] = q + 1
                for position in range(starts[joint], starts[joint + 1]):
                    node = offsets[q] + neighbours[position]
                    if allowed[node] and not seen[node]:
                        seen[node] = True
                        stack[height] = node
                        height += 1
        changed = False
        for node in range(groups.size):
            keep = seen[node] and shared[groups[node]] == k
            changed = changed or keep != allowed[node]
            allowed[node] = keep
        if not changed:
            for q in range(k):
                counts[q] = allowed[offsets[q] : offsets[q + 1]].sum()
            return counts


@njit(cache=True)  # type: ignore[untyped-decorator]
def _is_barred(
    flat: int, strides: Ints, offsets: Ints, barred: Bools, taken: Ints
) -> bool:  # pragma: no cover - compiled
    for choice in taken:
        if choice == flat:
            return True
    rest = flat
    for q in range(strides.size):
        if barred[offsets[q] + rest // strides[q]]:
            return True
        rest %= strides[q]
    return False


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_start(
    log_scores: Floats, strides: Ints, offsets: Ints, barred: Bools, taken: Ints, tolerance: float
) -> int:  # pragma: no cover - compiled
    """Place of the first tuple whose score ties with the best one that is not barred, -1 where none is left."""
    best = -np.inf
    for flat in range(log_scores.size):
        if log_scores[flat] > best and not _is_barred(flat, strides, offsets, barred, taken):
            best = log_scores[flat]
    if best == -np.inf:
        return -1
    for flat in range(log_scores.size):
        if log_scores[flat] >= best - tolerance and not _is_barred(flat, strides, offsets, barred, taken):
            return flat
    return -1


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
    limits: Ints,
    log_decay: float,
    max_iterations: int,
    tolerance: float,
    nodes: Ints,
    partners: Ints,
    current: Ints,
) -> Any:  # pragma: no cover - compiled
    """Walk from the tuple in ``current``, filling ``nodes`` and ``partners``; see :mod:`protograph.page.search`.

    Returns:
        The lengths of the lists, the number of steps, and why it stopped.
    """
    k = current.size
    lengths = np.zeros(k, dtype=np.int64)
    counts = np.zeros(offsets[-1], dtype=np.int64)
    is_listed = np.zeros(offsets[-1], dtype=np.bool_)
    first, last, positions = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    step = 0
    while True:
        is_complete, is_stuck = True, False
        for q in range(k):
            joint = offsets[q] + current[q]
            counts[joint] += 1
            if not is_listed[joint] and lengths[q] < limits[q]:
                is_listed[joint] = True
                nodes[q, lengths[q]] = current[q]
                partners[q, lengths[q]] = current
                lengths[q] += 1
            is_complete = is_complete and lengths[q] == limits[q]
            first[q], last[q] = starts[joint], starts[joint + 1]
            is_stuck = is_stuck or first[q] == last[q]
        if is_complete:
            return lengths, step, COMPLETE
        if step == max_iterations:
            return lengths, step, MAX_ITERATIONS
        if is_stuck:
            return lengths, step, DEAD_END
        positions[:] = first
        best = -np.inf
        while True:
            value = _value(log_scores, strides, offsets, neighbours, edge_kinds, counts, log_decay, positions)
            best = max(best, value)
            if not _advance(positions, first, last):
                break
        if best == -np.inf:
            return lengths, step, DEAD_END
        positions[:] = first
        while (
            _value(log_scores, strides, offsets, neighbours, edge_kinds, counts, log_decay, positions)
            < best - tolerance
        ):
            _advance(positions, first, last)
        step += 1
        for q in range(k):
            current[q] = neighbours[positions[q]]


@njit(cache=True)  # type: ignore[untyped-decorator]
def sessions(
    log_scores: Floats,
    sizes: Ints,
    offsets: Ints,
    starts: Ints,
    neighbours: Ints,
    edge_kinds: Ints,
    groups: Ints,
    budget: int,
    distinct: bool,
    max_nodes: int,
    log_decay: float,
    max_iterations: int,
    tolerance: float,
) -> Any:  # pragma: no cover - compiled
    """Run up to ``budget`` sessions over the flat tensor of log matching scores.

    Returns:
        The number of sessions; then, one entry a session, the start tuples, the nodes of each list, the tuples in
        which those were chosen first, the lengths of the lists, the numbers of steps, and why each stopped.
    """
    k = sizes.size
    strides = np.ones(k, dtype=np.int64)
    for q in range(k - 2, -1, -1):
        strides[q] = strides[q + 1] * sizes[q + 1]
    longest = min(max_nodes, sizes.max())
    begun = np.empty((budget, k), dtype=np.int64)
    nodes = np.empty((budget, k, longest), dtype=np.int64)
    partners = np.empty((budget, k, longest, k), dtype=np.int64)
    lengths = np.empty((budget, k), dtype=np.int64)
    steps, codes = np.empty(budget, dtype=np.int64), np.empty(budget, dtype=np.int64)
    barred = np.zeros(offsets[-1], dtype=np.bool_)
    taken = np.empty(budget, dtype=np.int64)
    for session in range(budget):
        flat = best_start(log_scores, strides, offsets, barred, taken[:session], tolerance)
        if flat < 0:
            return session, begun, nodes, partners, lengths, steps, codes
        taken[session] = flat
        current = np.empty(k, dtype=np.int64)
        for q in range(k):
            current[q] = flat // strides[q]
            flat %= strides[q]
            if distinct:
                barred[offsets[q] + current[q]] = True
        begun[session] = current
        limits = np.minimum(reachable(offsets, starts, neighbours, groups, current), max_nodes)
        lengths[session], steps[session], codes[session] = walk(
            log_scores,
            strides,
            offsets,
            starts,
            neighbours,
            edge_kinds,
            limits,
            log_decay,
            max_iterations,
            tolerance,
            nodes[session],
            partners[session],
            current,
        )
    return budget, begun, nodes, partners, lengths, steps, codes
