"""Phase 2 of our own: sessions over graphs of a cluster, and a vote between what they have come to."""

from collections.abc import Sequence

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph._base.ties import best
from protograph.page.candidate import NoPrototypeError
from protograph.page.clusters.selection import Cluster, canonical_order
from protograph.page.consensus.counting import Population
from protograph.page.consensus.session import ConsensusCandidate, run_sessions
from protograph.page.consensus.session_graphs import chosen_graphs, session_graphs
from protograph.page.fitted import FittedClass
from protograph.page.options import SearchOptions
from protograph.patterns.isomorphism import is_isomorphic


def consensus_candidates(
    fitted: FittedClass, cluster: Cluster, options: SearchOptions, head: Floats | None
) -> list[ConsensusCandidate]:
    """What each session has come to; those without any common node are left out."""
    # Representatives that were given are no cluster: their patterns are counted in the whole class.
    predictions = fitted.embedded.predictions
    members = np.array(cluster.members) if cluster.distances else np.flatnonzero(predictions == fitted.target)
    population = Population(
        encoded=fitted.encoded,
        cluster=members if members.size else np.array(cluster.members),
        others=_others(fitted),
        options=options.consensus,
    )
    chosen = chosen_graphs(fitted, cluster, options.budget, options.consensus.pool)
    sessions = session_graphs(fitted, chosen, head)
    candidates = run_sessions(sessions, population, fitted.judge, fitted.target, options, fitted.session_done)
    if not candidates:
        raise NoPrototypeError(
            f"no nodes of its graphs {[*map(fitted.position, chosen[0])]} have equal features; "
            f"pass match_features=False or a tolerance"
        )
    return candidates


def heaviest(candidates: Sequence[ConsensusCandidate]) -> ConsensusCandidate:
    """The heaviest candidate for the pattern whose candidates weigh the most in sum; of ties the first.

    Sessions that arrive at the same pattern speak for it with one voice.
    """
    patterns: list[list[ConsensusCandidate]] = []
    for candidate in candidates:
        same = next((alike for alike in patterns if is_isomorphic(alike[0].encoded, candidate.encoded)), None)
        if same is None:
            patterns.append([candidate])
        else:
            same.append(candidate)
    heaviest_pattern = best(patterns, _joint_weight)
    return best(heaviest_pattern, lambda candidate: candidate.weight)


def _joint_weight(candidates: Sequence[ConsensusCandidate]) -> float:
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
