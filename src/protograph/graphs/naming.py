"""Names of columns of features, and of the values of columns of whole numbers; a graph as these names tell it.

What is one-hot has a name a column. A column of whole numbers, such as atomic numbers, may have a name a value; then
words, pictures and SMILES read :func:`named_graph`, where the first such column is one-hot and has a name a column.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.column_names import ColumnNames, ValueNames
from protograph.graphs.node_naming import told_kinds
from protograph.graphs.node_rule import NodeRule

__all__ = [
    "CHARGES",
    "ColumnNames",
    "NamedGraph",
    "ValueNames",
    "named_graph",
    "num_columns",
    "read_names",
    "unnamed_value",
]

# Columns that tell the formal charge of an atom, if their names, without underscores, are these.
CHARGES = ("formal charge", "charge")


def read_names(given: Any, tensor: Any, what: str, of: str) -> ColumnNames:
    """Names as a user gives them, for a tensor that may be lacking.

    They are one of: a name for each column; names of the values 0, 1, ... of a single column, or a mapping from values
    to names; an entry for each column, each a name, or the names of its values in one of these two forms; a mapping
    from the columns' names to the names of their values, ``None`` where these have none.

    Args:
        given: The names; ``None`` is none. Those read before are taken as they are.
        tensor: The tensor of one graph: one row a node or an edge, or a number.
        what: What messages call the names, such as ``feature_names``.
        of: What messages call the tensor, such as ``x``.

    Raises:
        TypeError: If they are no names.
        ValueError: If they do not fit the columns.

    >>> read_names(("C", "N"), torch.tensor([[0], [1]]), "feature_names", "x")
    ColumnNames(columns=('column 0',), values={0: {0: 'C', 1: 'N'}})
    >>> read_names({"atom": {6: "C"}, "degree": None}, torch.tensor([[6, 3]]), "feature_names", "x")
    ColumnNames(columns=('atom', 'degree'), values={0: {6: 'C'}})
    """
    if given is None or (isinstance(given, Sequence | Mapping) and not given):
        return ColumnNames()
    if isinstance(given, ColumnNames):
        return _fitting(given, num_columns(tensor), what, of)
    if isinstance(given, str) or not isinstance(given, Sequence | Mapping):
        raise TypeError(f"{what} must be a list of names, or a mapping, got {given!r}")
    entries = _entries(given, num_columns(tensor))
    values = {number: _values(names, what) for number, (_, names) in enumerate(entries) if names is not None}
    names = ColumnNames(tuple(name for name, _ in entries), {number: own for number, own in values.items() if own})
    return _fitting(names, num_columns(tensor), what, of)


def _fitting(names: ColumnNames, width: int, what: str, of: str) -> ColumnNames:
    """The names, if there is one for each of so many columns."""
    number = len(names.columns)
    if number in (0, width):
        return names
    shown = ", ".join(names.columns[:5]) + (", ..." if number > 5 else "")
    if width == 0:
        raise ValueError(f"{what} must be left out where graphs have no {of}, got {number} ({shown})")
    raise ValueError(
        f"{what} must have an entry for each of the {width} columns of {of}, got {number} ({shown}); "
        f"names of values are for a single column, or go into the entry of their column"
    )


def num_columns(tensor: Any) -> int:
    """Number of columns of a tensor with a row a node or an edge; 1 where a row is a number, 0 where it is lacking."""
    if not isinstance(tensor, Tensor) or tensor.dim() not in (1, 2) or tensor.is_complex():
        return 0
    return 1 if tensor.dim() == 1 else int(tensor.size(1))


def _entries(given: Any, width: int) -> list[tuple[str, Any]]:
    """Name of each column, and what was given for its values, ``None`` where nothing was."""
    if isinstance(given, Mapping):
        if all(isinstance(name, str) for name in given.values()):
            return [("column 0", given)]
        return [(str(name), values) for name, values in given.items()]
    if width == 1 and len(given) > 1 and all(isinstance(name, str) for name in given):
        return [("column 0", given)]
    return [
        (entry, None) if isinstance(entry, str) else (f"column {number}", entry) for number, entry in enumerate(given)
    ]


def _values(names: Any, what: str) -> dict[int, str]:
    if isinstance(names, str) or not isinstance(names, Sequence | Mapping):
        raise TypeError(f"{what} of a column must be its name, or the names of its values, got {names!r}")
    if not isinstance(names, Mapping):
        return {value: str(name) for value, name in enumerate(names)}
    try:
        # In JSON the keys of an object are texts.
        return {int(value): str(name) for value, name in names.items()}
    except (TypeError, ValueError):
        wrong = next(key for key in names if not str(key).lstrip("+-").isdigit())
        raise ValueError(f"{what} of values must be by whole numbers, got {wrong!r}") from None


def unnamed_value(names: ColumnNames, tensor: Any) -> float | None:
    """A value in the column whose values have names that has none; ``None`` where all have.

    >>> unnamed_value(ColumnNames(("atom",), {0: {6: "C"}}), torch.tensor([[6], [53]]))
    53.0
    """
    if names.column is None or num_columns(tensor) <= names.column:
        return None
    numbers = sorted(set(_column(tensor, names.column).tolist()))
    return next((number for number in numbers if number not in names.values[names.column]), None)


class NamedGraph(NamedTuple):
    """A graph whose kinds are told by columns, and the names of these."""

    graph: Data
    feature_names: tuple[str, ...]
    edge_names: tuple[str, ...]


def named_graph(
    graph: Data, features: ColumnNames, edges: ColumnNames, node_rule: NodeRule | None = None
) -> NamedGraph:
    """A graph as names tell it: where values have names, the first such column is one-hot and the others are left out.

    A value without a name is a row of zeros. A column called formal charge becomes ``charge``, unless the graph has it.
    Where nodes agree by another rule than equal features, its kinds are one-hot.

    >>> names = ColumnNames(("atom",), {0: {6: "C", 8: "O"}})
    >>> named_graph(Data(x=torch.tensor([[8], [6]])), names, ColumnNames()).graph.x
    tensor([[0., 1.],
            [1., 0.]])
    """
    changed = {key: _one_hot(graph.get(key), names) for key, names in (("x", features), ("edge_attr", edges))}
    changed |= {"charge": _charges(graph, features)}
    told_names = features.columns if changed["x"] is None else features.kinds
    if node_rule is not None and not node_rule.is_plain and isinstance(graph.x, Tensor):
        kinds = told_kinds(graph.x, node_rule, features)
        if kinds is not None:
            changed["x"], told_names = kinds
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
    return (_column(tensor, names.column)[:, None] == values).float()


def _charges(graph: Data, names: ColumnNames) -> Tensor | None:
    """Formal charges by the column that has them; ``None`` where none does, or the graph has them itself."""
    number = next((n for n, name in enumerate(names.columns) if name.lower().replace("_", " ") in CHARGES), None)
    if names.column is None or number is None or "charge" in graph or num_columns(graph.x) <= number:
        return None
    texts = names.values.get(number, {})
    try:
        return torch.tensor([int(texts.get(int(v), v)) for v in _column(graph.x, number).tolist()], dtype=torch.long)
    except (ValueError, OverflowError):  # named otherwise than by numbers, or no numbers
        return None


def _column(tensor: Tensor, number: int) -> Tensor:
    rows = tensor.detach().cpu().double()
    return rows if rows.dim() == 1 else rows[:, number]
