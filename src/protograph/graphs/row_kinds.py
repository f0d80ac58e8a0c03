"""Rows of features as kinds: a number for each distinct row, the same in all graphs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protograph._base.arrays import Ints, Kinds
from protograph._base.growing import renumber
from protograph.graphs.edge_rule import EdgeRule
from protograph.graphs.node_rule import NodeRule

# What messages call a graph, by its place among those that are numbered at a time.
NameOf = Callable[[int], str]
# Fewer rows are numbered one by one, as sorting them out costs more.
_FEW = 64


class RowKinds:
    """Numbers the distinct rows of tensors."""

    def __init__(self, key: str, rule: EdgeRule | NodeRule | None = None) -> None:
        self._key, self._rule = key, rule or EdgeRule()
        self._width: int | None = None  # of the first tensor; -1: there is none
        self._first = ""
        self._number_of: dict[bytes, int] = {}

    def __len__(self) -> int:
        return max(len(self._number_of), 1)

    def joined(self, tensors: Sequence[Any], counts: Ints, name_of: NameOf) -> NDArray[Any] | None:
        """The rows of all graphs, which may differ in what they have; ``None`` where there are none.

        Raises:
            ValueError: If a graph has other rows than its nodes or edges are, or rows of another width than others.
        """
        rows = [_matrix(tensor) for tensor in tensors]
        for place, (row, count) in enumerate(zip(rows, counts.tolist(), strict=True)):
            if row is not None and count and row.shape[0] != count:
                raise ValueError(f"{self._key} of {name_of(place)} must have {count} rows, got {row.shape[0]}")
            if count:
                self._check_width(row, place, name_of)
        present = [row for row in rows if row is not None and row.shape[0]]
        return np.concatenate(present) if present else None

    def whole(self, tensor: Tensor | None, counts: Ints, name_of: NameOf) -> NDArray[Any] | None:
        """The rows of graphs whose tensors are joined already, ``None`` where there are none.

        Raises:
            ValueError: If they are of another width than those before.
        """
        if not counts.any():  # nothing to compare
            return None
        rows = _matrix(tensor)
        self._check_width(rows, int(np.argmax(counts > 0)), name_of)
        return rows

    def _check_width(self, rows: NDArray[Any] | None, place: int, name_of: NameOf) -> None:
        width = -1 if rows is None else rows.shape[1]
        if self._width is None:
            self._width, self._first = width, name_of(place)
        if width != self._width:
            raise ValueError(
                f"{self._key} must be alike in all graphs; {self._first} has {_columns(self._width)}, "
                f"{name_of(place)} has {_columns(width)}"
            )

    def kinds(self, rows: NDArray[Any], *, is_pattern: bool, both_ways: tuple[Ints, Ints] | None = None) -> Kinds:
        """Number of each row, or of the two at ``both_ways``; new rows of a pattern get numbers below 0."""
        chosen, place = distinct_rows(rows)
        # -0.0 plus 0.0 has the bytes of 0.0.
        values = self._rule.compared(rows[chosen].astype(np.float64)) + 0.0
        data, width = values.tobytes(), values.shape[1] * values.itemsize
        keys = [data[at : at + width] for at in range(0, len(data), width)] if width else [b""] * len(values)
        if both_ways is not None:
            ranks = {key: rank for rank, key in enumerate(dict.fromkeys(keys))}
            keys, place = _joint_keys(list(ranks), np.array([ranks[key] for key in keys])[place], both_ways)
        numbers: Kinds = np.array(self._numbers(keys, is_pattern), dtype=np.int32)
        return numbers[place]

    def _numbers(self, keys: list[bytes], is_pattern: bool) -> list[int]:
        number_of = self._number_of
        if not is_pattern:
            return [number_of.setdefault(key, len(number_of)) for key in keys]
        new = {key: -1 - number for number, key in enumerate(sorted(set(keys) - number_of.keys()))}
        return [number_of[key] if key in number_of else new[key] for key in keys]

    def by_content(self, kinds: Kinds) -> Kinds:
        """Number the rows by what they hold instead of where they came first; what was numbered before follows."""
        ordered = sorted(self._number_of)
        rank = np.zeros(len(self), np.int32)
        rank[[self._number_of[key] for key in ordered]] = np.arange(len(ordered))
        self._number_of = {key: number for number, key in enumerate(ordered)}
        renumbered: Kinds = renumber(kinds, rank)
        return renumbered


def _matrix(values: Any) -> NDArray[Any] | None:
    if not isinstance(values, Tensor):
        return None
    plain = values.detach().cpu()
    array: NDArray[Any] = (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
    return array.reshape(array.shape[0], -1) if array.size else np.empty((array.shape[0] if array.ndim else 0, 0))


def distinct_rows(rows: NDArray[Any]) -> tuple[Ints, Ints]:
    """Positions of rows that stand for all, and for each row which of these it equals; some of them may be equal.

    A row is told by its product with random numbers, and then compared with the one that stands for it: where two
    different rows have one product, or a row is not equal to itself, every row stands for itself.

    >>> distinct_rows(np.eye(2)[[0, 1] * 50])[1][:4].tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])
    True
    """
    itself = np.arange(rows.shape[0])
    if rows.shape[0] < _FEW or rows.dtype.kind not in "biuf":
        return itself, itself
    with np.errstate(all="ignore"):
        products = rows @ np.random.default_rng(0).random(rows.shape[1])
    chosen, place = distinct(products)
    return (chosen, place) if np.array_equal(rows, rows[chosen][place]) else (itself, itself)


def distinct(numbers: NDArray[Any]) -> tuple[Ints, Ints]:
    """A position of each different number, and for each number which of these it equals.

    >>> distinct(np.array([7, 5, 7]))[1].tolist()
    [1, 0, 1]
    """
    order = np.argsort(numbers)
    ascending = numbers[order]
    is_first = np.ones(numbers.size, dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    place = np.empty(numbers.size, dtype=np.int64)
    place[order] = is_first.cumsum() - 1
    return order[is_first], place


def _joint_keys(keys: list[bytes], ranks: Ints, both_ways: tuple[Ints, Ints]) -> tuple[list[bytes], Ints]:
    """The keys of two rows each, whichever is which, that occur, and for each pair which of them it has."""
    there, back = ranks[both_ways[0]], ranks[both_ways[1]]
    if np.array_equal(there, ranks) and np.array_equal(back, ranks):
        return keys, ranks
    chosen, place = distinct(np.minimum(there, back) * len(keys) + np.maximum(there, back))
    pairs = zip(there[chosen].tolist(), back[chosen].tolist(), strict=True)
    return [_joint_key(keys[one], keys[other]) for one, other in pairs], place


def _joint_key(there: bytes, back: bytes) -> bytes:
    return there if there == back else min(there, back) + max(there, back)


def _columns(width: int) -> str:
    return "none" if width < 0 else f"{width} columns"
