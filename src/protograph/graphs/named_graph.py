"""A graph as names tell it, which words, drawings and SMILES read: one-hot, with a name a column."""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph.graphs.conditions import Reading
from protograph.graphs.names import ColumnNames, column, num_columns

# Columns that tell the formal charge of an atom, if their names, without underscores, are these.
CHARGES = ("formal charge", "charge")


class NamedGraph(NamedTuple):
    """A graph whose kinds are told by columns, and the names of these."""

    graph: Data
    feature_names: tuple[str, ...]
    edge_names: tuple[str, ...]


def named_graph(graph: Data, features: ColumnNames, edges: ColumnNames, reading: Reading | None = None) -> NamedGraph:
    """A graph as names tell it: where values have names, the first such column is one-hot and the others are left out.

    A value without a name is a row of zeros. A column called formal charge becomes ``charge``, unless the graph has it.
    Where neither columns nor values have names, what nodes are told apart by is one-hot.

    >>> names = ColumnNames(("atom",), {0: {6: "C", 8: "O"}})
    >>> named_graph(Data(x=torch.tensor([[8], [6]])), names, ColumnNames()).graph.x
    tensor([[0., 1.],
            [1., 0.]])
    """
    changed = {key: _one_hot(graph.get(key), names) for key, names in (("x", features), ("edge_attr", edges))}
    changed |= {"charge": _charges(graph, features)}
    told_names = features.columns if changed["x"] is None else features.kinds
    noun = None if reading is None or features.columns else reading.noun
    if noun is not None and isinstance(rows := graph.get(noun.key), Tensor):
        codes = torch.from_numpy(noun.codes(_rows(rows)))
        changed["x"] = (codes[:, None] == torch.tensor(noun.values, dtype=torch.double)).float()
        told_names = tuple(map(noun.word, noun.values))
    new = {key: value for key, value in changed.items() if value is not None}
    told = Data(**graph.to_dict() | new) if new else graph
    return NamedGraph(
        told,
        told_names,
        edges.columns if changed["edge_attr"] is None else edges.kinds,
    )


def _one_hot(tensor: Any, names: ColumnNames) -> Tensor | None:
    if names.column is None or num_columns(tensor) <= names.column:
        return None
    values = torch.tensor(sorted(names.values[names.column]), dtype=torch.double)
    return (column(tensor, names.column)[:, None] == values).float()


def _charges(graph: Data, names: ColumnNames) -> Tensor | None:
    """Formal charges by the column that has them; ``None`` where none does, or the graph has them itself."""
    number = next((n for n, name in enumerate(names.columns) if name.lower().replace("_", " ") in CHARGES), None)
    if names.column is None or number is None or "charge" in graph or num_columns(graph.x) <= number:
        return None
    texts = names.values.get(number, {})
    try:
        return torch.tensor([int(texts.get(int(v), v)) for v in column(graph.x, number).tolist()], dtype=torch.long)
    except (ValueError, OverflowError):  # named otherwise than by numbers, or no numbers
        return None


def _rows(tensor: Tensor) -> Floats:
    return tensor.detach().cpu().double().reshape(len(tensor), -1).numpy()
