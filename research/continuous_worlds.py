"""Graphs with a ring of colours planted in them, whose colours are told by continuous features or by numbers.

A ring of five nodes hangs on a random tree whose nodes are of random colours. In class 1 it has the colours of
:data:`RING` in that order, in class 0 others drawn at random, so that neither shape nor colours tell the classes alone
and a part of the ring hardly does. What a model and the explainer see are features that stand for colours, a world at a
time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, GINConv, global_add_pool
from torch_geometric.utils import to_undirected

NOISE = 0.2
NUM_COLOURS = 4
# The colours around the ring of class 1.
RING = (0, 1, 2, 3, 1)
EDGES = tuple((node, (node + 1) % len(RING)) for node in range(len(RING)))
LEAST_ACCURACY = 0.95
HIDDEN = 32
BATCH, MOST_EPOCHS, MOST_TRIES = 50, 50, 3

Features = Callable[[np.ndarray, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class ContinuousWorld:
    """How colours become features.

    Attributes:
        features: Rows of features of some colours.
        centres: A row that stands for each colour.
        num_ids: Numbers that a model embeds; 0 where features are multiplied.
    """

    features: Features
    centres: np.ndarray
    num_ids: int = 0


def gaussian(centres: np.ndarray) -> ContinuousWorld:
    """Normal noise around a centre for each colour."""
    return ContinuousWorld(
        lambda colours, rng: centres[colours] + NOISE * rng.normal(size=(len(colours), centres.shape[1])), centres
    )


def spun() -> ContinuousWorld:
    """The same in eight columns, none of which tells a colour by itself: the corners of a figure, turned at random."""
    turned = np.linalg.qr(np.random.default_rng(8).normal(size=(8, 8)))[0]
    return gaussian(np.eye(NUM_COLOURS, 8) @ turned)


def ids() -> ContinuousWorld:
    """Forty numbers, ten for each colour, in no order: only an embedding makes sense of them."""
    colour_of = np.random.default_rng(40).permutation(np.repeat(np.arange(NUM_COLOURS), 10))
    numbers = [np.flatnonzero(colour_of == colour) for colour in range(NUM_COLOURS)]

    def features(colours: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.array([[rng.choice(numbers[colour])] for colour in colours])

    return ContinuousWorld(features, np.array([[own[0]] for own in numbers]), num_ids=40)


def sectors() -> ContinuousWorld:
    """The direction of a point in the plane, four of them without a gap: neither column tells a colour, nor do gaps."""
    middle = np.pi / 2 * np.arange(NUM_COLOURS)
    centres = np.stack([np.cos(middle), np.sin(middle)], axis=1)

    def features(colours: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        angles = middle[colours] + np.pi / 2 * (rng.random(len(colours)) - 0.5)
        return (0.5 + rng.random(len(colours)))[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)

    return ContinuousWorld(features, centres)


def beside_types() -> ContinuousWorld:
    """Colours as one-hot types, and a column that says nothing: what graphs of proteins look like."""

    def features(colours: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.concatenate([np.eye(NUM_COLOURS)[colours], rng.gamma(2.0, size=(len(colours), 1))], axis=1)

    return ContinuousWorld(features, np.concatenate([np.eye(NUM_COLOURS), np.ones((NUM_COLOURS, 1))], axis=1))


def types() -> ContinuousWorld:
    """Colours as one-hot types: what the other worlds are held against."""
    return ContinuousWorld(lambda colours, rng: np.eye(NUM_COLOURS)[colours], np.eye(NUM_COLOURS))


WORLDS: dict[str, ContinuousWorld] = {
    "types": types(),
    "line": gaussian(np.arange(4.0)[:, None]),
    "plane": gaussian(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])),
    "tilted": gaussian(np.array([[0.0, 0.7], [0.7, 0.0], [0.7, 1.4], [1.4, 0.7]])),
    "spun": spun(),
    "ids": ids(),
    "sectors": sectors(),
    "beside types": beside_types(),
}


def motif(world: ContinuousWorld) -> Data:
    """What was planted in the graphs of class 1."""
    edges = to_undirected(torch.tensor(EDGES).T, num_nodes=len(RING))
    return Data(x=_tensor(world, world.centres[list(RING)]), edge_index=edges)


def graphs_of(world: ContinuousWorld, seed: int, number: int = 1000) -> list[Data]:
    """Graphs of both classes in turn."""
    rng = np.random.default_rng(seed)
    return [_graph(world, place % 2, rng) for place in range(number)]


def _graph(world: ContinuousWorld, target: int, rng: np.random.Generator) -> Data:
    ring = len(RING)
    size = ring + int(rng.integers(10, 17))
    tree = [(node, int(rng.integers(ring, node))) for node in range(ring + 1, size)]
    edges = [*EDGES, *tree, (int(rng.integers(ring)), int(rng.integers(ring, size)))]
    colours = np.array([*(RING if target else _other_ring(rng)), *rng.integers(NUM_COLOURS, size=size - ring)])
    order = rng.permutation(size)
    place = np.argsort(order)
    x = _tensor(world, world.features(colours[order], rng))
    ends = torch.tensor([[place[u], place[v]] for u, v in edges]).T
    return Data(x=x, edge_index=to_undirected(ends, num_nodes=size), y=torch.tensor([target]))


def _other_ring(rng: np.random.Generator) -> list[int]:
    """Colours of a ring that is not the planted one, from wherever it is gone around."""
    while True:
        colours = rng.integers(NUM_COLOURS, size=len(RING)).tolist()
        turns = [way[at:] + way[:at] for way in (colours, colours[::-1]) for at in range(len(RING))]
        if list(RING) not in turns:
            return colours


def _tensor(world: ContinuousWorld, rows: np.ndarray) -> Tensor:
    return torch.tensor(rows, dtype=torch.long if world.num_ids else torch.float32)


class ColourNet(nn.Module):
    """Three layers and a readout, behind an embedding of numbers, or two layers for a node's own features."""

    def __init__(self, world: ContinuousWorld, conv: str) -> None:
        super().__init__()
        width = world.centres.shape[1]
        self.num_ids = world.num_ids
        self.first: nn.Module = nn.Identity()
        if world.num_ids:
            self.first, width = nn.Embedding(world.num_ids, HIDDEN), HIDDEN
        else:
            self.first, width = nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN)), HIDDEN
        sizes = [width, HIDDEN, HIDDEN, HIDDEN]
        self.convs = nn.ModuleList(_conv(conv, a, b) for a, b in pairwise(sizes))
        self.norms = nn.ModuleList(nn.BatchNorm1d(HIDDEN) for _ in self.convs)
        self.head = nn.Linear(HIDDEN, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        """Scores of the classes."""
        x = self.first(x.squeeze(-1)) if self.num_ids else self.first(x)
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = norm(conv(x, edge_index)).relu()
        return self.head(global_add_pool(x, batch))


def _conv(name: str, inputs: int, outputs: int) -> nn.Module:
    if name == "gcn":
        return GCNConv(inputs, outputs)
    return GINConv(nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs)))


def trained(world: ContinuousWorld, graphs: list[Data], conv: str, seed: int) -> tuple[ColourNet, float]:
    """A model that has learned the world, best of a few tries, and its accuracy on the last quarter of the graphs."""
    cut = 3 * len(graphs) // 4
    fit = [Batch.from_data_list(graphs[i : min(i + BATCH, cut)]) for i in range(0, cut, BATCH)]
    kept = Batch.from_data_list(graphs[cut:])
    best: tuple[ColourNet, float] | None = None
    for number in range(MOST_TRIES):
        torch.manual_seed(seed + 1000 * number)
        found = _fitted(ColourNet(world, conv), fit, kept)
        best = found if best is None or found[1] > best[1] else best
        if best[1] >= LEAST_ACCURACY:
            break
    assert best is not None
    return best


def _fitted(model: ColourNet, fit: list[Batch], kept: Batch) -> tuple[ColourNet, float]:
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=1e-4)
    accuracy = 0.0
    for _ in range(MOST_EPOCHS):
        model.train()
        for number in torch.randperm(len(fit)).tolist():
            batch = fit[number]
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y).backward()
            optimiser.step()
        model.eval()
        with torch.no_grad():
            found = model(kept.x, kept.edge_index, kept.batch).argmax(dim=1)
        accuracy = float((found == kept.y).float().mean())
        if accuracy >= 0.985:
            break
    return model, accuracy
