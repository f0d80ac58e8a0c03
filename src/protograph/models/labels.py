"""Labels of graphs, of which all, some or none may have one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from protograph._base.arrays import Bools, Ints


class SomeLabels(NamedTuple):
    """Labels where only some graphs have one.

    Attributes:
        indices: The graphs that have one.
        labels: The label of each of these.
    """

    indices: Ints
    labels: Ints


@dataclass(frozen=True, eq=False)
class GivenLabels:
    """The labels of graphs.

    Attributes:
        labels: Of each graph; anything where it has none.
        has_label: Which graphs have one.

    >>> given = GivenLabels(np.array([1, 0, 0]), np.array([True, False, True]))
    >>> given.of_all, given.of_some.labels.tolist(), given.notes
    (None, [1, 0], ('2 of 3 graphs have a label (y): how well the model does is told of these',))
    """

    labels: Ints
    has_label: Bools

    @classmethod
    def of(cls, labels: Sequence[int | None]) -> "GivenLabels":
        """The same of a list, in which ``None`` is no label.

        >>> GivenLabels.of([2, None]).labels
        array([2, 0])
        """
        plain = np.array([0 if label is None else label for label in labels], np.int64)
        return cls(plain, np.array([label is not None for label in labels], np.bool_))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def of_all(self) -> Ints | None:
        """The label of each graph; ``None`` unless all have one."""
        return self.labels if bool(self.has_label.all()) else None

    @property
    def of_some(self) -> SomeLabels | None:
        """The labels that there are; ``None`` where all graphs have one, or none has."""
        indices = np.flatnonzero(self.has_label)
        return SomeLabels(indices, self.labels[indices]) if 0 < indices.size < len(self) else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of them."""
        some = self.of_some
        if some is None:
            return ()
        number, total = some.indices.size, len(self)
        return (f"{number:,} of {total:,} graphs have a label (y): how well the model does is told of these",)
