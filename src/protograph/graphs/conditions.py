"""When nodes or edges of two graphs agree, and what a pattern asks of them: conditions on the codes of variables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np

from protograph._utils.arrays import Bools, Floats
from protograph.graphs.variables import CONTINUOUS, DIRECTION, OTHER, WHOLE_NUMBER, Variable


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What nodes, or edges, are told apart by. Without anything, all agree.

    Attributes:
        variables: Those whose codes must agree, the one that says the most first.
        rows: In place of variables an attribute whose rows must be equal as they are; empty for none.

    >>> as_reading(True, "x"), as_reading(False, "x")
    (Reading(variables=(), rows='x'), Reading(variables=(), rows=''))
    """

    variables: tuple[Variable, ...] = ()
    rows: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is told apart."""
        return not self.variables and not self.rows

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The attributes that are read."""
        read = (variable.key for variable in self.variables if variable.kind != DIRECTION)
        return (self.rows,) if self.rows else tuple(dict.fromkeys(read))

    @property
    def main(self) -> "Reading":
        """The same by the variable alone that a node or an edge is called by."""
        return Reading(variables=() if self.noun is None else (self.noun,), rows=self.rows)

    @property
    def noun(self) -> Variable | None:
        """The variable that a node or an edge is called by: its element, else the first; ``None`` for none.

        The way that an edge goes is no name for it.
        """
        nouns = [variable for variable in self.variables if variable.kind != DIRECTION]
        return next((variable for variable in nouns if variable.are_elements), next(iter(nouns), None))

    def found_by(self, names: Mapping[str, Sequence[str]]) -> "Reading":
        """The same in graphs whose columns have other names, by attribute."""
        return replace(self, variables=tuple(one.found_by(names.get(one.key, ())) for one in self.variables))

    def codes(self, matrices: Mapping[str, Floats]) -> Floats:
        """What rows are compared by, a column a variable, or the rows themselves; the direction is no row's."""
        if self.rows:
            return matrices[self.rows] + 0.0  # a negative zero is a zero
        told = [one.codes(matrices[one.key]) for one in self.variables if one.kind != DIRECTION]
        return np.stack(told, axis=1)

    @classmethod
    def of_rows(cls, variables: Sequence[Variable], key: str) -> "Reading":
        """What tells unequal rows of an attribute apart: all its variables, continuous values as they are."""
        own = [variable for variable in variables if variable.key == key]
        if any(variable.kind == OTHER and not variable.values for variable in own):
            return cls(rows=key)
        # What SMARTS cannot ask for has values all the same.
        raw = (replace(one, kind=WHOLE_NUMBER) if one.kind in (CONTINUOUS, OTHER) else one for one in own)
        return cls(variables=tuple(raw))

    def variable(self, name: str) -> Variable:
        """The variable of a name.

        Raises:
            KeyError: If there is none.
        """
        return {variable.name: variable for variable in self.variables}[name]


Match = bool | Reading


def as_reading(match: Match, key: str) -> Reading:
    """A reading in full: ``True`` means equal rows of ``key``, ``False`` that any agree."""
    return match if isinstance(match, Reading) else Reading(rows=key if match else "")


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What a node or an edge must be: the code of a variable lies between two, or just not there.

    Attributes:
        variable: Name of the variable.
        low: Least code.
        high: Greatest code.
        is_not: Whether it must lie outside instead.

    >>> Condition(variable="degree", low=2.0).holds(np.array([1.0, 2.0, 5.0]))
    array([False,  True,  True])
    """

    variable: str
    low: float = -inf
    high: float = inf
    is_not: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"low must be at most high, {self.high}, got {self.low}")

    @property
    def is_single(self) -> bool:
        """Whether it is about one code."""
        return self.low == self.high

    def holds(self, codes: Floats) -> Bools:
        """For which codes it holds."""
        is_between: Bools = (self.low <= codes) & (codes <= self.high)
        return ~is_between & ~np.isnan(codes) if self.is_not else is_between


Conditions = tuple[Condition, ...]


def equal_to(codes: Sequence[float], reading: Reading) -> Conditions:
    """The conditions that ask for just these codes, one a variable."""
    pairs = zip(reading.variables, codes, strict=True)
    return tuple(Condition(variable=variable.name, low=float(code), high=float(code)) for variable, code in pairs)


def accepted(conditions: Conditions, table: Floats, reading: Reading) -> Bools:
    """Which rows of codes meet all conditions."""
    names = [variable.name for variable in reading.variables]
    columns = (table[:, names.index(condition.variable)] for condition in conditions)
    each = [condition.holds(column) for condition, column in zip(conditions, columns, strict=True)]
    return np.logical_and.reduce(each) if each else np.ones(len(table), np.bool_)
