"""Names of columns, of their values and of kinds by a rule; and a graph as these names tell it.

What is one-hot has a name a column. A column of whole numbers, such as atomic numbers, may have a name a value; then
words, pictures and SMILES read :func:`named_graph`, where the first such column is one-hot and has a name a column.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.words import listed
from protograph.graphs.conditions import ColumnGroup, NodeRule

# Columns that tell the formal charge of an atom, if their names, without underscores, are these.
CHARGES = ("formal charge", "charge")
# More kinds nobody tells apart by name; they are left as numbers.
MOST_KINDS = 400
# Columns that the name of a kind speaks of.
_MOST_TOLD = 3
# Letters of what a kind is that go into its short name.
_MOST_LETTERS = 26
# Spreads from the mean from which a value is called high or low.
_FAR = 0.5

ValueNames = Mapping[int, Mapping[int, str]]
# What some columns say: names, and which of them each row has; -1 for none.
_Part = tuple[tuple[str, ...], Ints]


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


class ToldKinds(NamedTuple):
    """Kinds of nodes as columns: a row has a single 1, or none where its kind has no name."""

    x: Tensor
    names: tuple[str, ...]


def told_kinds(x: Tensor, rule: NodeRule, names: ColumnNames) -> ToldKinds | None:
    """Rows of features as kinds with names; ``None`` where there are too many, or columns without words for them.

    Args:
        x: The features.
        rule: When nodes agree, other than by equal features.
        names: Names of the columns, and of the values of some.

    >>> kinds = told_kinds(torch.tensor([[0.2], [1.7]]), NodeRule(cuts=((0.5, 1.5),)), ColumnNames())
    >>> kinds.names, kinds.x.argmax(dim=1).tolist()
    (('low x (below 0.5)', 'x 0.5 to 1.5', 'high x (from 1.5)'), [0, 2])
    """
    rows = x.detach().cpu().double().reshape(len(x), -1).numpy()
    cut = [column for column, cuts in enumerate(rule.cuts) if cuts]
    equal = [column for column, values in enumerate(rule.values) if len(values) == 1]  # which they always are
    told = {*rule.ignored, *cut, *equal, *(column for group in rule.groups for column in group.columns)}
    plain = [column for column in range(rows.shape[1]) if column not in told]
    first = _equal_part(rows, plain, rule, names) if plain else (("",), np.zeros(len(rows), dtype=np.int64))
    if first is None:
        return None
    parts = [first]
    for column in cut:
        bins = bin_names(column_name(names, column, rows.shape[1]), rule.cuts[column], is_whole=column in rule.whole)
        parts.append((bins, np.searchsorted(rule.cuts[column], rows[:, column], side="right")))
    parts += [(kind_names(group), group.kinds_of(rows)) for group in rule.groups]
    return _product(parts)


def _equal_part(rows: Floats, columns: list[int], rule: NodeRule, names: ColumnNames) -> _Part | None:
    if names.column in columns:
        values = sorted(names.values[names.column])
        return (names.kinds, _places(rows[:, names.column], values))
    known = [rule.values[column] if column < len(rule.values) else () for column in columns]
    if len(columns) == 1 and known[0]:
        name = column_name(names, columns[0], rows.shape[1])
        return (tuple(f"{name} {value:g}" for value in known[0]), _places(rows[:, columns[0]], known[0]))
    if all(values and set(values) <= {0.0, 1.0} for values in known):
        own = rows[:, columns]
        is_one = (own == 1).sum(axis=1) == 1
        told = names.columns or tuple(f"feature {column}" for column in range(rows.shape[1]))
        return (tuple(told[column] for column in columns), np.where(is_one, own.argmax(axis=1), -1))
    return None


def _places(values: Floats, known: Sequence[float]) -> Ints:
    """The place of each value among those known, -1 where it is not."""
    is_known = values[:, None] == np.array(known, dtype=np.float64)
    return np.where(is_known.any(axis=1), is_known.argmax(axis=1), -1)


def _product(parts: Sequence[_Part]) -> ToldKinds | None:
    """Every combination of what parts say."""
    if sum(len(names) > 1 for names, _ in parts) > 1:  # what is in brackets would make names of several parts too long
        parts = [(tuple(name.split(" (")[0] for name in names), numbers) for names, numbers in parts]
    names, numbers = parts[0]
    for more, others in parts[1:]:
        if len(names) * len(more) > MOST_KINDS:
            return None
        numbers = np.where((numbers < 0) | (others < 0), -1, numbers * len(more) + others)
        names = tuple(", ".join(part for part in (one, other) if part) for one in names for other in more)
    if len(names) == 1:  # all nodes are of one kind
        return ToldKinds(torch.zeros(len(numbers), 1), names)
    x = torch.zeros(len(numbers), len(names))
    known = np.flatnonzero(numbers >= 0)
    x[known, numbers[known]] = 1.0
    return ToldKinds(x, names)


def column_name(names: ColumnNames, column: int, width: int) -> str:
    """What a column is called.

    >>> column_name(ColumnNames(("charge",)), 0, 1), column_name(ColumnNames(), 0, 1), column_name(ColumnNames(), 3, 5)
    ('charge', 'x', 'x[3]')
    """
    if column < len(names.columns):
        return names.columns[column]
    return "x" if width == 1 else f"x[{column}]"


def bin_names(name: str, cuts: Sequence[float], *, is_whole: bool = False) -> tuple[str, ...]:
    """What the bins of a column are called, the lowest first.

    >>> bin_names("degree", (1.5, 2.5, 5.5), is_whole=True)
    ('degree up to 1', 'degree 2', 'degree 3 to 5', 'degree 6 or more')
    """
    if is_whole:
        firsts, lasts = np.floor(cuts).astype(int) + 1, np.ceil(cuts).astype(int) - 1
        inner = [
            f"{name} {first}" if first == last else f"{name} {first} to {last}"
            for first, last in zip(firsts, lasts[1:], strict=False)
        ]
        return (f"{name} up to {lasts[0]}", *inner, f"{name} {firsts[-1]} or more")
    inner = [f"{name} {low:.3g} to {high:.3g}" for low, high in pairwise(cuts)]
    return (f"low {name} (below {cuts[0]:.3g})", *inner, f"high {name} (from {cuts[-1]:.3g})")


def kind_names(group: ColumnGroup) -> tuple[str, ...]:
    """What the kinds of a group are called in short: by number, and by what they are where that is short.

    >>> points = {"columns": (0,), "anchors": ((0.0,), (1.0,)), "kinds": (0, 1), "scales": (1.0,)}
    >>> kind_names(ColumnGroup(**points, names=("low x", "high x")))
    ('kind 1 (low x)', 'kind 2 (high x)')
    """
    told = group.names or ("",) * group.num_kinds
    return tuple(
        f"kind {kind + 1} ({what})" if 0 < len(what) <= _MOST_LETTERS else f"kind {kind + 1}"
        for kind, what in enumerate(told)
    )


def group_names(group: ColumnGroup, rows: Floats, names: ColumnNames) -> tuple[str, ...]:
    """What the kinds of a group are: the columns in which their rows are high or low.

    Args:
        group: The group.
        rows: Rows of all features, of which kinds are told.
        names: Names of the columns.
    """
    kinds = group.kinds_of(rows)
    own = np.nan_to_num(rows[:, group.columns])
    mean, spread = own.mean(axis=0), np.maximum(own.std(axis=0), 1e-12)
    told = []
    for kind in range(group.num_kinds):
        inside = own[kinds == kind]
        away = (inside.mean(axis=0) - mean) / spread if len(inside) else np.zeros(len(group.columns))
        told.append(_away_told(away, [column_name(names, column, rows.shape[1]) for column in group.columns]))
    return tuple(told)


def _away_told(away: Floats, columns: Sequence[str]) -> str:
    order = np.sort(np.argsort(-np.abs(away), kind="stable")[:_MOST_TOLD])
    words = [f"{'high' if away[place] > 0 else 'low'} {columns[place]}" for place in order if abs(away[place]) >= _FAR]
    return listed(words) if words else "middling"


def rule_lines(rule: NodeRule, names: ColumnNames) -> list[str]:
    """What a rule says of columns, a line each, with the bins and kinds by name; none for equal features."""
    if rule.is_plain:
        return []
    lines = list(rule.reasons)
    for column, cuts in enumerate(rule.cuts):
        if cuts:
            name = column_name(names, column, len(rule.cuts))
            lines.append(f"bins: {', '.join(bin_names(name, cuts, is_whole=column in rule.whole))}")
    for group in rule.groups:
        told = group.names or ("rows near its own",) * group.num_kinds
        lines.append("; ".join(f"kind {kind + 1}: {what}" for kind, what in enumerate(told)))
    return [*lines, f"taken from {rule.sample}"] if rule.sample else lines


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
