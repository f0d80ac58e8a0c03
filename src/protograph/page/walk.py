"""Phase 2 of the paper: k graphs are walked in step, and the model chooses among what was walked (Section 4.2).

The tensor of the matching scores of all tuples is made as a whole, and walks over it are exact. Beyond ``MAX_WHOLE``
tuples there is no tensor: a start is improved one node at a time, good, not proven to be the best, and marked so in the
session's record. Steps are exact in either case.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log, prod
from typing import Literal

import networkx as nx
import numpy as np
import torch
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Floats, Ints
from protograph._utils.ties import first_best, tolerance_for
from protograph.explanation import Session
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.page.clustering import Cluster
from protograph.page.matching import Matching, Scorer
from protograph.page.options import SearchOptions
from protograph.page.search import Candidate, ClusterResult, FittedClass, NoPrototypeError, split_by_graph
from protograph.patterns.canonical import CanonicalGraph
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.joint import JointGraphs

MAX_WHOLE = 2**24  # tuples up to which the tensor is built (128 MiB): three graphs of 256 nodes, four of 64
MAX_STEP = 2**18  # tuples of neighbours that a step chooses among; more take seconds, a thousand times in a walk
SIZE_CALLS = 1_000_000  # nodes to try for the largest common pattern, which limits a walk without max_nodes
_MAX_ROUNDS = 50  # of improving one node at a time; ten are the most that were seen
_STEPS_KEPT = 16  # tuples whose steps are not scored anew: a walk stands on the same few again and again

Stopped = Literal["full", "exhausted", "dead end", "max_iterations"]
# Nodes of each graph, and the log scores of all tuples of them, an axis a graph.
Block = tuple[list[Ints], Floats]


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
        is_exact: Whether the start is proven to be the best one.
    """

    start: tuple[int, ...]
    nodes: tuple[tuple[int, ...], ...]
    partners: tuple[Ints, ...]
    num_iterations: int
    stopped: Stopped
    is_exact: bool


def walked_prototype(fitted: FittedClass, cluster: Cluster, options: SearchOptions) -> ClusterResult:
    """Of each session's best candidate the one with the largest margin, the first of those that tie.

    Probabilities saturate at 1 long before margins stop telling graphs apart. Without ``max_nodes``, candidates are as
    large at most as what the graphs have in common.
    """
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
            f"pass match_features=False"
        )
    candidates = _retrieved(fitted, cluster, sources, walks)
    margins = np.array([candidate.session.margin for candidate in candidates])
    return ClusterResult(cluster, candidates[_best(margins, fitted.resolution)], candidates)


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
        graphs: The k graphs, of which each edge counts once, whichever way it goes.
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
    is_whole = prod(matching.sizes) <= MAX_WHOLE
    if is_whole:
        log_scores = matching.whole()
        starts = _starts(log_scores, options, matching.tolerance)
    else:
        starts = _good_starts(matching, options)

    @lru_cache(_STEPS_KEPT)
    def steps(current: tuple[int, ...]) -> list[Block]:
        rows = _neighbours(joint, current)
        if is_whole:
            return [(own, log_scores[np.ix_(*own)]) for own in rows]
        if any(prod(map(len, own)) > MAX_STEP for own in rows):
            raise NoPrototypeError(
                f"its graphs are so large, and their nodes have so many neighbours, that a step of a walk would choose "
                f"among more than {MAX_STEP:,} tuples; pass a smaller num_graphs, or search='consensus'"
            )
        return [(own, matching.block(own)) for own in rows]

    return [_walked(steps, matching, start, options, is_exact=is_whole) for start in starts]


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


# ---- where walks start -------------------------------------------------------------------------------------------


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


def _good_starts(matching: Matching, options: SearchOptions) -> list[tuple[int, ...]]:
    """Start tuples that no exchange of one node improves, one a session, where not all can be looked at.

    From every node of the first graph a tuple is improved by its raw score, which is quick; of what this ends in, the
    best by its matching score is taken.
    """
    free, starts = [np.arange(size) for size in matching.sizes], list[tuple[int, ...]]()
    while len(starts) < options.budget and all(nodes.size for nodes in free):
        found = [row for row in _improved(matching, free).tolist() if tuple(row) not in starts]
        if not found:
            break
        scores = matching.at(np.array(found))
        starts.append(tuple(found[first_best(scores, matching.tolerance)]))
        if options.walk.distinct_starts:
            free = [nodes[nodes != node] for nodes, node in zip(free, starts[-1], strict=True)]
    return starts


def _improved(matching: Matching, rows: Sequence[Ints]) -> Ints:
    """Tuples of some nodes of each graph, in order: for each of the first graph's nodes that any agree with, one."""
    joint, scorer, k = matching.joint, matching.scorer, len(rows)
    choices: Ints = np.zeros((len(rows[0]), k), dtype=np.int64)
    choices[:, 0] = rows[0]

    def exchange(axis: int, values: Floats, fits: Bools) -> None:
        values = np.where(fits, values, -np.inf)
        tied = values >= values.max(axis=1, keepdims=True) - matching.tolerance
        choices[:, axis] = rows[axis][tied.argmax(axis=1)]

    for axis in range(1, k):  # the node most similar to the first graph's, of those that agree with all so far
        fits = joint.fits(choices, axis, among=range(axis))[:, rows[axis]]
        choices, fits = choices[fits.any(axis=1)], fits[fits.any(axis=1)]
        exchange(axis, scorer.embeddings[0][choices[:, 0]] @ scorer.embeddings[axis][rows[axis]].T, fits)
    for _ in range(_MAX_ROUNDS if len(choices) else 0):
        before = choices.copy()
        for axis in range(1, k):
            scores = scorer.fibres([*choices.T], axis)[:, rows[axis]]
            exchange(axis, scores, joint.fits(choices, axis)[:, rows[axis]])
        if np.array_equal(choices, before):
            break
    return np.unique(choices, axis=0)


# ---- one walk --------------------------------------------------------------------------------------------------------


def _neighbours(joint: JointGraphs, current: Sequence[int]) -> list[list[Ints]]:
    """The neighbours of a tuple's nodes, apart for each kind of edge that leads to some in every graph."""
    around = [joint.around(q, node) for q, node in enumerate(current)]
    shared = set.intersection(*(set(kinds.tolist()) for _, kinds in around))
    return [[nodes[kinds == kind] for nodes, kinds in around] for kind in sorted(shared)]


def _walked(
    steps: Callable[[tuple[int, ...]], list[Block]],
    matching: Matching,
    start: tuple[int, ...],
    options: SearchOptions,
    *,
    is_exact: bool,
) -> Walked:
    most = np.inf if options.max_nodes is None else options.max_nodes
    limits = [min(count, most) for count in _reachable(matching.joint, start)]
    counts = [np.zeros(size, np.int64) for size in matching.sizes]  # how often each node has been chosen
    lists: list[dict[int, tuple[int, ...]]] = [{} for _ in matching.sizes]
    current, num_iterations = start, 0
    stopped: Stopped | None = None
    while stopped is None:
        for own, chosen, limit, node in zip(counts, lists, limits, current, strict=True):
            own[node] += 1
            if len(chosen) < limit:
                chosen.setdefault(node, current)
        if all(len(chosen) == limit for chosen, limit in zip(lists, limits, strict=True)):
            stopped = "full" if all(limit == most for limit in limits) else "exhausted"
        elif num_iterations == options.walk.max_iterations:
            stopped = "max_iterations"
        elif (following := _best_step(steps(current), counts, options.walk.decay, matching.tolerance)) is None:
            stopped = "dead end"
        else:
            current, num_iterations = following, num_iterations + 1
    return Walked(
        start=start,
        nodes=tuple(tuple(chosen) for chosen in lists),
        partners=tuple(np.array(list(chosen.values())) for chosen in lists),
        num_iterations=num_iterations,
        stopped=stopped,
        is_exact=is_exact,
    )


def _best_step(
    blocks: Sequence[Block], counts: Sequence[Ints], decay: float, tolerance: float
) -> tuple[int, ...] | None:
    """The tuple with the highest decayed score, the first in order of node numbers of those that tie, if any agrees."""
    decayed = []
    for rows, scores in blocks:
        taken = [own[nodes] for own, nodes in zip(counts, rows, strict=True)]
        decayed.append(scores - log(decay) * sum(np.meshgrid(*taken, indexing="ij", sparse=True)))
    best = max((values.max() for values in decayed), default=-np.inf)
    if best == -np.inf:
        return None
    tied = []
    for (rows, _), values in zip(blocks, decayed, strict=True):
        for place in np.argwhere(values >= best - tolerance)[:1].tolist():
            tied.append(tuple(int(nodes[i]) for nodes, i in zip(rows, place, strict=True)))
    return min(tied)


def _reachable(joint: JointGraphs, start: Sequence[int]) -> list[int]:
    """Upper bound on how many nodes of each graph a walk from ``start`` can ever visit.

    A walk stays in its component, among nodes of a kind that it can reach in every graph. Once a list has that many
    nodes, no step can make it grow.
    """
    graphs = []
    for q, size in enumerate(joint.sizes):
        graphs.append(nx.empty_graph(size))
        graphs[q].add_edges_from(np.stack(joint.edges(q)[:2], axis=1).tolist())
    while True:
        reached = [nx.node_connected_component(graph, node) for graph, node in zip(graphs, start, strict=True)]
        found = [{int(kinds[v]) for v in nodes} for kinds, nodes in zip(joint.kinds, reached, strict=True)]
        shared = set.intersection(*found)
        kept = [[v for v in nodes if kinds[v] in shared] for kinds, nodes in zip(joint.kinds, reached, strict=True)]
        if all(len(nodes) == len(graph) for nodes, graph in zip(kept, graphs, strict=True)):
            return [len(nodes) for nodes in kept]
        graphs = [graph.subgraph(nodes) for graph, nodes in zip(graphs, kept, strict=True)]
