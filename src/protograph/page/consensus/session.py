"""The consensus search: one session a group of k representatives, and the class's evidence decides between them.

A session finds where in its source the class shows best, grows the consensus of its k graphs from there, trims that to
what belongs to the class and closes it. The representatives nearest the mean are one draw; a molecule among them that
the model has wrong, or that is typical in all but the point, must not decide. So there are several groups, each of a
graph near the mean and those that the model sees most like it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph.graphs.encoding import EncodedGraphs
from protograph.page.consensus.counting import Found, PatternCounter, spread
from protograph.page.consensus.trimming import Closing, Scales, Surroundings, Weighed, trim
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Floats, Scorer
from protograph.patterns.agreement import Agreement, MatchFeatures
from protograph.patterns.common import CommonGround, Consensus, Pattern
from protograph.patterns.wholes import MAX_EDGES, MAX_NODES, units_of

Ints = NDArray[np.int64]
# Graphs that parts are counted in while searching, of the cluster and of the others; for the start; and for closing and
# to compare sessions.
SAMPLE, START_SAMPLE, LARGE_SAMPLE = 200, 50, 1000
# Nodes of the source that are looked at as starts: those that carry the most of the margin.
MAX_STARTS = 40


@dataclass(frozen=True, kw_only=True)
class Group:
    """k representatives of a cluster, nearest the mean first, and what the model makes of their nodes.

    Attributes:
        indices: Which graphs they are.
        graphs: The graphs.
        embeddings: Their nodes' embeddings.
        contributions: Their nodes' contributions to the class margin; ``None`` where they are not known.
    """

    indices: tuple[int, ...]
    graphs: Sequence[Data]
    embeddings: Sequence[Floats]
    contributions: Sequence[Floats] | None


@dataclass(frozen=True, kw_only=True)
class Population:
    """Where patterns are counted.

    Attributes:
        encoded: All graphs.
        cluster: Indices of the cluster's graphs.
        others: Indices of the graphs predicted as another class.
    """

    encoded: EncodedGraphs
    cluster: Ints
    others: Ints

    def counter(self, source: int, sample: int, outside: int | None = None) -> PatternCounter:
        """A counter of the patterns of a source in samples of so many graphs."""
        others = spread(self.others, sample if outside is None else outside)
        return PatternCounter(self.encoded, source, spread(self.cluster, sample), others)


@dataclass(frozen=True, kw_only=True, eq=False)
class Proposal:
    """What a session found.

    Attributes:
        indices: The k graphs, the source first.
        start: The start, a node of each of them.
        pattern: The pattern, in the source.
        matches: For each of its nodes the counterparts in the k graphs, itself first.
        contributions: Mean contribution of each of its nodes and their counterparts to the margin; empty where it is
            not known.
        contribution_share: Mean over the k graphs of the share that its nodes have in all nodes' contributions;
            ``None`` where it is not known, or they do not add up to something positive.
        consensus: What it was trimmed from.
        trimmed: What was left before it was closed.
        found: Which graphs of larger samples contain that.
        num_weighed: How many parts were weighed.
    """

    indices: tuple[int, ...]
    start: tuple[int, ...]
    pattern: Pattern
    matches: dict[int, tuple[int, ...]]
    contributions: dict[int, float]
    contribution_share: float | None
    consensus: Consensus
    trimmed: Weighed
    found: Found
    num_weighed: int

    @property
    def weight(self) -> float:
        """By which sessions are compared; what carries the class counts for more here than within a session."""
        return self.found.information * (1 + max(0.0, self.trimmed.excess) ** 2)

    def steps(self) -> tuple[str, ...]:
        """What was done, a sentence a step."""
        graphs = ", ".join(map(str, self.indices))
        proven = "proven to be worth the most" if self.consensus.is_exact else "the best found, not proven"
        inside, outside = self.found.shares
        told = f"found in {inside:.1%} of the cluster's graphs looked at"
        if self.found.outside.size:
            told += f" and {outside:.1%} of the others ({self.found.information:.2f} bits)"
        if self.contributions:
            told += f"; its nodes add {self.trimmed.excess:.1f} standard errors more to the margin than any nodes do"
        closed = "nothing more belongs to all of those graphs of the cluster and to the class"
        if self.pattern != self.trimmed.pattern:
            closed = f"closed to {_size(self.pattern)}: what all of those graphs of the cluster have besides"
        return (
            f"the consensus of graphs {graphs} around node {self.start[0]} of graph {self.indices[0]} has "
            f"{_size(self.consensus.pattern)} ({proven})",
            f"trimmed to {_size(self.trimmed.pattern)}: {told}",
            closed,
        )


def run_session(
    group: Group,
    population: Population,
    judge: Callable[[Sequence[Pattern]], Sequence[float]],
    *,
    match_features: MatchFeatures = True,
    match_edges: bool = False,
    max_nodes: int | None = None,
    resolution: float = 1e-13,
) -> Proposal | None:
    """Search one group of k graphs; ``None`` where no node of the source is common to them.

    Args:
        group: The k graphs.
        population: Where patterns are counted.
        judge: Says of patterns of the source how far the class leads all others, above 0 if it is predicted.
        match_features: Which nodes may stand for each other.
        match_edges: Whether edges must have equal attributes.
        max_nodes: Most nodes of the pattern.
        resolution: Relative precision of the embeddings.
    """
    ground = CommonGround(group.graphs, match_features, match_edges=match_edges)
    pairs = pair_scores(group, match_features, resolution)
    means, scale = _standard(group.contributions)
    own = np.zeros(int(ground.sizes[0])) if means is None else means[0] / scale
    scores, tolerance = [pair.whole() for pair in pairs], max((pair.tolerance for pair in pairs), default=0.0)
    consensus, start = _consensus(group, population, ground, _ranks(scores, len(own)), own)
    if consensus is None:
        return None
    aligned = ground.align(consensus.pattern, scores, tolerance)
    scales = Scales(population.counter(group.indices[0], SAMPLE), _averaged(aligned, means, scale, own))
    near = consensus.pattern.around(start, MAX_NODES, MAX_EDGES)
    units = units_of(near, scales.counter.labels)
    surroundings = Surroundings(ground, scales.counter.labels, start)
    trimmed = trim(near, units, scales, max_nodes, surroundings)
    counter = population.counter(group.indices[0], LARGE_SAMPLE, SAMPLE)
    path = Closing(ground, near, units, counter, max_nodes).close(trimmed.pattern)
    pattern = _largest_of_the_class(path, judge(path))
    matches = ground.align(pattern, scores, tolerance)
    return Proposal(
        indices=group.indices,
        start=aligned[start],
        pattern=pattern,
        matches=matches,
        contributions=_contributions(matches, group.contributions),
        contribution_share=_contribution_share(matches, group.contributions),
        consensus=consensus,
        trimmed=trimmed,
        found=population.counter(group.indices[0], LARGE_SAMPLE).count(trimmed.pattern),
        num_weighed=scales.num_weighed,
    )


def _largest_of_the_class(path: Sequence[Pattern], margins: Sequence[float]) -> Pattern:
    """The last pattern of the path that the model predicts as the class; the last of all where there is none."""
    predicted = [pattern for pattern, margin in zip(path, margins, strict=True) if margin > 0]
    return (predicted or path)[-1]


def pair_scores(group: Group, match_features: MatchFeatures, resolution: float) -> list[Matching]:
    """Matching scores of the source's nodes with those of each other graph (paper, Section 4.2.1, for two graphs)."""
    first, first_nodes = group.graphs[0], group.embeddings[0]
    return [
        Matching(Scorer([first_nodes, nodes]), Agreement([first, graph], match_features), resolution)
        for graph, nodes in zip(group.graphs[1:], group.embeddings[1:], strict=True)
    ]


def _consensus(
    group: Group, population: Population, ground: CommonGround, ranks: Ints, own: Floats
) -> tuple[Consensus | None, int]:
    """The consensus from the best start that has more than one node, or else any, and that start."""
    best: tuple[Consensus | None, int] = None, -1
    for start in _starts(population.counter(group.indices[0], START_SAMPLE), ground.whole, own, ranks):
        found = ground.largest(start, np.maximum(own, 0.0) if own.any() else None, ranks)
        if found is not None and len(found.pattern) > 1:
            return found, start
        if best[0] is None:
            best = found, start
    return best


def _starts(counter: PatternCounter, whole: Pattern, own: Floats, ranks: Ints) -> list[int]:
    """Nodes of the source, those first whose surroundings weigh the most."""
    order = np.lexsort((ranks, -own.round(9)))
    scales = Scales(counter, own)
    count = counter.affordable(MAX_STARTS)
    weights = {
        node: scales.weigh(whole.within({node} | whole.neighbours[node])).weight for node in order[:count].tolist()
    }
    best_first = sorted(weights, key=lambda node: (-round(weights[node], 9), ranks[node]))
    return [*best_first, *order[count:].tolist()]


def _ranks(scores: Sequence[Floats], size: int) -> Ints:
    """Place of each node of the source in the order of how well the others match it, the best first."""
    if not scores:
        return np.arange(size)
    best = sum(pair.max(axis=1) for pair in scores)
    order = np.argsort(-np.nan_to_num(np.round(best, 9), neginf=-1e300), kind="stable")
    ranks = np.empty(size, np.int64)
    ranks[order] = np.arange(size)
    return ranks


def _standard(contributions: Sequence[Floats] | None) -> tuple[list[Floats] | None, float]:
    """Contributions above the mean of all nodes of the group, and their standard deviation."""
    if contributions is None:
        return None, 1.0
    together = np.concatenate(list(contributions))
    scale = float(together.std())
    if scale <= 1e-9 * max(1.0, float(np.abs(together).max())):
        return None, 1.0
    return [part - float(together.mean()) for part in contributions], scale


def _averaged(aligned: dict[int, tuple[int, ...]], means: Sequence[Floats] | None, scale: float, own: Floats) -> Floats:
    """Standard contributions of the source's nodes, those of the consensus averaged over their counterparts."""
    result = own.copy()
    for node, counterparts in aligned.items():
        if means is not None:
            result[node] = np.mean([part[other] for part, other in zip(means, counterparts, strict=True)]) / scale
    return result


def _contributions(matches: dict[int, tuple[int, ...]], contributions: Sequence[Floats] | None) -> dict[int, float]:
    if contributions is None:
        return {}
    return {
        node: float(np.mean([part[other] for part, other in zip(contributions, row, strict=True)]))
        for node, row in matches.items()
    }


def _contribution_share(matches: dict[int, tuple[int, ...]], contributions: Sequence[Floats] | None) -> float | None:
    totals = [float(part.sum()) for part in contributions or ()]
    if not totals or min(totals) <= 0:
        return None
    counterparts = np.array(list(matches.values())).T
    shares = [
        part[others].sum() / total
        for part, others, total in zip(contributions or (), counterparts, totals, strict=True)
    ]
    return float(np.mean(shares))


def _size(pattern: Pattern) -> str:
    nodes, edges = len(pattern.nodes), len(pattern.edges)
    return f"{nodes} node{'s' * (nodes != 1)} and {edges} edge{'s' * (edges != 1)}"
