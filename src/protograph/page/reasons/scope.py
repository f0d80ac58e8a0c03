"""What rules are searched in: graphs to search, graphs that confirm, and what the model makes of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph._base.ties import TOLERANCE, levels
from protograph.page.counting import spread
from protograph.page.reasons.conditions import Condition, ConditionReader
from protograph.page.reasons.options import ReasonOptions

# Up to so many graphs are all compared for the most typical; of more, so many: all that are compared must be exact.
MOST_COMPARED, NUM_COMPARED = 20_000, 4_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Scope:
    """What rules are searched in.

    Attributes:
        reader: Tells in which graphs conditions hold.
        searched: Graphs that are searched, ascending.
        confirming: Graphs that confirm, ascending.
        predictions: Class of every graph.
        embeddings: Embedding of every graph, exact of those that are searched.
        options: How to search.
        alone: What the model makes of the pattern of a condition by itself: how far the class is ahead of the others.
        max_reasons: Most reasons of a class.
    """

    reader: ConditionReader
    searched: Ints
    confirming: Ints
    predictions: Ints
    embeddings: Floats
    options: ReasonOptions
    alone: Callable[[Condition, int], float] = lambda condition, target: 0.0
    max_reasons: int = 8

    @cached_property
    def known(self) -> Ints:
        """The graphs that a rule may be judged by before it is measured."""
        return np.sort(np.concatenate([self.searched, self.confirming]))

    def rows(self, indices: Ints) -> Floats:
        """Embeddings of some graphs."""
        return self.embeddings[indices]

    @cached_property
    def min_graphs(self) -> int:
        """Fewest searched graphs in which a condition must hold."""
        return max(3, int(self.options.min_share * self.searched.size))


def typical(indices: Ints, rows: Callable[[Ints], Floats], number: int) -> Ints:
    """Those of some graphs whose embeddings are nearest their mean, the nearest first.

    Of more than ``MOST_COMPARED`` graphs, ``NUM_COMPARED``, evenly spaced, are looked at.

    Args:
        indices: The graphs.
        rows: Gives embeddings of graphs, exact ones: the mean hangs on each of them.
        number: How many.
    """
    if not indices.size:
        return indices
    indices = indices if indices.size <= MOST_COMPARED else spread(indices, NUM_COMPARED)
    points = rows(indices)
    return indices[nearest_rows(points, points.mean(axis=0), number)]


def nearest_rows(points: Floats, centre: Floats, number: int) -> Ints:
    """Places of the rows nearest a point, the nearest first, and of those as near the first.

    >>> nearest_rows(np.array([[1.0], [1.0 - 2.3e-16], [5.0]]), np.zeros(1), 2)
    array([0, 1])
    """
    distances = ((points - centre) ** 2).sum(axis=1)
    ranks = -levels(distances, TOLERANCE * float(distances.max(initial=0.0)))
    return np.argsort(ranks, kind="stable")[:number]
