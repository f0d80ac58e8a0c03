"""Stability: do explanations from different seeds show the same graphs?"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from protograph._base.errors import ProtographWarning
from protograph.explanation import Explanation
from protograph.metrics.accuracy import accuracy
from protograph.metrics.intervals import Measure

# Pairs of nodes that are tried for two prototypes; large ones that are much alike take longest, and a lower bound of
# what they share is as good there.
MAX_CALLS = 100_000


@dataclass(frozen=True, kw_only=True)
class Stability(Measure):
    """How alike explanations are.

    Attributes:
        value: Mean over all pairs, in [0, 1]; higher is better; nan with fewer than two explanations.
        pairs: Similarity of each pair, in the order (0, 1), (0, 2), ..., (1, 2), ...
    """

    pairs: tuple[float, ...]


def stability(explanations: Sequence[Explanation]) -> Stability:
    r"""How much explanations of one class agree with each other, such as those of several seeds.

    .. math:: \frac{1}{|\mathrm{pairs}|} \sum_{i < j} \frac{s(P_i, P_j) + s(P_j, P_i)}{2}, \qquad
              s(P, Q) = \frac{1}{|P|} \sum_{p \in P} \max_{q \in Q} \mathrm{Acc.}(p, q)

    with Acc. the :func:`protograph.metrics.accuracy` of one prototype held against another. In [0, 1], higher is
    better; 1 where all show the same graphs. Two explanations without prototypes agree (1), one without and one with
    some do not (0). Not of the paper.

    Args:
        explanations: Explanations of one class.
    """
    pairs = tuple((_alike(one, other) + _alike(other, one)) / 2 for one, other in combinations(explanations, 2))
    return Stability(float(np.mean(pairs)) if pairs else float("nan"), pairs=pairs)


def _alike(one: Explanation, other: Explanation) -> float:
    """Mean over the prototypes of one explanation of the best accuracy to a prototype of the other."""
    if not one.prototypes or not other.prototypes:
        return float(not one.prototypes and not other.prototypes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)  # of a bound: the best that was found counts
        best = [
            max(
                float(accuracy(p.graph, q.graph, match_features=one.node_rule, max_calls=MAX_CALLS))
                for q in other.prototypes
            )
            for p in one.prototypes
        ]
    return float(np.mean(best))
