r"""How far rules agree with the model that they speak of.

A rule that says of each graph which class it is, or none, is right where it says the class that the model predicts.
The shares of graphs for which it is right, one for each predicted class, weigh the same:

.. math:: \frac{1}{|C|} \sum_{c \in C} \frac{r_c}{n_c}, \qquad C = \{c : n_c > 0\}

with :math:`n_c` graphs predicted as class c, and :math:`r_c` of them right.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph._base.intervals import wilson


class Fidelity(float):
    """A share of graphs for which rules say what the model predicts, every class weighing the same: a number.

    Args:
        num_right: For how many graphs of each class the rules are right.
        num_graphs: How many graphs of each class there are.

    Attributes:
        low: Lower end of its 95% interval: of Wilson's for each class, with the distances combined in quadrature.
        high: Upper end.
        counts: For each class for how many of its graphs the rules are right, and how many graphs it has. Of the rule
            of one class: first the class itself, then all others together.

    >>> fidelity = Fidelity([9, 30], [10, 60])
    >>> fidelity, round(fidelity.low, 3), round(fidelity.high, 3), fidelity.by_class
    (0.7, 0.536, 0.774, (0.9, 0.5))
    """

    low: float
    high: float
    counts: tuple[tuple[int, int], ...]

    def __new__(cls, num_right: Sequence[int], num_graphs: Sequence[int]) -> "Fidelity":
        """The number and its interval, worked out of the counts."""
        counts = tuple((int(right), int(total)) for right, total in zip(num_right, num_graphs, strict=True))
        shares = [(right / total, *wilson(right, total)) for right, total in counts if total]
        value = sum(share for share, _, _ in shares) / len(shares) if shares else math.nan
        made = super().__new__(cls, value)
        below = math.hypot(*(share - low for share, low, _ in shares)) / max(len(shares), 1)
        above = math.hypot(*(high - share for share, _, high in shares)) / max(len(shares), 1)
        made.low, made.high, made.counts = max(0.0, value - below), min(1.0, value + above), counts
        return made

    def __getnewargs__(self) -> Any:
        return [right for right, _ in self.counts], [total for _, total in self.counts]

    @property
    def num_graphs(self) -> int:
        """How many graphs it is of."""
        return sum(total for _, total in self.counts)

    @property
    def by_class(self) -> tuple[float, ...]:
        """The share of each class's graphs, as of :attr:`counts`; NaN for a class without graphs."""
        return tuple(right / total if total else math.nan for right, total in self.counts)


def fidelity_of_class(holds: Bools, is_class: Bools) -> Fidelity:
    """How well the rule of one class tells its graphs from all others.

    Args:
        holds: For each graph whether the rule holds.
        is_class: For each graph whether the model predicts it as the class.

    >>> fidelity_of_class(np.array([True, False, False]), np.array([True, True, False]))
    0.75
    """
    right, totals = holds == is_class, (is_class, ~is_class)
    return Fidelity([int(right[part].sum()) for part in totals], [int(part.sum()) for part in totals])


def fidelity_of_all(holds: Bools, predictions: Ints) -> Fidelity:
    """How well the rules of all classes tell them: exactly one rule holds, and it is that of the predicted class.

    Args:
        holds: For each graph and class whether the rule of the class holds, ``[num_graphs, num_classes]``.
        predictions: The class that the model predicts for each graph.

    >>> fidelity_of_all(np.array([[True, False], [True, True], [False, False]]), np.array([0, 0, 1]))
    0.25
    """
    num_classes = holds.shape[1]
    is_right = (holds.sum(axis=1) == 1) & holds[np.arange(len(predictions)), predictions]
    right = np.bincount(predictions[is_right], minlength=num_classes)
    return Fidelity(right.tolist(), np.bincount(predictions, minlength=num_classes).tolist())
