"""What rules are searched in: graphs to search, graphs that confirm, and what the model makes of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph._base.growing import rows_of
from protograph._base.ties import TOLERANCE, levels
from protograph.models.exact_rows import ExactPart, ExactRows
from protograph.page.consensus.counting import spread
from protograph.page.options import ReasonOptions
from protograph.page.reasons.conditions import Condition, ConditionReader

# Graphs whose embeddings are compared for the most typical: more are no more typical, and take memory.
MOST_COMPARED = 100_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Scope:
    """What rules are searched in.

    Attributes:
        reader: Tells in which graphs conditions hold.
        searched: Graphs that are searched, ascending.
        confirming: Graphs that confirm, ascending.
        predictions: Class of every graph.
        embeddings: Embedding of every graph.
        exact: Makes embeddings exact; ``None`` where all are.
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
    exact: ExactRows | ExactPart | None = None

    @cached_property
    def known(self) -> Ints:
        """The graphs that a rule may be judged by before it is measured."""
        return np.sort(np.concatenate([self.searched, self.confirming]))

    @cached_property
    def min_graphs(self) -> int:
        """Fewest searched graphs in which a condition must hold."""
        return max(3, int(self.options.min_share * self.searched.size))


def typical(indices: Ints, embeddings: Floats, number: int, exact: ExactRows | ExactPart | None = None) -> Ints:
    """Those of some graphs whose embeddings are nearest their mean, the nearest first.

    Of more than ``MOST_COMPARED`` graphs, so many, evenly spaced, are looked at.
    """
    if not indices.size:
        return indices
    indices = spread(indices, MOST_COMPARED)
    points = rows_of(embeddings, indices)
    return indices[nearest_rows(points, points.mean(axis=0), number, indices, exact)]


def nearest_rows(
    points: Floats, centre: Floats, number: int, indices: Ints, exact: ExactRows | ExactPart | None
) -> Ints:
    """Places of the rows nearest a point, the nearest first, and of those as near the first.

    Args:
        points: The rows.
        centre: The point.
        number: How many.
        indices: Graphs of the rows.
        exact: Makes rows exact that might or might not be among these; ``None`` where all are.
    """
    distances = ((points - centre) ** 2).sum(axis=1)
    if exact is not None:
        away, errors = np.sqrt(distances), np.linalg.norm(exact.errors(indices), axis=1)
        farthest = np.sort(away + errors)[min(number, len(points)) - 1]
        unsure = np.flatnonzero(away - errors <= farthest)
        distances[unsure] = ((exact.rows(indices[unsure]) - centre) ** 2).sum(axis=1)
        distances = -levels(distances, TOLERANCE * float(distances.max())).astype(np.float64)
    return np.argsort(distances, kind="stable")[:number]
