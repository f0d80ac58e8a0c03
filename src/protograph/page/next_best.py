"""Patterns that sessions came to and that were not taken as the prototype."""

from protograph.explanation.survey import NextBest
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.merging import ClusterResult
from protograph.patterns.subgraph_isomorphism import is_isomorphic

# Patterns that are kept.
MOST = 3


def next_best(result: ClusterResult, encoded: EncodedGraphs) -> tuple[NextBest, ...]:
    """The other patterns of a cluster's sessions, each once, by their margin."""
    known = [encoded.encode(result.candidate.graph)]
    others = sorted(result.others, key=lambda one: -one.session.margin)
    kept = list[NextBest]()
    for candidate in others:
        own = encoded.encode(candidate.graph)
        if len(kept) < MOST and not any(is_isomorphic(own, other) for other in known):
            known.append(own)
            session = candidate.session
            kept.append(NextBest(graph=candidate.graph, probability=session.probability, margin=session.margin))
    return tuple(kept)
