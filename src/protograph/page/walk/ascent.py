"""Coordinate ascent over node tuples: what is done where there are too many to go through them all."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph._base.ties import first_best
from protograph.page.walk.matching import Matching


@dataclass(frozen=True)
class Peak:
    """A tuple that no change of a single node improves, and its value."""

    value: float
    nodes: tuple[int, ...]


def ascend(
    matching: Matching,
    rows: Sequence[Ints],
    first: int,
    penalties: Sequence[Floats] | None = None,
    barred: Collection[tuple[int, ...]] = (),
    *,
    max_rounds: int = 50,
) -> Peak | None:
    """Improve one node at a time, from the nodes most similar to ``first``, until nothing improves.

    Args:
        matching: Matching scores of the k graphs.
        rows: The nodes of each graph that may be chosen.
        first: Node of the first graph; it stays.
        penalties: What to take off the log score for each node of each graph.
        barred: Tuples that may not be the result.
        max_rounds: After which the tuple has to do.

    Returns:
        The peak, or ``None`` where no tuple with ``first`` agrees in its features.
    """
    choice = _most_similar(matching, rows, first)
    if choice is None:
        return None
    penalties = penalties or [np.zeros(size) for size in matching.sizes]
    value = -np.inf
    for _ in range(max_rounds):
        before = list(choice)
        for axis in range(1, len(rows)):
            values = matching.line(choice, axis, rows[axis]) - penalties[axis][rows[axis]]
            for number, node in enumerate(rows[axis]):
                if (*choice[:axis], int(node), *choice[axis + 1 :]) in barred:
                    values[number] = -np.inf
            choice[axis] = int(rows[axis][first_best(values, matching.tolerance)])
            value = float(values.max()) - sum(float(penalties[q][choice[q]]) for q in range(len(rows)) if q != axis)
        if choice == before:
            break
    return Peak(value, tuple(choice)) if value > -np.inf else None


def _most_similar(matching: Matching, rows: Sequence[Ints], first: int) -> list[int] | None:
    embeddings = matching.scorer.embeddings
    choice = [first]
    for axis in range(1, len(rows)):
        fits = np.all([matching.joint.agree(q, axis)[node, rows[axis]] for q, node in enumerate(choice)], axis=0)
        if not fits.any():
            return None
        similarity = np.where(fits, embeddings[axis][rows[axis]] @ embeddings[0][first], -np.inf)
        choice.append(int(rows[axis][first_best(similarity, matching.tolerance)]))
    return choice
