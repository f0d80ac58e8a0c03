"""A good tuple to start from, where there are too many tuples to go through them all.

From every node of the first graph a tuple is improved by its raw score, all at once, which is quick. Of the tuples that
this ends in, the best by their matching scores are improved by these. What is guaranteed of the result: no exchange of
one node, for one of the nodes that score best in its place, improves it. A matching score is at most 1, so that its own
value bounds how much better the best tuple can be.
"""

from collections.abc import Collection, Sequence

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph._base.ties import levels
from protograph.page.options import WalkOptions
from protograph.page.walk.ascent import Lines, MatchingLines, ascend, most_similar, raw_lines
from protograph.page.walk.matching import Matching


class BeamStarts:
    """Finds starts of k graphs one after the other.

    Args:
        matching: Matching scores of the k graphs.
        options: How many tuples are improved by their matching scores, and how many nodes are tried at each place.
    """

    def __init__(self, matching: Matching, options: WalkOptions) -> None:
        self._matching, self._options = matching, options
        self._raw, self._exact = raw_lines(matching), MatchingLines(matching, options.max_cells)

    def best(self, rows: Sequence[Ints], barred: Collection[tuple[int, ...]] = ()) -> tuple[int, ...] | None:
        """A tuple of nodes of ``rows`` that agree, other than those barred; ``None`` where none was found."""
        matching, rounds = self._matching, self._options.max_rounds
        begun = most_similar(matching, rows)
        raw, _ = ascend(self._raw, rows, begun, matching.tolerance, barred=barred, max_rounds=rounds)
        order = np.argsort(levels(matching.at(raw, self._options.max_cells), matching.tolerance), kind="stable")
        best = raw[order[: self._options.beam]]
        found, values = ascend(self._narrowed, rows, best, matching.tolerance, barred=barred, max_rounds=rounds)
        if values.max(initial=-np.inf) == -np.inf:
            return None
        tied = found[values >= values.max() - matching.tolerance]
        return min(tuple(nodes) for nodes in tied.tolist())

    def _narrowed(self, choices: Ints, axis: int, nodes: Ints) -> Floats:
        """Matching scores of the nodes whose raw scores are highest; the others are not tried."""
        if len(nodes) <= self._options.breadth:
            return self._exact(choices, axis, nodes)
        return narrowed(self._raw, self._exact, choices, axis, nodes, self._options.breadth)


def narrowed(raw: Lines, exact: Lines, choices: Ints, axis: int, nodes: Ints, breadth: int) -> Floats:
    """Exact scores of the ``breadth`` nodes with the highest raw scores and of the tuple's own; ``-inf`` elsewhere."""
    rough = raw(choices, axis, nodes)
    kept = np.sort(np.argsort(-rough, axis=1, kind="stable")[:, :breadth], axis=1)
    scores = np.full(rough.shape, -np.inf)
    for number, places in enumerate(kept):
        own = np.flatnonzero(nodes == choices[number, axis])
        places = np.union1d(places, own)
        scores[number, places] = exact(choices[number : number + 1], axis, nodes[places])[0]
    return scores
