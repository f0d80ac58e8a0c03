"""Iterative subgraph search (paper, Section 4.2.3): walking k graphs in step, from one tuple of nodes to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod
from typing import Literal

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph.page.options import SearchOptions, WalkOptions
from protograph.page.walk.ascent import MatchingLines, ascend, most_similar
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Scorer
from protograph.page.walk.starts import Start, find_starts
from protograph.patterns.joint import JointGraphs

Stopped = Literal["full", "exhausted", "dead end", "max_iterations"]
# The whole tensor is built up to this many cells (16 MiB of float64).
MAX_WHOLE = 2**21
# Blocks of candidates that a lazy walk keeps for the next time it stands on the same tuple.
_MAX_KEPT_CELLS = 2**23


@dataclass(frozen=True)
class Walk:
    """What one session found.

    Attributes:
        start: The first tuple.
        nodes: For each of the k graphs, its nodes in the order in which they were chosen.
        partners: For each of the k graphs, ``[num_nodes, k]``: the tuple in which each of those nodes was chosen first.
        num_iterations: Number of steps after the start.
        stopped: ``"full"``: all lists have ``max_nodes``; ``"exhausted"``: no list can grow any more; ``"dead end"``:
            no neighbours agree; ``"max_iterations"``.
        is_exact: Whether the start and every step are proven to be the best ones.
    """

    start: tuple[int, ...]
    nodes: tuple[tuple[int, ...], ...]
    partners: tuple[Ints, ...]
    num_iterations: int
    stopped: Stopped
    is_exact: bool


def search(
    graphs: Sequence[Data], embeddings: Sequence[Floats], options: SearchOptions, *, resolution: float = 1e-13
) -> list[Walk]:
    """Run all sessions on k graphs.

    Args:
        graphs: The k graphs, undirected and simple.
        embeddings: Their node embeddings, ``[num_nodes_q, dim]`` each.
        options: How to search.
        resolution: Relative precision of the embeddings.

    Returns:
        One walk a session; fewer than ``options.budget`` where fewer starts agree, none where none does.
    """
    # A tie must stay smaller than a decay, or decays would go unseen where scores are huge.
    max_tolerance = log(options.decay) / 2 if options.decay > 1 else np.inf
    joint = JointGraphs(graphs, options.match_features, match_edges=options.match_edges)
    matching = Matching(Scorer(embeddings, options.scoring), joint, resolution, max_tolerance)
    if prod(matching.sizes) <= MAX_WHOLE:
        return search_whole(matching, options)
    return search_lazily(matching, options)


def search_whole(matching: Matching, options: SearchOptions) -> list[Walk]:
    """Run all sessions over the whole tensor, in compiled loops."""
    from protograph.page.walk import kernels

    joint = matching.joint
    count, starts, nodes, partners, lengths, steps, codes = kernels.sessions(
        matching.whole().reshape(-1),
        np.array(matching.sizes, dtype=np.int64),
        joint.offsets,
        joint.starts,
        joint.neighbours,
        joint.step_kinds(),
        np.concatenate(joint.kinds),
        min(options.budget, prod(matching.sizes)),
        options.distinct_starts,
        _limit(options),
        log(options.decay),
        options.max_iterations,
        matching.tolerance,
    )
    reasons: dict[int, Stopped] = {kernels.DEAD_END: "dead end", kernels.MAX_ITERATIONS: "max_iterations"}
    sessions = zip(*(part[:count].tolist() for part in (starts, nodes, lengths, steps, codes)), strict=True)
    return [
        Walk(
            start=tuple(start),
            nodes=tuple([tuple(row[:size]) for row, size in zip(rows, sizes, strict=True)]),
            partners=tuple([partners[b, q, :size] for q, size in enumerate(sizes)]),
            num_iterations=num_iterations,
            stopped=reasons.get(code) or _complete(sizes, options),
            is_exact=True,
        )
        for b, (start, rows, sizes, num_iterations, code) in enumerate(sessions)
    ]


def search_lazily(matching: Matching, options: SearchOptions) -> list[Walk]:
    """Run all sessions over a tensor that is too large to build, computing what is needed of it."""
    starts = find_starts(matching, options.budget, distinct=options.distinct_starts, limits=options.walk)
    steps = LazySteps(matching, log(options.decay), options.walk)
    return [walk_lazily(steps, start, options) for start in starts]


def walk_lazily(steps: "LazySteps", start: Start, options: SearchOptions) -> Walk:
    """Walk over a tensor that is too large to build, computing the candidates of each step."""
    k = len(start.nodes)
    limits = np.minimum(_reachable(steps.matching.joint, start.nodes), _limit(options))
    counts = [np.zeros(size, dtype=np.int64) for size in steps.matching.sizes]
    lists: list[dict[int, tuple[int, ...]]] = [{} for _ in range(k)]
    current, iteration, is_exact, stopped = start.nodes, 0, start.is_exact, None
    while True:
        for q, node in enumerate(current):
            counts[q][node] += 1
            if len(lists[q]) < limits[q]:
                lists[q].setdefault(node, current)
        if all(len(chosen) == limit for chosen, limit in zip(lists, limits, strict=True)):
            stopped = _complete([len(chosen) for chosen in lists], options)
            break
        if iteration == options.max_iterations:
            stopped = "max_iterations"
            break
        step = steps.best(current, counts)
        if step is None:
            stopped = "dead end"
            break
        current, iteration, is_exact = step.nodes, iteration + 1, is_exact and step.is_exact
    return Walk(
        start=start.nodes,
        nodes=tuple(tuple(chosen) for chosen in lists),
        partners=tuple(np.array(list(chosen.values())) for chosen in lists),
        num_iterations=iteration,
        stopped=stopped,
        is_exact=is_exact,
    )


def _limit(options: SearchOptions) -> int:
    """Most nodes of a list; without a limit a list ends with its graph."""
    return 2**31 if options.max_nodes is None else options.max_nodes


def _reachable(joint: JointGraphs, start: Sequence[int]) -> Ints:
    """Upper bound on how many nodes of each graph a walk from ``start`` can ever visit.

    A walk stays in its component, among nodes of a kind that it can reach in every graph. Once a list has that many
    nodes, no step can make it grow. (Where a tolerance or a function decides, all nodes are of one kind.)
    """
    from protograph.page.walk.kernels import reachable

    kinds, first = np.concatenate(joint.kinds), np.array(start, dtype=np.int64)
    counts: Ints = reachable(joint.offsets, joint.starts, joint.neighbours, kinds, first)
    return counts


def _complete(lengths: Sequence[int], options: SearchOptions) -> Stopped:
    return "full" if all(length == options.max_nodes for length in lengths) else "exhausted"


class LazySteps:
    """The best next tuple from any tuple, with the log scores of its neighbours computed on demand.

    Exact as long as the largest array needed stays within the limits; beyond, coordinate ascent from each neighbour in
    the first graph.
    """

    def __init__(self, matching: Matching, log_decay: float, limits: WalkOptions) -> None:
        self.matching = matching
        self._log_decay, self._limits = log_decay, limits
        self._lines = MatchingLines(matching, limits.max_cells)
        self._kept: dict[tuple[tuple[int, ...], int], Floats] = {}
        self._num_kept_cells = 0

    def best(self, current: tuple[int, ...], counts: Sequence[Ints]) -> Start | None:
        """The best tuple of neighbours of ``current``, the first of those that tie; ``None`` where none agrees."""
        peaks: list[tuple[float, Floats | tuple[int, ...], list[Ints]]] = []
        is_exact = True
        for number, rows in enumerate(self._candidates(current)):
            if self.matching.num_cells(rows) <= self._limits.max_cells:
                values = self._block((current, number), rows) - self._penalty(rows, counts)
                peaks.append((float(values.max()), values, rows))
            else:
                is_exact = False
                peaks += [(value, nodes, rows) for nodes, value in self._ascents(rows, counts)]
        best = max((value for value, _, _ in peaks), default=-np.inf)
        if best == -np.inf:
            return None
        threshold = best - self.matching.tolerance
        ties = [_first_at_least(threshold, values, rows) for value, values, rows in peaks if value >= threshold]
        return Start(min(ties), is_exact)

    def _ascents(self, rows: list[Ints], counts: Sequence[Ints]) -> list[tuple[tuple[int, ...], float]]:
        """From each neighbour in the first graph the tuple that no exchange of one node improves, and its value."""
        penalties = [np.asarray(self._log_decay * count, dtype=np.float64) for count in counts]
        found, values = ascend(
            self._lines,
            rows,
            most_similar(self.matching, rows),
            self.matching.tolerance,
            penalties,
            max_rounds=self._limits.max_rounds,
        )
        return [(tuple(nodes), value) for nodes, value in zip(found.tolist(), values.tolist(), strict=True)]

    def _candidates(self, current: tuple[int, ...]) -> list[list[Ints]]:
        """Blocks of neighbours, one for each kind of edge and combination of features that agrees."""
        around = [self.matching.joint.around(q, node) for q, node in enumerate(current)]
        kinds = set.intersection(*(set(kinds.tolist()) for _, kinds in around))
        blocks = [[nodes[kinds_there == kind] for nodes, kinds_there in around] for kind in sorted(kinds)]
        return [rows for block in blocks for rows in self.matching.joint.split(block)]

    def _block(self, key: tuple[tuple[int, ...], int], rows: list[Ints]) -> Floats:
        if key not in self._kept:
            values = self.matching.block(rows)
            if self._num_kept_cells + values.size > _MAX_KEPT_CELLS:
                self._kept.clear()
                self._num_kept_cells = 0
            self._kept[key] = values
            self._num_kept_cells += values.size
        return self._kept[key]

    def _penalty(self, rows: list[Ints], counts: Sequence[Ints]) -> Floats:
        total = np.zeros((1,) * len(rows))
        for axis, (nodes, count) in enumerate(zip(rows, counts, strict=True)):
            shape = [1] * len(rows)
            shape[axis] = len(nodes)
            total = total + count[nodes].reshape(shape)
        return self._log_decay * total


def _first_at_least(threshold: float, values: Floats | tuple[int, ...], rows: list[Ints]) -> tuple[int, ...]:
    if isinstance(values, tuple):
        return values
    at = np.unravel_index(int((values.reshape(-1) >= threshold).argmax()), values.shape)
    return tuple(int(r[i]) for r, i in zip(rows, at, strict=True))
