"""Small worlds in which it is known why a graph is of its class, models that decide exactly so, and what searches them.

The models count: a graph of theirs has a triangle, or nodes of a kind, and that is all they look at.
"""

from itertools import combinations

import networkx as nx
import numpy as np
import torch
from scipy.sparse import csr_array
from torch import nn
from torch_geometric.nn import global_add_pool

from protograph.graphs.conditions import Reading, equal_to
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.variables import ONE_HOT, Variable
from protograph.models.predictions import Judge, embed_all
from protograph.page.reasons.conditions import FULL, SHAPE, Condition, ConditionReader
from protograph.page.reasons.reasons import FittedGraphs, find_reasons
from protograph.page.reasons.scope import ReasonOptions, Scope
from protograph.patterns.pattern import Subgraph
from tests.page.naive_patterns import ring_edges, undirected
from tests.page.planted import HOUSE, tree_edges

TRIANGLE, SQUARE, K4 = ring_edges(0, 1, 2), ring_edges(0, 1, 2, 3), list(combinations(range(4), 2))
PLAIN, RED = range(2)
KINDS = Reading(
    variables=(
        Variable(
            name="kind",
            key="x",
            kind=ONE_HOT,
            places=(0, 1, 2),
            values=(0.0, 1.0, 2.0),
            labels=((0, "plain"), (1, "red"), (2, "blue")),
        ),
    )
)


class Counts(nn.Module):
    """Two classes; the second where triangles and pairs of joined red nodes, as much as they weigh, come to enough.

    Args:
        triangles: What a triangle weighs.
        pairs: What a pair of joined red nodes weighs.
        corner: How many triangles of a node do not count: with 2, all but those of a K4.
        threshold: From how much on it is the second class.
    """

    def __init__(self, triangles=1.0, pairs=0.0, corner=0, threshold=0.5):
        super().__init__()
        self.corner = corner
        self.head = nn.Linear(4, 2)
        weights = torch.tensor([triangles / 3, pairs / 2, 0.0, 0.0])
        self.head.weight.data = torch.stack([-weights, weights])
        self.head.bias.data = torch.tensor([threshold, -threshold])
        self.eval()

    def forward(self, x, edge_index, batch):
        red = x[:, RED] if x.size(1) > RED else torch.zeros_like(x[:, 0])
        ends = edge_index.numpy()
        there = csr_array((np.ones(ends.shape[1]), ends), shape=(len(x), len(x)))
        corners = torch.from_numpy((there @ there).multiply(there).sum(axis=1) / 2).to(x.dtype)
        degrees = torch.from_numpy(there.sum(axis=1)).to(x.dtype)
        partners = red * torch.zeros_like(red).index_add(0, edge_index[0], red[edge_index[1]])
        # How many nodes and edges there are is read and weighs nothing, so that graphs of a class differ.
        values = torch.stack([(corners - self.corner).clamp(min=0), partners, torch.ones_like(red), degrees], dim=1)
        return self.head(global_add_pool(values, batch))


def joined_to_tree(rng, motif, size, kinds=(), num_nodes=8):
    """A random tree with motifs of so many nodes hung on it, its nodes in random order.

    Three nodes of the tree that are not joined are red, so that a red node tells nothing.
    """
    backbone = num_nodes + int(rng.integers(0, 4))
    tree = tree_edges(rng, size, backbone)
    of_node = np.array([*kinds, *[PLAIN] * (size - len(kinds) + backbone)])
    for node in rng.permutation(backbone) + size:
        if (of_node[size:] == RED).sum() < 3 and not any(node in ends and RED in of_node[list(ends)] for ends in tree):
            of_node[node] = RED
    pieces = list(nx.connected_components(nx.Graph(motif)))
    plain = np.flatnonzero(of_node[size:] == PLAIN) + size
    hung = [(int(rng.choice(sorted(piece))), int(rng.choice(plain))) for piece in pieces]
    order = rng.permutation(size + backbone)
    edges = [(int(order[u]), int(order[v])) for u, v in (*motif, *tree, *hung)]
    return undirected(size + backbone, edges, of_node[np.argsort(order)].tolist())


def world(motifs, number, seed=0):
    """Graphs with the motifs in turn, each as ``(edges, num_nodes, kinds)``."""
    rng = np.random.default_rng(seed)
    return [joined_to_tree(rng, *motifs[index % len(motifs)]) for index in range(number)]


NOTHING, TWO_TRIANGLES = ((), 0), ([*TRIANGLE, *ring_edges(3, 4, 5)], 6)


def house_world(number=140, seed=0):
    """A house or not; the others have squares, so that only the triangle and what is around it tell."""
    return world([(HOUSE, 5), NOTHING, (HOUSE, 5), (SQUARE, 4)], number, seed)


def k4_world(number=140, seed=0):
    """A K4 or, elsewhere, a triangle or nothing."""
    return world([(K4, 4), (TRIANGLE, 3), (K4, 4), NOTHING], number, seed)


def either_world(number=200, seed=0):
    """A house or a pair of joined red nodes, or neither."""
    return world([(HOUSE, 5), NOTHING, ([(0, 1)], 2, (RED, RED)), (SQUARE, 4)], number, seed)


def count_world(number=140, seed=0):
    """Two triangles, or one or none."""
    return world([TWO_TRIANGLES, (TRIANGLE, 3), TWO_TRIANGLES, NOTHING], number, seed)


# ---- what searches them -------------------------------------------------------------------------------------------


def readings_of(graphs):
    shapes = EncodedGraphs(graphs, match_features=False)
    return {FULL: shapes} if graphs[0].x is None else {FULL: EncodedGraphs(graphs, match_features=KINDS), SHAPE: shapes}


def reader_of(graphs, max_calls=10**6):
    return ConditionReader(readings_of(graphs), max_calls)


def condition(edges, nodes=None, source=0, **options):
    """A pattern of a source with these edges, or of one node."""
    nodes = {node for ends in edges for node in ends} if nodes is None else nodes
    pairs = frozenset((min(ends), max(ends)) for ends in edges)
    return Condition(source, Subgraph(frozenset(nodes), pairs), **options)


def scope_of(graphs, predictions, searched=None, confirming=(), once=None, max_reasons=8, **options):
    """All graphs are searched unless said otherwise; each is embedded by its number of nodes and edges."""
    predictions = np.array(predictions)
    return Scope(
        reader=reader_of(graphs),
        searched=np.arange(len(graphs)) if searched is None else np.array(searched, dtype=np.int64),
        confirming=np.array(confirming, dtype=np.int64),
        counted=np.array(confirming if once is None else once, dtype=np.int64),
        predictions=predictions,
        embeddings=np.array([[graph.num_nodes, graph.num_edges] for graph in graphs], dtype=float),
        # By itself the larger pattern is the more of its class.
        alone=lambda condition, target: float(len(condition.pattern)),
        options=ReasonOptions(**options),
        max_reasons=max_reasons,
    )


def fitted(model, graphs, max_reasons=8, **options):
    """A model and its graphs, as the search of reasons reads them."""
    store, running, embedded = embed_all(model, graphs)
    return FittedGraphs(
        judge=Judge(running, embedded.return_type),
        embedded=embedded,
        readings=readings_of(graphs),
        graph=store.__getitem__,
        options=ReasonOptions(**options),
        max_reasons=max_reasons,
    )


def reasons_of(model, graphs, **options):
    return find_reasons(fitted(model, graphs, **options))


# ---- what they find -----------------------------------------------------------------------------------------------


def look(pattern):
    """A pattern of a reason as text that is the same for isomorphic ones, as far as refined colours tell."""
    whole = nx.Graph(pattern.edges)
    for node, conditions in enumerate(pattern.of_nodes):
        whole.add_node(node, look=f"{conditions} {node in pattern.closed}")
    shape = nx.weisfeiler_lehman_graph_hash(whole, node_attr="look", iterations=4)
    return pattern.kind, pattern.at_least, pattern.num_nodes, len(pattern.edges), shape


def rule_look(reasons):
    """A rule as it reads: of each reason, in their order, what it has, what it lacks, and whether it is the rest."""
    return [
        (sorted(map(look, reason.has)), sorted(map(look, reason.lacks)), sorted(rule_look(reason.unless)))
        for reason in reasons
    ]


def shape_of(size, edges, kind=None, **options):
    """What :func:`look` gives of a pattern by hand."""
    from protograph.explanation import Pattern as ReasonPattern

    conditions = () if kind is None else (equal_to([float(kind)], KINDS),) * size
    graph = undirected(size, edges)
    return look(ReasonPattern(graph=graph, node_reading=KINDS, node_conditions=conditions, **options))
