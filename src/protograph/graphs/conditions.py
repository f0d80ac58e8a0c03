"""When nodes or edges of two graphs agree: where their rows are equal, or fall into the same bins and kinds."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from protograph._utils.arrays import Floats, Ints

# Rows that are compared with anchors at a time.
_BLOCK = 4096
# Where kinds of several columns come from: from gaps in the data, or from an even division of it.
ORIGINS = ("clusters", "division")


@dataclass(frozen=True, kw_only=True)
class ColumnGroup:
    """Columns whose values say together what kind a node is: that of the nearest of some rows.

    Attributes:
        columns: The columns, ascending.
        anchors: Rows of these columns.
        kinds: The kind that each of them stands for, from 0 on.
        scales: What the difference in each column is divided by before the nearest is looked for.
        origin: ``"clusters"``: groups of rows with gaps between them; ``"division"``: rows divided evenly for want of
            gaps.
        names: What each kind is, in words.

    >>> group = ColumnGroup(columns=(0,), anchors=((0.0,), (1.0,)), kinds=(0, 1), scales=(1.0,), names=("a", "b"))
    >>> group.kinds_of(np.array([[0.4], [0.6]])).tolist()
    [0, 1]
    """

    columns: tuple[int, ...]
    anchors: tuple[tuple[float, ...], ...]
    kinds: tuple[int, ...]
    scales: tuple[float, ...]
    origin: str = "clusters"
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rows, kinds = (*self.anchors, self.scales), set(self.kinds)
        checks = (
            (
                bool(self.columns) and list(self.columns) == sorted(set(self.columns)),
                f"columns must be ascending, at least one, got {list(self.columns)}",
            ),
            (
                len(self.anchors) == len(self.kinds) > 0,
                f"kinds must have one for each of {len(self.anchors)} anchors, got {len(self.kinds)}",
            ),
            (
                all(len(row) == len(self.columns) for row in rows),
                f"anchors and scales must have {len(self.columns)} numbers each, as there are columns",
            ),
            (
                self.origin in ORIGINS,
                f"origin must be one of {', '.join(map(repr, ORIGINS))}, got {self.origin!r}",
            ),
            (all(scale > 0 for scale in self.scales), f"scales must be above 0, got {list(self.scales)}"),
            (
                kinds == set(range(len(kinds))),
                f"kinds must be numbered from 0 on without gaps, got {sorted(kinds)}",
            ),
            (
                len(self.names) in (0, len(kinds)),
                f"names must be one for each of {len(kinds)} kinds, got {len(self.names)}",
            ),
        )
        for is_right, message in checks:
            if not is_right:
                raise ValueError(message)

    @property
    def num_kinds(self) -> int:
        """How many kinds there are."""
        return max(self.kinds) + 1

    def kinds_of(self, rows: Floats) -> Ints:
        """The kind of each row of all features: that of the nearest anchor, the first of several.

        What is not a number counts as 0, and what is infinite as the largest number.
        """
        own = np.nan_to_num(rows[:, self.columns]) / np.array(self.scales)
        anchors = np.array(self.anchors) / np.array(self.scales)
        kinds, result = np.array(self.kinds), np.empty(len(own), dtype=np.int64)
        for first in range(0, len(own), _BLOCK):
            block = own[first : first + _BLOCK]
            with np.errstate(over="ignore"):
                away = ((block[:, None, :] - anchors[None]) ** 2).sum(axis=2)
            result[first : first + _BLOCK] = kinds[away.argmin(axis=1)]
        return result


@dataclass(frozen=True, kw_only=True)
class NodeRule:
    """When two nodes agree in their features. As it is by default, their rows of ``x`` must be equal.

    Attributes:
        cuts: For each column of ``x`` the numbers, ascending, between which values count as equal; a column without
            any, and every column where ``cuts`` is empty, must be equal as it is. A value that is a cut itself counts
            with those above it, and what is not a number with the highest.
        ignored: Columns that do not count.
        groups: Columns that count together.
        values: For each column the values that it had where they are few, which names are made of; empty for none.
        whole: Columns with cuts whose values were whole numbers.
        sample: What the rule was taken from, in words.
        reasons: What each column that need not be equal is, and why, in words.

    >>> NodeRule(cuts=((), (0.5, 1.5))).cuts[1]
    (0.5, 1.5)
    """

    cuts: tuple[tuple[float, ...], ...] = ()
    ignored: tuple[int, ...] = ()
    groups: tuple[ColumnGroup, ...] = ()
    values: tuple[tuple[float, ...], ...] = ()
    whole: tuple[int, ...] = ()
    sample: str = ""
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_cuts(self.cuts)
        cut = [column for column, numbers in enumerate(self.cuts) if numbers]
        told = [*cut, *self.ignored, *(column for group in self.groups for column in group.columns)]
        if len(set(told)) != len(told) or min(told, default=0) < 0:
            raise ValueError(f"each column must be cut, ignored or in one group, got the columns {sorted(told)}")

    @property
    def is_plain(self) -> bool:
        """Whether rows must be equal as they are."""
        return not any(self.cuts) and not self.ignored and not self.groups

    def compared(self, rows: Floats) -> Floats:
        """Rows of ``x`` as they are compared: instead of a value its bin, or the kind of its group in the first column.

        >>> NodeRule(cuts=((), (0.5, 1.5)), ignored=(0,)).compared(np.array([[7.0, 0.2], [8.0, 1.5]])).tolist()
        [[0.0, 0.0], [0.0, 2.0]]
        """
        if self.is_plain:
            return rows
        last = max((*self.ignored, *(group.columns[-1] for group in self.groups)), default=-1)
        width, wanted = rows.shape[1], len(self.cuts) or last + 1
        if width < wanted or (self.cuts and width != wanted):
            raise ValueError(f"x must have {wanted} columns, as the rule for nodes has, got {width}")
        result = cut_columns(rows, self.cuts)
        result[:, list(self.ignored)] = 0.0
        for group in self.groups:
            result[:, list(group.columns)] = 0.0
            result[:, group.columns[0]] = group.kinds_of(rows)
        return result


MatchNodes = bool | NodeRule


def as_node_rule(match_features: MatchNodes) -> NodeRule | None:
    """A rule in full: ``True`` means equal features; ``None`` where any two nodes agree.

    >>> as_node_rule(True).is_plain, as_node_rule(False)
    (True, None)
    """
    if isinstance(match_features, NodeRule):
        return match_features
    return NodeRule() if match_features else None


def check_cuts(cuts: tuple[tuple[float, ...], ...]) -> None:
    """Refuse cuts that are not ascending."""
    for column, numbers in enumerate(cuts):
        if any(not first < second for first, second in pairwise(numbers)):
            raise ValueError(f"cuts[{column}] must be ascending, got {list(numbers)}")


def cut_columns(rows: Floats, cuts: tuple[tuple[float, ...], ...]) -> NDArray[np.float64]:
    """A copy of rows with, in place of a value of a column with cuts, how many of these lie below or at it.

    >>> cut_columns(np.array([[7.0, 0.2], [7.0, 1.5]]), ((), (0.5, 1.5))).tolist()
    [[7.0, 0.0], [7.0, 2.0]]
    """
    result: NDArray[np.float64] = rows.astype(np.float64)
    for column, numbers in enumerate(cuts):
        if numbers:
            result[:, column] = np.searchsorted(numbers, rows[:, column], side="right")
    return result


@dataclass(frozen=True, kw_only=True)
class EdgeRule:
    """When two edges agree.

    Attributes:
        is_matched: Whether their attributes decide; without, any two edges agree.
        cuts: For each column of ``edge_attr`` the numbers, ascending, between which values count as equal; a column
            without any, and every column where ``cuts`` is empty, must be equal as it is. A value that is a cut itself
            counts with those above it.

    >>> EdgeRule(is_matched=True, cuts=((), (0.5, 1.5))).cuts[1]
    (0.5, 1.5)
    """

    is_matched: bool = False
    cuts: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        check_cuts(self.cuts)

    def compared(self, rows: Floats) -> Floats:
        """Rows of ``edge_attr`` as they are compared: in place of a value of a column with cuts, how many lie below.

        >>> import numpy as np
        >>> EdgeRule(is_matched=True, cuts=((), (0.5, 1.5))).compared(np.array([[7.0, 0.2], [7.0, 1.5]])).tolist()
        [[7.0, 0.0], [7.0, 2.0]]
        """
        if not self.cuts:
            return rows
        if rows.shape[1] != len(self.cuts):
            raise ValueError(f"edge_attr must have {len(self.cuts)} columns, as the cuts have, got {rows.shape[1]}")
        return cut_columns(rows, self.cuts)


MatchEdges = bool | EdgeRule


def as_rule(match_edges: MatchEdges) -> EdgeRule:
    """A rule in full: ``True`` means equal attributes.

    >>> as_rule(True)
    EdgeRule(is_matched=True, cuts=())
    """
    return match_edges if isinstance(match_edges, EdgeRule) else EdgeRule(is_matched=match_edges)
