"""Iterative subgraph search (paper, Section 4.2.3): walking k graphs in step, from one tuple of nodes to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod
from typing import TYPE_CHECKING, Literal

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph.page.options import SearchOptions, WalkOptions
from protograph.page.walk.matching import Block, Matching, first_at_least, highest
from protograph.page.walk.scoring import Scorer
from protograph.page.walk.starts import Start, find_starts, whole_starts
from protograph.patterns.joint import JointGraphs

if TYPE_CHECKING:
    from protograph.page.walk.kernels import Graphs

Stopped = Literal["full", "exhausted", "dead end", "max_iterations"]
# The whole tensor is built up to this many cells (16 MiB of float64).
MAX_WHOLE = 2**21
# Candidates that a walk over the whole tensor keeps for the next time it stands on the same tuple.
_MIN_ROOM = 2**13
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
    """Run all sessions over the whole tensor, each walk in a compiled loop."""
    from protograph.page.walk import kernels

    log_scores = matching.whole()
    starts = whole_starts(log_scores, options.budget, matching.tolerance, distinct=options.distinct_starts)
    degrees = np.split(np.diff(matching.joint.starts), matching.joint.offsets[1:-1])
    walks = kernels.walks(
        log_scores.reshape(-1),
        np.array(log_scores.strides) // log_scores.itemsize,
        _graphs(matching.joint),
        np.array([start.nodes for start in starts], dtype=np.int64).reshape(-1, log_scores.ndim),
        _limit(options),
        log(options.decay),
        options.max_iterations,
        matching.tolerance,
        _MIN_ROOM + prod(int(degree.max()) for degree in degrees),
    )
    reasons: dict[int, Stopped] = {kernels.DEAD_END: "dead end", kernels.MAX_ITERATIONS: "max_iterations"}
    return [
        _walk(
            [part[:length] for part, length in zip(partners, lengths, strict=True)],
            num_iterations,
            reasons.get(code),
            options,
            is_exact=True,
        )
        for partners, lengths, num_iterations, code in zip(
            walks[0], *(part.tolist() for part in walks[1:]), strict=True
        )
    ]


def search_lazily(matching: Matching, options: SearchOptions) -> list[Walk]:
    """Run all sessions over a tensor that is too large to build, computing what is needed of it."""
    starts = find_starts(matching, options.budget, distinct=options.distinct_starts, limits=options.walk)
    steps = LazySteps(matching, log(options.decay), options.walk)
    return [_walk_lazily(steps, start, options) for start in starts]


def _walk_lazily(steps: "LazySteps", start: Start, options: SearchOptions) -> Walk:
    from protograph.page.walk.kernels import reachable

    limits = np.minimum(reachable(_graphs(steps.matching.joint), np.array(start.nodes)), _limit(options)).tolist()
    counts = [np.zeros(size, dtype=np.int64) for size in steps.matching.sizes]
    lists: list[dict[int, tuple[int, ...]]] = [{} for _ in limits]
    current, num_iterations, is_exact = start.nodes, 0, start.is_exact
    stopped: Stopped | None = None
    while True:
        for q, node in enumerate(current):
            counts[q][node] += 1
            if len(lists[q]) < limits[q]:
                lists[q].setdefault(node, current)
        if [len(chosen) for chosen in lists] == limits:
            break
        if num_iterations == options.max_iterations:
            stopped = "max_iterations"
            break
        step = steps.best(current, counts)
        if step is None:
            stopped = "dead end"
            break
        current, num_iterations, is_exact = step.nodes, num_iterations + 1, is_exact and step.is_exact
    partners = [np.array(list(chosen.values())) for chosen in lists]
    return _walk(partners, num_iterations, stopped, options, is_exact=is_exact)


def _walk(
    partners: Sequence[Ints], num_iterations: int, stopped: Stopped | None, options: SearchOptions, *, is_exact: bool
) -> Walk:
    """The record of a walk; ``stopped`` is ``None`` where all lists are as long as they can get."""
    is_full = all(len(part) == options.max_nodes for part in partners)
    return Walk(
        start=tuple(partners[0][0].tolist()),
        nodes=tuple(tuple(part[:, q].tolist()) for q, part in enumerate(partners)),
        partners=tuple(partners),
        num_iterations=num_iterations,
        stopped=stopped or ("full" if is_full else "exhausted"),
        is_exact=is_exact,
    )


def _limit(options: SearchOptions) -> int:
    """Most nodes of a list; without a limit a list ends with its graph."""
    return options.max_nodes or 2**31


def _graphs(joint: JointGraphs) -> "Graphs":
    from protograph.page.walk.kernels import Graphs

    kinds = np.concatenate(joint.kinds)
    return Graphs(joint.offsets, joint.starts, joint.neighbours, joint.step_kinds(), kinds)


class LazySteps:
    """The best next tuple from any tuple, with the log scores of its neighbours computed on demand.

    Exact as long as the largest array needed stays within the limits; beyond, coordinate ascent from each neighbour in
    the first graph.
    """

    def __init__(self, matching: Matching, log_decay: float, limits: WalkOptions) -> None:
        self.matching = matching
        self._log_decay, self._limits = log_decay, limits
        self._kept: dict[tuple[tuple[int, ...], int], Floats] = {}
        self._num_kept_cells = 0

    def best(self, current: tuple[int, ...], counts: Sequence[Ints]) -> Start | None:
        """The best tuple of neighbours of ``current``, the first of those that tie; ``None`` where none agrees."""
        blocks: list[Block] = []
        is_exact = True
        for number, rows in enumerate(self._candidates(current)):
            if self.matching.num_cells(rows) <= self._limits.max_cells:
                blocks.append(Block(rows, self._block((current, number), rows) - self._penalty(rows, counts)))
            else:
                is_exact = False
                penalties, rounds = [np.float64(self._log_decay) * count for count in counts], self._limits.max_rounds
                peaks = (self.matching.ascend(rows, int(node), penalties, max_rounds=rounds) for node in rows[0])
                blocks += [peak for peak in peaks if peak is not None]
        threshold = highest(blocks) - self.matching.tolerance
        return None if threshold == -np.inf else Start(first_at_least(threshold, blocks), is_exact)

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
