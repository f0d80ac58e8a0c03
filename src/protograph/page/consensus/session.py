"""One session of the consensus search: what k graphs have in common, trimmed to what belongs to the class.

A session finds where in its source the class shows best, grows the consensus of its k graphs from there, trims that to
what belongs to the class and closes it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.progress import timed
from protograph._base.ties import TOLERANCE, best_first, levels
from protograph._base.words import count_of
from protograph.explanation import Session
from protograph.graphs.encoding import EncodedGraph
from protograph.models.predictions import Judge, Verdict
from protograph.page.candidate import Candidate
from protograph.page.consensus.closing import Closing
from protograph.page.consensus.counting import Occurrence, Population, SourcePatterns
from protograph.page.consensus.session_graphs import SessionGraphs
from protograph.page.consensus.trimming import Surroundings, trim
from protograph.page.consensus.weighing import PartWeigher, WeighedPart, weight_of
from protograph.page.options import SearchOptions, Step
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Scorer
from protograph.patterns.common_subgraph import CommonPatterns, Consensus
from protograph.patterns.joint import JointGraphs, MatchFeatures, are_matched_by_kind
from protograph.patterns.pattern import Subgraph
from protograph.patterns.rings import edges_of, wholes_of

Matches = dict[int, tuple[int, ...]]
# Weights that differ by this share are no tie.
_CLEARLY = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class ConsensusCandidate(Candidate):
    """What a session has come to.

    Attributes:
        encoded: The pattern as the engine reads it.
        weight: By which sessions are compared; what carries the class counts for more here than within a session.
    """

    encoded: EncodedGraph
    weight: float


def run_sessions(
    sessions: Sequence[SessionGraphs],
    population: Population,
    judge: Judge,
    target: int,
    options: SearchOptions,
    session_done: Callable[[], object] = lambda: None,
) -> list[ConsensusCandidate]:
    """Search the k graphs of each session; those without a node that is common to them are left out.

    Args:
        sessions: The k graphs of each session, the source first.
        population: Where patterns are counted.
        judge: The model; it is asked once for what all sessions have come to.
        target: The class.
        options: How to search.
        session_done: Called after each session.
    """
    outcomes: list[_Outcome] = []
    for graphs in sessions:
        outcome = _searched(graphs, population, options)
        outcomes += [] if outcome is None else [outcome]
        session_done()
    shown = [one.cut_out(outcome.graphs.sources[0].graph) for outcome in outcomes for one in outcome.path]
    judgement, first, candidates = judge(shown, target) if shown else None, 0, list[ConsensusCandidate]()
    for outcome in outcomes:
        assert judgement is not None
        last = first + len(outcome.path)
        leads = judgement.leads[first:last]
        at = len(leads) - 1 if "model" in options.without else _largest_of_the_class(leads)
        candidates.append(_candidate(outcome, outcome.path[at], shown[first + at], judgement.of_one(first + at)))
        first = last
    return candidates


def _searched(graphs: SessionGraphs, population: Population, options: SearchOptions) -> "_Outcome | None":
    """Search the k graphs of one session; ``None`` where no node of the source is common to them."""
    tuning, source = options.consensus, SourcePatterns(population.store, graphs.encoded[0])
    common = _common_patterns(graphs, options)
    alignment = _Alignment.of(common, graphs, options.match_features)
    means, scale = _standard(graphs.contributions)
    own = np.zeros(common.sizes[0]) if means is None else means[0] / scale
    ranks = _ranks(alignment.scores, own.size)
    weigher_of = partial(PartWeigher, is_informed="information" not in options.without)
    starts = _starts(weigher_of(population.counter(source, tuning.start_sample), own), common.source, own, ranks)
    with timed(population.seconds, "growing"):
        worth = np.zeros_like(own) if "worth" in options.without else own
        consensus, start = _consensus(common, starts, ranks, worth, tuning.grow_calls)
    if consensus is None:
        return None
    aligned = alignment.matches(consensus.pattern)
    weigher = weigher_of(population.counter(source, tuning.sample), _averaged(aligned, means, scale, own))
    near = consensus.pattern.around(start, tuning.max_nodes_around, tuning.max_edges_around)
    divided = edges_of if "wholes" in options.without else wholes_of
    wholes = divided(near, weigher.counter.kinds)
    is_common = _commonness(common, source, graphs, options.match_features, population)
    surroundings = Surroundings(common, weigher.counter.kinds, start, tuning, is_common, divided)
    counter = population.counter(source, tuning.large_sample, tuning.sample)
    closing = Closing(common, near, wholes, counter, options.max_nodes, tuning, is_common)
    with timed(population.seconds, "trimming"):
        trimmed = trim(near, wholes, weigher, options.max_nodes, surroundings, tuning)
        path = closing.close(trimmed.pattern)
    occurrence = population.counter(source, tuning.large_sample).count(trimmed.pattern)
    return _Outcome(
        graphs=graphs,
        alignment=alignment,
        consensus=consensus,
        start=aligned[start],
        trimmed=trimmed,
        occurrence=occurrence,
        weight=_session_weight(occurrence.information, trimmed.excess, options.without),
        num_weighed=weigher.num_weighed,
        path=path,
    )


def _common_patterns(graphs: SessionGraphs, options: SearchOptions) -> CommonPatterns:
    if are_matched_by_kind(options.match_features):
        return CommonPatterns.of_encoded(graphs.encoded)
    return CommonPatterns(graphs.graphs, options.match_features, match_edges=options.match_edges)


def _commonness(
    common: CommonPatterns,
    patterns: SourcePatterns,
    graphs: SessionGraphs,
    match_features: MatchFeatures,
    population: Population,
) -> Callable[[Subgraph], bool]:
    """Tells whether all k graphs have a pattern.

    That is what counting asks of them too, if it tells nodes apart as the search does.
    """
    if not graphs.is_whole or not are_matched_by_kind(match_features):
        return common.is_common
    others = population.numbers_here(graphs.indices[1:])

    def is_common(pattern: Subgraph) -> bool:
        answers = patterns.answers(pattern, others)
        if (answers == 0).any():
            return False
        return bool((answers > 0).all()) or common.is_common(pattern)

    return is_common


@dataclass(frozen=True, eq=False)
class _Alignment:
    """How the patterns of the k graphs lie in each of them."""

    common: CommonPatterns
    scores: Sequence[Floats]
    tolerance: float
    _aligned: dict[Subgraph, Matches] = field(default_factory=dict)

    @classmethod
    def of(cls, common: CommonPatterns, graphs: SessionGraphs, match_features: MatchFeatures) -> "_Alignment":
        pairs = pair_scores(graphs, match_features)
        tolerance = max((pair.tolerance for pair in pairs), default=0.0)
        return cls(common, [pair.block(pair.scorer.everything) for pair in pairs], tolerance)

    def matches(self, pattern: Subgraph) -> Matches:
        if pattern not in self._aligned:
            self._aligned[pattern] = self.common.align(pattern, self.scores, self.tolerance)
        return self._aligned[pattern]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Outcome:
    """What a session has come to, before the model is asked, and what led to it.

    Attributes:
        graphs: The k graphs.
        alignment: How patterns lie in them.
        consensus: What they have in common.
        start: Where it grew from, in each of the k graphs.
        trimmed: The part of it that belongs to the class.
        occurrence: Which graphs contain that part.
        weight: By which sessions are compared.
        num_weighed: How many parts were weighed.
        path: That part, and what it was closed to, step by step.
    """

    graphs: SessionGraphs
    alignment: _Alignment
    consensus: Consensus
    start: tuple[int, ...]
    trimmed: WeighedPart
    occurrence: Occurrence
    weight: float
    num_weighed: int
    path: list[Subgraph]

    def steps(self, pattern: Subgraph) -> tuple[str, ...]:
        """What was done, a sentence a step."""
        graphs, start = self.graphs, int(self.graphs.sources[0].nodes[self.start[0]])
        share = self.consensus.worth / self.consensus.bound if self.consensus.bound else 1.0
        known = f"the best one known, worth at least {share:.0%} of what any can be"
        proven = "proven to be worth the most" if self.consensus.is_exact else known
        inside, outside = self.occurrence.shares
        evidence = f"found in {inside:.1%} of the cluster's graphs looked at"
        if self.occurrence.outside.size:
            evidence += f" and {outside:.1%} of the others ({self.occurrence.information:.2f} bits)"
        if graphs.contributions is not None:
            evidence += (
                f"; its nodes add {self.trimmed.excess:.1f} standard errors more to the margin than any nodes do"
            )
        closed = "nothing more belongs to all of those graphs of the cluster and to the class"
        if pattern != self.trimmed.pattern:
            closed = f"closed to {_size(pattern)}: what all of those graphs of the cluster have besides"
        return (
            f"the consensus of graphs {', '.join(map(str, graphs.positions))} around node {start} of graph "
            f"{graphs.positions[0]} has {_size(self.consensus.pattern)} ({proven})",
            f"trimmed to {_size(self.trimmed.pattern)}: {evidence}",
            closed,
        )


def _candidate(outcome: _Outcome, pattern: Subgraph, graph: Data, verdict: Verdict) -> ConsensusCandidate:
    """The candidate, its nodes numbered as in the user's graphs."""
    graphs, matches, nodes = outcome.graphs, outcome.alignment.matches(pattern), sorted(pattern.nodes)
    numbers = [source.nodes for source in graphs.sources]
    rows = [[int(own[node]) for own, node in zip(numbers, matches[n], strict=True)] for n in nodes]
    session = Session(
        start=tuple(int(own[node]) for own, node in zip(numbers, outcome.start, strict=True)),
        probability=verdict.probability,
        margin=verdict.margin,
        size=len(pattern),
        source=graphs.indices[0],
        stopped="consensus",
        num_iterations=outcome.num_weighed,
        is_exact=outcome.consensus.is_exact and graphs.is_whole,
    )
    return ConsensusCandidate(
        graph=graph,
        sources=graphs.indices,
        source=graphs.indices[0],
        nodes=tuple(row[0] for row in rows),
        matches=torch.tensor(rows),
        session=session,
        predicted=verdict.predicted,
        contributions=_contributions([matches[node] for node in nodes], graphs.contributions),
        contribution_share=_contribution_share(list(matches.values()), graphs.contributions),
        steps=outcome.steps(pattern),
        encoded=pattern.encoded(graphs.encoded[0]),
        weight=outcome.weight,
    )


def _largest_of_the_class(leads: Floats) -> int:
    """The last of a path that the model predicts as the class, the last of all where there is none."""
    predicted = np.flatnonzero(leads > 0)
    return int(predicted[-1]) if predicted.size else len(leads) - 1


def pair_scores(graphs: SessionGraphs, match_features: MatchFeatures) -> list[Matching]:
    """Matching scores of the source's nodes with those of each other graph (paper, Section 4.2.1, for two graphs)."""
    own, *rest = graphs.embeddings
    if are_matched_by_kind(match_features):
        joint = [JointGraphs.of_encoded([graphs.encoded[0], other]) for other in graphs.encoded[1:]]
    else:
        joint = [JointGraphs([graphs.graphs[0], other], match_features) for other in graphs.graphs[1:]]
    return [Matching(Scorer([own, nodes]), pair, graphs.resolution) for nodes, pair in zip(rest, joint, strict=True)]


def _consensus(
    common: CommonPatterns, starts: Iterable[int], ranks: Ints, own: Floats, max_calls: int
) -> tuple[Consensus | None, int]:
    """The consensus from the best start that has more than one node, or else any, and that start."""
    fallback: tuple[Consensus | None, int] = None, -1
    for start in starts:
        grown = common.largest(start, np.maximum(own, 0.0) if own.any() else None, ranks, max_calls=max_calls)
        if grown is not None and len(grown.pattern) > 1:
            return grown, start
        if fallback[0] is None:
            fallback = grown, start
    return fallback


def _starts(weigher: PartWeigher, source: Subgraph, own: Floats, ranks: Ints) -> Iterator[int]:
    """Nodes of the source, those first whose surroundings weigh the most; only what is asked for is weighed."""
    order = np.lexsort((ranks, levels(own))).tolist()
    counter = weigher.counter
    most = counter.affordable(counter.options.max_starts)
    place = {node: position for position, node in enumerate(order)}
    room = counter.options.max_nodes_around - 1  # of a hub's neighbours, those that carry the most
    around = {
        node: frozenset([node, *sorted(source.neighbours[node], key=place.__getitem__)[:room]]) for node in order[:most]
    }
    weights: dict[int, float] = {}
    first = -1
    # No part tells more than one bit: once the heaviest is above all that are to come, it is known.
    bounds = {node: weight_of(1.0, weigher.excess(nodes)) for node, nodes in around.items()}
    for node in sorted(around, key=lambda node: -bounds[node]):
        if weights and bounds[node] < max(weights.values()) - _CLEARLY * bounds[node] and first < 0:
            first = best_first(weights, weights.__getitem__, then=lambda node: ranks[node])[0]
            yield first
        weights[node] = weigher.weigh(source.within(around[node])).weight
    in_order = best_first(order[:most], weights.__getitem__, then=lambda node: ranks[node])
    yield from (node for node in [*in_order, *order[most:]] if node != first)


def _ranks(scores: Sequence[Floats], size: int) -> Ints:
    """Place of each node of the source in the order of how well the others match it, the best first."""
    if not scores:
        return np.arange(size)
    best = np.sum([pair.max(axis=1) for pair in scores], axis=0)
    ranks = np.empty(size, np.int64)
    ranks[np.argsort(levels(best), kind="stable")] = np.arange(size)
    return ranks


def _session_weight(bits: float, excess: float, without: frozenset[Step]) -> float:
    """What a session's part weighs beside those of others; what carries the class counts for more than within one."""
    told = 1.0 if "information" in without else bits
    carried = max(0.0, excess)
    return told * (1 + (carried if "square" in without else carried**2))


def _standard(contributions: Sequence[Floats] | None) -> tuple[list[Floats] | None, float]:
    """Contributions above the mean of all nodes of the k graphs, and their standard deviation."""
    if contributions is None:
        return None, 1.0
    joined = np.concatenate(list(contributions))
    scale = float(joined.std())
    if scale <= TOLERANCE * max(1.0, float(np.abs(joined).max())):
        return None, 1.0
    return [part - float(joined.mean()) for part in contributions], scale


def _averaged(aligned: Matches, means: Sequence[Floats] | None, scale: float, own: Floats) -> Floats:
    """Standard contributions of the source's nodes, those of the consensus averaged over their counterparts."""
    result = own.copy()
    for node, counterparts in aligned.items():
        if means is not None:
            result[node] = np.mean([part[other] for part, other in zip(means, counterparts, strict=True)]) / scale
    return result


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


def _size(pattern: Subgraph) -> str:
    return f"{count_of(len(pattern.nodes), 'node')} and {count_of(len(pattern.edges), 'edge')}"
