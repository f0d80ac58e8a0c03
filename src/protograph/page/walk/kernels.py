"""The compiled loops of walks over a matching tensor that is there as a whole.

Imported only when a search runs, since Numba takes a while to load. The compiled code is cached on disk.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from protograph._base.arrays import Floats, Ints

COMPLETE, DEAD_END, MAX_ITERATIONS = 0, 1, 2


class Graphs(NamedTuple):
    """The k graphs; see :class:`~protograph.patterns.joint.JointGraphs`."""

    offsets: Ints
    starts: Ints
    neighbours: Ints
    step_kinds: Ints
    node_kinds: Ints  # by joint number


class _Candidates(NamedTuple):
    """Where a walk can go from the tuples that it has stood on, for the next time.

    Those of the tuple at place p of the tensor are the entries ``begins[p]`` to ``ends[p]``.
    """

    begins: Ints  # -1: not listed
    ends: Ints
    values: Floats
    nodes: Any  # joint numbers, a row an entry
    used: Ints  # how many entries are, [1]


@njit(cache=True)  # type: ignore[untyped-decorator]
def reachable(graphs: Graphs, start: Ints) -> Ints:  # pragma: no cover - compiled
    """Upper bound on how many nodes of each graph a walk from ``start`` can ever visit.

    A walk stays in its component, among nodes of a kind that it can reach in every graph. Once a list has that many
    nodes, no step can make it grow. (Where a tolerance or a function decides, all nodes are of one kind.)
    """
    k, offsets, node_kinds = start.size, graphs.offsets, graphs.node_kinds
    num_kinds = node_kinds.max() + 1
    allowed = np.ones(node_kinds.size, dtype=np.bool_)
    counts = np.zeros(k, dtype=np.int64)
    stack = np.empty(node_kinds.size, dtype=np.int64)
    while True:
        seen = np.zeros(node_kinds.size, dtype=np.bool_)
        shared = np.zeros(num_kinds, dtype=np.int64)
        for q in range(k):
            seen[offsets[q] + start[q]] = True
            stack[0], height = offsets[q] + start[q], 1
            while height > 0:
                height -= 1
                joint = stack[height]
                if shared[node_kinds[joint]] == q:
                    shared[node_kinds[joint]] = q + 1
                for position in range(graphs.starts[joint], graphs.starts[joint + 1]):
                    node = offsets[q] + graphs.neighbours[position]
                    if allowed[node] and not seen[node]:
                        seen[node] = True
                        stack[height] = node
                        height += 1
        changed = False
        for node in range(node_kinds.size):
            keep = seen[node] and shared[node_kinds[node]] == k
            changed = changed or keep != allowed[node]
            allowed[node] = keep
        if not changed:
            for q in range(k):
                counts[q] = allowed[offsets[q] : offsets[q + 1]].sum()
            return counts


@njit(cache=True)  # type: ignore[untyped-decorator]
def _list_candidates(
    log_scores: Floats, strides: Ints, graphs: Graphs, current: Ints, listed: _Candidates
) -> None:  # pragma: no cover - compiled
    """Append the tuples of neighbours of ``current`` that agree, in lexicographic order."""
    k, most = current.size, 1
    first, end = np.empty(k, np.int64), np.empty(k, np.int64)
    for q in range(k):
        node = graphs.offsets[q] + current[q]
        first[q], end[q] = graphs.starts[node], graphs.starts[node + 1]
        most *= end[q] - first[q]
    if listed.used[0] + most > listed.values.size:  # no room
        listed.begins[:] = -1
        listed.used[0] = 0
    used, positions = listed.used[0], first.copy()
    here = (strides * current).sum()
    listed.begins[here] = used
    while most > 0:
        place, kind, is_one_kind = 0, graphs.step_kinds[positions[0]], True
        for q in range(k - 1):
            place += graphs.neighbours[positions[q]] * strides[q]
            is_one_kind = is_one_kind and graphs.step_kinds[positions[q]] == kind
        for position in range(first[k - 1], end[k - 1] if is_one_kind else 0):  # strides[k - 1] is 1
            positions[k - 1] = position
            value = log_scores[place + graphs.neighbours[position]]
            if value > -np.inf and (k == 1 or graphs.step_kinds[position] == kind):
                listed.values[used] = value
                for q in range(k):
                    listed.nodes[used, q] = graphs.offsets[q] + graphs.neighbours[positions[q]]
                used += 1
        q = k - 2
        while q >= 0:
            positions[q] += 1
            if positions[q] < end[q]:
                break
            positions[q] = first[q]
            q -= 1
        if q < 0:
            break
    listed.ends[here] = listed.used[0] = used


@njit(cache=True)  # type: ignore[untyped-decorator]
def _best_candidate(
    listed: _Candidates, place: int, counts: Ints, log_decay: float, tolerance: float
) -> int:  # pragma: no cover - compiled
    """Entry of the first candidate whose decayed value ties with the best one, -1 where there is none."""
    begin, end, nodes = listed.begins[place], listed.ends[place], listed.nodes
    while True:
        best, highest, chosen = -np.inf, -np.inf, -1
        for entry in range(begin, end):
            decays = 0
            for q in range(nodes.shape[1]):
                decays += counts[nodes[entry, q]]
            value = listed.values[entry] - log_decay * decays
            if value > highest:
                if value > highest + tolerance:  # all before are too low to tie with it
                    best, chosen = value, entry
                highest = value
        if best >= highest - tolerance:
            return chosen
        begin = chosen + 1  # small rises have carried the best away from it: what ties comes after


@njit(cache=True)  # type: ignore[untyped-decorator]
def _walk(
    log_scores: Floats,
    strides: Ints,
    graphs: Graphs,
    limits: Ints,
    log_decay: float,
    max_iterations: int,
    tolerance: float,
    current: Ints,
    listed: _Candidates,
    partners: Ints,
) -> Any:  # pragma: no cover - compiled
    """Walk from the tuple in ``current``, filling ``partners``; see :func:`walks`."""
    k, step, offsets = current.size, 0, graphs.offsets
    counts, lengths = np.zeros(offsets[-1], np.int64), np.zeros(k, np.int64)
    while True:
        is_complete, place = True, 0
        for q in range(k):
            place += current[q] * strides[q]
            counts[offsets[q] + current[q]] += 1
            if counts[offsets[q] + current[q]] == 1 and lengths[q] < limits[q]:
                partners[q, lengths[q]] = current
                lengths[q] += 1
            is_complete = is_complete and lengths[q] == limits[q]
        if is_complete or step == max_iterations:
            return lengths, step, COMPLETE if is_complete else MAX_ITERATIONS
        if listed.begins[place] < 0:
            _list_candidates(log_scores, strides, graphs, current, listed)
        entry = _best_candidate(listed, place, counts, log_decay, tolerance)
        if entry < 0:
            return lengths, step, DEAD_END
        step += 1
        for q in range(k):
            current[q] = np.int64(listed.nodes[entry, q]) - offsets[q]


@njit(cache=True)  # type: ignore[untyped-decorator]
def walks(
    log_scores: Floats,
    strides: Ints,
    graphs: Graphs,
    starts: Ints,
    max_nodes: int,
    log_decay: float,
    max_iterations: int,
    tolerance: float,
    room: int,
) -> Any:  # pragma: no cover - compiled
    """Walk from each of the tuples in ``starts`` over the flat tensor; see :mod:`protograph.page.walk.search`.

    Returns:
        For each walk and graph the tuples in which its nodes were chosen first, and how many those are; for each walk
        the number of its steps, and why it stopped.
    """
    num_walks, k = starts.shape
    partners = np.empty((num_walks, k, min(max_nodes, graphs.offsets[-1]), k), np.int64)
    lengths = np.empty((num_walks, k), np.int64)
    steps, codes = np.empty(num_walks, np.int64), np.empty(num_walks, np.int64)
    listed = _Candidates(
        np.full(log_scores.size, -1),
        np.empty(log_scores.size, np.int64),
        np.empty(room),
        np.empty((room, k), np.uint32),
        np.zeros(1, np.int64),
    )
    for n in range(num_walks):
        limits = np.minimum(reachable(graphs, starts[n]), max_nodes)
        lengths[n], steps[n], codes[n] = _walk(
            log_scores,
            strides,
            graphs,
            limits,
            log_decay,
            max_iterations,
            tolerance,
            starts[n].copy(),
            listed,
            partners[n],
        )
    return partners, lengths, steps, codes
