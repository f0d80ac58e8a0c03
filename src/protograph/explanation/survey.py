"""All graphs of a fit in a row each, and what the model makes of them with a pattern taken out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph.explanation.codec import UnfitError, unfit
from protograph.graphs.origins import Origin

# An origin's entries and the columns that they make.
_COLUMNS = {
    "position": "places",
    "line": "lines",
    "file": "files",
    "file_position": "file_positions",
    "name": "names",
    "smiles": "smiles",
}
_ALWAYS_THERE = ("predictions", "probabilities")


@dataclass(frozen=True, kw_only=True, eq=False)
class Survey:
    """All graphs given to ``fit``: columns with an entry a graph, in its order. The same for all classes.

    Columns rather than records: those of many thousand graphs are then read from a file in no time. A column that
    nothing is known of is empty.

    Attributes:
        places: Place of each graph in the user's own data, as of :class:`~protograph.graphs.origins.Origin`.
        predictions: The class that the model predicts.
        probabilities: The model's probability of that class.
        labels: The class that the graph was given.
        lines: Line of the table.
        files: Name of the file, of a folder of files.
        file_positions: Place in that file.
        names: What the graph is called; the empty text where it has no name.
        smiles: Its SMILES; the empty text where it was not read from one.
        positions: ``[num_graphs, 2]``, the first two principal components of all graph embeddings.
        explained: Share of the variance that each of the two has.
        graphs: Some of the graphs themselves, by index, to be shown.
    """

    places: tuple[int, ...]
    predictions: tuple[int, ...]
    probabilities: tuple[float, ...]
    labels: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    file_positions: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    smiles: tuple[str, ...] = ()
    positions: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    explained: tuple[float, float] = (0.0, 0.0)
    graphs: Mapping[int, Data] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.places)
        for name in (*_COLUMNS.values(), "labels", *_ALWAYS_THERE):
            column, may_lack = getattr(self, name), name not in _ALWAYS_THERE
            if len(column) != size and (column or not may_lack):
                raise unfit(name, f"{'empty or ' if may_lack else ''}a list of {size}, one for each of places", column)
        if self.positions.shape not in ((0, 2), (size, 2)):
            raise unfit("positions.shape", f"[{size}, 2], one row for each of places", self.positions.shape)
        if not all(0.0 <= probability <= 1.0 for probability in self.probabilities):
            raise UnfitError("probabilities must be in [0, 1], got others")
        if not all(0 <= index < size for index in self.graphs):
            raise UnfitError(f"graphs must be by indices below {size}, got others")

    @classmethod
    def of(
        cls,
        origins: Iterable[Origin],
        predictions: Iterable[int],
        probabilities: Iterable[float],
        labels: Iterable[int] = (),
        **parts: Any,
    ) -> "Survey":
        """What is known of graphs, one origin, prediction and probability each; ``parts`` are the other fields.

        >>> Survey.of([Origin(position=3, name="a"), Origin(position=5)], [0, 1], [0.9, 0.8]).names
        ('a', '')
        """
        listed = list(origins)
        columns: dict[str, Any] = {
            column: tuple(getattr(one, entry) for one in listed) for entry, column in _COLUMNS.items()
        }
        known = {name: column for name, column in columns.items() if all(entry is not None for entry in column)}
        return cls(
            **{name: column for name, column in known.items() if name == "places" or any(e != "" for e in column)},
            predictions=tuple(predictions),
            probabilities=tuple(probabilities),
            labels=tuple(labels),
            **parts,
        )

    def __len__(self) -> int:
        return len(self.places)

    @property
    def has_map(self) -> bool:
        """Whether it is known where graphs lie in two dimensions."""
        return len(self) > 0 and len(self.positions) == len(self)

    def origin(self, index: int) -> Origin:
        """Where a graph came from, by its index."""
        columns = {entry: getattr(self, column) for entry, column in _COLUMNS.items()}
        return Origin(**{entry: column[index] for entry, column in columns.items() if column})


@dataclass(frozen=True, kw_only=True)
class TakenOut:
    """What the model makes of a graph, and of the same graph without the nodes of a pattern.

    Attributes:
        index: The graph.
        nodes: Its nodes that were taken out.
        margin: The log-odds of the class for the whole graph.
        margin_without: The same for what is left of it.
    """

    index: int
    nodes: tuple[int, ...]
    margin: float
    margin_without: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NextBest:
    """A pattern that a session of the search came to, and that was not taken as the prototype.

    Attributes:
        graph: The pattern.
        probability: The model's probability of the class for it.
        margin: The log-odds of the class for it.
    """

    graph: Data
    probability: float
    margin: float
