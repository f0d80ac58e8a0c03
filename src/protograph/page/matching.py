r"""How well k nodes of k graphs match: raw scores (paper, Definition 1 and RQ6) and matching scores (Section 4.2.1).

.. math::
    s(v_1, \dots, v_k) = \sum_d \prod_q v_{q,d}, \qquad
    s_{AM} = \frac{1}{P} \sum_{q<r} v_q^T v_r, \qquad
    s_{GM} = \Big(\prod_{q<r} \max(0, v_q^T v_r)\Big)^{1/P}, \qquad P = \binom{k}{2}

The paper gives the two means for k = 3; we take all pairs for any k of at least 2, and count a negative inner product
as 0 in the geometric mean, where a root would have no value. With X the raw scores of all tuples, for each axis q

.. math::
    u^1_q = \mathrm{softmax}_q(X), \quad u^2_q = \sigma(\mathrm{mean}_q X), \quad
    Y = \frac{1}{k} \sum_q u^1_q \odot u^2_q

so that :math:`\log Y = \mathrm{logsumexp}_q (X + t_q) - \log k` with one number
:math:`t_q = \log\sigma(\mathrm{mean}_q X) - \mathrm{logsumexp}_q X` for each fibre along axis q. (The paper's formula
divides outside the sigmoid; its words take the sigmoid of the average.)
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from protograph._utils.arrays import Floats, Ints
from protograph._utils.ties import tolerance_for
from protograph.page.options import Scoring
from protograph.patterns.joint import JointGraphs

# Cells of fibres that are computed at once for single tuples (32 MiB of float64).
_MOST_CELLS = 2**22


class Scorer:
    """Raw scores X of the node tuples of k graphs.

    Args:
        embeddings: k matrices of node embeddings, ``[num_nodes_q, dim]``.
        scoring: Which scoring function.

    Attributes:
        bound: No score is larger; it sets the scale on which two of them count as equal.

    >>> h = [np.array([[1.0, 2.0]]), np.array([[3.0, 1.0], [0.0, 1.0]])]
    >>> Scorer(h, "product").whole()
    array([[5., 2.]])
    """

    def __init__(self, embeddings: Sequence[Floats], scoring: Scoring = "product") -> None:
        if scoring != "product" and len(embeddings) < 2:
            raise ValueError(f"scoring={scoring!r} needs num_graphs of at least 2, got {len(embeddings)}")
        self.embeddings = [np.ascontiguousarray(h, dtype=np.float64) for h in embeddings]
        self.sizes = tuple(h.shape[0] for h in self.embeddings)
        self._scoring = scoring
        largest, pairs = [np.abs(h).max(axis=0) for h in self.embeddings], list(combinations(range(len(embeddings)), 2))
        if scoring == "product":
            self.bound = float(np.prod(largest, axis=0).sum())
            return
        self._joined = np.add if scoring == "arithmetic" else np.multiply
        self.bound = max(float(largest[q] @ largest[r]) for q, r in pairs)
        self._pairs = {(q, r): self.embeddings[q] @ self.embeddings[r].T for q, r in pairs}
        for pair, products in self._pairs.items():
            if scoring == "arithmetic":
                self._pairs[pair] = products / len(pairs)
            else:  # a root makes much of what is 0 but for rounding
                self._pairs[pair] = np.where(products > 1e-13 * self.bound, products, 0.0) ** (1 / len(pairs))

    def whole(self) -> Floats:
        """Scores of all tuples, one axis a graph."""
        # Along the longest axis: the others' products are the only intermediate result.
        axis = int(np.argmax(self.sizes))
        others = np.ix_(*(np.arange(1 if q == axis else size) for q, size in enumerate(self.sizes)))
        return np.moveaxis(self.fibres(others, axis), -1, axis).reshape(self.sizes)

    def fibres(self, nodes: Sequence[Ints], axis: int) -> Floats:
        """Scores of tuples with each node of graph ``axis`` in place of their own, along a last axis.

        Args:
            nodes: Of each graph an array of nodes, broadcast with the others.
            axis: The graph.
        """
        if self._scoring == "product":
            shape, dim = np.broadcast_shapes(*(own.shape for own in nodes)), self.embeddings[0].shape[1]
            vectors = np.ones((*shape, dim))
            for q, own in enumerate(nodes):
                if q != axis:
                    vectors *= self.embeddings[q][own]
            return (vectors.reshape(-1, dim) @ self.embeddings[axis].T).reshape(*shape, -1)
        result: Floats = np.full(self.sizes[axis], self._joined.identity, dtype=np.float64)
        for (q, r), terms in self._pairs.items():
            if axis not in (q, r):
                term = terms[nodes[q], nodes[r], None]
            else:
                term = terms[nodes[q]] if r == axis else terms.T[nodes[r]]
            result = self._joined(result, term)
        return result


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
        self.scorer, self.joint, self.sizes = scorer, joint, scorer.sizes
        self.tolerance = min(tolerance_for(scorer.bound, resolution), max_tolerance)

    def whole(self) -> Floats:
        """Log scores of all tuples, one axis a graph."""
        scores = self.scorer.whole()
        total: Floats = np.full(scores.shape, -np.inf)
        for axis in range(scores.ndim):
            total = np.logaddexp(total, scores + _fibre_terms(scores, axis))
        agree = self.joint.mask()
        return np.ascontiguousarray(np.where(agree, total - np.log(scores.ndim), -np.inf))

    def block(self, rows: Sequence[Ints]) -> Floats:
        """Log scores of all tuples of some nodes of each graph, one axis a graph."""
        choices = np.stack(np.meshgrid(*rows, indexing="ij"), axis=-1)
        return self.at(choices.reshape(-1, len(rows))).reshape(choices.shape[:-1])

    def at(self, choices: Ints) -> Floats:
        """Log scores of single tuples, ``[num_tuples, k]``."""
        at_once = max(1, _MOST_CELLS // max(self.sizes))
        if len(choices) > at_once:
            parts = range(0, len(choices), at_once)
            return np.concatenate([self.at(choices[first : first + at_once]) for first in parts])
        total: Floats = np.full(len(choices), -np.inf)
        for axis in range(choices.shape[1]):
            scores = self.scorer.fibres([*choices.T], axis)
            own = scores[np.arange(len(choices)), choices[:, axis]]
            total = np.logaddexp(total, own + _fibre_terms(scores, axis=1)[:, 0])
        return np.where(self.joint.agrees([*choices.T]), total - np.log(choices.shape[1]), -np.inf)


def _fibre_terms(scores: Floats, axis: int) -> Floats:
    """The term t of each fibre along ``axis``, from its raw scores; that axis is kept with length 1."""
    highest = scores.max(axis=axis, keepdims=True)
    log_sum = highest + np.log(np.exp(scores - highest).sum(axis=axis, keepdims=True))
    terms: Floats = -np.logaddexp(0.0, -scores.mean(axis=axis, keepdims=True)) - log_sum
    return terms
