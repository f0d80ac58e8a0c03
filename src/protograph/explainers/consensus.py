"""Phase 2 of our own: what k representatives have in common, trimmed to what belongs to the class."""

from collections.abc import Sequence

import numpy as np
import torch
from torch_geometric.data import Data

from protograph.explainers.subject import Draft, NoPrototypeError, Subject
from protograph.explanation import Session
from protograph.graphs.cutting import induced_subgraph, with_edges
from protograph.models.outputs import log_scores, margins, probabilities
from protograph.page.consensus_search import Group, Population, Proposal, run_session
from protograph.page.contributions import node_contributions
from protograph.page.search import SearchOptions
from protograph.page.selection import Cluster


def consensus_prototype(subject: Subject, cluster: Cluster, options: SearchOptions, max_nodes: int | None) -> Draft:
    """The prototype of a cluster: of the sessions' proposals, the one that weighs the most."""
    others = np.flatnonzero(subject.embedded.predictions != subject.target)
    population = Population(encoded=subject.encoded(), cluster=np.array(cluster.members), others=others)
    groups = representative_groups(subject, cluster, options.budget)
    proposals = [
        run_session(
            _group(subject, indices),
            population,
            match_features=options.match_features,
            match_edges=options.match_edges,
            max_nodes=max_nodes,
            resolution=subject.classifier.resolution,
        )
        for indices in groups
    ]
    found = [proposal for proposal in proposals if proposal is not None]
    if not found:
        raise NoPrototypeError(
            f"no nodes of its graphs {list(groups[0])} have equal features; pass match_features=False or a tolerance"
        )
    best = max(found, key=lambda proposal: (round(proposal.weight, 9), -found.index(proposal)))
    return _assembled(subject, best, found)


def representative_groups(subject: Subject, cluster: Cluster, count: int) -> list[tuple[int, ...]]:
    """The k graphs nearest the mean, then the k next nearest, and so on: no two with the same embedding."""
    k = len(cluster.representatives)
    chosen = list(cluster.representatives)
    embeddings = subject.embedded.graph_embeddings
    scale = max(1e-300, float(np.abs(embeddings[list(cluster.members)]).max()))
    tolerance = 4 * scale * max(1e-9, subject.classifier.resolution)
    for index in cluster.members:
        if len(chosen) == count * k:
            break
        if np.abs(embeddings[chosen] - embeddings[index]).max(axis=1).min() > tolerance:
            chosen.append(index)
    return [tuple(chosen[first : first + k]) for first in range(0, len(chosen) - k + 1, k)]


def _group(subject: Subject, indices: tuple[int, ...]) -> Group:
    graphs = [subject.store[index] for index in indices]
    embeddings = subject.node_embeddings(graphs)
    contributions = node_contributions(
        subject.classifier,
        graphs,
        embeddings,
        subject.target,
        return_type=subject.embedded.return_type,
        head=subject.head(),
    )
    return Group(indices=indices, graphs=graphs, embeddings=embeddings, contributions=contributions)


def _assembled(subject: Subject, best: Proposal, found: Sequence[Proposal]) -> Draft:
    """The prototype of the best proposal, with a record a session."""
    parts = [_cut(subject.store[proposal.indices[0]], proposal) for proposal in found]
    outputs = subject.classifier.classify(parts)
    if not bool(torch.isfinite(outputs).all()):
        raise ValueError(
            f"the model's output for a subgraph of {min(part.num_nodes for part in parts)} or more nodes is NaN or "
            f"infinite; it must be able to classify small parts of its graphs"
        )
    scores = log_scores(outputs, subject.embedded.return_type)
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
        margin_share=best.margin_share,
        steps=best.steps(),
    )


def _cut(source: Data, proposal: Proposal) -> Data:
    nodes = sorted(proposal.pattern.nodes)
    place = {node: position for position, node in enumerate(nodes)}
    return with_edges(induced_subgraph(source, nodes), [(place[u], place[v]) for u, v in proposal.pattern.edges])


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
