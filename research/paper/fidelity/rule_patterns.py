"""The patterns that rules are made of, told apart by a text, and how many come out again with other models."""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import permutations
from statistics import mean
from typing import Any

import networkx as nx
from torch_geometric.utils import to_networkx

from protograph.explanation import Explanation, Pattern

# How often patterns come out again is told of so many seeds.
NUM_SEEDS = 3


def rule_patterns(explanations: Mapping[int, Explanation]) -> dict[str, Pattern]:
    """The patterns of all reasons by what :func:`pattern_key` says of them, none twice."""
    by_key: dict[str, Pattern] = {}
    for explanation in explanations.values():
        for reason in explanation.reasons:
            for pattern in (*reason.has, *reason.lacks):
                by_key.setdefault(pattern_key(pattern), pattern)
    return by_key


def pattern_key(pattern: Pattern) -> str:
    """A text that is the same for the same pattern, whatever the numbers of its nodes."""
    graph = to_networkx(pattern.graph, to_undirected=True)
    rows = None if pattern.graph.x is None else pattern.graph.x.tolist()
    for node in graph:
        graph.nodes[node]["kind"] = f"{rows[node] if rows else ''} {node in pattern.closed}"
    attributes = pattern.graph.edge_attr if pattern.edge_rule.is_matched else None
    for number, (u, v) in enumerate(pattern.graph.edge_index.T.tolist()):
        graph.edges[u, v]["kind"] = "" if attributes is None else str(attributes[number].flatten().tolist())
    shape = nx.weisfeiler_lehman_graph_hash(graph, edge_attr="kind", node_attr="kind", iterations=graph.order())
    # Colour refinement alone does not tell a ring of six from two triangles: rings do.
    rings = sorted(map(len, nx.minimum_cycle_basis(graph)))
    text = f"{shape} {rings} {pattern.kind} {pattern.at_least}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def share_again(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """Share of the patterns of one model that come out again with another, over all pairs of the first three seeds.

    Args:
        rows: What was measured of each seed's model; ``patterns`` are the keys of its patterns.

    Returns:
        The share; ``None`` with fewer seeds, or where rules have no patterns.

    >>> share_again([{"patterns": ["a", "b"]}, {"patterns": ["a"]}, {"patterns": ["a", "c"]}])
    0.6666666666666666
    """
    sets = [set(row["patterns"]) for row in rows[:NUM_SEEDS]]
    shares = [len(one & other) / len(one) for one, other in permutations(sets, 2) if one]
    return mean(shares) if len(sets) == NUM_SEEDS and shares else None
