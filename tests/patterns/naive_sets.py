"""Sets of nodes, and numbers for what they make, the plain way."""

from itertools import combinations

import networkx as nx
import numpy as np

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.flat_graphs import FlatGraphs
from protograph.patterns.subgraph_isomorphism import neighbours_of


def flat_of(graphs, chosen=None):
    """Graphs end to end, with kinds of edges where they have any."""
    chosen = np.arange(len(graphs)) if chosen is None else np.array(chosen, dtype=np.int64)
    return FlatGraphs(EncodedGraphs(graphs, match_edges=all(graph.edge_attr is not None for graph in graphs)), chosen)


def naive_sets(flat, size):
    """All sets of nodes that hang together, as ``(graph, nodes, edges)``; of each pair the kind of its edge plus 1."""
    for number, index in enumerate(flat.chosen.tolist()):
        edges = neighbours_of(flat.encoded[index])
        whole = nx.Graph([(u, v) for u, row in enumerate(edges) for v in row])
        whole.add_nodes_from(range(len(edges)))
        for nodes in combinations(range(len(edges)), size):
            if nx.is_connected(whole.subgraph(nodes)):
                yield number, nodes, {(u, v): edges[u].get(v, -1) + 1 for u, v in combinations(nodes, 2)}


def refined(kinds, edges, num_rounds=3):
    """Colours of nodes as Weisfeiler and Leman refine them, as nested tuples.

    Args:
        kinds: What each node is.
        edges: For each node the kinds of the edges to its neighbours.
        num_rounds: How often.
    """
    colors = [(kind,) for kind in kinds]
    for _ in range(num_rounds):
        colors = [
            (color, tuple(sorted((kind, colors[other]) for other, kind in row.items())))
            for color, row in zip(colors, edges, strict=True)
        ]
    return tuple(sorted(colors))
