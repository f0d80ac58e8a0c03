"""Clusters that turn out to have the same prototype are one."""

import numpy as np

from protograph.graphs.encoding import EncodedGraphs
from protograph.page.clusters.selection import Cluster
from protograph.page.subject import Draft

# Shares of two clusters' graphs that contain the prototype coincide if they differ by no more.
_COINCIDE = 0.05


def merged(
    drafts: list[tuple[Cluster, Draft]], encoded: EncodedGraphs, notes: list[str], *, is_labelled: bool = True
) -> list[tuple[Cluster, Draft]]:
    """Merge clusters whose prototypes are isomorphic and lie in the same share of their graphs, the largest first.

    The larger cluster's prototype stays. What was merged is said in ``notes``.
    """
    kept: list[tuple[Cluster, Draft]] = []
    for cluster, draft in drafts:
        twin = next(
            (n for n, other in enumerate(kept) if _is_same(other, (cluster, draft), encoded, is_labelled)), None
        )
        if twin is None:
            kept.append((cluster, draft))
            continue
        larger, prototype = kept[twin]
        kept[twin] = (_together(larger, cluster), prototype)
        notes.append(
            f"a cluster of {len(cluster.members)} graphs was merged into one of {len(larger.members)}: they have the "
            f"same prototype, in as many of their graphs"
        )
    return sorted(kept, key=lambda pair: -len(pair[0].members))


def _is_same(
    one: tuple[Cluster, Draft], other: tuple[Cluster, Draft], encoded: EncodedGraphs, is_labelled: bool
) -> bool:
    from protograph.page.evidence import without_features
    from protograph.patterns.containment import contained_in, is_isomorphic

    first, second = (
        encoded.encode(draft.graph if is_labelled else without_features(draft.graph)) for _, draft in (one, other)
    )
    if not is_isomorphic(first, second):
        return False
    shares = [float((contained_in(first, encoded, indices=c.members) > 0).mean()) for c, _ in (one, other)]
    return abs(shares[0] - shares[1]) <= _COINCIDE


def _together(larger: Cluster, smaller: Cluster) -> Cluster:
    """One cluster of two, which keeps the larger one's mean and representatives."""
    members, distances = (*larger.members, *smaller.members), (*larger.distances, *smaller.distances)
    order = np.argsort(distances, kind="stable").tolist()
    return Cluster(
        tuple(members[i] for i in order), tuple(distances[i] for i in order), larger.representatives, larger.mean
    )
