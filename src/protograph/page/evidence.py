"""In how many graphs is a prototype found, as a whole and node by node?"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools, Ints
from protograph._base.words import counted
from protograph.explanation import Evidence, Prototype
from protograph.graphs.dataset import GraphStore
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.validate import node_count
from protograph.molecules.functional_groups import NamedPart, PartNamer
from protograph.page.candidate import Candidate
from protograph.page.consensus.counting import information, spread
from protograph.page.options import EvidenceOptions
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.joint import MatchFeatures, are_matched_by_kind
from protograph.patterns.pattern import Edge
from protograph.patterns.subgraph_isomorphism import contained_in, neighbours_of


@dataclass(frozen=True, kw_only=True, eq=False)
class EvidenceScope:
    """Where a prototype's evidence is gathered.

    Attributes:
        store: All graphs.
        encoded: The same, as the counting reads them; its rule for edges is that of all evidence.
        predictions: Their predicted classes.
        target: The class.
        match_features: Which nodes may stand for each other.
        is_looked_up: Whether nodes and edges are looked up one by one in graphs of the cluster.
        namer: Finds what parts of molecules are called; ``None`` for no names.
        options: How long to look.
    """

    store: GraphStore
    encoded: EncodedGraphs
    predictions: Ints
    target: int
    match_features: MatchFeatures = True
    is_looked_up: bool = True
    namer: PartNamer | None = None
    options: EvidenceOptions = field(default_factory=EvidenceOptions)


def gather(candidate: Candidate, cluster: Sequence[int], scope: EvidenceScope) -> Evidence:
    """Count the graphs that contain a prototype, and in which of its cluster its nodes and edges are found one by one.

    Args:
        candidate: The prototype to be.
        cluster: Indices of the cluster's graphs.
        scope: Where to count.
    """
    edges = edges_of(candidate.graph)
    answers = contained_in(candidate.graph, scope.encoded, max_calls=scope.options.whole_calls)
    contains = answers > 0
    is_class, members = scope.predictions == scope.target, np.asarray(cluster, dtype=np.int64)
    node_sources, edge_sources = _in_sources(candidate, edges, scope.encoded)
    looked_up: tuple[tuple[int, ...], tuple[int, ...], int] = (), (), 0
    if scope.is_looked_up:
        looked_up = _in_cluster(candidate.graph, edges, contains, members, scope)
    return Evidence(
        num_in_class=int(contains[is_class].sum()),
        num_class=int(is_class.sum()),
        num_elsewhere=int(contains[~is_class].sum()),
        num_others=int((~is_class).sum()),
        num_in_cluster=int(contains[members].sum()),
        information=_bits(contains[members], contains[~is_class]),
        node_sources=node_sources,
        edge_sources=edge_sources,
        node_graphs=looked_up[0],
        edge_graphs=looked_up[1],
        num_looked_at=looked_up[2],
        num_undecided=int((answers < 0).sum()),
        contributions=candidate.contributions,
        contribution_share=candidate.contribution_share,
        steps=candidate.steps,
    )


def named_parts(graph: Data, scope: EvidenceScope) -> tuple[NamedPart, ...]:
    """What parts of a prototype are called in every molecule that it is counted in."""
    if scope.namer is None or not scope.encoded.match_features:
        return ()
    answers = contained_in(graph, scope.encoded, max_calls=scope.options.whole_calls)
    return scope.namer.names(scope.encoded.encode(graph), scope.encoded, np.flatnonzero(answers > 0).tolist())


def edges_of(graph: Data) -> list[Edge]:
    """The undirected edges between different nodes, each once, in ascending order."""
    return sorted({(min(u, v), max(u, v)) for u, v in graph.edge_index.T.tolist() if u != v})


def _bits(inside: Bools, outside: Bools) -> float:
    """What containing the prototype tells; nothing where there is nothing to tell the cluster from."""
    return information(float(inside.mean()), float(outside.mean())) if inside.size and outside.size else 0.0


def _in_sources(
    candidate: Candidate, edges: Sequence[Edge], encoded: EncodedGraphs
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """In how many sources each node has a counterpart, and each edge's ends have ones joined by an edge that agrees."""
    rows = candidate.matches.tolist()
    nodes = tuple(sum(other >= 0 for other in row) for row in rows)
    own = neighbours_of(encoded.encode(candidate.graph))
    sources = [neighbours_of(encoded[index]) for index in candidate.sources]
    counts = tuple(
        sum(rows[u][q] >= 0 and around[rows[u][q]].get(rows[v][q]) == own[u][v] for q, around in enumerate(sources))
        for u, v in edges
    )
    return nodes, counts


def _in_cluster(
    graph: Data, edges: Sequence[Edge], contains: Bools, members: Ints, scope: EvidenceScope
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """In how many graphs of the cluster each node and each edge is found, and how many were looked at.

    It is found where it belongs to the largest connected part of the prototype that lies in the graph.
    """
    chosen = spread(members, scope.options.looked_at)
    whole = int(contains[chosen].sum())
    nodes, joined = np.full(node_count(graph), whole), np.full(len(edges), whole)
    own = scope.encoded.encode(graph)
    for index in chosen[~contains[chosen]].tolist():
        if are_matched_by_kind(scope.match_features):
            pair = CommonPatterns.of_encoded([own, scope.encoded[index]])
        else:
            rule = scope.encoded.edge_rule
            pair = CommonPatterns([graph, scope.store[index]], scope.match_features, match_edges=rule)
        part = pair.largest_of_all(scope.options.part_calls)
        if part is not None:
            nodes[sorted(part.pattern.nodes)] += 1
            joined += [edge in part.pattern.edges for edge in edges]
    return tuple(nodes.tolist()), tuple(joined.tolist()), int(chosen.size)


def undecided(prototypes: Sequence[Prototype]) -> list[str]:
    """Say of how many graphs it is not known whether they contain a prototype."""
    numbers = [prototype.evidence.num_undecided for prototype in prototypes if prototype.evidence is not None]
    return [
        f"of {counted(number, 'graph')} it could not be decided in reasonable time whether they contain the prototype "
        f"of cluster {prototype.cluster}; they count as without"
        for prototype, number in zip(prototypes, numbers, strict=True)
        if number
    ]
