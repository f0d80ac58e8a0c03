"""Names of the columns of a tensor of features or attributes, and of the values of some of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
