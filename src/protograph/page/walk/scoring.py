r"""The three scoring functions (paper, Definition 1 and RQ6): how well k nodes of k graphs match.

.. math::
    s(v_1, \dots, v_k) = \sum_d \prod_q v_{q,d}, \qquad
    s_{AM} = \frac{1}{P} \sum_{q<r} v_q^T v_r, \qquad
    s_{GM} = \Big(\prod_{q<r} \max(0, v_q^T v_r)\Big)^{1/P}, \qquad P = \binom{k}{2}

The paper gives the two means for k = 3; we take all pairs for any k of at least 2, and count a negative inner
product as 0 in the geometric mean, where a root would have no value. The paper mentions a fourth, the mean of the inner
products of each vector with their mean vector :math:`m`, which is :math:`m^T m`; it is for experiments only.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph.page.options import AnyScoring

Rows = Sequence[Ints]


class Scorer:
    """Raw scores X of the node tuples of k graphs, for any block of the order-k tensor.

    Args:
        embeddings: k matrices of node embeddings, ``[num_nodes_q, dim]``.
        scoring: Which scoring function.

    >>> h = [np.array([[1.0, 2.0]]), np.array([[3.0, 1.0], [0.0, 1.0]])]
    >>> Scorer(h, "product").block([np.array([0]), np.array([0, 1])])
    array([[5., 2.]])
    """

    def __init__(self, embeddings: Sequence[Floats], scoring: AnyScoring = "product") -> None:
        if scoring != "product" and len(embeddings) < 2:
            raise ValueError(f"scoring={scoring!r} needs num_graphs of at least 2, got {len(embeddings)}")
        self.embeddings = [np.ascontiguousarray(h, dtype=np.float64) for h in embeddings]
        self.sizes = tuple(h.shape[0] for h in self.embeddings)
        self.everything = [np.arange(size) for size in self.sizes]
        self._pairs = {} if scoring == "product" else _pair_terms(self.embeddings, scoring)
        self._combine: Callable[..., Floats] = np.multiply if scoring == "geometric" else np.add
        self.bound = _largest_score(self.embeddings, scoring)

    def block(self, rows: Rows) -> Floats:
        """Scores of all tuples in the Cartesian product of ``rows``, one axis a graph."""
        if self._pairs:
            return self._block_of_pairs(rows)
        return _block_of_products([h[r] for h, r in zip(self.embeddings, rows, strict=True)])

    def fibres(self, choices: Ints, axis: int) -> Floats:
        """Scores of tuples with each node of graph ``axis`` in place of their own, ``[num_tuples, num_nodes]``."""
        others = [q for q in range(len(self.sizes)) if q != axis]
        if not self._pairs:
            vectors = np.ones((len(choices), self.embeddings[0].shape[1]))
            for q in others:
                vectors *= self.embeddings[q][choices[:, q]]
            return vectors @ self.embeddings[axis].T
        result: Floats = np.full((len(choices), self.sizes[axis]), 0.0 if self._combine is np.add else 1.0)
        for (q, r), terms in self._pairs.items():
            if axis not in (q, r):
                term = terms[choices[:, q], choices[:, r], None]
            else:
                term = terms[choices[:, q]] if r == axis else terms.T[choices[:, r]]
            result = self._combine(result, term)
        return result

    def _block_of_pairs(self, rows: Rows) -> Floats:
        result: Floats = np.full((1,) * len(rows), 0.0 if self._combine is np.add else 1.0)
        for (q, r), terms in self._pairs.items():
            shape = [1] * len(rows)
            shape[q], shape[r] = len(rows[q]), len(rows[r])
            result = self._combine(result, terms[np.ix_(rows[q], rows[r])].reshape(shape))
        return result


def _block_of_products(chosen: list[Floats]) -> Floats:
    # The longest axis goes last: the others' products are the only intermediate result.
    order = sorted(range(len(chosen)), key=lambda q: chosen[q].shape[0])
    vectors = np.ones((1, chosen[0].shape[1]))
    for q in order[:-1]:
        vectors = (vectors[:, None, :] * chosen[q][None, :, :]).reshape(-1, vectors.shape[1])
    flat = vectors @ chosen[order[-1]].T
    block = flat.reshape([chosen[q].shape[0] for q in order])
    return block.transpose(np.argsort(order))


def _pair_terms(embeddings: list[Floats], scoring: AnyScoring) -> dict[tuple[int, int], Floats]:
    pairs = list(combinations(range(len(embeddings)), 2))
    products = {(q, r): embeddings[q] @ embeddings[r].T for q, r in pairs}
    if scoring == "arithmetic":
        return {pair: product / len(pairs) for pair, product in products.items()}
    if scoring == "mean":
        k = len(embeddings)
        # Each vector's own square is shared out among the k - 1 pairs that it is in.
        own = [(h**2).sum(axis=1) / (k - 1) for h in embeddings]
        return {(q, r): (2 * product + own[q][:, None] + own[r]) / k**2 for (q, r), product in products.items()}
    # A root makes much of what is 0 but for rounding.
    negligible = 1e-13 * _largest_score(embeddings, scoring)
    return {
        pair: np.where(product > negligible, product, 0.0) ** (1 / len(pairs)) for pair, product in products.items()
    }


def _largest_score(embeddings: list[Floats], scoring: AnyScoring) -> float:
    """Bound on the size of any score, which sets the scale on which two of them count as equal."""
    largest = [np.abs(h).max(axis=0) for h in embeddings]
    if scoring == "product":
        return float(np.prod(largest, axis=0).sum())
    if scoring == "mean":
        return max(float(a @ a) for a in largest)
    return max(float(a @ b) for a, b in combinations(largest, 2))
