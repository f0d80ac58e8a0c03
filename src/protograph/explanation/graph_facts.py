"""What is known of every graph given to ``fit``: where it came from, its label, and what the model makes of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from protograph.explanation.codec import UnfitError, unfit
from protograph.graphs.origins import Origin

# An origin's entries and the columns that they make.
_COLUMNS = {
    "position": "positions",
    "line": "lines",
    "file": "files",
    "file_position": "file_positions",
    "name": "names",
    "smiles": "smiles",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class GraphFacts:
    """Columns with an entry a graph, in the order of ``fit``; a column that nothing is known of is empty.

    Columns rather than records: the facts of many thousand graphs are then read from a file in no time.

    Attributes:
        positions: Place of each graph in the user's own data, as of :class:`~protograph.graphs.origins.Origin`.
        predictions: The class that the model predicts.
        probabilities: The model's probability of that class.
        labels: The class that the graph was given.
        lines: Line of the table.
        files: Name of the file, of a folder of files.
        file_positions: Place in that file.
        names: What the graph is called; the empty text where it has no name.
        smiles: Its SMILES; the empty text where it was not read from one.
    """

    positions: tuple[int, ...]
    predictions: tuple[int, ...]
    probabilities: tuple[float, ...]
    labels: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    file_positions: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    smiles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        size = len(self.positions)
        for name, column in vars(self).items():
            if len(column) not in ((size,) if name in ("predictions", "probabilities") else (0, size)):
                raise unfit(name, f"a list of {size}, one for each of positions", column)
        if not all(0.0 <= probability <= 1.0 for probability in self.probabilities):
            raise UnfitError("probabilities must be in [0, 1], got others")

    @classmethod
    def of(
        cls,
        origins: Iterable[Origin],
        predictions: Iterable[int],
        probabilities: Iterable[float],
        labels: Iterable[int] = (),
    ) -> "GraphFacts":
        """The facts of graphs, one origin, prediction and probability each.

        >>> GraphFacts.of([Origin(position=3, name="a"), Origin(position=5)], [0, 1], [0.9, 0.8]).names
        ('a', '')
        """
        listed = list(origins)
        columns = {column: tuple(getattr(one, entry) for one in listed) for entry, column in _COLUMNS.items()}
        known = {name: column for name, column in columns.items() if all(entry is not None for entry in column)}
        return cls(
            **{name: column for name, column in known.items() if name == "positions" or any(e != "" for e in column)},
            predictions=tuple(predictions),
            probabilities=tuple(probabilities),
            labels=tuple(labels),
        )

    def __len__(self) -> int:
        return len(self.positions)

    def origin(self, index: int) -> Origin:
        """Where a graph came from, by its index."""
        columns = {entry: getattr(self, column) for entry, column in _COLUMNS.items()}
        return Origin(**{entry: column[index] for entry, column in columns.items() if column})
