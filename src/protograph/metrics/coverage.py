"""How well several prototypes of a class cover the graphs predicted as it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools
from protograph.graphs.encoding import MAX_CALLS, EncodedGraphs
from protograph.metrics.intervals import Estimate, checked_confidence, hoeffding, student, wilson
from protograph.metrics.support import Predictions, as_encoded, checked_predictions, containment


@dataclass(frozen=True, kw_only=True)
class CoverageResult(Estimate):
    """A measure of several prototypes, with its confidence interval.

    Attributes:
        num_undecided: Searches for a prototype in a graph that were given up; they count as not found.
        order: The prototypes in the order that :func:`gain_area` takes them in; empty of other measures.
        curve: Coverage by the first one, the first two, ... of ``order``; empty of other measures.
    """

    num_undecided: int = 0
    order: tuple[int, ...] = ()
    curve: tuple[float, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether it is known of every graph which prototypes it contains."""
        return self.num_undecided == 0


def coverage(
    prototypes: Sequence[Data],
    graphs: Iterable[Data] | EncodedGraphs,
    predictions: Predictions,
    target: int,
    *,
    confidence: float = 0.95,
    induced: bool = False,
    match_edges: bool = False,
    max_calls: int = MAX_CALLS,
    workers: int = 1,
) -> CoverageResult:
    r"""Share of the graphs of a class that contain at least one of its prototypes.

    .. math:: \mathrm{cov}(P) = |\{G : f(G) = c, \exists p \in P: p \subseteq G\}| / N_c

    In [0, 1], higher is better; nan without graphs of the class. The interval is Wilson's. It speaks of new graphs
    only if the prototypes were found in others than ``graphs``. Not of the paper.

    Args:
        prototypes: The prototypes' graphs.
        graphs: The graphs, gone through once; or encoded, where several measures are taken of the same graphs.
        predictions: Predicted class of each graph.
        target: The class.
        confidence: Of the interval.
        induced: Whether nodes that are not joined in a prototype must not be joined in the graph.
        match_edges: Whether edges must have equal rows of ``edge_attr``.
        max_calls: Most nodes a search places in one graph. It then warns, and the result is not exact.
        workers: Number of threads; the result does not depend on it.

    >>> import torch
    >>> edge = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    >>> coverage([edge], [edge, Data(num_nodes=3), edge], [1, 1, 0], target=1).value
    0.5
    """
    checked_confidence(confidence)
    contains, num_undecided = _of_class(
        prototypes, graphs, predictions, target, induced, match_edges, max_calls, workers
    )
    covered, total = int(contains.any(axis=0).sum()), contains.shape[1]
    low, high = wilson(covered, total, confidence)
    return CoverageResult(
        value=covered / total if total else nan,
        low=low,
        high=high,
        num_graphs=total,
        confidence=confidence,
        num_undecided=num_undecided,
    )


def overlap(
    prototypes: Sequence[Data],
    graphs: Iterable[Data] | EncodedGraphs,
    predictions: Predictions,
    target: int,
    *,
    confidence: float = 0.95,
    induced: bool = False,
    match_edges: bool = False,
    max_calls: int = MAX_CALLS,
    workers: int = 1,
) -> CoverageResult:
    r"""Mean number of prototypes that a covered graph of the class contains.

    .. math:: \frac{\sum_{G} |\{p \in P: p \subseteq G\}|}{|\{G : \exists p \in P: p \subseteq G\}|}

    In [1, m] for m prototypes, lower is better: each prototype stands for graphs of its own. It is nan where no graph
    is covered. The interval is Student's over the covered graphs, ``num_graphs`` of them, cut to [1, m], which is also
    the interval for fewer than two. Not of the paper. Arguments are those of :func:`coverage`.

    >>> import torch
    >>> edge, node = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), Data(num_nodes=1)
    >>> overlap([edge, node], [edge, Data(num_nodes=3), edge], [1, 1, 0], target=1).value
    1.5
    """
    checked_confidence(confidence)
    contains, num_undecided = _of_class(
        prototypes, graphs, predictions, target, induced, match_edges, max_calls, workers
    )
    counts = contains.sum(axis=0)
    counts = counts[counts > 0].astype(np.float64)
    low, high = student(counts, confidence)
    return CoverageResult(
        value=float(counts.mean()) if counts.size else nan,
        low=max(low, 1.0),
        high=min(high, max(float(len(prototypes)), 1.0)),
        num_graphs=counts.size,
        confidence=confidence,
        num_undecided=num_undecided,
    )


def gain_area(
    prototypes: Sequence[Data],
    graphs: Iterable[Data] | EncodedGraphs,
    predictions: Predictions,
    target: int,
    *,
    confidence: float = 0.95,
    induced: bool = False,
    match_edges: bool = False,
    max_calls: int = MAX_CALLS,
    workers: int = 1,
) -> CoverageResult:
    r"""Area under the coverage by the first i prototypes, in the order of the graphs that they newly cover.

    .. math:: \frac{1}{m} \sum_{i=1}^{m} \mathrm{cov}(\{p_1, \dots, p_i\})

    where :math:`p_i` is the prototype that covers most graphs which the ones before do not, the earlier of equal ones.
    In [0, 1] (at least the coverage over m), higher is better: few prototypes cover much. 0 without prototypes, nan
    without graphs of the class. The value is the mean over graphs of a number in [0, 1], the share of i for which the
    graph is covered, so that the interval is Hoeffding's, wide enough for any of the m! orders to have been picked on
    these very graphs. Not of the paper. Arguments are those of :func:`coverage`.

    >>> import torch
    >>> edge, node = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), Data(num_nodes=1)
    >>> gain_area([edge, node], [edge, Data(num_nodes=3)], [1, 1], target=1).order  # the node is in both
    (1, 0)
    """
    checked_confidence(confidence)
    contains, num_undecided = _of_class(
        prototypes, graphs, predictions, target, induced, match_edges, max_calls, workers
    )
    order, covered = _greedy(contains)
    total = contains.shape[1]
    curve = tuple(count / total for count in covered) if total else ()
    value = sum(curve) / max(len(order), 1) if total else nan
    low, high = hoeffding(value, total, confidence, num_orders=len(order))
    return CoverageResult(
        value=value,
        low=low,
        high=high,
        num_graphs=total,
        confidence=confidence,
        num_undecided=num_undecided,
        order=order,
        curve=curve,
    )


def _of_class(
    prototypes: Sequence[Data],
    graphs: Iterable[Data] | EncodedGraphs,
    predictions: Predictions,
    target: int,
    induced: bool,
    match_edges: bool,
    max_calls: int,
    workers: int,
) -> tuple[Bools, int]:
    """Which graph of the class contains which prototype."""
    encoded = as_encoded(graphs, match_edges)
    indices = np.flatnonzero(checked_predictions(predictions, len(encoded)) == target)
    return containment(
        prototypes, encoded, indices=indices, induced=induced, max_calls=max_calls, workers=workers, stacklevel=4
    )


def _greedy(contains: Bools) -> tuple[tuple[int, ...], list[int]]:
    """Prototypes by the number of graphs they newly cover, and how many are covered after each."""
    covered = np.zeros(contains.shape[1], np.bool_)
    left, order, counts = list(range(contains.shape[0])), [], []
    while left:
        best = max(left, key=lambda row: int((contains[row] & ~covered).sum()))
        covered = covered | contains[best]
        left.remove(best)
        order.append(best)
        counts.append(int(covered.sum()))
    return tuple(order), counts
