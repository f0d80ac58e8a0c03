"""In how many graphs is a prototype found, as a whole and node by node?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph.explanation.explanation import Evidence
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.store import GraphStore
from protograph.page.consensus.counting import information, spread
from protograph.patterns.agreement import MatchFeatures, must_be_equal
from protograph.patterns.common import CommonGround, Edge

Ints = NDArray[np.int64]
# Graphs of the cluster in which the nodes and edges of a prototype are looked up one by one.
LOOKED_AT = 100
# Nodes to place in one graph before it counts as one without the prototype; molecules need a few hundred.
_MAX_CALLS_WHOLE = 20_000
# Nodes to try for the largest part of the prototype in one graph.
_MAX_CALLS = 5_000


def encode(store: GraphStore, match_features: MatchFeatures, *, match_edges: bool) -> EncodedGraphs:
    """All graphs as the counting reads them; features count where they must be equal, otherwise structure alone."""
    if must_be_equal(match_features):
        return EncodedGraphs(store.unchecked(), match_edges=match_edges)
    return EncodedGraphs((without_features(graph) for graph in store.unchecked()), match_edges=match_edges)


def without_features(graph: Data) -> Data:
    """The structure of a graph alone."""
    return Data(edge_index=graph.edge_index, edge_attr=graph.edge_attr, num_nodes=graph.num_nodes)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Where a prototype's evidence is gathered.

    Attributes:
        store: All graphs.
        encoded: The same, as the counting reads them.
        predictions: Their predicted classes.
        target: The class.
        cluster: Indices of the cluster's graphs.
        sources: The k graphs that it was found in.
        match_features: Which nodes may stand for each other.
        match_edges: Whether edges must have equal attributes.
        is_looked_up: Whether nodes and edges are looked up one by one in graphs of the cluster.
    """

    store: GraphStore
    encoded: EncodedGraphs
    predictions: Ints
    target: int
    cluster: Sequence[int]
    sources: Sequence[Data]
    match_features: MatchFeatures = True
    match_edges: bool = False
    is_looked_up: bool = True


def gather(graph: Data, edges: Sequence[Edge], matches: torch.Tensor, ground: Ground) -> Evidence:
    """Count the graphs that contain a prototype, and in which of them its nodes and edges are found one by one."""
    from protograph.patterns.containment import contained_in

    pattern = graph if must_be_equal(ground.match_features) else without_features(graph)
    contains = contained_in(pattern, ground.encoded, max_calls=_MAX_CALLS_WHOLE) > 0
    is_class = ground.predictions == ground.target
    members = np.asarray(ground.cluster, dtype=np.int64)
    node_sources, edge_sources = _in_sources(edges, matches, ground.sources)
    looked_up = _in_cluster(graph, edges, contains, ground) if ground.is_looked_up else ((), (), 0)
    return Evidence(
        num_in_class=int(contains[is_class].sum()),
        num_class=int(is_class.sum()),
        num_elsewhere=int(contains[~is_class].sum()),
        num_others=int((~is_class).sum()),
        num_in_cluster=int(contains[members].sum()),
        information=_told(contains[members], contains[~is_class]),
        node_sources=node_sources,
        edge_sources=edge_sources,
        node_graphs=looked_up[0],
        edge_graphs=looked_up[1],
        num_looked_at=looked_up[2],
    )


def _told(inside: NDArray[np.bool_], outside: NDArray[np.bool_]) -> float:
    """What containing the prototype tells; nothing where there is nothing to tell the cluster from."""
    return information(float(inside.mean()), float(outside.mean())) if inside.size and outside.size else 0.0


def _in_sources(
    edges: Sequence[Edge], matches: torch.Tensor, sources: Sequence[Data]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """In how many sources each node has a counterpart, and each edge's ends have joined ones."""
    rows = matches.tolist()
    nodes = tuple(sum(other >= 0 for other in row) for row in rows)
    joined = [set(map(tuple, graph.edge_index.T.tolist())) for graph in sources]
    found = tuple(
        sum((rows[u][q], rows[v][q]) in pairs or (rows[v][q], rows[u][q]) in pairs for q, pairs in enumerate(joined))
        for u, v in edges
    )
    return nodes, found


def _in_cluster(
    graph: Data, edges: Sequence[Edge], contains: NDArray[np.bool_], ground: Ground
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """In how many graphs of the cluster each node and each edge is found, and how many were looked at.

    It is found where it belongs to the largest connected part of the prototype that lies in the graph.
    """
    chosen = spread(np.asarray(ground.cluster, dtype=np.int64), LOOKED_AT)
    whole = int(contains[chosen].sum())
    nodes, joined = np.full(int(graph.num_nodes or 0), whole), np.full(len(edges), whole)
    for index in chosen[~contains[chosen]].tolist():
        pair = CommonGround([graph, ground.store[index]], ground.match_features, match_edges=ground.match_edges)
        found = pair.largest_of_all(_MAX_CALLS)
        if found is not None:
            nodes[sorted(found.pattern.nodes)] += 1
            joined += [edge in found.pattern.edges for edge in edges]
    return tuple(nodes.tolist()), tuple(joined.tolist()), int(chosen.size)
