"""Which reasons graphs that were not searched confirm."""

from collections.abc import Sequence
from math import exp, lgamma, log

import numpy as np

from protograph._base.arrays import Bools
from protograph.page.reasons.drafts import Draft
from protograph.page.reasons.scope import Scope


def confirmed(drafts: Sequence[Draft], target: int, scope: Scope, chance: float) -> list[Draft]:
    """The drafts in the order of how many graphs each adds, without those that other graphs do not confirm.

    A draft must tell the class: among the confirming graphs in which it holds, those of the class are so many that
    chance would rarely have it so. The more drafts there are the more rarely, by the rule of Benjamini and Hochberg:
    of all that are confirmed, ``chance`` is the share that may be so by luck.
    """
    ordered = in_order(drafts, target, scope)
    is_class = scope.predictions[scope.confirming] == target
    share = float(is_class.mean()) if is_class.size else 0.0
    holds = (draft.holds(scope.reader, scope.confirming) for draft in ordered)
    chances = [chance_of(int((one & is_class).sum()), int(one.sum()), share) for one in holds]
    by_chance = sorted(chances)
    limits = [chance * (rank + 1) / len(chances) for rank in range(len(chances))]
    most = max((own for own, limit in zip(by_chance, limits, strict=True) if own <= limit), default=-1.0)
    return [draft for draft, own in zip(ordered, chances, strict=True) if own <= most]


def in_order(drafts: Sequence[Draft], target: int, scope: Scope) -> list[Draft]:
    """Drafts in the order of how many graphs of the class each adds to those before it."""
    is_class = scope.predictions[scope.known] == target
    left = {number: draft.holds(scope.reader, scope.known) & is_class for number, draft in enumerate(drafts)}
    covered: Bools = np.zeros(is_class.size, np.bool_)
    order = []
    while left:
        number = max(left, key=lambda one: (int((left[one] & ~covered).sum()), -one))
        covered |= left.pop(number)
        order.append(drafts[number])
    return order


def chance_of(at_least: int, number: int, share: float) -> float:
    """Probability of at least so many of a number where each is one with the given share.

    >>> round(chance_of(2, 2, 0.5), 3), chance_of(0, 5, 0.3)
    (0.25, 1.0)
    """
    if at_least <= 0 or share >= 1:
        return 1.0
    if share <= 0:
        return 0.0
    logs = (
        lgamma(number + 1) - lgamma(hits + 1) - lgamma(number - hits + 1)
        + hits * log(share) + (number - hits) * log(1 - share)
        for hits in range(at_least, number + 1)
    )  # fmt: skip
    return min(1.0, sum(map(exp, logs)))
