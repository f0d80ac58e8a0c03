"""Clusters that turn out to have the same prototype are one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from protograph._base.ties import TOLERANCE, levels
from protograph.explanation import Session
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.candidate import Candidate
from protograph.page.clustering import Cluster
from protograph.patterns.subgraph_isomorphism import contained_in, is_isomorphic

# Clusters with one prototype are one if the shares that have it differ by no more.
SAME_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class ClusterResult:
    """A cluster and the candidate for its prototype; its sessions' records, notes, seconds and other candidates."""

    cluster: Cluster
    candidate: Candidate
    sessions: tuple[Session, ...]
    notes: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    others: tuple[Candidate, ...] = ()


def merged(results: list[ClusterResult], encoded: EncodedGraphs) -> tuple[list[ClusterResult], list[str]]:
    """Merge clusters whose prototypes are isomorphic and lie in the same share of their graphs, the largest first.

    The larger cluster's prototype stays.

    Args:
        results: The clusters, the largest first.
        encoded: All graphs.

    Returns:
        The clusters that are left, and notes on what was merged.
    """
    kept: list[ClusterResult] = []
    notes = []
    for result in results:
        twin = next((n for n, other in enumerate(kept) if _is_same(other, result, encoded)), None)
        if twin is None:
            kept.append(result)
            continue
        larger = kept[twin]
        joined = _joined(larger.cluster, result.cluster)
        kept[twin] = replace(larger, cluster=joined)
        notes.append(
            f"a cluster of {len(result.cluster.members)} graphs was merged into one of {len(larger.cluster.members)}: "
            f"they have the same prototype, in as many of their graphs"
        )
    return sorted(kept, key=lambda result: -len(result.cluster.members)), notes


def _is_same(one: ClusterResult, other: ClusterResult, encoded: EncodedGraphs) -> bool:
    first, second = (encoded.encode(result.candidate.graph) for result in (one, other))
    if not is_isomorphic(first, second):
        return False
    shares = [(contained_in(first, encoded, indices=r.cluster.members) > 0).mean() for r in (one, other)]
    return bool(abs(shares[0] - shares[1]) <= SAME_SHARE)


def _joined(larger: Cluster, smaller: Cluster) -> Cluster:
    """One cluster of two, which keeps the larger one's mean and representatives."""
    members, distances = (*larger.members, *smaller.members), (*larger.distances, *smaller.distances)
    tolerance = TOLERANCE * max(1.0, max(distances, default=0.0))
    order = np.argsort(-levels(distances, tolerance), kind="stable").tolist()
    return replace(larger, members=tuple(members[i] for i in order), distances=tuple(distances[i] for i in order))
