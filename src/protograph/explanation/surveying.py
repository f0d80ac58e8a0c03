"""All graphs of a fit in a row each, and some of them to be shown."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.projection import project
from protograph.explanation.survey import Survey
from protograph.graphs.dataset import GraphStore
from protograph.models.predictions import EmbeddedGraphs

# Graphs that are kept to be shown, and numbers in all their tensors: more make files that are slow to open.
MAX_GRAPHS, MAX_NUMBERS = 2000, 4_000_000
# Graphs that are read together, which takes a fraction of the time.
CHUNK = 250
# What is shown of a graph.
SHOWN = ("x", "edge_index", "edge_attr", "pos", "sentence")
# Decimals of a probability, and figures of a position, as a share of the map's width: all that can be seen.
DECIMALS, MAP_STEPS = 6, 20_000


def surveyed(store: GraphStore, embedded: EmbeddedGraphs) -> Survey:
    """Look over all graphs once."""
    predictions, labels = embedded.predictions, embedded.labels
    own = embedded.probabilities[np.arange(len(predictions)), predictions].clip(0.0, 1.0)
    positions, explained = project(embedded.graph_embeddings)
    step = float(np.ptp(positions, axis=0).max(initial=0.0)) / MAP_STEPS or 1.0
    known: dict[str, Any] = {
        "predictions": tuple(predictions.tolist()),
        "probabilities": tuple(own.round(DECIMALS).tolist()),
        "labels": () if labels is None else tuple(labels.tolist()),
        "positions": (positions / step).round() * step,
        "explained": explained,
        "graphs": _kept(store, predictions, labels),
    }
    return Survey.of(map(store.origin, range(len(store))), **known)


class KeptGraphs(Mapping[int, Data]):
    """Some graphs by their index, each with no more than what is shown of it; that is taken when it is asked for.

    Args:
        graphs: The graphs.
    """

    def __init__(self, graphs: Mapping[int, Data]) -> None:
        self._graphs = graphs

    def __getitem__(self, index: int) -> Data:
        graph = self._graphs[index]
        values = {key: value for key, value in graph.to_dict().items() if key in SHOWN}
        shown = {key: value for key, value in values.items() if isinstance(value, Tensor | str)}
        return Data.from_dict({**shown, "num_nodes": graph.num_nodes})

    def __iter__(self) -> Iterator[int]:
        return iter(self._graphs)

    def __len__(self) -> int:
        return len(self._graphs)


def _kept(store: GraphStore, predictions: Ints, labels: Ints | None) -> KeptGraphs:
    """Graphs to be shown: as many of each prediction as there is room for, the wrong ones among them first."""
    kept: dict[int, Data] = {}
    numbers, chosen = 0, chosen_graphs(predictions, labels, MAX_GRAPHS)
    for start in range(0, len(chosen), CHUNK):
        indices = chosen[start : start + CHUNK]
        for index, graph in zip(indices, store.take(indices), strict=True):
            numbers += sum(value.numel() for value in (graph.x, graph.edge_index, graph.edge_attr) if value is not None)
            if numbers > MAX_NUMBERS and kept:
                return KeptGraphs(dict(sorted(kept.items())))
            kept[index] = graph
    return KeptGraphs(dict(sorted(kept.items())))


def chosen_graphs(predictions: Ints, labels: Ints | None, limit: int) -> list[int]:
    """At most so many graphs, evenly from all predictions and from right and wrong ones.

    >>> chosen_graphs(np.array([0, 0, 0, 0, 1]), None, 3)
    [0, 4, 2]
    """
    is_wrong = np.zeros(len(predictions), np.bool_) if labels is None else labels != predictions
    cells = [
        np.flatnonzero((predictions == target) & (is_wrong == wrong))
        for wrong in (True, False)
        for target in np.unique(predictions)
    ]
    # In an order that is spread over a cell however many of it are taken: 0, the middle, the quarters, ...
    spread = [cell[np.argsort(_reversed_bits(len(cell)), kind="stable")] for cell in cells]
    longest = max(map(len, spread), default=0)
    turns = (cell[turn] for turn in range(longest) for cell in spread if turn < len(cell))
    return [int(index) for _, index in zip(range(limit), turns, strict=False)]


def _reversed_bits(size: int) -> Ints:
    """The numbers below a size with their bits in reverse order, by which the first few are far apart."""
    width = max(1, (max(size, 1) - 1).bit_length())
    numbers, reversed_numbers = np.arange(size), np.zeros(size, np.int64)
    for bit in range(width):
        reversed_numbers |= ((numbers >> bit) & 1) << (width - 1 - bit)
    return reversed_numbers
