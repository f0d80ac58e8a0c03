"""Where graphs came from: their places in the user's own list, file or table, and what they are called there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch.utils.data import Subset
from torch_geometric.data import Data, Dataset

from protograph._utils.words import clean_name, one_line

MAX_SMILES = 60
# Attributes of a graph that say what it is called, the first that it has.
NAME_KEYS = ("name", "id")


@dataclass(frozen=True, kw_only=True, slots=True)
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


def named(origin: Origin, graph: Any) -> Origin:
    """An origin with the name and the SMILES that the graph itself, or a mapping in its place, has.

    >>> named(Origin(position=3), Data(id=7)).label
    'graph 3 (7)'
    """
    return replace(origin, name=origin.name or _text(graph, NAME_KEYS), smiles=_text(graph, ("smiles",)))


def _text(graph: Any, keys: Sequence[str]) -> str:
    """The first of these attributes that is a text or a whole number."""
    values = [graph.get(key) for key in keys] if isinstance(graph, Data | Mapping) else []
    return next((str(value) for value in values if isinstance(value, str | int) and str(value)), "")


def origins_of(graphs: Any, count: int) -> Sequence[Origin]:
    """Where graphs came from.

    Args:
        graphs: What the user gave.
        count: How many graphs that is.

    >>> [origin.position for origin in origins_of(Subset(["a", "b", "c"], [2, 0]), 2)]
    [2, 0]
    """
    return [origin_at(graphs, place) for place in range(count)]


def origin_at(graphs: Any, place: int) -> Origin:
    """Where a graph came from: what a data set knows of it, else its place in what was given.

    A :class:`torch.utils.data.Subset` and a selection of a PyG data set count in the data set they were taken from.
    """
    known = getattr(graphs, "origins", None)
    if isinstance(known, Sequence) and place < len(known) and isinstance(origin := known[place], Origin):
        return origin
    if isinstance(graphs, Subset):
        return origin_at(graphs.dataset, graphs.indices[place])
    is_selection = isinstance(graphs, Dataset) and place < len(graphs.indices())
    return Origin(position=int(graphs.indices()[place]) if is_selection else place)
