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

from math import prod

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph._base.ties import tolerance_for
from protograph.page.walk.scoring import Rows, Scorer
from protograph.patterns.joint import JointGraphs


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

    @property
    def num_graphs(self) -> int:
        """How many graphs, k."""
        return len(self.sizes)

    def block(self, rows: Rows) -> Floats:
        """Log scores on the Cartesian product of ``rows``."""
        return self.block_with_terms(rows, {})

    def whole(self) -> Floats:
        """Log scores of all tuples, in a compiled loop."""
        from protograph.page.walk.kernels import log_matching

        rows = self.scorer.everything
        scores = np.ascontiguousarray(self.scorer.block(rows))
        agrees = np.ascontiguousarray(np.broadcast_to(self.joint.mask(rows), self.sizes))
        sizes = np.array(self.sizes, dtype=np.int64)
        result: Floats = log_matching(scores.reshape(-1), agrees.reshape(-1), sizes).reshape(self.sizes)
        return result

    def block_with_terms(self, rows: Rows, known_terms: dict[int, Floats]) -> Floats:
        """Log scores on the Cartesian product of ``rows``, where the terms of some axes are already known."""
        scores = self.scorer.block(rows)
        total: Floats | None = None
        for axis in range(self.num_graphs):
            term = known_terms[axis] if axis in known_terms else self.fibre_term(axis, rows, scores)
            total = scores + term if total is None else np.logaddexp(total, scores + term, out=total)
        assert total is not None
        total -= np.log(self.num_graphs)
        return np.where(self.joint.mask(rows), total, -np.inf)

    def fibre_term(self, axis: int, rows: Rows, scores: Floats | None = None) -> Floats:
        """One number t for each fibre along ``axis`` through the block, that axis kept with length 1."""
        if scores is None or len(rows[axis]) < self.sizes[axis]:
            scores = self.scorer.block([*rows[:axis], self.scorer.everything[axis], *rows[axis + 1 :]])
        return _terms(scores, axis)

    def num_cells(self, rows: Rows) -> int:
        """Size of the largest array that :meth:`block` makes for ``rows``."""
        lengths = [len(r) for r in rows]
        total = prod(lengths)
        return max(total // length * int(size) for length, size in zip(lengths, self.sizes, strict=True))

    def at(self, choices: Ints, max_cells: int = 2**22) -> Floats:
        """Log scores of single tuples, ``[num_tuples, k]``; so many cells are computed at once."""
        size = max(1, max_cells // max(self.sizes))
        parts = [self._at(choices[begin : begin + size]) for begin in range(0, len(choices), size)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _at(self, choices: Ints) -> Floats:
        total: Floats | None = None
        for axis in range(self.num_graphs):
            scores = self.scorer.fibres(choices, axis)
            value = scores[np.arange(len(choices)), choices[:, axis]] + _terms(scores, axis=1).reshape(-1)
            total = value if total is None else np.logaddexp(total, value)
        assert total is not None
        return np.where(self.joint.agrees(choices), total - np.log(self.num_graphs), -np.inf)


def _terms(scores: Floats, axis: int) -> Floats:
    """The term t of each fibre along ``axis``, from its raw scores; that axis is kept with length 1."""
    highest = scores.max(axis=axis, keepdims=True)
    log_sum = highest + np.log(np.exp(scores - highest).sum(axis=axis, keepdims=True))
    terms: Floats = -np.logaddexp(0.0, -scores.mean(axis=axis, keepdims=True)) - log_sum
    return terms
