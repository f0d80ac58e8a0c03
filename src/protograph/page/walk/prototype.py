"""Phase 2 as in the paper: k representatives are walked in step, and the model chooses among what was walked."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch_geometric.data import Data

from protograph.explanation.explanation import Session
from protograph.page.clusters.selection import Cluster
from protograph.page.subject import Draft, NoPrototypeError, Subject
from protograph.page.walk.retrieval import Candidate, best_of, retrieve
from protograph.page.walk.search import SearchOptions, Walk, search
from protograph.patterns.common import CommonGround

# Nodes to try while looking for what the k graphs have in common.
_MAX_CALLS = 200_000


def walk_prototype(subject: Subject, cluster: Cluster, options: SearchOptions, max_nodes: int | None) -> Draft:
    """The prototype of a cluster; without ``max_nodes``, as large at most as what its graphs have in common."""
    sources = list(cluster.representatives)
    graphs = [subject.store[index] for index in sources]
    if options.scoring != "product" and len(graphs) < 2:
        raise NoPrototypeError(f"scoring={options.scoring!r} needs at least 2 graphs, it has 1")
    limited = replace(options, max_nodes=max_nodes or common_size(graphs, options))
    walks = search(graphs, subject.node_embeddings(graphs), limited, resolution=subject.classifier.resolution)
    if not walks:
        raise NoPrototypeError(
            f"no nodes of its graphs {sources} have equal features; pass match_features=False or a tolerance"
        )
    candidates = retrieve(
        subject.classifier, graphs, walks, target=subject.target, return_type=subject.embedded.return_type
    )
    best = best_of(candidates, subject.classifier.resolution)
    walk = walks[best.session]
    return Draft(
        graph=best.graph,
        probability=best.probability,
        margin=best.margin,
        sources=sources,
        source=sources[best.source],
        nodes=list(walk.nodes[best.source]),
        matches=torch.from_numpy(walk.partners[best.source].copy()),
        sessions=_sessions(candidates, walks, sources),
    )


def common_size(graphs: Sequence[Data], options: SearchOptions) -> int:
    """Most nodes that a walk should take: the size of the largest connected pattern that all the graphs have.

    A walk that goes on has left what they have in common. At least 2, and a single graph has half of its nodes.
    """
    if len(graphs) == 1:
        return max(2, -(-int(graphs[0].num_nodes or 0) // 2))
    ground = CommonGround(graphs, options.match_features, match_edges=options.match_edges)
    found = ground.largest_of_all(_MAX_CALLS)
    return max(2, 0 if found is None else len(found.pattern))


def _sessions(candidates: Sequence[Candidate], walks: Sequence[Walk], sources: Sequence[int]) -> list[Session]:
    return [
        Session(
            start=walk.start,
            probability=candidate.probability,
            margin=candidate.margin,
            size=int(candidate.graph.num_nodes or 0),
            source=sources[candidate.source],
            stopped=walk.stopped,
            num_iterations=walk.num_iterations,
            is_exact=walk.is_exact,
        )
        for candidate, walk in zip(candidates, walks, strict=True)
    ]
