"""Graphs that are hard to search: dense, with hubs, large, many-dimensional, of many classes. Made by a seed.

Each case has something that tells its classes apart, planted in the graphs of one class, and a model that sees it: a
GCN with first weights by a seed, and a head solved for by least squares, so that every class is predicted.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch_geometric.data import Data

from protograph.training.gcn import GCN
from research.solved_head import fit_head

Edges = set[tuple[int, int]]


@dataclass(frozen=True)
class Case:
    """Graphs with their classes as ``y``, and how wide the model is."""

    graphs: list[Data]
    hidden: tuple[int, ...] = (32, 32)

    def model(self, seed: int = 0) -> GCN:
        """A model that predicts the classes, or nearly."""
        num_classes = 1 + max(int(graph.y) for graph in self.graphs)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = GCN(self.graphs[0].x.shape[1], num_classes, self.hidden).double()
        fit_head(model, self.graphs, num_classes)
        return model.eval()


def graph_of(edges: Edges, kinds: np.ndarray, num_kinds: int, label: int) -> Data:
    """An undirected graph with one-hot kinds as features."""
    pairs = torch.tensor(sorted(edges), dtype=torch.long).reshape(-1, 2).t()
    features = torch.eye(num_kinds, dtype=torch.float64)[torch.from_numpy(kinds)]
    return Data(x=features, edge_index=torch.cat([pairs, pairs.flip(0)], 1), y=torch.tensor([label]))


def clique(nodes: range) -> Edges:
    return {(u, v) for u in nodes for v in nodes if u < v}


def random_edges(rng: np.random.Generator, size: int, count: int) -> Edges:
    """So many edges by chance."""
    edges: Edges = set()
    while len(edges) < count:
        for u, v in rng.integers(0, size, (count - len(edges), 2)).tolist():
            if u != v:
                edges.add((min(u, v), max(u, v)))
    return edges


def molecular(rng: np.random.Generator, *, size: int, num_graphs: int) -> Case:
    """Trees of degree at most 4 with rings of five and six closed here and there; half have rings of one rare kind."""
    graphs = []
    for number in range(num_graphs):
        edges, degrees = _tree_of_low_degree(rng, size)
        kinds = rng.choice(3, size, p=[0.8, 0.1, 0.1])
        for start in rng.permutation(size - 5)[: size // 10].tolist():
            end = start + int(rng.integers(4, 6))
            if degrees[start] < 4 and degrees[end] < 4 and (start, end) not in edges:
                edges.add((start, end))
                degrees[[start, end]] += 1
        if number % 2:
            kinds[: size // 10] = 3
            edges |= {(node, node + 1) for node in range(size // 10 - 1)} | {(0, size // 10 - 1)}
        graphs.append(graph_of(edges, kinds, 4, number % 2))
    return Case(graphs)


def _tree_of_low_degree(rng: np.random.Generator, size: int) -> tuple[Edges, np.ndarray]:
    """A tree whose nodes hang on one of the last few before them, none on more than three."""
    edges: Edges = set()
    degrees = np.zeros(size, dtype=np.int64)
    for node in range(1, size):
        open_nodes = [other for other in range(max(0, node - 8), node) if degrees[other] < 3]
        parent = int(rng.choice(open_nodes))
        edges.add((parent, node))
        degrees[[parent, node]] += 1
    return edges, degrees


def dense(rng: np.random.Generator, *, size: int, degree: int, num_graphs: int = 20, num_kinds: int = 3) -> Case:
    """Random graphs of a degree; in half of them eight nodes of one kind are all joined."""
    graphs = []
    for number in range(num_graphs):
        edges, kinds = random_edges(rng, size, size * degree // 2), rng.integers(0, num_kinds, size)
        if number % 2:
            edges |= clique(range(8))
            kinds[:8] = 0
        graphs.append(graph_of(edges, kinds, num_kinds, number % 2))
    return Case(graphs)


def stars(rng: np.random.Generator, *, leaves: int, num_graphs: int = 6) -> Case:
    """Hubs with so many leaves, some more or fewer; in half of them every tenth leaf is of another kind."""
    graphs = []
    for number in range(num_graphs):
        size = 1 + leaves + int(rng.integers(-leaves // 20, leaves // 20 + 1))
        kinds = np.ones(size, np.int64)
        kinds[0] = 0
        if number % 2:
            kinds[1::10] = 2
        graphs.append(graph_of({(0, leaf) for leaf in range(1, size)}, kinds, 3, number % 2))
    return Case(graphs)


def barabasi_albert(rng: np.random.Generator, size: int, joined: int = 2) -> Edges:
    """Preferential attachment: each new node is joined to ``joined`` ends of edges drawn by chance."""
    edges: Edges = clique(range(joined + 1))
    ends = [node for edge in sorted(edges) for node in edge]
    for node in range(joined + 1, size):
        chosen: set[int] = set()
        while len(chosen) < joined:
            chosen.add(ends[int(rng.integers(len(ends)))])
        edges |= {(other, node) for other in chosen}
        ends += [end for other in sorted(chosen) for end in (other, node)]
    return edges


def large(rng: np.random.Generator, *, size: int = 20_000, num_graphs: int = 3) -> Case:
    """Scale-free graphs; in every second one each 50th node is of another kind."""
    graphs = []
    for number in range(num_graphs):
        kinds = rng.integers(0, 2, size)
        if number % 2:
            kinds[::50] = 2
        graphs.append(graph_of(barabasi_albert(rng, size), kinds, 3, number % 2))
    return Case(graphs)


def small(rng: np.random.Generator, label: int, *, size: int = 15, num_kinds: int = 3) -> Data:
    """A small scale-free graph, with a triangle of one kind hung on where the label is 1."""
    edges, kinds = barabasi_albert(rng, size, 1), rng.integers(0, num_kinds, size)
    if label:
        edges |= {(0, size), (size, size + 1), (size, size + 2), (size + 1, size + 2)}
        kinds = np.concatenate([kinds, np.full(3, 2)])
    return graph_of(edges, kinds, num_kinds, label)


def many_dimensional(rng: np.random.Generator, *, dim: int = 1000, num_graphs: int = 1000) -> Case:
    return Case([small(rng, number % 2) for number in range(num_graphs)], hidden=(16, dim))


def many_classes(rng: np.random.Generator, *, num_classes: int = 50, num_graphs: int = 12) -> Case:
    """In the graphs of each class a node of the class's own kind, with three leaves of it."""
    graphs = []
    for label in np.repeat(np.arange(num_classes), num_graphs).tolist():
        edges, kinds = barabasi_albert(rng, 12, 1), np.zeros(16, np.int64)
        edges |= {(0, 12), (12, 13), (12, 14), (12, 15)}
        kinds[12:] = 1 + label
        graphs.append(graph_of(edges, kinds, num_classes + 1, label))
    return Case(graphs, hidden=(64, 64))


def among_small(rng: np.random.Generator, other: Callable[[np.random.Generator], Data], num_graphs: int = 200) -> Case:
    """Small graphs, with one of another sort in their midst."""
    graphs = [small(rng, number % 2) for number in range(num_graphs)]
    return Case([*graphs[: num_graphs // 2], other(rng), *graphs[num_graphs // 2 :]])


def complete(rng: np.random.Generator, size: int = 60) -> Data:
    return graph_of(clique(range(size)), rng.integers(0, 3, size), 3, 1)


def huge(rng: np.random.Generator, size: int = 20_000) -> Data:
    return graph_of(barabasi_albert(rng, size), rng.integers(0, 3, size), 3, 1)


# By the name that a row of the table has.
CASES: dict[str, Callable[[np.random.Generator], Case]] = {
    "20 graphs of 60 nodes, degree 20": lambda rng: dense(rng, size=60, degree=20),
    "20 graphs of 60 nodes, degree 20, one kind": lambda rng: dense(rng, size=60, degree=20, num_kinds=1),
    "20 graphs of 100 nodes, degree 24": lambda rng: dense(rng, size=100, degree=24),
    "20 graphs of 100 nodes, degree 24, one kind": lambda rng: dense(rng, size=100, degree=24, num_kinds=1),
    "20 graphs of 200 nodes, degree 30": lambda rng: dense(rng, size=200, degree=30),
    "20 graphs of 200 nodes, degree 30, one kind": lambda rng: dense(rng, size=200, degree=30, num_kinds=1),
    **{f"6 stars of {leaves:,} leaves": lambda rng, n=leaves: stars(rng, leaves=n) for leaves in (200, 400, 800, 5000)},
    "3 Barabasi-Albert graphs of 20,000 nodes": large,
    "1,000-dimensional embeddings": many_dimensional,
    "50 classes of 12 graphs": many_classes,
    "a K60 among small graphs": lambda rng: among_small(rng, complete),
    "20,000 nodes among small graphs": lambda rng: among_small(rng, huge),
}
