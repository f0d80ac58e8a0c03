"""The compiled loops for a matching tensor that is there as a whole: its logarithms, the starts, the walks.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk.
"""

from typing import Any

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.compiling import compiled, inner

COMPLETE, DEAD_END, MAX_ITERATIONS = 0, 1, 2
# Candidates kept for the tuples that a walk stands on again.
_ENTRIES = 2**13


# Beyond this the smaller of two summands is nothing to the larger in float64, and its exponential need not be taken.
_NEGLIGIBLE = -50.0


@inner
def _fibre_term(scores: Floats, base: int, size: int, inner: int) -> float:  # pragma: no cover - compiled
    """The term t of one fibre; see :mod:`protograph.page.walk.matching`."""
    highest, mean, total = -np.inf, 0.0, 0.0
    for j in range(size):
        value = scores[base + j * inner]
        highest = max(highest, value)
        mean += value
    mean /= size
    for j in range(size):
        below = scores[base + j * inner] - highest
        if below > _NEGLIGIBLE:
            total += np.exp(below)
    log_sigmoid = -np.log1p(np.exp(-mean)) if mean > 0 else mean - np.log1p(np.exp(mean))
    return float(log_sigmoid - highest - np.log(total))


@compiled
def log_matching(scores: Floats, agrees: Bools, sizes: Ints) -> Floats:  # pragma: no cover - compiled
    """Logarithms of the matching scores for the flat tensor of raw scores, ``-inf`` where tuples do not agree.

    All axes share the raw score, so that log Y = X + logsumexp of the k terms - log k.
    """
    k = sizes.size
    terms = np.empty((k, scores.size))
    highest = np.full(scores.size, -np.inf)
    inner = scores.size
    for axis in range(k):
        size, step = sizes[axis], inner
        inner //= size
        for block in range(0, scores.size, step):
            for base in range(block, block + inner):
                is_needed = False
                for index in range(base, base + step, inner):
                    is_needed = is_needed or agrees[index]
                if not is_needed:
                    continue
                term = _fibre_term(scores, base, size, inner)
                for index in range(base, base + step, inner):
                    terms[axis, index] = term
                    highest[index] = max(highest[index], term)
    result = np.full(scores.size, -np.inf)
    for index in range(scores.size):
        if agrees[index]:
            total = 0.0
            for axis in range(k):
                below = terms[axis, index] - highest[index]
                if below > _NEGLIGIBLE:
                    total += np.exp(below)
            result[index] = scores[index] + highest[index] + np.log(total / k)
    return result


@compiled
def reachable(
    offsets: Ints, starts: Ints, neighbours: Ints, kinds_of_nodes: Ints, start: Ints
) -> Ints:  # pragma: no cover - compiled
    """Upper bound on how many nodes of each graph a walk from ``start`` can visit; see :mod:`.search`."""
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
def best_start(
    log_scores: Floats, sizes: Ints, offsets: Ints, barred: Bools, taken: Ints, threshold: float
) -> Any:  # pragma: no cover - compiled
    """Highest log score that is not barred, and the place of the first one that reaches ``threshold`` (-1 if none).

    Goes row by row, a row being the tuples that differ in the last graph's node only, and stops at that place.
    """
    last = sizes.size - 1
    digits = np.zeros(sizes.size, dtype=np.int64)
    best = -np.inf
    for row in range(0, log_scores.size, sizes[last]):
        is_barred = False
        for q in range(last):
            is_barred = is_barred or barred[offsets[q] + digits[q]]
        if not is_barred:
            for node in range(sizes[last]):
                value = log_scores[row + node]
                if (value > best or value >= threshold) and not barred[offsets[last] + node]:
                    is_taken = False
                    for place in taken:
                        is_taken = is_taken or place == row + node
                    if not is_taken:
                        best = max(best, value)
                        if value >= threshold:
                            return best, row + node
        q = last - 1
        while q >= 0:
            digits[q] += 1
            if digits[q] < sizes[q]:
                break
            digits[q] = 0
            q -= 1
    return best, -1


@inner
def _most_candidates(offsets: Ints, starts: Ints) -> int:  # pragma: no cover - compiled
    """Most candidates that a step can have: the product of the graphs' largest degrees."""
    most = 1
    for q in range(offsets.size - 1):
        degree = 1
        for joint in range(offsets[q], offsets[q + 1]):
            degree = max(degree, starts[joint + 1] - starts[joint])
        most *= degree
    return most


@compiled
def _list_candidates(
    log_scores: Floats,
    strides: Ints,
    offsets: Ints,
    starts: Ints,
    neighbours: Ints,
    kinds: Ints,
    current: Ints,
    used: int,
    values: Floats,
    nodes: Ints,
    scratch: Ints,
) -> int:  # pragma: no cover - compiled
    """Append the tuples of neighbours of ``current`` that agree, in lexicographic order, to ``values`` and ``nodes``.

    Returns:
        How many entries are in use afterwards. Nodes are kept by their joint numbers.
    """
    k = current.size
    first, last, positions = scratch[0], scratch[1], scratch[2]
    for q in range(k):
        first[q], last[q] = starts[offsets[q] + current[q]], starts[offsets[q] + current[q] + 1]
        if first[q] == last[q]:
            return used
    positions[:] = first
    while True:
        place, kind, is_one_kind = 0, kinds[positions[0]], True
        for q in range(k - 1):
            place += neighbours[positions[q]] * strides[q]
            is_one_kind = is_one_kind and kinds[positions[q]] == kind
        if is_one_kind:
            for position in range(first[k - 1], last[k - 1]):  # strides[k - 1] is 1
                value = log_scores[place + neighbours[position]]
                if value > -np.inf and (k == 1 or kinds[position] == kind):
                    values[used] = value
                    for q in range(k - 1):
                        nodes[used, q] = offsets[q] + neighbours[positions[q]]
                    nodes[used, k - 1] = offsets[k - 1] + neighbours[position]
                    used += 1
        q = k - 2
        while q >= 0:
            positions[q] += 1
            if positions[q] < last[q]:
                break
            positions[q] = first[q]
            q -= 1
        if q < 0:
            return used


@inner
def _best_candidate(
    values: Floats, nodes: Ints, begin: int, end: int, counts: Ints, log_decay: float, tolerance: float
) -> int:  # pragma: no cover - compiled
    """Entry of the first candidate whose decayed value ties with the best one, -1 where there is none."""
    while True:
        best, highest, chosen = -np.inf, -np.inf, -1
        for entry in range(begin, end):
            decays = 0
            for q in range(nodes.shape[1]):
                decays += counts[nodes[entry, q]]
            value = values[entry] - log_decay * decays
            if value > highest:
                if value > highest + tolerance:  # all before are too low to tie with it
                    best, chosen = value, entry
                highest = value
        if best >= highest - tolerance:
            return chosen
        begin = chosen + 1  # small rises have carried the best away from it: what ties comes after


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
    begins: Ints,
    ends: Ints,
    values: Floats,
    candidates: Ints,
    used: int,
    nodes: Ints,
    partners: Ints,
    current: Ints,
) -> Any:  # pragma: no cover - compiled
    """Walk from the tuple in ``current``, filling ``nodes`` and ``partners``; see :mod:`protograph.page.walk.search`.

    A walk stands on the same tuples again and again, so their candidates are listed once: those of the tuple at place
    p of the tensor are the entries ``begins[p]`` to ``ends[p]`` of ``values`` and ``candidates``.

    Returns:
        The lengths of the lists, the number of steps, why it stopped, and how many entries are in use.
    """
    k = current.size
    lengths = np.zeros(k, dtype=np.int64)
    counts = np.zeros(offsets[-1], dtype=np.int64)
    is_listed = np.zeros(offsets[-1], dtype=np.bool_)
    scratch = np.empty((3, k), dtype=np.int64)
    room = values.size - _most_candidates(offsets, starts)
    step = 0
    while True:
        is_complete, place = True, 0
        for q in range(k):
            joint = offsets[q] + current[q]
            place += current[q] * strides[q]
            counts[joint] += 1
            if not is_listed[joint] and lengths[q] < limits[q]:
                is_listed[joint] = True
                nodes[q, lengths[q]] = current[q]
                partners[q, lengths[q]] = current
                lengths[q] += 1
            is_complete = is_complete and lengths[q] == limits[q]
        if is_complete:
            return lengths, step, COMPLETE, used
        if step == max_iterations:
            return lengths, step, MAX_ITERATIONS, used
        if begins[place] < 0:
            if used > room:
                begins[:] = -1
                used = 0
            begins[place] = used
            used = _list_candidates(
                log_scores, strides, offsets, starts, neighbours, kinds, current, used, values, candidates, scratch
            )
            ends[place] = used
        entry = _best_candidate(values, candidates, begins[place], ends[place], counts, log_decay, tolerance)
        if entry < 0:
            return lengths, step, DEAD_END, used
        step += 1
        for q in range(k):
            current[q] = np.int64(candidates[entry, q]) - offsets[q]


@compiled
def sessions(
    log_scores: Floats,
    sizes: Ints,
    offsets: Ints,
    starts: Ints,
    neighbours: Ints,
    kinds: Ints,
    kinds_of_nodes: Ints,
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
    begins, ends = np.full(log_scores.size, -1), np.empty(log_scores.size, dtype=np.int64)
    capacity = _ENTRIES + _most_candidates(offsets, starts)
    values, candidates, used = np.empty(capacity), np.empty((capacity, k), dtype=np.uint32), 0
    for session in range(budget):
        best, _ = best_start(log_scores, sizes, offsets, barred, taken[:session], np.inf)
        if best == -np.inf:
            return session, begun, nodes, partners, lengths, steps, codes
        _, flat = best_start(log_scores, sizes, offsets, barred, taken[:session], best - tolerance)
        taken[session] = flat
        current = np.empty(k, dtype=np.int64)
        for q in range(k):
            current[q] = flat // strides[q]
            flat %= strides[q]
            if distinct:
                barred[offsets[q] + current[q]] = True
        begun[session] = current
        limits = np.minimum(reachable(offsets, starts, neighbours, kinds_of_nodes, current), max_nodes)
        lengths[session], steps[session], codes[session], used = walk(
            log_scores,
            strides,
            offsets,
            starts,
            neighbours,
            kinds,
            limits,
            log_decay,
            max_iterations,
            tolerance,
            begins,
            ends,
            values,
            candidates,
            used,
            nodes[session],
            partners[session],
            current,
        )
    return budget, begun, nodes, partners, lengths, steps, codes
