"""Numbers with their intervals, and what can be said of ours beside the paper's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from scipy import stats

PAPER_VERDICTS = ("better", "worse", "undecided", "agrees", "differs", "not comparable")
VERDICTS = (*PAPER_VERDICTS, "holds", "missed")  # the last two of limits that we set ourselves
ROUNDED = 0.00005  # the paper prints four digits
NUM_DRAWS = 2000  # of a bootstrap: the ends of its intervals are then steady in the second digit
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval.

    Attributes:
        mean: The number: a mean, or another statistic.
        low: Lower end; ``-inf`` where nothing is known of the spread.
        high: Upper end.
        num: How many values it is of.
    """

    mean: float
    low: float
    high: float
    num: int

    def __str__(self) -> str:
        if self.low == -inf:
            return f"{self.mean:.3f} (n = {self.num})"
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def mean_of(
    values: Sequence[float], *, least: float = -inf, most: float = inf, is_of_one_draw: bool = False
) -> Estimate | None:
    """Mean of seeds with Student's interval; ``None`` of no values.

    Args:
        values: A value a seed.
        least: No mean is below; the interval ends there.
        most: No mean is above.
        is_of_one_draw: Whether the interval is to hold one more value rather than the mean: what the paper has of a
            single draw of random data is compared with that.

    >>> mean_of([1.0, 2.0, 3.0], least=0.0)
    Estimate(mean=2.0, low=0.0, high=4.484..., num=3)
    """
    if not len(values):
        return None
    mean, num = float(np.mean(values)), len(values)
    if num < 2:
        return Estimate(mean, -inf, inf, num)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, num - 1)) * float(np.std(values, ddof=1)) / sqrt(num)
    half *= sqrt(num + 1) if is_of_one_draw else 1
    return Estimate(mean, max(mean - half, least), min(mean + half, most), num)


def share_mean(values: Sequence[float]) -> Estimate | None:
    """Mean of values between 0 and 1, beyond which its interval does not reach."""
    return mean_of(values, least=0.0, most=1.0)


def share_of(successes: int, trials: int) -> Estimate:
    """How often something came out, with Wilson's interval.

    >>> str(share_of(7, 10))
    '0.700 [0.397, 0.892]'
    """
    interval = stats.binomtest(successes, trials).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(successes / trials, float(interval.low), float(interval.high), trials)


def bootstrap(values: Sequence[float], statistic: Callable[..., Any] = np.median) -> Estimate:
    """A statistic with the interval that holds 95% of what it is on values drawn again."""
    array = np.asarray(values, dtype=np.float64)
    if len(array) < 2:
        return Estimate(float(statistic(array)), -inf, inf, len(array))
    drawn = np.random.default_rng(0).choice(array, (NUM_DRAWS, len(array)))
    low, high = np.quantile(statistic(drawn, axis=1), ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Estimate(float(statistic(array)), float(low), float(high), len(array))


def tau_of(value: float, num: int) -> Estimate:
    r"""Kendall's tau over ``num`` models, with the normal interval of its error where there is no order.

    .. math:: \sqrt{\frac{2 (2n + 5)}{9 n (n - 1)}}

    >>> str(tau_of(0.5, 11))
    '0.500 [0.042, 0.958]'
    """
    half = float(stats.norm.ppf((1 + CONFIDENCE) / 2)) * sqrt(2 * (2 * num + 5) / (9 * num * (num - 1)))
    return Estimate(value, max(-1.0, value - half), min(1.0, value + half), num)


def verdict(ours: Estimate, paper: float | None, larger_is_better: bool | None) -> str:
    """What our interval says of the paper's value, which comes without one.

    Args:
        ours: Our number.
        paper: The paper's; ``None`` where it has none.
        larger_is_better: Which direction is better; ``None`` where neither is: the numbers then agree or differ.

    >>> verdict(Estimate(0.8, 0.7, 0.9, 10), 0.6, larger_is_better=True)
    'better'
    >>> verdict(Estimate(1.0, 1.0, 1.0, 5), 1.0, larger_is_better=True)  # nothing was left to chance
    'agrees'
    """
    if paper is None:
        return "not comparable"
    if max(abs(ours.low - paper), abs(ours.high - paper)) <= ROUNDED:
        return "agrees"
    is_inside = ours.low <= paper <= ours.high
    if larger_is_better is None:
        return "agrees" if is_inside else "differs"
    return "undecided" if is_inside else "better" if (ours.mean > paper) == larger_is_better else "worse"


def against_count(ours: Estimate, theirs: Estimate, larger_is_better: bool | None) -> str:
    """Two counts, each with its interval: where these overlap, neither is known to be the larger, nor that they agree.

    >>> against_count(share_of(14, 15), share_of(5, 5), larger_is_better=True)
    'undecided'
    """
    if ours.low <= theirs.high and theirs.low <= ours.high:
        return "undecided"
    if larger_is_better is None:
        return "differs"
    return "better" if (ours.mean > theirs.mean) == larger_is_better else "worse"


def above(ours: Estimate, limit: float = 0.0) -> str:
    """Whether a number lies above what the paper claims, by its interval.

    >>> above(Estimate(0.8, 0.76, 0.84, 10), 0.75), above(Estimate(0.8, 0.7, 0.9, 10), 0.75)
    ('agrees', 'undecided')
    """
    return "agrees" if ours.low > limit else "differs" if ours.high < limit else "undecided"


def below(ours: Estimate, limit: float = 0.0) -> str:
    """The same for what is claimed to lie below."""
    return {"agrees": "differs", "differs": "agrees"}.get(above(ours, limit), "undecided")


def mostly(share: Estimate, is_claimed: bool = True) -> str:
    """Whether something comes out in most cases, as a sentence or a picture of the paper has it, or does not.

    >>> mostly(Estimate(0.9, 0.6, 1.0, 10)), mostly(Estimate(0.6, 0.4, 0.8, 10), is_claimed=False)
    ('agrees', 'undecided')
    """
    return above(share, 0.5) if is_claimed else below(share, 0.5)
