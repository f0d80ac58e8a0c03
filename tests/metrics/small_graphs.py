"""Small labelled graphs, drawn and by hand, and the same for NetworkX."""

import networkx as nx
import torch
from hypothesis import strategies as st
from torch_geometric.data import Data

QUANTITIES = st.sampled_from([-3.0, 0.0, 0.5, 0.7, 1.5, float("inf"), float("nan")])


def graph_of(num_nodes, edges, kinds=None, bonds=None, num_kinds=3):
    """Each edge in one direction only; ``kinds`` become one-hot rows of ``x``, ``bonds`` of ``edge_attr``."""
    edge_index = torch.tensor([list(edge) for edge in edges], dtype=torch.long).reshape(-1, 2).T
    x = None if kinds is None else torch.eye(num_kinds)[torch.tensor(kinds, dtype=torch.long)]
    attr = None if bonds is None else torch.eye(3)[torch.tensor(bonds, dtype=torch.long)]
    return Data(x=x, edge_index=edge_index, edge_attr=attr, num_nodes=num_nodes)


def path(size, **kwargs):
    return graph_of(size, [(i, i + 1) for i in range(size - 1)], **kwargs)


def ring(size, **kwargs):
    return graph_of(size, [(i, (i + 1) % size) for i in range(size)], **kwargs)


def grid(rows, columns):
    across = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    down = [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]
    return graph_of(rows * columns, across + down)


@st.composite
def graphs(draw, min_nodes=0, max_nodes=5, num_kinds=2):
    """A labelled graph, perhaps in pieces, whose nodes and edges also have a whole number and a quantity."""
    size = draw(st.integers(min_nodes, max_nodes))
    pairs = [(u, v) for u in range(size) for v in range(u)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    kinds = draw(st.lists(st.integers(0, num_kinds - 1), min_size=size, max_size=size))
    bonds = draw(st.lists(st.integers(0, 1), min_size=len(edges), max_size=len(edges)))
    graph = graph_of(size, edges, kinds, bonds)
    for number, whole, quantity in ((size, "charge", "height"), (len(edges), "order", "length")):
        for key, values, dtype in ((whole, st.integers(-1, 1), torch.long), (quantity, QUANTITIES, torch.double)):
            graph[key] = torch.tensor(draw(st.lists(values, min_size=number, max_size=number)), dtype=dtype)
    return graph


def plain(graph):
    """Kind of each node, and bond of each edge by its set of two nodes."""
    kinds = [0] * graph.num_nodes if graph.x is None else [tuple(row) for row in graph.x.tolist()]
    rows = [None] * graph.edge_index.size(1) if graph.edge_attr is None else graph.edge_attr.argmax(dim=1).tolist()
    edges = {frozenset(pair): bond for pair, bond in zip(graph.edge_index.T.tolist(), rows, strict=True)}
    return kinds, edges


def networkx_contains(graph, pattern, induced=False, match_edges=False):
    whole, part = typed(graph), typed(pattern)
    matcher = nx.isomorphism.GraphMatcher(
        whole,
        part,
        node_match=lambda a, b: a == b,
        edge_match=(lambda a, b: a == b) if match_edges else None,
    )
    return matcher.subgraph_is_isomorphic() if induced else matcher.subgraph_is_monomorphic()


def typed(graph):
    """As NetworkX has it."""
    kinds, edges = plain(graph)
    result = nx.Graph()
    result.add_nodes_from((node, {"kind": kind}) for node, kind in enumerate(kinds))
    result.add_edges_from((*pair, {"bond": bond}) for pair, bond in edges.items())
    return result
