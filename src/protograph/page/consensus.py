"""Phase 2 of our own: what k graphs have in common, trimmed to what belongs to the class.

A session takes k graphs near the cluster's mean, finds where in the first of them, its source, the class shows best,
grows the largest pattern from there that all k have, trims that to what belongs to the class and closes it. What
sessions have come to is put to the vote.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.ties import TOLERANCE, best, best_first, levels, tolerance_for
from protograph._utils.words import count_of
from protograph.explanation import Session
from protograph.graphs.conditions import Match
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.graphs.validate import node_count
from protograph.page.clustering import Cluster, canonical_order, scaled
from protograph.page.contributions import node_contributions
from protograph.page.counting import COUNT_CALLS, Occurrence, PatternCounter, Population
from protograph.page.matching import Matching, Scorer
from protograph.page.options import SearchOptions
from protograph.page.search import Candidate, ClusterResult, FittedClass, NoPrototypeError, split_by_graph
from protograph.page.trimming import PartWeigher, Surroundings, WeighedPart, close, trim
from protograph.patterns.canonical import CanonicalGraph
from protograph.patterns.common_subgraph import CommonPatterns, Consensus
from protograph.patterns.joint import JointGraphs
from protograph.patterns.pattern import Subgraph
from protograph.patterns.rings import wholes_of
from protograph.patterns.subgraph_isomorphism import is_isomorphic

POOL = 3  # graphs near the mean, for each that sessions take, among which a session's graphs are alike
CARRIED_POWER = 2  # what carries the class counts for more between sessions than within one
START_SAMPLE = 50  # graphs of the cluster, and of the others, that the surroundings of starts are counted in
PART_SAMPLE = 200  # graphs that parts are counted in; shares are then known to some 3%
LARGE_SAMPLE = 1000  # graphs for closing and for comparing sessions, where a few graphs decide
MAX_STARTS = 40  # nodes looked at as starts, those that carry the most of the margin
GROW_CALLS = 1_000_000  # nodes to try while a consensus grows
MAX_GRAPH_NODES = 8000  # of a session's graphs: every two of them are compared node by node, in some gigabytes
MAX_NODES_AROUND = 40  # nodes around the start that parts are made of: prototypes are small
MAX_EDGES_AROUND = 60  # edges around the start; a basis of shortest rings takes long on what is dense

# For each node of a pattern its counterpart in each of the k graphs, itself first.
Matches = dict[int, tuple[int, ...]]


@dataclass(frozen=True, kw_only=True, eq=False)
class SessionGraphs:
    """k graphs of a cluster, nearest the mean first, and what the model makes of their nodes.

    Attributes:
        indices: Which graphs they are.
        sources: The graphs, their nodes in canonical order.
        embeddings: Their nodes' embeddings.
        contributions: Their nodes' contributions to the class margin; ``None`` where they are not known.
    """

    indices: tuple[int, ...]
    sources: Sequence[CanonicalGraph]
    embeddings: Sequence[Floats]
    contributions: Sequence[Floats] | None

    @property
    def graphs(self) -> list[Data]:
        """The graphs."""
        return [source.graph for source in self.sources]


def consensus_of(fitted: FittedClass, cluster: Cluster, options: SearchOptions, head: Floats | None) -> ClusterResult:
    """Run all sessions of a cluster, and take the candidate that they vote for.

    Raises:
        NoPrototypeError: If no node of any session's source is common to its graphs.
    """
    chosen = chosen_graphs(fitted, cluster, options.budget)
    # Representatives that were given are no cluster: their patterns are counted in the whole class.
    predictions = fitted.embedded.predictions
    members = np.array(cluster.members) if cluster.distances else np.flatnonzero(predictions == fitted.target)
    population = Population(fitted.encoded, members if members.size else np.array(cluster.members), _others(fitted))
    sessions = session_graphs(fitted, chosen, head)
    candidates = []
    for graphs in sessions:
        if (candidate := run_session(graphs, population, fitted, options)) is not None:
            candidates.append(candidate)
        fitted.session_done()
    if not candidates:
        raise NoPrototypeError(
            f"no nodes of its graphs {[*map(fitted.position, chosen[0])]} have equal features; "
            f"pass match_features=False"
        )
    winner = voted(candidates, fitted.encoded)
    return ClusterResult(cluster, winner, candidates, _given_up(sessions, population))


def chosen_graphs(fitted: FittedClass, cluster: Cluster, count: int) -> list[tuple[int, ...]]:
    """The k graphs nearest the mean; then the next nearest with the k - 1 that the model sees most like it, and so on.

    The representatives nearest the mean are one draw; a graph among them that the model has wrong, or that is typical
    in all but the point, must not decide. No graph is taken twice, and no two have the same embedding.
    """
    k, near = len(cluster.representatives), cluster.nearest
    embeddings = fitted.embedded.graph_embeddings[sorted(cluster.members)]
    grain = 4 * tolerance_for(1.0, fitted.resolution) * float(np.abs(embeddings).max())
    points = dict(zip(sorted(cluster.members), scaled(embeddings, grain), strict=True))
    chosen, free = [near[:k]], list(near[k:])
    while len(chosen) < count and len(free) >= k:
        offsets = np.stack([points[index] - points[free[0]] for index in free])
        nearest = np.argsort(-levels((offsets**2).sum(axis=1)), kind="stable")[:k]
        chosen.append(tuple(free[number] for number in nearest))
        free = [index for index in free if index not in chosen[-1]]
    return chosen


def voted(candidates: Sequence[Candidate], encoded: EncodedGraphs) -> Candidate:
    """The heaviest candidate for the pattern whose candidates weigh the most in sum; of ties the first.

    Sessions that arrive at the same pattern speak for it with one voice.
    """
    patterns: list[tuple[EncodedGraph, list[Candidate]]] = []
    for candidate in candidates:
        own = encoded.encode(candidate.graph)
        same = next((alike for other, alike in patterns if is_isomorphic(other, own)), None)
        if same is None:
            patterns.append((own, [candidate]))
        else:
            same.append(candidate)
    heaviest = best([alike for _, alike in patterns], _joint_weight)
    return best(heaviest, lambda candidate: candidate.weight)


def _joint_weight(candidates: Sequence[Candidate]) -> float:
    """What candidates weigh in sum; those that speak against their class do not get worse by being many."""
    weights = [candidate.weight for candidate in candidates]
    return sum(weights) if max(weights) > 0 else max(weights)


def _others(fitted: FittedClass) -> Ints:
    """The graphs predicted as another class, ordered by their embeddings, so that samples know no other order."""
    others = np.flatnonzero(fitted.embedded.predictions != fitted.target)
    if not others.size:
        return others
    order, _ = canonical_order(fitted.embedded.graph_embeddings[others], fitted.resolution)
    return others[order]


def _given_up(sessions: Sequence[SessionGraphs], population: Population) -> tuple[str, ...]:
    """What was not done, a sentence each."""
    notes, store = [], population.store
    if store.num_given_up:
        notes.append(
            f"{store.num_given_up:,} of {store.num_asked:,} times that a graph was searched for a pattern, "
            f"{COUNT_CALLS:,} placed nodes did not decide; the graph counts as one without"
        )
    if sessions[0].contributions is None:
        notes.append(
            "what nodes add to the margin is not known: they cannot be left out of the model's readout one by one, or "
            "to do so would take too long"
        )
    return tuple(notes)


# ---- the graphs of sessions ------------------------------------------------------------------------------------------


def session_graphs(fitted: FittedClass, chosen: Sequence[tuple[int, ...]], head: Floats | None) -> list[SessionGraphs]:
    """The graphs of all sessions, embedded at once."""
    sources = fitted.canonical([index for indices in chosen for index in indices])
    graphs = [source.graph for source in sources]
    if (largest := max(map(node_count, graphs))) > MAX_GRAPH_NODES:
        raise NoPrototypeError(
            f"one of its typical graphs has {largest:,} nodes, and graphs of more than {MAX_GRAPH_NODES:,} are not "
            f"compared node by node; explain parts of such graphs"
        )
    forward = fitted.judge.classifier.embed(graphs, nodes=True)
    embeddings = split_by_graph(forward.node_embeddings, graphs)
    contributions = node_contributions(fitted.judge, graphs, forward, embeddings, fitted.target, head)
    k = len(chosen[0])
    return [
        SessionGraphs(
            indices=indices,
            sources=sources[first : first + k],
            embeddings=embeddings[first : first + k],
            contributions=None if contributions is None else contributions[first : first + k],
        )
        for first, indices in zip(range(0, len(sources), k), chosen, strict=True)
    ]


# ---- one session -----------------------------------------------------------------------------------------------------


def run_session(
    graphs: SessionGraphs, population: Population, fitted: FittedClass, options: SearchOptions
) -> Candidate | None:
    """What a session comes to; ``None`` where no node of the source is common to its graphs.

    Args:
        graphs: The k graphs, the source first.
        population: Where patterns are counted.
        fitted: The model and the class.
        options: How to search.
    """
    encoded = fitted.encoded.encode(graphs.graphs[0])
    counter, kinds = PatternCounter(population.store, encoded), encoded.node_kinds.tolist()
    common = CommonPatterns(graphs.graphs, options.match_features, match_edges=options.match_edges)
    pairs = pair_scores(graphs, options.match_features, fitted.resolution)
    scores, tolerance = [pair.whole() for pair in pairs], max((pair.tolerance for pair in pairs), default=0.0)
    carried = _standard(graphs)
    ranks = _ranks(scores, common.sizes[0])
    at_starts = PartWeigher(counter, population.sample(START_SAMPLE, START_SAMPLE), carried[0])
    consensus, start = _consensus(common, starts(at_starts, common.source, carried[0], ranks), ranks)
    if consensus is None:
        return None
    aligned = common.align(consensus.pattern, scores, tolerance)
    weigher = PartWeigher(counter, population.sample(PART_SAMPLE, PART_SAMPLE), _averaged(aligned, carried))
    near = consensus.pattern.around(start, MAX_NODES_AROUND, MAX_EDGES_AROUND)
    surroundings = Surroundings(
        source=common.source,
        consensus=near,
        start=start,
        wholes=wholes_of(near, kinds),
        around=wholes_of(common.source.around(start, MAX_NODES_AROUND, MAX_EDGES_AROUND), kinds),
        is_common=common.is_common,
        max_nodes=options.max_nodes or len(common.source),
    )
    trimmed = trim(surroundings, weigher)
    path = close(trimmed.pattern, surroundings, counter, population.sample(LARGE_SAMPLE, PART_SAMPLE))
    occurrence = counter.count(trimmed.pattern, population.sample(LARGE_SAMPLE, LARGE_SAMPLE))
    # The largest that the model takes for the class: a node of the backbone may be one too many.
    shown = [pattern.cut_out(graphs.graphs[0]) for pattern in path]
    judgement = fitted.judge(shown, fitted.target)
    predicted = np.flatnonzero(judgement.leads > 0)
    at = int(predicted[-1]) if predicted.size else len(path) - 1
    closed, verdict = path[at], judgement.of_one(at)
    matches = common.align(closed, scores, tolerance)
    nodes, numbers = sorted(closed.nodes), [source.nodes for source in graphs.sources]
    rows = [[int(own[node]) for own, node in zip(numbers, matches[n], strict=True)] for n in nodes]
    begun = tuple(int(own[node]) for own, node in zip(numbers, aligned[start], strict=True))
    session = Session(
        start=begun,
        probability=verdict.probability,
        margin=verdict.margin,
        size=len(closed),
        source=graphs.indices[0],
        stopped="consensus",
        num_iterations=weigher.num_weighed,
        is_exact=consensus.is_exact,
    )
    return Candidate(
        graph=shown[at],
        sources=graphs.indices,
        source=graphs.indices[0],
        nodes=tuple(row[0] for row in rows),
        matches=torch.tensor(rows),
        session=session,
        predicted=verdict.predicted,
        weight=occurrence.information * (1 + max(0.0, trimmed.excess) ** CARRIED_POWER),
        contributions=_contributions([matches[node] for node in nodes], graphs.contributions),
        contribution_share=_contribution_share(list(matches.values()), graphs.contributions),
        steps=_steps(fitted, graphs, begun[0], consensus, trimmed, occurrence, closed),
    )


def pair_scores(graphs: SessionGraphs, match_features: Match, resolution: float) -> list[Matching]:
    """Matching scores of the source's nodes with those of each other graph (paper, Section 4.2.1, for two graphs)."""
    own, *rest = graphs.embeddings
    joint = [JointGraphs([graphs.graphs[0], other], match_features) for other in graphs.graphs[1:]]
    return [Matching(Scorer([own, nodes]), pair, resolution) for nodes, pair in zip(rest, joint, strict=True)]


def _standard(graphs: SessionGraphs) -> list[Floats]:
    """Contributions of all nodes, above their mean and in units of their standard deviation; 0 where all are alike."""
    known = graphs.contributions or [np.zeros(node_count(graph)) for graph in graphs.graphs]
    joined = np.concatenate(known)
    scale = float(joined.std())
    is_alike = scale <= TOLERANCE * max(1.0, float(np.abs(joined).max()))
    return [0 * part if is_alike else (part - joined.mean()) / scale for part in known]


def _ranks(scores: Sequence[Floats], size: int) -> Ints:
    """Place of each node of the source in the order of how well the others match it, the best first."""
    if not scores:
        return np.arange(size)
    best_matches = np.sum([pair.max(axis=1) for pair in scores], axis=0)
    ranks = np.empty(size, np.int64)
    ranks[np.argsort(levels(best_matches), kind="stable")] = np.arange(size)
    return ranks


def starts(weigher: PartWeigher, source: Subgraph, own: Floats, ranks: Ints) -> list[int]:
    """Nodes of the source, those first whose surroundings weigh the most.

    Args:
        weigher: Weighs surroundings.
        source: The source.
        own: What each node adds to the margin, as the weigher takes it.
        ranks: Their order where these tie.
    """
    order = np.lexsort((ranks, levels(own))).tolist()
    place = {node: position for position, node in enumerate(order)}
    looked_at = order[: weigher.counter.affordable(MAX_STARTS)]
    weights = {}
    for node in looked_at:
        # Of a hub's neighbours, those that carry the most.
        neighbours = sorted(source.neighbours[node], key=place.__getitem__)[: MAX_NODES_AROUND - 1]
        weights[node] = weigher.weigh(source.within([node, *neighbours])).weight
    in_order = best_first(looked_at, weights.__getitem__, then=lambda node: ranks[node])
    return [*in_order, *order[len(looked_at) :]]


def _consensus(common: CommonPatterns, nodes: Sequence[int], ranks: Ints) -> tuple[Consensus | None, int]:
    """The consensus from the first start that has more than one node, or else any, and that start."""
    fallback: tuple[Consensus | None, int] = None, -1
    for start in nodes:
        grown = common.largest(start, ranks, max_calls=GROW_CALLS)
        if grown is not None and len(grown.pattern) > 1:
            return grown, start
        if fallback[0] is None:
            fallback = grown, start
    return fallback


def _averaged(aligned: Matches, carried: Sequence[Floats]) -> Floats:
    """Standard contributions of the source's nodes, those of the consensus averaged over their counterparts."""
    result = carried[0].copy()
    for node, counterparts in aligned.items():
        result[node] = np.mean([part[other] for part, other in zip(carried, counterparts, strict=True)])
    return result


# ---- what is said of it ----------------------------------------------------------------------------------------------


def _contributions(rows: Sequence[tuple[int, ...]], contributions: Sequence[Floats] | None) -> tuple[float, ...]:
    """Mean over the k graphs of what each node and its counterparts contribute."""
    if contributions is None:
        return ()
    return tuple(float(np.mean([part[n] for part, n in zip(contributions, row, strict=True)])) for row in rows)


def _contribution_share(rows: Sequence[tuple[int, ...]], contributions: Sequence[Floats] | None) -> float | None:
    """Mean over the k graphs of the share that the nodes have in all nodes' contributions.

    ``None`` where it is not known, or contributions do not add up to something positive.
    """
    totals = [float(part.sum()) for part in contributions or ()]
    if contributions is None or min(totals) <= 0:
        return None
    columns = np.array(rows).T
    shares = [part[nodes].sum() / total for part, nodes, total in zip(contributions, columns, totals, strict=True)]
    return float(np.mean(shares))


def _steps(
    fitted: FittedClass,
    graphs: SessionGraphs,
    start: int,
    consensus: Consensus,
    trimmed: WeighedPart,
    occurrence: Occurrence,
    closed: Subgraph,
) -> tuple[str, ...]:
    """What was done, a sentence a step."""
    positions = [fitted.position(index) for index in graphs.indices]
    share = consensus.size / consensus.bound if consensus.bound else 1.0
    known = f"the largest known, at least {share:.0%} of what any can be"
    proven = "proven to be the largest" if consensus.is_exact else known
    inside, outside = occurrence.shares
    evidence = f"found in {inside:.1%} of the cluster's graphs looked at"
    if occurrence.outside.size:
        evidence += f" and {outside:.1%} of the others ({occurrence.information:.2f} bits)"
    if graphs.contributions is not None:
        evidence += f"; its nodes add {trimmed.excess:.1f} standard errors more to the margin than any nodes do"
    closing = "nothing more belongs to all of those graphs of the cluster and to the class"
    if closed != trimmed.pattern:
        closing = f"closed to {_size(closed)}: what all of those graphs of the cluster have besides"
    return (
        f"the consensus of graphs {', '.join(map(str, positions))} around node {start} of graph "
        f"{positions[0]} has {_size(consensus.pattern)} ({proven})",
        f"trimmed to {_size(trimmed.pattern)}: {evidence}",
        closing,
    )


def _size(pattern: Subgraph) -> str:
    return f"{count_of(len(pattern.nodes), 'node')} and {count_of(len(pattern.edges), 'edge')}"
