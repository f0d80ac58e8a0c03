"""Phase 2 of our own: what k representatives have in common, trimmed to what belongs to the class."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.explainer import content_key
from protograph.explanation.explanation import Session
from protograph.graphs.cutting import induced_subgraph, with_edges
from protograph.graphs.encoding import EncodedGraphs, GraphArrays
from protograph.models.outputs import log_scores, margins, probabilities
from protograph.page.clusters.mixture import scaled
from protograph.page.clusters.selection import Cluster, canonical_order
from protograph.page.consensus.contributions import node_contributions
from protograph.page.consensus.counting import PatternCounter
from protograph.page.consensus.session import Group, Ints, Population, Proposal, run_session
from protograph.page.subject import Draft, NoPrototypeError, Subject
from protograph.page.walk.search import SearchOptions
from protograph.patterns.common import Pattern

_NONE = np.zeros(0, np.int64)


def consensus_prototype(subject: Subject, cluster: Cluster, options: SearchOptions, max_nodes: int | None) -> Draft:
    """The prototype of a cluster: of the sessions' proposals, the one that weighs the most.

    Sessions that arrive at the same pattern speak for it together.
    """
    # Representatives that were given are no cluster: their patterns are counted in the whole class.
    is_given = not cluster.distances
    members = np.flatnonzero(subject.embedded.predictions == subject.target) if is_given else np.array(cluster.members)
    if not members.size:
        members = np.array(cluster.members)
    population = Population(encoded=subject.encoded(), cluster=members, others=_others(subject))
    groups = representative_groups(subject, cluster, options.budget)
    proposals = [
        run_session(
            group,
            population,
            partial(_leads, subject, group.graphs[0]),
            match_features=options.match_features,
            match_edges=options.match_edges,
            max_nodes=max_nodes,
            resolution=subject.classifier.resolution,
        )
        for group in _groups(subject, groups)
    ]
    found = [proposal for proposal in proposals if proposal is not None]
    if not found:
        raise NoPrototypeError(
            f"no nodes of its graphs {list(groups[0])} have equal features; pass match_features=False or a tolerance"
        )
    return _assembled(subject, _heaviest(found, subject.encoded()), found)


def _others(subject: Subject) -> Ints:
    """The graphs predicted as another class, ordered by their embeddings, so that samples know no other order."""
    others = np.flatnonzero(subject.embedded.predictions != subject.target)
    if not others.size:
        return others
    order, _ = canonical_order(subject.embedded.graph_embeddings[others], subject.classifier.resolution)
    return others[order]


def _heaviest(proposals: Sequence[Proposal], encoded: EncodedGraphs) -> Proposal:
    """The heaviest proposal for the pattern whose proposals weigh the most together; of ties the first."""
    from protograph.patterns.containment import is_isomorphic

    patterns: list[tuple[GraphArrays, list[Proposal]]] = []
    for proposal in proposals:
        arrays = PatternCounter(encoded, proposal.indices[0], _NONE, _NONE).encode(proposal.pattern)
        known = next((alike for other, alike in patterns if is_isomorphic(other, arrays)), None)
        if known is None:
            patterns.append((arrays, [proposal]))
        else:
            known.append(proposal)
    heaviest = max(patterns, key=lambda pattern: round(_together(pattern[1]), 9))[1]
    return max(heaviest, key=lambda proposal: round(proposal.weight, 9))


def _together(proposals: Sequence[Proposal]) -> float:
    """What proposals weigh together; those that speak against their class do not get worse by being many."""
    weights = [proposal.weight for proposal in proposals]
    return sum(weights) if max(weights) > 0 else max(weights)


def representative_groups(subject: Subject, cluster: Cluster, count: int) -> list[tuple[int, ...]]:
    """The k graphs nearest the mean; then the next nearest with the k - 1 that the model sees most like it, and so on.

    Partners are looked for among the ``3 * count * k`` graphs nearest the mean, no two with the same embedding, and no
    graph is in two groups.
    """
    k = len(cluster.representatives)
    pool = _different(subject, cluster, 3 * count * k)
    points = scaled(subject.embedded.graph_embeddings[sorted(cluster.members)], _grain(subject, cluster))
    place = {index: position for position, index in enumerate(sorted(cluster.members))}
    groups, free = [tuple(pool[:k])], pool[k:]
    while len(groups) < count and len(free) >= k:
        offsets = points[[place[index] for index in free]] - points[place[free[0]]]
        nearest = np.argsort((offsets**2).sum(axis=1).round(9), kind="stable")[:k]
        groups.append(tuple(free[n] for n in nearest))
        free = [index for index in free if index not in groups[-1]]
    return groups


def _different(subject: Subject, cluster: Cluster, count: int) -> list[int]:
    """The representatives, and the graphs next nearest the mean, no two with the same embedding."""
    chosen = list(cluster.representatives)
    embeddings, tolerance = subject.embedded.graph_embeddings, _grain(subject, cluster)
    members = np.array([index for index in cluster.members if index not in cluster.far])
    for index in members.tolist():
        if len(chosen) == count:
            break
        if np.abs(embeddings[chosen] - embeddings[index]).max(axis=1).min() > tolerance:
            twins = members[np.abs(embeddings[members] - embeddings[index]).max(axis=1) <= tolerance].tolist()
            # Of those that coincide the first by content, so that the order of the graphs never matters.
            chosen.append(min(twins, key=lambda i: (content_key(subject.store[i]), i)) if len(twins) > 1 else index)
    return chosen


def _grain(subject: Subject, cluster: Cluster) -> float:
    """Embeddings that differ by no more than this are equal."""
    near = [index for index in cluster.members if index not in cluster.far]
    scale = max(1e-300, float(np.abs(subject.embedded.graph_embeddings[near]).max()))
    return 4 * scale * max(1e-9, subject.classifier.resolution)


def _groups(subject: Subject, groups: Sequence[tuple[int, ...]]) -> list[Group]:
    """The groups' graphs with their nodes' embeddings and contributions, all embedded at once."""
    graphs = [subject.store[index] for indices in groups for index in indices]
    embedded = subject.classifier.embed(graphs, nodes=True)
    nodes = subject.split(embedded.node_embeddings, graphs)
    contributions = node_contributions(
        subject.classifier,
        graphs,
        embedded,
        nodes,
        subject.target,
        return_type=subject.embedded.return_type,
        head=subject.head(),
    )
    k = len(groups[0])
    return [
        Group(
            indices=indices,
            graphs=graphs[n * k : n * k + k],
            embeddings=nodes[n * k : n * k + k],
            contributions=None if contributions is None else contributions[n * k : n * k + k],
        )
        for n, indices in enumerate(groups)
    ]


def _assembled(subject: Subject, best: Proposal, found: Sequence[Proposal]) -> Draft:
    """The prototype of the best proposal, with a record a session."""
    parts = [cut(subject.store[proposal.indices[0]], proposal.pattern) for proposal in found]
    scores = log_scores(_judged(subject, parts), subject.embedded.return_type)
    chances, odds = probabilities(scores)[:, subject.target].tolist(), margins(scores, subject.target).tolist()
    sessions = [
        _session(proposal, chance, margin) for proposal, chance, margin in zip(found, chances, odds, strict=True)
    ]
    number = found.index(best)
    nodes = sorted(best.pattern.nodes)
    return Draft(
        graph=parts[number],
        probability=chances[number],
        margin=odds[number],
        sources=list(best.indices),
        source=best.indices[0],
        nodes=nodes,
        matches=torch.tensor([best.matches[node] for node in nodes]),
        sessions=sessions,
        contributions=tuple(best.contributions[node] for node in nodes) if best.contributions else (),
        contribution_share=best.contribution_share,
        steps=best.steps(),
    )


def _leads(subject: Subject, source: Data, patterns: Sequence[Pattern]) -> list[float]:
    """How far the class leads all others for patterns of a source: above 0 if the model predicts it."""
    scores = log_scores(_judged(subject, [cut(source, pattern) for pattern in patterns]), subject.embedded.return_type)
    others = torch.cat([scores[:, : subject.target], scores[:, subject.target + 1 :]], dim=1)
    found: list[float] = (scores[:, subject.target] - others.max(dim=1).values).tolist()
    return found


def _judged(subject: Subject, parts: Sequence[Data]) -> Tensor:
    outputs = subject.classifier.classify(parts)
    if not bool(torch.isfinite(outputs).all()):
        raise ValueError(
            f"the model's output for a subgraph of {min(part.num_nodes or 0 for part in parts)} or more nodes is NaN "
            f"or infinite; it must be able to classify small parts of its graphs"
        )
    return outputs


def cut(source: Data, pattern: Pattern) -> Data:
    """A pattern of a graph as a graph, its nodes in their order."""
    nodes = sorted(pattern.nodes)
    place = {node: position for position, node in enumerate(nodes)}
    return with_edges(induced_subgraph(source, nodes), [(place[u], place[v]) for u, v in pattern.edges])


def _session(proposal: Proposal, probability: float, margin: float) -> Session:
    return Session(
        start=proposal.start,
        probability=probability,
        margin=margin,
        size=len(proposal.pattern),
        source=proposal.indices[0],
        stopped="consensus",
        num_iterations=proposal.num_weighed,
        is_exact=proposal.consensus.is_exact,
    )
