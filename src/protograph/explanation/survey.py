"""All graphs of a fit in a row each: where they came from, what the model makes of them, and some to be shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.projection import project
from protograph.explanation.io import UnfitError, unfit
from protograph.graphs.dataset import GraphStore
from protograph.graphs.origins import Origin
from protograph.models.predictions import EmbeddedGraphs

# Graphs that are kept to be shown, and numbers in all their tensors: more make files that are slow to open.
MAX_GRAPHS, MAX_NUMBERS = 2000, 4_000_000
# What is shown of a graph.
SHOWN = ("x", "edge_index", "edge_attr", "pos", "sentence")
# Decimals of a probability, and figures of a position, as a share of the map's width: all that can be seen.
DECIMALS, MAP_STEPS = 6, 20_000
# An origin's entries and the columns that they make.
_COLUMNS = {
    "position": "places",
    "line": "lines",
    "file": "files",
    "file_position": "file_positions",
    "name": "names",
    "smiles": "smiles",
}


@dataclass(frozen=True)
class EmbeddingMap:
    """The graphs predicted as a class in two dimensions: their graph embeddings' principal components.

    Attributes:
        indices: Index of each graph.
        positions: ``[num_graphs, 2]``.
        clusters: Cluster of each graph, -1 where it is in none.
        explained: Share of the variance that each of the two dimensions has.
    """

    indices: tuple[int, ...]
    positions: Floats
    clusters: tuple[int, ...]
    explained: tuple[float, float]

    def __post_init__(self) -> None:
        size = len(self.indices)
        if len(self.clusters) != size:
            raise unfit("clusters", f"a list of {size}, one for each of indices", self.clusters)
        if self.positions.shape != (size, 2):
            raise unfit("positions.shape", f"[{size}, 2], one row for each of indices", self.positions.shape)


@dataclass(frozen=True, kw_only=True, eq=False)
class Survey:
    """All graphs given to ``fit``: columns with an entry a graph, in its order. The same for all classes.

    Columns rather than records: those of many thousand graphs are then read from a file in no time. A column that
    nothing is known of is empty.

    Attributes:
        predictions: The class that the model predicts.
        probabilities: The model's probability of that class.
        labels: The class that the graph was given.
        confusion: ``confusion[i][j]`` graphs of class i are predicted as class j, of those that have a label; ``None``
            where none has.
        places: Place of each graph in the user's own data, as of :class:`~protograph.graphs.origins.Origin`; empty
            where it is that among the graphs given to ``fit``.
        lines: Line of the table.
        files: Name of the file, of a folder of files.
        file_positions: Place in that file.
        names: What the graph is called; the empty text where it has no name.
        smiles: Its SMILES; the empty text where it was not read from one.
        positions: ``[num_graphs, 2]``, the first two principal components of all graph embeddings.
        explained: Share of the variance that each of the two has.
        graphs: Some of the graphs themselves, by index, to be shown.

    >>> Survey(predictions=(0, 1), names=("a", "")).origin(1)
    Origin(position=1, line=None, file='', file_position=None, name='', smiles='')
    """

    predictions: tuple[int, ...]
    probabilities: tuple[float, ...] = ()
    labels: tuple[int, ...] = ()
    confusion: tuple[tuple[int, ...], ...] | None = None
    places: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    file_positions: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    smiles: tuple[str, ...] = ()
    positions: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    explained: tuple[float, float] = (0.0, 0.0)
    graphs: Mapping[int, Data] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self)
        for name in (*_COLUMNS.values(), "labels", "probabilities"):
            if len(column := getattr(self, name)) not in (0, size):
                raise unfit(name, f"empty or a list of {size}, one for each of predictions", column)
        if self.positions.shape not in ((0, 2), (size, 2)):
            raise unfit("positions.shape", f"[{size}, 2], one row for each of predictions", self.positions.shape)
        if min(self.predictions, default=0) < 0:
            raise unfit("predictions", "classes, from 0", min(self.predictions))
        if not all(0.0 <= probability <= 1.0 for probability in self.probabilities):
            raise UnfitError("probabilities must be in [0, 1], got others")
        if not all(0 <= index < size for index in self.graphs):
            raise UnfitError(f"graphs must be by indices below {size}, got others")
        if any(len(row) != len(self.confusion or ()) for row in self.confusion or ()):
            raise UnfitError("confusion must have as many columns as rows, got others")

    def __len__(self) -> int:
        return len(self.predictions)

    @property
    def has_map(self) -> bool:
        """Whether it is known where graphs lie in two dimensions."""
        return len(self) > 0 and len(self.positions) == len(self)

    def origin(self, index: int) -> Origin:
        """Where a graph came from, by its index; its place among those given to ``fit`` where no more is known."""
        columns = {entry: getattr(self, column) for entry, column in _COLUMNS.items()}
        known = {entry: column[index] for entry, column in columns.items() if index < len(column)}
        return Origin(**{"position": index, **known})


def origin_columns(origins: Iterable[Origin]) -> dict[str, Any]:
    """The columns of a survey that say where graphs came from; those of which something is known.

    >>> origin_columns([Origin(position=3, name="a"), Origin(position=5)])
    {'places': (3, 5), 'names': ('a', '')}
    """
    listed = list(origins)
    columns = {column: tuple(getattr(one, entry) for one in listed) for entry, column in _COLUMNS.items()}
    return {name: column for name, column in columns.items() if None not in column and any(e != "" for e in column)}


def surveyed(store: GraphStore, embedded: EmbeddedGraphs, confusion: tuple[tuple[int, ...], ...] | None) -> Survey:
    """Look over all graphs once, and keep some to be shown."""
    predictions, labels = embedded.predictions, embedded.labels
    own = embedded.probabilities[np.arange(len(predictions)), predictions].clip(0.0, 1.0)
    positions, explained = project(embedded.graph_embeddings)
    step = float(np.ptp(positions, axis=0).max(initial=0.0)) / MAP_STEPS or 1.0
    kept: dict[int, Data] = {}
    graphs, numbers = store[:], 0
    for index in chosen_graphs(predictions, labels, MAX_GRAPHS):
        values = {key: graphs.value(key, index) for key in SHOWN}
        # Apart from the others: a view would take all graphs along wherever this one is kept or pickled.
        tensors = {key: value.clone() for key, value in values.items() if isinstance(value, Tensor)}
        numbers += sum(value.numel() for value in tensors.values())
        if numbers > MAX_NUMBERS and kept:
            break
        texts = {key: value for key, value in values.items() if isinstance(value, str)}
        kept[index] = Data(**tensors, **texts, num_nodes=int(graphs.sizes[index]))
    return Survey(
        predictions=tuple(predictions.tolist()),
        probabilities=tuple(own.round(DECIMALS).tolist()),
        labels=() if labels is None else tuple(labels.tolist()),
        confusion=confusion,
        positions=(positions / step).round() * step,
        explained=explained,
        graphs=dict(sorted(kept.items())),
        **origin_columns(map(store.origin, range(len(store)))),
    )


def chosen_graphs(predictions: Ints, labels: Ints | None, limit: int) -> list[int]:
    """At most so many graphs, evenly from all predictions and from right and wrong ones, in a random order.

    >>> chosen_graphs(np.array([0, 0, 1]), None, 5)
    [0, 2, 1]
    """
    is_wrong = np.zeros(len(predictions), np.bool_) if labels is None else labels != predictions
    cells = [
        np.random.default_rng(0).permutation(np.flatnonzero((predictions == target) & (is_wrong == wrong))).tolist()
        for wrong in (True, False)
        for target in np.unique(predictions)
    ]
    turns = (cell[turn] for turn in range(len(predictions)) for cell in cells if turn < len(cell))
    return [index for _, index in zip(range(limit), turns, strict=False)]
