"""Iterative subgraph search (paper, Section 4.2.3): walking k graphs in step, from one tuple of nodes to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph.page.walk.ascent import Peak, ascend
from protograph.page.walk.matching import MAX_CELLS, Matching
from protograph.page.walk.scoring import Floats, Scorer, Scoring
from protograph.page.walk.starts import MAX_TUPLES, Start, find_starts
from protograph.patterns.agreement import Agreement, MatchFeatures
from protograph.patterns.structure import Structure, build_structure, reachable_counts

Ints = NDArray[np.int64]
Stopped = Literal["full", "exhausted", "dead end", "max_iterations"]
# The whole tensor is built up to this many cells (16 MiB of float64).
MAX_WHOLE = 2**21
# Blocks of candidates that a lazy walk keeps for the next time it stands on the same tuple.
_MAX_KEPT_CELLS = 2**23


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How to search; the paper's settings are the defaults.

    Attributes:
        budget: Number of sessions.
        decay: What a matching score is divided by for each of its nodes that has been chosen.
        max_iterations: Most steps of a session.
        max_nodes: Size at which a session's lists take no more nodes.
        scoring: Scoring function.
        match_features: Which nodes may stand for each other; see :class:`~protograph.patterns.agreement.Agreement`.
        match_edges: Whether edges walked together must have equal attributes.
        distinct_starts: Whether a start's nodes are barred from later starts.
    """

    budget: int = 5
    decay: float = 10.0
    max_iterations: int = 1000
    max_nodes: int = 13
    scoring: Scoring = "product"
    match_features: MatchFeatures = True
    match_edges: bool = False
    distinct_starts: bool = True


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
    agreement = Agreement(graphs, options.match_features)
    matching = Matching(Scorer(embeddings, options.scoring), agreement, resolution, max_tolerance)
    structure = build_structure(graphs, match_edges=options.match_edges)
    if prod(matching.sizes) <= MAX_WHOLE:
        return search_whole(matching, structure, options)
    return search_lazily(matching, structure, options)


def search_whole(matching: Matching, structure: Structure, options: SearchOptions) -> list[Walk]:
    """Run all sessions over the whole tensor, in compiled loops."""
    from protograph.page.walk import kernels

    groups = np.concatenate(matching.agreement.groups)
    count, starts, nodes, partners, lengths, steps, codes = kernels.sessions(
        matching.whole().reshape(-1),
        np.array(matching.sizes, dtype=np.int64),
        structure.offsets,
        structure.starts,
        structure.neighbours,
        structure.kinds_within(groups),
        groups,
        min(options.budget, prod(matching.sizes)),
        options.distinct_starts,
        options.max_nodes,
        log(options.decay),
        options.max_iterations,
        matching.tolerance,
    )
    reasons: dict[int, Stopped] = {kernels.DEAD_END: "dead end", kernels.MAX_ITERATIONS: "max_iterations"}
    found = zip(*(part[:count].tolist() for part in (starts, nodes, lengths, steps, codes)), strict=True)
    return [
        Walk(
            start=tuple(start),
            nodes=tuple([tuple(row[:size]) for row, size in zip(rows, sizes, strict=True)]),
            partners=tuple([partners[b, q, :size] for q, size in enumerate(sizes)]),
            num_iterations=num_iterations,
            stopped=reasons.get(code) or _complete(sizes, options),
            is_exact=True,
        )
        for b, (start, rows, sizes, num_iterations, code) in enumerate(found)
    ]


def search_lazily(
    matching: Matching, structure: Structure, options: SearchOptions, max_tuples: int = MAX_TUPLES
) -> list[Walk]:
    """Run all sessions over a tensor that is too large to build, computing what is needed of it."""
    starts = find_starts(matching, options.budget, distinct=options.distinct_starts, max_tuples=max_tuples)
    steps = LazySteps(matching, structure, log(options.decay))
    return [walk_lazily(steps, start, options) for start in starts]


def walk_lazily(steps: "LazySteps", start: Start, options: SearchOptions) -> Walk:
    """Walk over a tensor that is too large to build, computing the candidates of each step."""
    k = len(start.nodes)
    limits = _limits(steps.matching, steps.structure, start, options)
    counts = [np.zeros(size, dtype=np.int64) for size in steps.matching.sizes]
    lists: list[dict[int, tuple[int, ...]]] = [{} for _ in range(k)]
    current, iteration, is_exact, stopped = start.nodes, 0, start.is_exact, None
    while True:
        for q, node in enumerate(current):
            counts[q][node] += 1
            if len(lists[q]) < limits[q]:
                lists[q].setdefault(node, current)
        if all(len(found) == limit for found, limit in zip(lists, limits, strict=True)):
            stopped = _complete([len(found) for found in lists], options)
            break
        if iteration == options.max_iterations:
            stopped = "max_iterations"
            break
        chosen = steps.best(current, counts)
        if chosen is None:
            stopped = "dead end"
            break
        current, iteration, is_exact = chosen.nodes, iteration + 1, is_exact and chosen.is_exact
    return Walk(
        start=start.nodes,
        nodes=tuple(tuple(found) for found in lists),
        partners=tuple(np.array(list(found.values())) for found in lists),
        num_iterations=iteration,
        stopped=stopped,
        is_exact=is_exact,
    )


def _limits(matching: Matching, structure: Structure, start: Start, options: SearchOptions) -> Ints:
    reachable = reachable_counts(structure, matching.agreement, start.nodes)
    return np.minimum(reachable, options.max_nodes)


def _complete(lengths: Sequence[int], options: SearchOptions) -> Stopped:
    return "full" if all(length == options.max_nodes for length in lengths) else "exhausted"


class LazySteps:
    """The best next tuple from any tuple, with the log scores of its neighbours computed on demand.

    Exact as long as the largest array needed stays within ``max_cells``; beyond, coordinate ascent from each
    neighbour in the first graph.
    """

    def __init__(self, matching: Matching, structure: Structure, log_decay: float, max_cells: int = MAX_CELLS) -> None:
        self.matching = matching
        self.structure = structure
        self._log_decay = log_decay
        self._max_cells = max_cells
        self._kept: dict[tuple[tuple[int, ...], int], Floats] = {}
        self._num_kept_cells = 0

    def best(self, current: tuple[int, ...], counts: Sequence[Ints]) -> Start | None:
        """The best tuple of neighbours of ``current``, the first of those that tie; ``None`` where none agrees."""
        peaks: list[tuple[float, Floats | Peak, list[Ints]]] = []
        is_exact = True
        for number, rows in enumerate(self._candidates(current)):
            if self.matching.num_cells(rows) <= self._max_cells:
                values = self._block((current, number), rows) - self._penalty(rows, counts)
                peaks.append((float(values.max()), values, rows))
            else:
                is_exact = False
                penalties = [np.asarray(self._log_decay * c, dtype=np.float64) for c in counts]
                found = (ascend(self.matching, rows, int(node), penalties) for node in rows[0])
                peaks.extend((peak.value, peak, rows) for peak in found if peak is not None)
        best = max((value for value, _, _ in peaks), default=-np.inf)
        if best == -np.inf:
            return None
        threshold = best - self.matching.tolerance
        ties = [_first_at_least(threshold, values, rows) for value, values, rows in peaks if value >= threshold]
        return Start(min(ties), is_exact)

    def _candidates(self, current: tuple[int, ...]) -> list[list[Ints]]:
        """Blocks of neighbours, one for each kind of edge and combination of features that agrees."""
        around = [self.structure.of(q, node) for q, node in enumerate(current)]
        kinds = set.intersection(*(set(kinds.tolist()) for _, kinds in around))
        blocks = [[nodes[found == kind] for nodes, found in around] for kind in sorted(kinds)]
        return [rows for block in blocks for rows in self.matching.agreement.split(block)]

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


def _first_at_least(threshold: float, values: Floats | Peak, rows: list[Ints]) -> tuple[int, ...]:
    if isinstance(values, Peak):
        return values.nodes
    at = np.unravel_index(int((values.reshape(-1) >= threshold).argmax()), values.shape)
    return tuple(int(r[i]) for r, i in zip(rows, at, strict=True))
