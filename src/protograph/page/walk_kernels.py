"""The compiled loops of a walk over a matching tensor that is there as a whole: its starts and its steps.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk.
"""

from typing import Any

import numpy as np

from protograph._utils.arrays import Bools, Floats, Ints
from protograph._utils.compiling import compiled

COMPLETE, DEAD_END, MAX_ITERATIONS = 0, 1, 2


@compiled
def reachable(
    offsets: Ints, starts: Ints, neighbours: Ints, kinds_of_nodes: Ints, start: Ints
) -> Ints:  # pragma: no cover - compiled
    """Upper bound on how many nodes of each graph a walk from ``start`` can ever visit.

    A walk stays in its component, among nodes of a kind that it can reach in every graph. Once a list has that many
    nodes, no step can make it grow. (Where a tolerance or a function decides, all nodes are of one kind.)
    """
    k, num_kinds = start.size, kinds_of_nodes.max() + 1
    allowed = np.ones(kinds_of_nodes.size, dtype=np.bool_)
    counts = np.zeros(k, dtype=np.int64)
    stack = np.empty(kinds_of_nodes.size, dtype=np.int64)
    while True:
        seen = np.zeros(kinds_of_nodes.size, dtype=np.bool_)
        shared = np.zeros(num_kinds, dtype=np.int64)
        for q in range(k):
            seen[offsets[q] + start[q]] = True
            stack[0], height = offsets[q] + start[q], 1
            while height > 0:
                height -= 1
                joint = stack[height]
                if shared[kinds_of_nodes[joint]] == q:
                    shared[kinds_of_nodes[joint]] = q + 1
                for position in range(starts[joint], starts[joint + 1]):
                    node = offsets[q] + neighbours[position]
                    if allowed[node] and not seen[node]:
                        seen[node] = True
                        stack[height] = node
                        height += 1
        changed = False
        for node in range(kinds_of_nodes.size):
            keep = seen[node] and shared[kinds_of_nodes[node]] == k
            changed = changed or keep != allowed[node]
            allowed[node] = keep
        if not changed:
            for q in range(k):
                counts[q] = allowed[offsets[q] : offsets[q + 1]].sum()
            return counts


@compiled
def best_step(
    log_scores: Floats,
    strides: Ints,
    offsets: Ints,
    starts: Ints,
    neighbours: Ints,
    kinds: Ints,
    counts: Ints,
    log_decay: float,
    current: Ints,
    threshold: float,
    chosen: Ints,
) -> Any:  # pragma: no cover - compiled
    """Highest decayed log score of a tuple of neighbours of ``current``; the first one that reaches ``threshold``.

    That one is written to ``chosen``, and the search stops there. Tuples are gone through in lexicographic order.
    """
    k, best = current.size, -np.inf
    first, last, positions = np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.int64)
    for q in range(k):
        first[q], last[q] = starts[offsets[q] + current[q]], starts[offsets[q] + current[q] + 1]
        if first[q] == last[q]:
            return best
        positions[q] = first[q]
    while True:
        place, decays, kind, is_one_kind = 0, 0, kinds[positions[0]], True
        for q in range(k):
            node = neighbours[positions[q]]
            place += node * strides[q]
            decays += counts[offsets[q] + node]
            is_one_kind = is_one_kind and kinds[positions[q]] == kind
        value = log_scores[place] - log_decay * decays
        if is_one_kind and value > best:
            best = value
            if value >= threshold:
                for q in range(k):
                    chosen[q] = neighbours[positions[q]]
                return best
        q = k - 1
        while q >= 0:
            positions[q] += 1
            if positions[q] < last[q]:
                break
            positions[q] = first[q]
            q -= 1
        if q < 0:
            return best


@compiled
def walk(
    log_scores: Floats,
    strides: Ints,
    offsets: Ints,
    starts: Ints,
    neighbours: Ints,
    kinds: Ints,
    limits: Ints,
    log_decay: float,
    max_iterations: int,
    tolerance: float,
    start: Ints,
    nodes: Ints,
    partners: Ints,
) -> Any:  # pragma: no cover - compiled
    """Walk from ``start``, filling ``nodes`` and ``partners``; see :mod:`protograph.page.walk`.

    Returns:
        The lengths of the lists, the number of steps, and why it stopped.
    """
    k, current, following = start.size, start.copy(), start.copy()
    lengths = np.zeros(k, dtype=np.int64)
    counts = np.zeros(offsets[-1], dtype=np.int64)
    is_listed: Bools = np.zeros(offsets[-1], dtype=np.bool_)
    step = 0
    while True:
        is_complete = True
        for q in range(k):
            joint = offsets[q] + current[q]
            counts[joint] += 1
            if not is_listed[joint] and lengths[q] < limits[q]:
                is_listed[joint] = True
                nodes[q, lengths[q]] = current[q]
                partners[q, lengths[q]] = current
                lengths[q] += 1
            is_complete = is_complete and lengths[q] == limits[q]
        if is_complete:
            return lengths, step, COMPLETE
        if step == max_iterations:
            return lengths, step, MAX_ITERATIONS
        best = best_step(
            log_scores, strides, offsets, starts, neighbours, kinds, counts, log_decay, current, np.inf, following
        )
        if best == -np.inf:
            return lengths, step, DEAD_END
        best_step(
            log_scores,
            strides,
            offsets,
            starts,
            neighbours,
            kinds,
            counts,
            log_decay,
            current,
            best - tolerance,
            following,
        )
        step += 1
        current[:] = following
