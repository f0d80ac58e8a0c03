"""Very many graphs with hubs, made at once: sizes and degrees have heavy tails, as in networks of people."""

from dataclasses import dataclass

import numpy as np
import torch
from torch_geometric.data import Data, InMemoryDataset

# How wide sizes are spread, as the standard deviation of their logarithm; no graph is smaller, or larger by more.
_SPREAD, _LEAST, _MOST_TIMES = 0.6, 5, 12
# Of new nodes, how many hang on the end of an edge rather than on any node: by class, so that hubs tell classes apart.
_TO_HUBS = (0.3, 0.95)


@dataclass(frozen=True)
class Size:
    """How large a set is: its graphs, and their mean numbers of nodes and edges, each edge counted once."""

    num_graphs: int
    nodes: float
    edges: float


class Networks(InMemoryDataset):
    """Trees grown by preferential attachment with further edges between well-joined nodes.

    Every node has the constant feature 1, so that only structure tells the two classes apart: in the second nearly all
    new nodes hang on hubs.

    Args:
        size: How many and how large.
        seed: Of all of them.
    """

    def __init__(self, size: Size, seed: int = 0) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        labels = np.arange(size.num_graphs) % len(_TO_HUBS)
        nodes = _sizes(rng, size)
        starts = np.concatenate([[0], np.cumsum(nodes)])
        parents = _trees(rng, nodes, starts[:-1], np.array(_TO_HUBS)[labels])
        pairs = _with_further(rng, size, nodes, starts, parents)
        graph_of_pair = np.searchsorted(starts, pairs[0], side="right") - 1
        order = np.argsort(graph_of_pair, kind="stable")
        pairs, graph_of_pair = pairs[:, order] - starts[graph_of_pair[order]], graph_of_pair[order]
        # Each edge both ways, beside itself so that the edges of a graph stay together.
        both = np.stack([pairs.T, pairs[::-1].T], axis=1).reshape(-1, 2).T
        counts = np.bincount(graph_of_pair, minlength=size.num_graphs)
        self.data = Data(
            x=torch.ones(int(starts[-1]), 1),
            edge_index=torch.from_numpy(np.ascontiguousarray(both)),
            y=torch.from_numpy(labels),
        )
        edge_slices = torch.from_numpy(np.concatenate([[0], 2 * np.cumsum(counts)]))
        self.slices = {"x": torch.from_numpy(starts), "edge_index": edge_slices, "y": torch.arange(len(labels) + 1)}


def _sizes(rng: np.random.Generator, size: Size) -> np.ndarray:
    """Nodes of each graph, with the mean asked for but for what is cut."""
    drawn = rng.lognormal(np.log(size.nodes) - _SPREAD**2 / 2, _SPREAD, size.num_graphs)
    return np.clip(drawn.round(), _LEAST, _MOST_TIMES * size.nodes).astype(np.int64)


def _trees(rng: np.random.Generator, nodes: np.ndarray, starts: np.ndarray, to_hubs: np.ndarray) -> np.ndarray:
    """What each node hangs on; the first of a graph on itself. All graphs grow by a node at once."""
    parents = np.repeat(starts, nodes)
    for place in range(2, int(nodes.max())):
        growing = np.flatnonzero(nodes > place)
        first = starts[growing]
        chosen = first + (rng.random(growing.size) * place).astype(np.int64)
        end = _end_of_an_edge(rng, np.full(growing.size, place), first, parents)
        parents[first + place] = np.where(rng.random(growing.size) < to_hubs[growing], end, chosen)
    return parents


def _with_further(
    rng: np.random.Generator, size: Size, nodes: np.ndarray, starts: np.ndarray, parents: np.ndarray
) -> np.ndarray:
    """The trees' edges and further ones between ends of edges, none twice; as two rows, the smaller end first."""
    children = np.setdiff1d(np.arange(starts[-1]), starts[:-1], assume_unique=True)
    total, wanted = int(starts[-1]), int(size.edges * size.num_graphs)
    # A pair of nodes as one number, which is quick to make unique.
    tree = np.unique(total * parents[children] + children)
    further = np.empty(0, dtype=np.int64)
    while len(further) < wanted - len(tree):
        graph = np.searchsorted(starts, rng.integers(0, total, 2 * (wanted - len(tree))), side="right") - 1
        ends = [_end_of_an_edge(rng, nodes[graph], starts[graph], parents) for _ in range(2)]
        lower, upper = np.minimum(*ends), np.maximum(*ends)
        further = np.setdiff1d(np.concatenate([further, (total * lower + upper)[lower < upper]]), tree)
    found = np.sort(np.concatenate([tree, rng.choice(further, max(0, wanted - len(tree)), replace=False)]))
    return np.stack([found // total, found % total])


def _end_of_an_edge(rng: np.random.Generator, nodes: np.ndarray, starts: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """In each graph one of the two ends of any of its tree's edges: a node as often as it has neighbours."""
    lower = starts + 1 + (rng.random(len(nodes)) * (nodes - 1)).astype(np.int64)
    return np.where(rng.random(len(nodes)) < 0.5, lower, parents[lower])
