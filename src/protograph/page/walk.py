"""Phase 2 of the paper: k graphs are walked in step, and the model chooses among what was walked (Section 4.2).

The tensor of the matching scores of all tuples is made as a whole, and walks over it are exact. Beyond ``MAX_WHOLE``
tuples there is no tensor: starts and steps are improved one node at a time, good, not proven to be the best, and marked
so in the session's record.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import log, prod
from typing import Literal

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.ties import first_best, levels, tolerance_for
from protograph.explanation import Session
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.page.clustering import Cluster
from protograph.page.matching import Matching, Scorer
from protograph.page.options import SearchOptions
from protograph.page.search import Candidate, FittedClass, NoPrototypeError, split_by_graph
from protograph.patterns.canonical import CanonicalGraph
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.joint import JointGraphs

MAX_WHOLE = 2**23  # tuples up to which the tensor is built (64 MiB): three graphs of 200 nodes, four of 50
SIZE_CALLS = 200_000  # nodes to try for the largest common pattern, which limits a walk without max_nodes
_MAX_ROUNDS = 50  # of improving one node at a time; ten are the most that were seen
_MAX_KNOWN = 2**18  # tuples whose scores are kept for the next time; a walk stands on the same ones again and again

Stopped = Literal["full", "exhausted", "dead end", "max_iterations"]
# ``[num_tuples, len(nodes)]``: scores of tuples with each of some nodes of one graph in place of their own.
Lines = Callable[[Ints, int, Ints], Floats]


@dataclass(frozen=True)
class Walked:
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


def walk_candidates(fitted: FittedClass, cluster: Cluster, options: SearchOptions) -> list[Candidate]:
    """Each session's best candidate; without ``max_nodes``, as large at most as what the graphs have in common."""
    sources = fitted.canonical(cluster.representatives)
    graphs = [source.graph for source in sources]
    if options.walk.scoring != "product" and len(graphs) < 2:
        raise NoPrototypeError(f"scoring={options.walk.scoring!r} needs at least 2 graphs, it has 1")
    limited = replace(options, max_nodes=options.max_nodes or common_size(graphs, options))
    node_embeddings = fitted.judge.classifier.embed(graphs, nodes=True).node_embeddings
    walks = search(graphs, split_by_graph(node_embeddings, graphs), limited, resolution=fitted.resolution)
    if not walks:
        raise NoPrototypeError(
            f"no nodes of its graphs {[*map(fitted.position, cluster.representatives)]} have equal features; "
            f"pass match_features=False or a tolerance"
        )
    return _retrieved(fitted, cluster, sources, walks)


def best_walk(fitted: FittedClass, candidates: Sequence[Candidate]) -> Candidate:
    """The candidate with the largest margin, the first of those that tie.

    Probabilities saturate at 1 long before margins stop telling graphs apart.
    """
    margins = np.array([candidate.session.margin for candidate in candidates])
    return candidates[_best(margins, fitted.resolution)]


def common_size(graphs: Sequence[Data], options: SearchOptions) -> int:
    """Most nodes that a walk should take: the size of the largest connected pattern that all the graphs have.

    A walk that goes on has left what they have in common. At least 2, and a single graph has half of its nodes.
    """
    if len(graphs) == 1:
        return max(2, -(-node_count(graphs[0]) // 2))
    common = CommonPatterns(graphs, options.match_features, match_edges=options.match_edges)
    largest = common.largest_of_all(SIZE_CALLS)
    return max(2, 0 if largest is None else len(largest.pattern))


def search(
    graphs: Sequence[Data], embeddings: Sequence[Floats], options: SearchOptions, *, resolution: float = 1e-13
) -> list[Walked]:
    """Run all sessions on k graphs.

    Args:
        graphs: The k graphs, undirected and simple.
        embeddings: Their node embeddings, ``[num_nodes_q, dim]`` each.
        options: How to search.
        resolution: Relative precision of the embeddings.

    Returns:
        One walk a session; fewer than ``options.budget`` where fewer starts agree, none where none does.
    """
    decay = options.walk.decay
    # A tie must stay smaller than a decay, or decays would go unseen where scores are huge.
    max_tolerance = log(decay) / 2 if decay > 1 else np.inf
    joint = JointGraphs(graphs, options.match_features, match_edges=options.match_edges)
    matching = Matching(Scorer(embeddings, options.walk.scoring), joint, resolution, max_tolerance)
    if prod(matching.sizes) > MAX_WHOLE:
        return search_by_ascent(matching, options)
    log_scores = matching.whole()
    starts = _starts(log_scores, options, matching.tolerance)
    return [_walked(log_scores, matching, start, options) for start in starts]


def _retrieved(
    fitted: FittedClass, cluster: Cluster, sources: Sequence[CanonicalGraph], walks: Sequence[Walked]
) -> list[Candidate]:
    """Prototype retrieval (paper, Section 4.2.4): of each walk's k subgraphs the one that the model likes best."""
    parts = [induced_subgraph(sources[q].graph, nodes) for walk in walks for q, nodes in enumerate(walk.nodes)]
    judgement = fitted.judge(parts, fitted.target)
    candidates = []
    for number, walk in enumerate(walks):
        first = number * len(sources)
        q = _best(judgement.margins[first : first + len(sources)], fitted.resolution)
        verdict = judgement.of_one(first + q)
        session = Session(
            start=tuple(int(source.nodes[node]) for source, node in zip(sources, walk.start, strict=True)),
            probability=verdict.probability,
            margin=verdict.margin,
            size=node_count(parts[first + q]),
            source=cluster.representatives[q],
            stopped=walk.stopped,
            num_iterations=walk.num_iterations,
            is_exact=walk.is_exact,
        )
        columns = [source.nodes[walk.partners[q][:, r]] for r, source in enumerate(sources)]
        candidates.append(
            Candidate(
                graph=parts[first + q],
                sources=cluster.representatives,
                source=session.source,
                nodes=tuple(sources[q].nodes[list(walk.nodes[q])].tolist()),
                matches=torch.from_numpy(np.stack(columns, axis=1)),
                session=session,
                predicted=verdict.predicted,
            )
        )
    return candidates


def _best(margins: Floats, resolution: float) -> int:
    return first_best(margins, tolerance_for(float(np.abs(margins).max()), resolution))


# ---- over the whole tensor -------------------------------------------------------------------------------------------


def _starts(log_scores: Floats, options: SearchOptions, tolerance: float) -> list[tuple[int, ...]]:
    """The best start tuples, one a session: of those that tie, the first in order of node numbers.

    A start's nodes are barred from later starts in every graph, or only the tuple itself.
    """
    left, starts = log_scores.copy(), list[tuple[int, ...]]()
    while len(starts) < options.budget and (best := left.max()) > -np.inf:
        place = int((left.reshape(-1) >= best - tolerance).argmax())
        starts.append(tuple(int(node) for node in np.unravel_index(place, left.shape)))
        left[starts[-1]] = -np.inf
        if options.walk.distinct_starts:
            for axis, node in enumerate(starts[-1]):
                left[(slice(None),) * axis + (node,)] = -np.inf
    return starts


def _walked(log_scores: Floats, matching: Matching, start: tuple[int, ...], options: SearchOptions) -> Walked:
    from protograph.page import walk_kernels as kernels

    joint, k = matching.joint, len(start)
    limits = np.minimum(_reachable(joint, start), _limit(options))
    nodes = np.empty((k, int(limits.max())), np.int64)
    partners = np.empty((*nodes.shape, k), np.int64)
    strides = np.array([prod(matching.sizes[q + 1 :]) for q in range(k)], np.int64)
    lengths, num_iterations, code = kernels.walk(
        log_scores.reshape(-1),
        strides,
        joint.offsets,
        joint.starts,
        joint.neighbours,
        joint.step_kinds(),
        limits,
        log(options.walk.decay),
        options.walk.max_iterations,
        matching.tolerance,
        np.array(start, np.int64),
        nodes,
        partners,
    )
    reasons: dict[int, Stopped] = {kernels.DEAD_END: "dead end", kernels.MAX_ITERATIONS: "max_iterations"}
    return Walked(
        start=start,
        nodes=tuple(tuple(own[:length].tolist()) for own, length in zip(nodes, lengths, strict=True)),
        partners=tuple(own[:length] for own, length in zip(partners, lengths, strict=True)),
        num_iterations=num_iterations,
        stopped=reasons.get(code) or _complete(lengths, options),
        is_exact=True,
    )


def _limit(options: SearchOptions) -> int:
    """Most nodes of a list; without a limit a list ends with its graph."""
    return 2**31 if options.max_nodes is None else options.max_nodes


def _reachable(joint: JointGraphs, start: Sequence[int]) -> Ints:
    """Upper bound on how many nodes of each graph a walk from ``start`` can ever visit."""
    from protograph.page.walk_kernels import reachable

    kinds, first = np.concatenate(joint.kinds), np.array(start, dtype=np.int64)
    counts: Ints = reachable(joint.offsets, joint.starts, joint.neighbours, kinds, first)
    return counts


def _complete(lengths: Sequence[int] | Ints, options: SearchOptions) -> Stopped:
    return "full" if all(length == options.max_nodes for length in lengths) else "exhausted"


# ---- beyond ----------------------------------------------------------------------------------------------------------


def search_by_ascent(matching: Matching, options: SearchOptions) -> list[Walked]:
    """Run all sessions over a tensor that is too large to build."""
    ascent, starts = Ascent(matching), list[tuple[int, ...]]()
    free = [np.ones(size, np.bool_) for size in matching.sizes]
    while len(starts) < options.budget:
        start = ascent.start([np.flatnonzero(own) for own in free], barred=starts)
        if start is None:
            break
        starts.append(start)
        if options.walk.distinct_starts:
            for own, node in zip(free, start, strict=True):
                own[node] = False
    return [_walked_by_ascent(ascent, start, options) for start in starts]


def _walked_by_ascent(ascent: "Ascent", start: tuple[int, ...], options: SearchOptions) -> Walked:
    joint, sizes = ascent.matching.joint, ascent.matching.sizes
    limits = np.minimum(_reachable(joint, start), _limit(options))
    decays = [np.zeros(size) for size in sizes]
    lists: list[dict[int, tuple[int, ...]]] = [{} for _ in sizes]
    current, iteration, stopped = start, 0, None
    while stopped is None:
        for q, node in enumerate(current):
            decays[q][node] += log(options.walk.decay)
            if len(lists[q]) < limits[q]:
                lists[q].setdefault(node, current)
        if all(len(chosen) == limit for chosen, limit in zip(lists, limits, strict=True)):
            stopped = _complete([len(chosen) for chosen in lists], options)
        elif iteration == options.walk.max_iterations:
            stopped = "max_iterations"
        elif (following := ascent.step(current, decays)) is None:
            stopped = "dead end"
        else:
            current, iteration = following, iteration + 1
    return Walked(
        start=start,
        nodes=tuple(tuple(chosen) for chosen in lists),
        partners=tuple(np.array(list(chosen.values())) for chosen in lists),
        num_iterations=iteration,
        stopped=stopped,
        is_exact=False,
    )


class Ascent:
    """Coordinate ascent over node tuples: many are improved at once, one node of each at a time.

    Args:
        matching: Matching scores of the k graphs.
    """

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        self._known: dict[bytes, float] = {}

    def start(self, rows: Sequence[Ints], barred: Collection[tuple[int, ...]]) -> tuple[int, ...] | None:
        """A good tuple of some nodes that agree; ``None`` where none was found.

        From every node of the first graph a tuple is improved by its raw score, which is quick; of what this ends in,
        the best by its matching score is taken.
        """
        if not all(nodes.size for nodes in rows):
            return None
        found = np.unique(self._ascended(rows, self._similar(rows), self._raw), axis=0)
        found = found[[tuple(choice) not in barred for choice in found.tolist()]]
        return self._first(found, self.matching.at(found)) if len(found) else None

    def step(self, current: tuple[int, ...], decays: Sequence[Floats]) -> tuple[int, ...] | None:
        """A good tuple of neighbours of ``current``, less decays of each graph's nodes; ``None`` where none agrees."""

        def lines(choices: Ints, axis: int, nodes: Ints) -> Floats:
            tuples = np.repeat(choices, len(nodes), axis=0)
            tuples[:, axis] = np.tile(nodes, len(choices))
            return self._decayed(tuples, decays).reshape(len(choices), len(nodes))

        around = [self.matching.joint.around(q, node) for q, node in enumerate(current)]
        shared = set.intersection(*(set(kinds.tolist()) for _, kinds in around))
        found = []
        for kind in sorted(shared):
            rows = [nodes[kinds == kind] for nodes, kinds in around]
            found.append(self._ascended(rows, self._similar(rows), lines))
        choices = np.concatenate(found) if found else np.empty((0, len(current)), np.int64)
        return self._first(choices, self._decayed(choices, decays)) if len(choices) else None

    def _similar(self, rows: Sequence[Ints]) -> Ints:
        """A tuple for each of the first graph's nodes with which one agrees: in each graph the most similar node."""
        joint, embeddings = self.matching.joint, self.matching.scorer.embeddings
        choices: Ints = np.zeros((len(rows[0]), len(rows)), dtype=np.int64)
        choices[:, 0] = rows[0]
        for axis in range(1, len(rows)):
            fits = joint.fits(choices, axis, among=range(axis))[:, rows[axis]]
            choices, fits = choices[fits.any(axis=1)], fits[fits.any(axis=1)]
            similarity = embeddings[0][choices[:, 0]] @ embeddings[axis][rows[axis]].T
            choices[:, axis] = rows[axis][self._first_best(np.where(fits, similarity, -np.inf))]
        return choices

    def _ascended(self, rows: Sequence[Ints], choices: Ints, lines: Lines) -> Ints:
        """Tuples improved until no exchange of one node improves them; the first graph's node stays."""
        for _ in range(_MAX_ROUNDS if len(choices) else 0):
            before = choices.copy()
            for axis in range(1, choices.shape[1]):
                choices[:, axis] = rows[axis][self._first_best(lines(choices, axis, rows[axis]))]
            if np.array_equal(choices, before):
                break
        return choices

    def _raw(self, choices: Ints, axis: int, nodes: Ints) -> Floats:
        scores = self.matching.scorer.fibres(choices, axis)[:, nodes]
        return np.where(self.matching.joint.fits(choices, axis)[:, nodes], scores, -np.inf)

    def _decayed(self, tuples: Ints, decays: Sequence[Floats]) -> Floats:
        """Log scores of tuples less the decays of their nodes; scores are computed once."""
        keys = [row.tobytes() for row in tuples]
        if len(self._known) > _MAX_KNOWN:
            self._known.clear()
        missing = [number for number, key in enumerate(keys) if key not in self._known]
        if missing:
            values = self.matching.at(tuples[missing]).tolist()
            self._known.update(zip((keys[number] for number in missing), values, strict=True))
        scores = np.array([self._known[key] for key in keys])
        taken_off: Floats = np.sum([own[nodes] for own, nodes in zip(decays, tuples.T, strict=True)], axis=0)
        return np.asarray(scores - taken_off)

    def _first(self, choices: Ints, values: Floats) -> tuple[int, ...]:
        """The first in order of node numbers of the tuples that tie with the best."""
        tied = choices[levels(values, self.matching.tolerance) == 0]
        return min(tuple(choice) for choice in tied.tolist())

    def _first_best(self, values: Floats) -> Ints:
        """Of each row the position of the first value that ties with its highest."""
        first: Ints = (values >= values.max(axis=1, keepdims=True) - self.matching.tolerance).argmax(axis=1)
        return first
