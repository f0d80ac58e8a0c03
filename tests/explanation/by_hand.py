"""Patterns and reasons made by hand, and plain loops that say what they come to."""

from itertools import permutations

import torch
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.explanation import Pattern, Reason, Support
from protograph.graphs.conditions import EdgeRule
from tests.made import made_explanation
from tests.metrics.small_graphs import graph_of, plain

NOWHERE = Support(num_in_class=0, num_class=0, num_elsewhere=0, num_others=0)


def reason(**parts):
    """A reason whose figures do not matter."""
    return Reason(**{"searched": NOWHERE, "confirming": NOWHERE} | parts)


def naive_places(pattern, graph):
    """The sets of nodes that a pattern has in a graph, by trying all of them."""
    kinds, edges = plain(graph)
    wanted, inner = plain(pattern.graph)
    places = set()
    for image in permutations(range(graph.num_nodes), pattern.num_nodes):
        if pattern.graph.x is not None and any(kinds[v] != wanted[n] for n, v in enumerate(image)):
            continue
        if not all(
            fits(edges, inner, frozenset((image[u], image[v])), frozenset((u, v)), pattern)
            for u in range(pattern.num_nodes)
            for v in range(u)
        ):
            continue
        if any(degree(edges, image[n]) != degree(inner, n) for n in pattern.closed):
            continue
        places.add(frozenset(image))
    return places


def fits(edges, inner, pair, wanted, pattern):
    if wanted in inner:
        is_same = not pattern.edge_rule.is_matched or edges.get(pair) == inner[wanted]
        return pair in edges and is_same
    return not (pattern.kind == "induced" and pair in edges)


def degree(edges, node):
    return sum(node in pair for pair in edges)


def naive_pattern(pattern, graph):
    return len(naive_places(pattern, graph)) >= pattern.at_least


def naive_reason(one, graph):
    has = all(naive_pattern(pattern, graph) for pattern in one.has)
    lacks = not any(naive_pattern(pattern, graph) for pattern in one.lacks)
    return has and lacks and not any(naive_reason(other, graph) for other in one.unless)


def naive_fidelity(holds, predictions, num_classes):
    """Exactly one rule holds and it is the prediction; the mean over the classes that are predicted."""
    shares = []
    for target in range(num_classes):
        own = [row for row, predicted in zip(holds, predictions, strict=True) if predicted == target]
        if own:
            right = sum(row[target] and sum(row) == 1 for row in own)
            shares.append(right / len(own))
    return sum(shares) / len(shares)


@st.composite
def patterns(draw, max_nodes=4):
    """A connected pattern of some kind, which compares nodes and edges or does not."""
    size = draw(st.integers(1, max_nodes))
    tree = {(draw(st.integers(0, node - 1)), node) for node in range(1, size)}
    others = [(u, v) for v in range(size) for u in range(v) if (u, v) not in tree]
    edges = sorted(tree | set(draw(st.lists(st.sampled_from(others), unique=True)) if others else ()))
    are_nodes_matched, are_edges_matched = draw(st.booleans()), draw(st.booleans())
    # Of three kinds, of which graphs have two: some are never seen.
    kinds = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)) if are_nodes_matched else None
    bonds = draw(st.lists(st.integers(0, 1), min_size=len(edges), max_size=len(edges))) if are_edges_matched else None
    return Pattern(
        graph=graph_of(size, edges, kinds, bonds),
        kind=draw(st.sampled_from(["part", "induced"])),
        closed=tuple(sorted(draw(st.sets(st.integers(0, size - 1), max_size=2)))),
        at_least=draw(st.integers(1, 3)),
        edge_rule=EdgeRule(is_matched=are_edges_matched),
    )


@st.composite
def reasons(draw, has_rest=True):
    """A reason of up to two patterns that are there and two that are lacking, or what is left without others."""
    few = st.lists(patterns(max_nodes=3), max_size=2).map(tuple)
    has, lacks = draw(few), draw(few)
    unless = draw(st.lists(reasons(has_rest=False), max_size=2).map(tuple)) if has_rest else ()
    return reason(
        has=has or (draw(patterns(max_nodes=2)),) if not (lacks or unless) else has, lacks=lacks, unless=unless
    )


def counted(one, graphs, is_class, parts):
    """A reason with the figures that it has on these graphs, of which each is in one of three parts."""
    holds = [naive_reason(one, graph) for graph in graphs]
    figures = {}
    for part, name in enumerate(("searched", "confirming", "kept_apart")):
        inside = [(h, c) for h, c, p in zip(holds, is_class, parts, strict=True) if p == part]
        figures[name] = Support(
            num_in_class=sum(h and c for h, c in inside),
            num_class=sum(c for _, c in inside),
            num_elsewhere=sum(h and not c for h, c in inside),
            num_others=sum(not c for _, c in inside),
        )
    indices = tuple(index for index, h in enumerate(holds) if h)
    return Reason(has=one.has, lacks=one.lacks, unless=one.unless, holds_in_indices=indices, **figures)


def explained(target, some, graphs, predictions, parts, num_classes=2, **facts):
    """An explanation of these reasons, all of its figures counted by plain loops."""
    is_class = [prediction == target for prediction in predictions]
    return made_explanation(
        target=target,
        **{"class_names": tuple(map(str, range(num_classes))), "graph_predictions": tuple(predictions)} | facts,
        reasons=tuple(counted(one, graphs, is_class, parts) for one in some),
        graph_parts=tuple(parts),
    )


def house():
    return graph_of(5, [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (3, 4)])


def complete(size):
    return graph_of(size, [(u, v) for v in range(size) for u in range(v)])


def both(*graphs):
    """Graphs side by side, as one."""
    offsets = [sum(graph.num_nodes for graph in graphs[:number]) for number in range(len(graphs))]
    edges = torch.cat([graph.edge_index + offset for graph, offset in zip(graphs, offsets, strict=True)], dim=1)
    return Data(edge_index=edges, num_nodes=sum(graph.num_nodes for graph in graphs))
