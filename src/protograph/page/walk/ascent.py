"""Coordinate ascent over node tuples: what is done where there are too many to go through them all.

Many tuples are improved at once, one node of each at a time, until no change of one node improves any of them.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph.page.walk.matching import Matching

# Lines of scores that are kept for the next time; a walk stands on the same tuples again and again.
_MAX_KEPT = 2**16


class Lines(Protocol):
    """Scores of tuples with one of their nodes exchanged."""

    def __call__(self, choices: Ints, axis: int, nodes: Ints) -> Floats:
        """``[num_tuples, len(nodes)]``: each tuple with each of ``nodes`` of graph ``axis``; ``-inf`` if not agreed."""


def raw_lines(matching: Matching) -> Lines:
    """Lines of raw scores, which are quick to compute."""

    def lines(choices: Ints, axis: int, nodes: Ints) -> Floats:
        scores = matching.scorer.fibres(choices, axis)[:, nodes]
        return np.where(matching.joint.fits(choices, axis)[:, nodes], scores, -np.inf)

    return lines


class MatchingLines:
    """Lines of log matching scores; those that were asked for last are kept."""

    def __init__(self, matching: Matching, max_cells: int) -> None:
        self._matching, self._max_cells = matching, max_cells
        self._kept: dict[tuple[int, bytes, bytes], Floats] = {}

    def __call__(self, choices: Ints, axis: int, nodes: Ints) -> Floats:
        """See :class:`Lines`."""
        others = choices.copy()
        others[:, axis] = 0
        keys = [(axis, row.tobytes(), nodes.tobytes()) for row in others]
        missing = [number for number, key in enumerate(keys) if key not in self._kept]
        if len(self._kept) + len(missing) > _MAX_KEPT:
            self._kept.clear()
            missing = list(range(len(keys)))
        for number, line in zip(missing, self._computed(choices[missing], axis, nodes), strict=True):
            self._kept[keys[number]] = line
        return np.stack([self._kept[key] for key in keys]) if keys else np.empty((0, len(nodes)))

    def _computed(self, choices: Ints, axis: int, nodes: Ints) -> Floats:
        if not len(choices):
            return np.empty((0, len(nodes)))
        tuples = np.repeat(choices, len(nodes), axis=0)
        tuples[:, axis] = np.tile(nodes, len(choices))
        return self._matching.at(tuples, self._max_cells).reshape(len(choices), len(nodes))


def most_similar(matching: Matching, rows: Sequence[Ints]) -> Ints:
    """A tuple for each of the first graph's ``rows`` with which one agrees: in each graph the most similar node."""
    embeddings = matching.scorer.embeddings
    choices: Ints = np.zeros((len(rows[0]), len(rows)), dtype=np.int64)
    choices[:, 0] = rows[0]
    for axis in range(1, len(rows)):
        fits = matching.joint.fits(choices, axis, among=range(axis))[:, rows[axis]]
        choices, fits = choices[fits.any(axis=1)], fits[fits.any(axis=1)]
        similarity = embeddings[0][choices[:, 0]] @ embeddings[axis][rows[axis]].T
        choices[:, axis] = rows[axis][_first_best(np.where(fits, similarity, -np.inf), matching.tolerance)]
    return choices


def ascend(
    lines: Lines,
    rows: Sequence[Ints],
    choices: Ints,
    tolerance: float,
    penalties: Sequence[Floats] | None = None,
    barred: Collection[tuple[int, ...]] = (),
    *,
    max_rounds: int = 50,
) -> tuple[Ints, Floats]:
    """Improve tuples, one node at a time, until no change of one node improves them; the first graph's node stays.

    Args:
        lines: Scores of tuples.
        rows: The nodes of each graph that may be chosen.
        choices: Where to begin, ``[num_tuples, k]``.
        tolerance: Scores that differ by no more are a tie, and the first node is taken.
        penalties: What to take off the score for each node of each graph.
        barred: Tuples that may not be the result.
        max_rounds: After which a tuple has to do.

    Returns:
        The tuples, and their scores less penalties: ``-inf`` where none is left that agrees.
    """
    choices, penalties = choices.copy(), penalties or [np.zeros(int(r.max(initial=-1)) + 1) for r in rows]
    values: Floats = np.full(len(choices), -np.inf)
    for _ in range(max_rounds):
        before = choices.copy()
        for axis in range(1, choices.shape[1]) if len(choices) else ():
            scores = lines(choices, axis, rows[axis]) - penalties[axis][rows[axis]]
            _bar(scores, choices, axis, rows[axis], barred)
            # A tuple that is barred, and has no other node here, waits for an exchange at another place.
            has_one = scores.max(axis=1) > -np.inf
            choices[has_one, axis] = rows[axis][_first_best(scores[has_one], tolerance)]
            taken_off = sum(penalties[q][choices[:, q]] for q in range(choices.shape[1]) if q != axis)
            values = scores.max(axis=1) - taken_off
        if np.array_equal(choices, before):
            break
    return choices, values


def _bar(scores: Floats, choices: Ints, axis: int, nodes: Ints, barred: Collection[tuple[int, ...]]) -> None:
    for choice in barred:
        others = np.arange(choices.shape[1]) != axis
        rows = (choices[:, others] == np.array(choice)[others]).all(axis=1)
        scores[np.ix_(rows, nodes == choice[axis])] = -np.inf


def _first_best(values: Floats, tolerance: float) -> Ints:
    """Of each row the position of the first value that ties with its highest."""
    first: Ints = (values >= values.max(axis=1, keepdims=True) - tolerance).argmax(axis=1)
    return first
