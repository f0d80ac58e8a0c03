"""Graphs that are hard to search: dense, with hubs, large, many-dimensional, of many classes. Made by a seed.

Each case has something that tells its classes apart, planted in the graphs of one class, and a model that sees it: a
GCN with first weights by a seed, and a head solved for by least squares, so that every class is predicted.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, global_add_pool

Edges = set[tuple[int, int]]


class SolvedGCN(nn.Module):
    """A GCN with first weights by a seed, and a head that is solved for in place of training.

    The head comes nearest to the one-hot classes of all graphs by least squares, so that every class is predicted.
    """

    def __init__(self, graphs: list[Data], hidden: tuple[int, ...], seed: int) -> None:
        super().__init__()
        labels = torch.tensor([int(graph.y) for graph in graphs])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.body = GCN(graphs[0].x.shape[1], hidden[0], len(hidden), hidden[-1]).double()
            self.head = nn.Linear(hidden[-1], int(labels.max()) + 1).double()
        self.eval()
        with torch.no_grad():
            pooled = torch.cat([self.pooled(one.x, one.edge_index, one.batch) for one in DataLoader(graphs, 256)])
            mean, scale = pooled.mean(0), pooled.std(0) + 1e-9
            inputs = torch.cat([(pooled - mean) / scale, torch.ones(len(graphs), 1, dtype=pooled.dtype)], 1)
            # A little is added for weights that stay small.
            gram = inputs.T @ inputs + 1e-6 * torch.eye(inputs.shape[1], dtype=pooled.dtype)
            wanted = nn.functional.one_hot(labels).to(pooled.dtype)
            solved = 8.0 * torch.linalg.solve(gram, inputs.T @ wanted)
            self.head.weight.copy_((solved[:-1] / scale[:, None]).T)
            self.head.bias.copy_(solved[-1] - self.head.weight @ mean)

    def pooled(self, x: Tensor, edge_index: Tensor, batch: Tensor | None) -> Tensor:
        """The graph embeddings."""
        return global_add_pool(self.body(x, edge_index), batch)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """Scores of the classes."""
        return self.head(self.pooled(x, edge_index, batch))


@dataclass(frozen=True)
class Case:
    """Graphs with their classes as ``y``, and how wide the model is."""

    graphs: list[Data]
    hidden: tuple[int, ...] = (32, 32)

    def model(self, seed: int = 0) -> SolvedGCN:
        """A model that predicts the classes, or nearly."""
        return SolvedGCN(self.graphs, self.hidden, seed)


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


def easy_case(rng: np.random.Generator) -> Case:
    """What takes no time but that of compiling."""
    return Case([small(rng, number % 2) for number in range(60)])


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
