"""Kinds of nodes by a rule as columns with names, which words, pictures and legends are made of."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from protograph._base.arrays import Floats, Ints
from protograph._base.words import listed
from protograph.graphs.column_names import ColumnNames
from protograph.graphs.node_rule import ColumnGroup, NodeRule

# More kinds nobody tells apart by name; they are left as numbers.
MOST_KINDS = 400
# Columns and values that the name of a kind speaks of.
_MOST_TOLD = 3
# Letters of what a kind is that go into its short name.
_MOST_LETTERS = 26
# Spreads from the mean from which a value is called high or low.
_FAR = 0.5


class ToldKinds(NamedTuple):
    """Kinds of nodes as columns: a row has a single 1, or none where its kind has no name."""

    x: Tensor
    names: tuple[str, ...]


class _Part(NamedTuple):
    """What some columns say: names, and which of them each row has; -1 for none."""

    names: tuple[str, ...]
    numbers: Ints


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
    plain = _plain_columns(rule, rows.shape[1])
    equal = _equal_part(rows, plain, rule, names) if plain else _Part(("",), np.zeros(len(rows), dtype=np.int64))
    if equal is None:
        return None
    parts = [equal]
    for column, cuts in enumerate(rule.cuts):
        if cuts:
            told = bin_names(column_name(names, column, rows.shape[1]), cuts, is_whole=column in rule.whole)
            parts.append(_Part(told, np.searchsorted(cuts, rows[:, column], side="right")))
    parts += [_Part(kind_names(group), group.kinds_of(rows)) for group in rule.groups]
    return _product(parts)


def _plain_columns(rule: NodeRule, width: int) -> list[int]:
    """Columns that must be equal, less those that always are."""
    told = {*rule.ignored, *(column for group in rule.groups for column in group.columns)}
    told |= {column for column, cuts in enumerate(rule.cuts) if cuts}
    told |= {column for column, values in enumerate(rule.values) if len(values) == 1}
    return [column for column in range(width) if column not in told]


def _equal_part(rows: Floats, columns: list[int], rule: NodeRule, names: ColumnNames) -> _Part | None:
    if names.column in columns:
        values = sorted(names.values[names.column])
        return _Part(names.kinds, _places(rows[:, names.column], values))
    known = [rule.values[column] if column < len(rule.values) else () for column in columns]
    if len(columns) == 1 and known[0]:
        name = column_name(names, columns[0], rows.shape[1])
        return _Part(tuple(f"{name} {value:g}" for value in known[0]), _places(rows[:, columns[0]], known[0]))
    if all(values and set(values) <= {0.0, 1.0} for values in known):
        own = rows[:, columns]
        is_one = (own == 1).sum(axis=1) == 1
        told = names.columns or tuple(f"feature {column}" for column in range(rows.shape[1]))
        return _Part(tuple(told[column] for column in columns), np.where(is_one, own.argmax(axis=1), -1))
    return None


def _places(values: Floats, known: Sequence[float]) -> Ints:
    """The place of each value among those known, -1 where it is not."""
    ascending = np.array(known, dtype=np.float64)
    place = np.searchsorted(ascending, values).clip(max=ascending.size - 1)
    return np.where(ascending[place] == values, place, -1)


def _product(parts: Sequence[_Part]) -> ToldKinds | None:
    """Every combination of what parts say."""
    if sum(len(names) > 1 for names, _ in parts) > 1:  # what is in brackets would make names of several parts too long
        parts = [_Part(tuple(name.split(" (")[0] for name in names), numbers) for names, numbers in parts]
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
        firsts = [int(np.floor(cut)) + 1 for cut in cuts]
        lasts = [int(np.ceil(cut)) - 1 for cut in cuts]
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
    >>> kind_names(ColumnGroup(**points, names=("low x", "high x"), origin="model"))
    ("model's kind 1", "model's kind 2")
    """
    if group.origin == "model":
        return tuple(f"model's kind {kind + 1}" for kind in range(group.num_kinds))
    told = group.names or ("",) * group.num_kinds
    return tuple(
        f"kind {kind + 1} ({what})" if 0 < len(what) <= _MOST_LETTERS else f"kind {kind + 1}"
        for kind, what in enumerate(told)
    )


def group_names(group: ColumnGroup, rows: Floats, names: ColumnNames) -> tuple[str, ...]:
    """What the kinds of a group are: the columns in which their rows are high or low, or their most frequent values.

    Args:
        group: The group.
        rows: Rows of all features, of which kinds are told.
        names: Names of the columns, and of the values of some.
    """
    kinds = group.kinds_of(rows)
    own = np.nan_to_num(rows[:, group.columns])
    mean, spread = own.mean(axis=0), np.maximum(own.std(axis=0), 1e-12)
    told = []
    for kind in range(group.num_kinds):
        inside = own[kinds == kind]
        if len(group.columns) == 1 and len(np.unique(own)) <= MOST_KINDS and bool((own == np.trunc(own)).all()):
            what = _values_told(inside[:, 0], names.values.get(group.columns[0], {}))
        else:
            away = (inside.mean(axis=0) - mean) / spread if len(inside) else np.zeros(len(group.columns))
            what = _away_told(away, [column_name(names, column, rows.shape[1]) for column in group.columns])
        told.append(what)
    return tuple(told)


def _values_told(values: Floats, known: Mapping[int, str]) -> str:
    distinct, counts = np.unique(values, return_counts=True)
    frequent = distinct[np.argsort(-counts, kind="stable")].astype(int).tolist()
    shown = [known.get(value, str(value)) for value in frequent[:_MOST_TOLD]]
    others = len(frequent) - len(shown)
    return listed([*shown, *([f"{others} others"] if others > 0 else [])]) if shown else "none"


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
        view = " of the model's view, mostly" if group.origin == "model" else ":"
        told = group.names or ("rows near its own",) * group.num_kinds
        lines.append("; ".join(f"kind {kind + 1}{view} {what}" for kind, what in enumerate(told)))
    return [*lines, f"taken from {rule.sample}"] if rule.sample else lines
