"""Where graphs came from: their places in the user's own list, file or table, and what they are called there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch.utils.data import Subset
from torch_geometric.data import Data, Dataset

from protograph._utils.arrays import Ints
from protograph._utils.words import clean_name, one_line

MAX_SMILES = 60
# Attributes of a graph that say what it is called, the first that it has.
NAME_KEYS = ("name", "id")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where one graph came from.

    Attributes:
        position: Its place in the user's list, data set, file or folder, counted from 0; of a table, among the rows
            that are molecules.
        line: Line of the table on which it begins, counted from 1; ``None`` where it came from no table.
        file: Name of its file, where graphs came from a folder of files.
        file_position: Its place in that file, counted from 0.
        name: What it is called there: a table's column of names, or the graph's ``name`` or ``id``.
        smiles: Its SMILES, where it was read from one.

    >>> Origin(position=875, line=888, name="aspirin", smiles="CC(=O)Oc1ccccc1C(=O)O").label
    'graph 875 (line 888, aspirin, CC(=O)Oc1ccccc1C(=O)O)'
    >>> Origin(position=12, file="part2.pt", file_position=2).label, Origin(position=3).label
    ('graph 12 (graph 2 of part2.pt)', 'graph 3')
    """

    position: int
    line: int | None = None
    file: str = ""
    file_position: int | None = None
    name: str = ""
    smiles: str = ""

    @property
    def label(self) -> str:
        """What messages, pictures and reports call the graph, with all that is known of where it came from."""
        smiles = one_line(self.smiles[: 4 * MAX_SMILES])
        facts = (
            "" if self.line is None else f"line {self.line}",
            f"graph {self.file_position} of {clean_name(self.file)}" if self.file else "",
            clean_name(self.name) if self.name else "",
            smiles if len(smiles) <= MAX_SMILES else f"{smiles[: MAX_SMILES - 1]}…",
        )
        text = ", ".join(dict.fromkeys(fact for fact in facts if fact))
        return f"graph {self.position} ({text})" if text else f"graph {self.position}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Origins:
    """Where each of some graphs came from; a selection of them keeps what is known of the whole, uncopied.

    Attributes:
        positions: Place of each graph in the whole.
        lines: Line of each graph of the whole; ``None`` where it is no table.
        names: Name of each graph of the whole; empty where only the graphs themselves may have one.
        files: Names of the files that the whole was read from; empty where it was not read from several.
        starts: Place of each file's first graph in the whole.

    >>> table = Origins(positions=np.arange(3), lines=np.array([2, 4, 5]), names=("a", "b", "c"))
    >>> table.select(np.array([2, 0])).of(0).label
    'graph 2 (line 5, c)'
    """

    positions: Ints
    lines: Ints | None = None
    names: Sequence[str] = ()
    files: Sequence[str] = ()
    starts: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.positions)

    def select(self, chosen: Any) -> "Origins":
        """The origins of the graphs at these places among these."""
        return Origins(
            positions=self.positions[chosen],
            lines=self.lines,
            names=self.names,
            files=self.files,
            starts=self.starts,
        )

    def of(self, index: int, graph: Data | Mapping[str, Any] | None = None) -> Origin:
        """Where the graph at a place among these came from; the graph itself may know its name and SMILES."""
        position = int(self.positions[index])
        file = int(np.searchsorted(self.starts, position, side="right")) - 1 if self.files else None
        return Origin(
            position=position,
            line=None if self.lines is None else int(self.lines[position]),
            file="" if file is None else self.files[file],
            file_position=None if file is None else position - self.starts[file],
            name=(self.names[position] if self.names else "") or _text(graph, NAME_KEYS),
            smiles=_text(graph, ("smiles",)),
        )


def _text(graph: Any, keys: Sequence[str]) -> str:
    """The first of these attributes that is a text or a whole number."""
    values = [graph.get(key) for key in keys] if isinstance(graph, Data | Mapping) else []
    return next((str(value) for value in values if isinstance(value, str | int) and str(value)), "")


def origins_of(graphs: Any, count: int) -> Origins:
    """Where graphs came from: what a data set knows of it, else their places in what was given.

    A :class:`torch.utils.data.Subset` and a selection of a PyG data set count in the data set they were taken from.

    Args:
        graphs: What the user gave.
        count: How many graphs that is.

    >>> origins_of(Subset(["a", "b", "c"], [2, 0]), 2).positions
    array([2, 0])
    """
    known = getattr(graphs, "origins", None)
    if isinstance(known, Origins) and len(known) == count:
        return known
    if isinstance(graphs, Subset):
        chosen = _numbers(graphs.indices)
        whole: Any = graphs.dataset
        return origins_of(whole, len(whole)).select(chosen)
    if isinstance(graphs, Dataset) and len(indices := graphs.indices()) == count:
        return Origins(positions=_numbers(indices))
    return Origins(positions=np.arange(count))


def _numbers(places: Iterable[int]) -> Ints:
    if isinstance(places, range):  # by far quicker than one by one
        return np.arange(places.start, places.stop, places.step, dtype=np.int64)
    return np.array(list(places), dtype=np.int64)
