"""Phase 2 of our own: sessions over graphs of a cluster, and a vote between what they have come to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from protograph._base.arrays import Ints
from protograph._base.ties import best
from protograph.page.candidate import NoPrototypeError
from protograph.page.clustering import Cluster, canonical_order
from protograph.page.consensus.contributions import LinearHead
from protograph.page.consensus.counting import Population, population_of, spread
from protograph.page.consensus.session import ConsensusCandidate, run_sessions
from protograph.page.consensus.session_graphs import SessionGraphs, chosen_graphs, session_graphs
from protograph.page.fitted import FittedClass
from protograph.page.options import ConsensusOptions, SearchOptions
from protograph.patterns.subgraph_isomorphism import is_isomorphic

# Of more graphs, too many embeddings lie so close to each other that last digits decide their order.
_MOST_ORDERED = 20_000


@dataclass(frozen=True, eq=False)
class ConsensusSearch:
    """What the sessions of a cluster have come to.

    Attributes:
        candidates: A candidate of each session; sessions without any common node are left out.
        notes: What was given up, a sentence each.
        seconds: How long some of the stages took.
    """

    candidates: list[ConsensusCandidate]
    notes: tuple[str, ...]
    seconds: Mapping[str, float]


def consensus_candidates(
    fitted: FittedClass, cluster: Cluster, options: SearchOptions, head: LinearHead | None
) -> ConsensusSearch:
    """Run all sessions of a cluster."""
    # Representatives that were given are no cluster: their patterns are counted in the whole class.
    predictions = fitted.embedded.predictions
    members = np.array(cluster.members) if cluster.distances else np.flatnonzero(predictions == fitted.target)
    are_alike = "alike" not in options.without
    chosen = chosen_graphs(fitted, cluster, options.budget, are_alike=are_alike)
    population = population_of(
        fitted.encoded,
        members if members.size else np.array(cluster.members),
        _others(fitted, options.consensus.max_counted),
        [index for graphs in chosen for index in graphs],
        options.consensus,
    )
    sessions = session_graphs(fitted, chosen, head, options.consensus)
    if "margin" in options.without:
        sessions = [replace(session, contributions=None) for session in sessions]
    candidates = run_sessions(sessions, population, fitted.judge, fitted.target, options, fitted.session_done)
    if not candidates:
        raise NoPrototypeError(
            f"no nodes of its graphs {[*map(fitted.position, chosen[0])]} have equal features; "
            f"pass match_features=False or a tolerance"
        )
    return ConsensusSearch(candidates, _given_up(sessions, population, options.consensus), population.seconds)


def _given_up(sessions: Sequence[SessionGraphs], population: Population, options: ConsensusOptions) -> tuple[str, ...]:
    """What was not done for its being too much, a sentence each."""
    notes, store = [], population.store
    if store.num_given_up:
        notes.append(
            f"{store.num_given_up:,} of {store.num_asked:,} times that a graph was searched for a pattern, "
            f"{options.count_calls:,} placed nodes did not decide; the graph counts as one without"
        )
    if not all(session.is_whole for session in sessions):
        notes.append(
            f"of graphs with more than {options.max_graph_nodes:,} nodes, the search looked at those around the node "
            f"that adds the most to the margin; patterns were counted in whole graphs"
        )
    if not all(session.are_contributions_exact for session in sessions):
        is_known = all(session.contributions is not None for session in sessions)
        how = "was estimated by gradients" if is_known else "is not known, the readout being no sum or mean"
        notes.append(f"what nodes add to the margin {how}: to leave each out in turn would take too long")
    return tuple(notes)


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


def _others(fitted: FittedClass, most: int) -> Ints:
    """The graphs predicted as another class, ordered by their embeddings, so that samples know no other order.

    Of more than ``most``, so many, evenly spaced; more than ``_MOST_ORDERED`` keep the order in which they came.
    """
    others = spread(np.flatnonzero(fitted.embedded.predictions != fitted.target), most)
    if not others.size or others.size > _MOST_ORDERED:
        return others
    order, _ = canonical_order(fitted.embedded.graph_embeddings[others], fitted.resolution)
    return others[order]
