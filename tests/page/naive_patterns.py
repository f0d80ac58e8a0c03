"""Common patterns straight from their definition, by trying everything; nothing here is shared with the library."""

from itertools import pairwise

import torch
from hypothesis import strategies as st
from torch_geometric.data import Data


def undirected(size, edges, kinds=None, bonds=None, num_kinds=3):
    """A graph with both directions of each edge; ``kinds`` become one-hot rows of ``x``, ``bonds`` of ``edge_attr``."""
    pairs = torch.tensor([list(edge) for edge in edges], dtype=torch.long).reshape(-1, 2).T
    x = None if kinds is None else torch.eye(num_kinds)[torch.tensor(kinds, dtype=torch.long)]
    rows = None if bonds is None else torch.eye(3)[torch.tensor([*bonds, *bonds], dtype=torch.long)]
    return Data(x=x, edge_index=torch.cat([pairs, pairs.flip(0)], dim=1), edge_attr=rows, num_nodes=size)


def path_edges(*nodes):
    return list(pairwise(nodes))


def ring_edges(*nodes):
    return [*pairwise(nodes), (nodes[-1], nodes[0])]


@st.composite
def labelled(draw, max_nodes=6, max_edges=8, num_kinds=2):
    size = draw(st.integers(1, max_nodes))
    pairs = [(u, v) for u in range(size) for v in range(u + 1, size)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=max_edges)) if pairs else []
    kinds = draw(st.lists(st.integers(0, num_kinds - 1), min_size=size, max_size=size))
    bonds = draw(st.lists(st.integers(0, 1), min_size=len(edges), max_size=len(edges)))
    return undirected(size, edges, kinds, bonds)


def groups_of_graphs(min_graphs=1, max_graphs=4, **options):
    return st.lists(labelled(**options), min_size=min_graphs, max_size=max_graphs)


def edges_of(graph, match_edges=False):
    """Each undirected edge as ``(lower, higher)`` with its bond."""
    pairs = [tuple(pair) for pair in graph.edge_index.T.tolist()]
    bonds = graph.edge_attr.tolist() if match_edges else [None] * len(pairs)
    return {pair: bond for pair, bond in zip(pairs, bonds, strict=True) if pair[0] < pair[1]}


def agrees(row, other, rule):
    if row is None or rule is False:
        return True
    if rule is True:
        return bool(torch.equal(row, other))
    return bool(rule(row, other)) if callable(rule) else bool((row - other).abs().max() <= rule)


def embeddings(nodes, edges, source, graph, rule=True, match_edges=False):
    """Every one-to-one map of a pattern's nodes to those of a graph that keeps its edges and agrees in features."""
    nodes, found, known = sorted(nodes), [], edges_of(graph, match_edges)
    bonds = edges_of(source, match_edges)

    def place(image):
        if len(image) == len(nodes):
            found.append(dict(image))
            return
        node = nodes[len(image)]
        for other in range(graph.num_nodes):
            row, partner = (None, None) if source.x is None else (source.x[node], graph.x[other])
            if other in image.values() or not agrees(row, partner, rule):
                continue
            image[node] = other
            inside = [edge for edge in edges if node in edge and edge[0] in image and edge[1] in image]
            images = [tuple(sorted((image[u], image[v]))) for u, v in inside]
            if all(b in known and known[b] == bonds[a] for a, b in zip(inside, images, strict=True)):
                place(image)
            del image[node]

    place({})
    return found


def common_patterns(graphs, start, rule=True, match_edges=False, without=()):
    """Every connected set of the source's edges around ``start`` that lies in all the others, with its nodes.

    A part of a common pattern is common, so that each is reached edge by edge.
    """
    source = graphs[0]
    own = [edge for edge in edges_of(source) if not set(edge) & set(without)]

    def is_common(nodes, edges):
        return all(embeddings(nodes, edges, source, graph, rule, match_edges) for graph in graphs[1:])

    alone = (frozenset([start]), frozenset())
    found, fresh = set(), {alone} if is_common(*alone) else set()
    while fresh:
        found |= fresh
        grown = {
            (nodes | set(edge), edges | {edge})
            for nodes, edges in fresh
            for edge in own
            if edge not in edges and set(edge) & nodes
        }
        fresh = {pattern for pattern in grown - found if is_common(*pattern)}
    return found


def every_common_pattern(graphs, rule=True, match_edges=False):
    """All of them, wherever they start: each once, from its lowest node."""
    starts = range(graphs[0].num_nodes)
    return [one for start in starts for one in common_patterns(graphs, start, rule, match_edges, range(start))]


def worth_of(pattern):
    nodes, edges = pattern
    return len(nodes) + len(edges)


def is_connected(nodes, edges):
    reached, size = {min(nodes)}, 0
    while len(reached) > size:
        size = len(reached)
        reached |= {node for edge in edges if set(edge) & reached for node in edge}
    return reached == set(nodes)
