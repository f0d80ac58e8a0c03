"""The graphs of a class on a map of their own."""

from collections.abc import Sequence

import numpy as np

from protograph._base.arrays import Ints
from protograph._base.projection import project
from protograph.explanation import EmbeddingMap
from protograph.models.judging import EmbeddedGraphs
from protograph.page.clusters.selection import Cluster


def class_map(embedded: EmbeddedGraphs, members: Ints, clusters: Sequence[Cluster]) -> EmbeddingMap:
    """The graphs of a class in two dimensions of their own."""
    cluster_of = np.full(len(embedded.graph_embeddings), -1)
    for number, cluster in enumerate(clusters):
        cluster_of[list(cluster.members)] = number
    positions, explained = project(embedded.graph_embeddings, members)
    return EmbeddingMap(
        indices=tuple(members.tolist()),
        positions=positions,
        clusters=tuple(cluster_of[members].tolist()),
        explained=explained,
    )
