"""Names of columns and of their values: what is one-hot has a name a column, whole numbers may have a name a value."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

ValueNames = Mapping[int, Mapping[int, str]]


@dataclass(frozen=True)
class ColumnNames:
    """Names of the columns of a tensor of features or attributes.

    Attributes:
        columns: A name for each column; empty where they have none.
        values: The names of a column's values, by the number of the column, for columns that have such.
    """

    columns: tuple[str, ...] = ()
    values: ValueNames = field(default_factory=dict)

    @property
    def column(self) -> int | None:
        """The column whose values say what kind a node or an edge is: the first with names; ``None`` where none has."""
        return min(self.values, default=None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A name for each kind: those of the values of that column in ascending order, else those of the columns."""
        if self.column is None:
            return self.columns
        return tuple(name for _, name in sorted(self.values[self.column].items()))


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
    named = names if isinstance(names, Mapping) else dict(enumerate(names))
    try:
        # In JSON the keys of an object are texts.
        return {int(value): str(name) for value, name in named.items()}
    except (TypeError, ValueError):
        wrong = next(value for value in named if not str(value).lstrip("+-").isdigit())
        raise ValueError(f"{what} of values must be by whole numbers, got {wrong!r}") from None


def unnamed_value(names: ColumnNames, tensor: Any) -> float | None:
    """A value in the column whose values have names that has none; ``None`` where all have.

    >>> unnamed_value(ColumnNames(("atom",), {0: {6: "C"}}), torch.tensor([[6], [53]]))
    53.0
    """
    if names.column is None or num_columns(tensor) <= names.column:
        return None
    numbers = sorted(set(column(tensor, names.column).tolist()))
    return next((number for number in numbers if number not in names.values[names.column]), None)


def column(tensor: Tensor, number: int) -> Tensor:
    """A column of a tensor with a row a node or an edge."""
    rows = tensor.detach().cpu().double()
    return rows if rows.dim() == 1 else rows[:, number]


def column_name(names: ColumnNames, number: int, width: int, key: str = "x") -> str:
    """What a column is called.

    >>> column_name(ColumnNames(("charge",)), 0, 1), column_name(ColumnNames(), 0, 1), column_name(ColumnNames(), 3, 5)
    ('charge', 'x', 'x[3]')
    """
    if number < len(names.columns):
        return names.columns[number]
    return key if width == 1 else f"{key}[{number}]"


def node_columns(graph: Data, colors: Sequence[str] = ()) -> list[int] | None:
    """The column of ``x`` that each node's kind is; ``None`` where features are not one-hot.

    Columns whose colour is the empty text do not count.

    >>> node_columns(Data(x=torch.eye(3)[[2, 0]])), node_columns(Data(x=torch.rand(3, 2)))
    ([2, 0], None)
    """
    x = graph.x
    if x is None or x.dim() != 2:
        return None
    chosen = (shown_columns(colors) if len(colors) == x.size(1) else None) or tuple(range(x.size(1)))
    x = x[:, list(chosen)]
    # Truth values have no largest.
    return [chosen[column] for column in (x == 1).int().argmax(dim=1).tolist()] if is_one_hot(x) else None


def by_frequency(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Each column with how often it occurs, most frequent first.

    >>> by_frequency([1, 0, 2, 1])
    [(1, 2), (0, 1), (2, 1)]
    """
    return sorted(Counter(columns).items(), key=lambda item: (-item[1], item[0]))


def is_one_hot(x: torch.Tensor) -> bool:
    """Whether every row has a single 1 and otherwise zeros."""
    return x.dim() == 2 and x.size(1) > 1 and bool((((x == 0) | (x == 1)).all()) & (x.sum(dim=1) == 1).all())


def shown_columns(colors: Sequence[str]) -> tuple[int, ...] | None:
    """Columns that decide what kind a node is: those with a colour, where some have and some have none.

    >>> shown_columns(("#000000", "", "#FFFFFF")), shown_columns(("#000000", "#FFFFFF")), shown_columns(())
    ((0, 2), None, None)
    """
    chosen = tuple(column for column, color in enumerate(colors) if color)
    return chosen if 0 < len(chosen) < len(colors) else None
