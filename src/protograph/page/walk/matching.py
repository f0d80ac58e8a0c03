r"""Matching scores (paper, Section 4.2.1): the tensor Y, block by block, as logarithms.

With X the raw scores, for each axis q

.. math::
    u^1_q = \mathrm{softmax}_q(X), \quad u^2_q = \sigma(\mathrm{mean}_q X), \quad
    Y = \frac{1}{k} \sum_q u^1_q \odot u^2_q

so that :math:`\log Y = \mathrm{logsumexp}_q (X + t_q) - \log k` with one number
:math:`t_q = \log\sigma(\mathrm{mean}_q X) - \mathrm{logsumexp}_q X` for each fibre along axis q. A block needs only
the fibres through it, which is why the whole tensor is never needed. (The paper's formula divides outside the
sigmoid; its words take the sigmoid of the average.)
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np

from protograph._base.arrays import Floats
from protograph._base.ties import first_best, tolerance_for
from protograph.page.walk.scoring import Rows, Scorer
from protograph.patterns.joint import JointGraphs


@dataclass(frozen=True, eq=False)
class Block:
    """Log scores, one axis a graph, of the tuples in the Cartesian product of ``rows``."""

    rows: Rows
    values: Floats


def highest(blocks: Iterable[Block]) -> float:
    """Highest log score of any block, ``-inf`` where there is none."""
    return max((float(block.values.max()) for block in blocks), default=-np.inf)


def first_at_least(threshold: float, blocks: Iterable[Block]) -> tuple[int, ...]:
    """Of all tuples with at least that log score the first, in order of node numbers."""
    firsts = []
    for block in blocks:
        reaches = block.values >= threshold
        if reaches.any():
            at = np.unravel_index(int(reaches.argmax()), reaches.shape)
            firsts.append(tuple(int(row[i]) for row, i in zip(block.rows, at, strict=True)))
    return min(firsts)


class Matching:
    """Logarithms of the matching scores of k graphs; tuples whose features differ have ``-inf``.

    Args:
        scorer: Raw scores of the k graphs.
        joint: The k graphs, which know which tuples may be chosen.
        resolution: Relative precision of the embeddings; see ``tolerance``.
        max_tolerance: Most that the tolerance may be, however large the scores are.

    Attributes:
        tolerance: Two log scores that differ by no more are a tie.
    """

    def __init__(
        self, scorer: Scorer, joint: JointGraphs, resolution: float = 1e-13, max_tolerance: float = np.inf
    ) -> None:
        self.scorer = scorer
        self.joint = joint
        self.sizes = scorer.sizes
        self.tolerance = min(tolerance_for(scorer.bound, resolution), max_tolerance)

    def whole(self) -> Floats:
        """Log scores of all tuples, the last graph's nodes side by side in memory."""
        return np.ascontiguousarray(self.block(self.scorer.everything))

    def block(self, rows: Rows, first_term: Floats | None = None) -> Floats:
        """Log scores on the Cartesian product of ``rows``; the term of the first axis may be known already."""
        scores = np.ascontiguousarray(self.scorer.block(rows))
        terms = [self.fibre_term(axis, rows, scores) for axis in range(first_term is not None, len(rows))]
        terms = terms if first_term is None else [first_term, *terms]
        highest_term = reduce(np.maximum, terms)
        total: Floats = reduce(np.add, (np.exp(term - highest_term) for term in terms))
        # All axes share the raw score.
        return np.where(self.joint.mask(rows), scores + highest_term + np.log(total / len(rows)), -np.inf)

    def fibre_term(self, axis: int, rows: Rows, scores: Floats | None = None) -> Floats:
        """One number t for each fibre along ``axis`` through the block, that axis kept with length 1."""
        if scores is None or len(rows[axis]) < self.sizes[axis]:
            scores = self.scorer.block([*rows[:axis], self.scorer.everything[axis], *rows[axis + 1 :]])
        highest = scores.max(axis=axis, keepdims=True)
        log_sum = highest + np.log(np.exp(scores - highest).sum(axis=axis, keepdims=True))
        result: Floats = -np.logaddexp(0.0, -scores.mean(axis=axis, keepdims=True)) - log_sum
        return result

    def num_cells(self, rows: Rows) -> int:
        """Size of the largest array that :meth:`block` makes for ``rows``."""
        lengths = [len(r) for r in rows]
        total = prod(lengths)
        return max(total // length * int(size) for length, size in zip(lengths, self.sizes, strict=True))

    def ascend(
        self,
        rows: Rows,
        first: int,
        penalties: Sequence[Floats] | None = None,
        barred: Collection[tuple[int, ...]] = (),
        *,
        max_rounds: int = 50,
    ) -> Block | None:
        """Coordinate ascent, where there are too many tuples to go through them all.

        From the nodes most similar to ``first``, one node at a time is improved until nothing improves.

        Args:
            rows: The nodes of each graph that may be chosen.
            first: Node of the first graph; it stays.
            penalties: What to take off the log score for each node of each graph.
            barred: Tuples that may not be the result.
            max_rounds: After which the tuple has to do.

        Returns:
            A block of one tuple, or ``None`` where no tuple with ``first`` agrees in its features.
        """
        choice = self._most_similar(rows, first)
        penalties = penalties or [np.zeros(size) for size in self.sizes]
        value = -np.inf
        for _ in range(max_rounds if choice else 0):
            before = list(choice)
            for axis in range(1, len(rows)):
                line = [
                    row if q == axis else np.array([node])
                    for q, (row, node) in enumerate(zip(rows, choice, strict=True))
                ]
                values = self.block(line).reshape(-1) - penalties[axis][rows[axis]]
                for number, node in enumerate(rows[axis]):
                    if (*choice[:axis], int(node), *choice[axis + 1 :]) in barred:
                        values[number] = -np.inf
                choice[axis] = int(rows[axis][first_best(values, self.tolerance)])
                value = float(values.max()) - sum(float(penalties[q][choice[q]]) for q in range(len(rows)) if q != axis)
            if choice == before:
                break
        if value == -np.inf:
            return None
        return Block([np.array([node]) for node in choice], np.full((1,) * len(rows), value))

    def _most_similar(self, rows: Rows, first: int) -> list[int]:
        """For each graph the node most similar to ``first`` that agrees with those before; empty where none does."""
        embeddings, choice = self.scorer.embeddings, [first]
        for axis in range(1, len(rows)):
            fits = np.all([self.joint.agree(q, axis)[node, rows[axis]] for q, node in enumerate(choice)], axis=0)
            if not fits.any():
                return []
            similarity = np.where(fits, embeddings[axis][rows[axis]] @ embeddings[0][first], -np.inf)
            choice.append(int(rows[axis][first_best(similarity, self.tolerance)]))
        return choice
