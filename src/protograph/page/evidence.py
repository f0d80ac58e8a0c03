"""What is known of a prototype once it is found: where it lies, what else was found, what it is worth inside graphs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Ints
from protograph._utils.randomness import preserved_random_state
from protograph._utils.words import counted
from protograph.explanation import Evidence, Prototype, Reason
from protograph.explanation.pattern import Pattern, nodes_of
from protograph.explanation.prototype import NextBest, TakenOut
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.models.predictions import Judge
from protograph.molecules.functional_groups import NamedPart
from protograph.page.conditions import pattern_of, relaxed
from protograph.page.counting import information, spread
from protograph.page.search import Candidate, ClusterResult, FittedClass
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Edge
from protograph.patterns.subgraph_isomorphism import contained_in, is_isomorphic, neighbours_of

LOOKED_AT = 100  # graphs of the cluster in which nodes and edges are looked up one by one
WHOLE_CALLS = 20_000  # nodes to place in one graph before it counts as one without the prototype
RELAXED_CALLS = 2_000  # the same where it is looked whether a condition makes a difference
PART_CALLS = 20_000  # nodes to try for the largest part of the prototype in one graph
SAME_SHARE = 0.05  # clusters with one prototype are one if the shares that have it differ by no more
MOST_NEXT = 3  # patterns of other sessions that are kept
NUM_TAKEN_OUT = 12  # graphs that a pattern is taken out of

# A graph by its index, and its nodes that are to go.
Place = tuple[int, tuple[int, ...]]


def gather(candidate: Candidate, cluster: Sequence[int], fitted: FittedClass, *, is_looked_up: bool = True) -> Evidence:
    """Count the graphs that contain a prototype, and in which of its cluster its nodes and edges are found one by one.

    Args:
        candidate: The prototype to be.
        cluster: Indices of the cluster's graphs.
        fitted: Where to count.
        is_looked_up: Whether nodes and edges are looked up one by one in graphs of the cluster.
    """
    edges = edges_of(candidate.graph)
    answers = contained_in(candidate.graph, fitted.encoded, max_calls=WHOLE_CALLS)
    contains = answers > 0
    is_class, members = fitted.embedded.predictions == fitted.target, np.asarray(cluster, dtype=np.int64)
    node_sources, edge_sources = _in_sources(candidate, edges, fitted.encoded)
    looked_up: tuple[tuple[int, ...], tuple[int, ...], int] = (), (), 0
    if is_looked_up:
        looked_up = _in_cluster(candidate.graph, edges, contains, members, fitted)
    return Evidence(
        num_in_class=int(contains[is_class].sum()),
        num_class=int(is_class.sum()),
        num_elsewhere=int(contains[~is_class].sum()),
        num_others=int((~is_class).sum()),
        num_in_cluster=int(contains[members].sum()),
        # Nothing where there is nothing to tell the cluster from.
        information=0.0 if is_class.all() else information(contains[members].mean(), contains[~is_class].mean()),
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


def asked_of(graph: Data, fitted: FittedClass, *, is_relaxed: bool) -> Pattern | None:
    """What a prototype asks of its nodes and edges; ``None`` where no conditions say it, or it does not hang together.

    Args:
        graph: The prototype.
        fitted: The fitted model.
        is_relaxed: Whether conditions that make no difference are left out.
    """
    encoded = fitted.encoded
    own = encoded.encode(graph)
    if encoded.node_rule.rows or encoded.edge_rule.rows or (own.node_kinds < 0).any():
        return None
    try:
        pattern = pattern_of(graph, own, encoded)
    except ValueError:
        return None
    holds = contained_in(own, encoded, max_calls=WHOLE_CALLS)
    return relaxed(pattern, encoded, holds > 0, RELAXED_CALLS) if is_relaxed and (holds >= 0).all() else pattern


def named_parts(graph: Data, fitted: FittedClass) -> tuple[NamedPart, ...]:
    """What parts of a prototype are called in every molecule that it is counted in."""
    if fitted.namer is None or fitted.encoded.node_rule.is_empty:
        return ()
    answers = contained_in(graph, fitted.encoded, max_calls=WHOLE_CALLS)
    return fitted.namer.names(fitted.encoded.encode(graph), fitted.encoded, np.flatnonzero(answers > 0).tolist())


def edges_of(graph: Data) -> list[Edge]:
    """The undirected edges between different nodes, each once, in ascending order."""
    return sorted({(min(u, v), max(u, v)) for u, v in graph.edge_index.T.tolist() if u != v})


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
    graph: Data, edges: Sequence[Edge], contains: Bools, members: Ints, fitted: FittedClass
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """In how many graphs of the cluster each node and each edge is found, and how many were looked at.

    It is found where it belongs to the largest connected part of the prototype that lies in the graph.
    """
    chosen = spread(members, LOOKED_AT)
    whole = int(contains[chosen].sum())
    nodes, joined = np.full(node_count(graph), whole), np.full(len(edges), whole)
    for index in chosen[~contains[chosen]].tolist():
        pair = CommonPatterns([graph, fitted.store[index]], fitted.match_features, match_edges=fitted.encoded.edge_rule)
        part = pair.largest_of_all(PART_CALLS)
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


# ---- clusters with the same prototype, and what other sessions found -------------------------------------------------


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
        members = (*larger.cluster.members, *result.cluster.members)
        distances = (*larger.cluster.distances, *result.cluster.distances)
        kept[twin] = replace(larger, cluster=replace(larger.cluster, members=members, distances=distances))
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


def next_best(result: ClusterResult, encoded: EncodedGraphs) -> tuple[NextBest, ...]:
    """The other patterns of a cluster's sessions, each once, by their margin."""
    known = [encoded.encode(result.candidate.graph)]
    others = sorted(result.candidates, key=lambda one: -one.session.margin)
    kept = list[NextBest]()
    for candidate in others:
        own = encoded.encode(candidate.graph)
        if len(kept) < MOST_NEXT and not any(is_isomorphic(own, other) for other in known):
            known.append(own)
            session = candidate.session
            kept.append(NextBest(graph=candidate.graph, probability=session.probability, margin=session.margin))
    return tuple(kept)


# ---- what becomes of the margin when a pattern is taken out ----------------------------------------------------------


def prototype_places(prototype: Prototype) -> list[Place]:
    """The sources of a prototype, and where it lies in them."""
    if prototype.matches is None or prototype.sources is None:
        return []
    columns = prototype.matches.T.tolist()
    return [
        (source, tuple(sorted({node for node in column if node >= 0})))
        for source, column in zip(prototype.sources, columns, strict=True)
    ]


def reason_places(
    reason: Reason, is_class: Callable[[int], bool], take: Callable[[list[int]], list[Data]]
) -> list[Place]:
    """Graphs of the class in which a reason holds, and where the patterns that it has lie: its example first.

    Args:
        reason: The reason.
        is_class: Whether a graph is predicted as the class.
        take: Gives graphs by their indices.
    """
    example, places = reason.example, list[Place]()
    if example is not None and reason.has:
        marked = {example.nodes[node] for place in example.marked for node in place}
        places.append((example.source, tuple(sorted(marked))))
    if not reason.has:
        return places
    taken = {index for index, _ in places}
    members = [index for index in reason.holds_in_indices if is_class(index) and index not in taken]
    spread = np.linspace(0, len(members) - 1, min(NUM_TAKEN_OUT - len(places), len(members))).astype(int).tolist()
    chosen = [members[place] for place in spread]
    found = nodes_of(reason.has, take(chosen)) if chosen else []
    return places + [(index, nodes) for index, nodes in zip(chosen, found, strict=True) if nodes]


def taken_out_fields(fitted: FittedClass, prototypes: Sequence[Prototype], reasons: Sequence[Reason]) -> dict[str, Any]:
    """The fields of an explanation that tell what its patterns are worth to the model inside graphs."""
    target, predictions = fitted.target, fitted.embedded.predictions
    of_reasons = [
        reason_places(reason, lambda index: bool(predictions[index] == target), fitted.store.take) for reason in reasons
    ]

    def margins(some: Sequence[list[Place]]) -> tuple[tuple[TakenOut, ...], ...]:
        return tuple(taken_out(places, fitted.store.__getitem__, fitted.judge, target) for places in some)

    with preserved_random_state():
        return {
            "prototypes_taken_out": margins([prototype_places(one) for one in prototypes]),
            "reasons_taken_out": margins(of_reasons),
        }


def taken_out(places: Sequence[Place], graph: Callable[[int], Data], judge: Judge, target: int) -> tuple[TakenOut, ...]:
    """Margins of graphs, and of what is left of them without some nodes; those that have no others are left out."""
    wholes = [(index, nodes, graph(index)) for index, nodes in places]
    wholes = [(index, nodes, whole) for index, nodes, whole in wholes if 0 < len(nodes) < node_count(whole)]
    if not wholes:
        return ()
    rest = [
        induced_subgraph(whole, [n for n in range(node_count(whole)) if n not in set(nodes)])
        for _, nodes, whole in wholes
    ]
    # One after the other: a part has not all the entries of a whole graph, and a batch takes graphs of one kind.
    margins = [judge(graphs, target).margins.tolist() for graphs in ([whole for _, _, whole in wholes], rest)]
    return tuple(
        TakenOut(index=index, nodes=nodes, margin=before, margin_without=after)
        for (index, nodes, _), before, after in zip(wholes, *margins, strict=True)
    )
