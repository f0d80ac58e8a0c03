"""Our number beside the paper's: means with their intervals, and what can be said of the two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Any, Literal, get_args

import numpy as np

from protograph._base.arrays import Floats
from protograph._base.intervals import wilson
from protograph.metrics.intervals import student

PaperVerdict = Literal["better", "worse", "undecided", "agrees", "differs", "not comparable"]
# Of a limit that we set ourselves.
LimitVerdict = Literal["holds", "missed"]
Verdict = PaperVerdict | LimitVerdict
PAPER_VERDICTS: tuple[str, ...] = get_args(PaperVerdict)
LIMIT_VERDICTS: tuple[str, ...] = get_args(LimitVerdict)
VERDICTS = PAPER_VERDICTS + LIMIT_VERDICTS
# The paper prints four digits.
ROUNDED = 0.00005
# Draws of a bootstrap: the ends of its intervals are then steady in the second digit.
NUM_DRAWS = 2000
NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval.

    Attributes:
        mean: The number: a mean, or what ``of`` was told to take.
        low: Lower end; ``None`` where nothing is known of the spread.
        high: Upper end.
        num: How many values it is of.
    """

    mean: float
    low: float | None
    high: float | None
    num: int

    @classmethod
    def of(
        cls, values: Sequence[float], *, least: float = -inf, most: float = inf, is_of_one_draw: bool = False
    ) -> "Estimate":
        """Mean of seeds, with Student's interval.

        Args:
            values: A value a seed.
            least: No mean is below; the interval ends there.
            most: No mean is above.
            is_of_one_draw: Whether the interval is to hold one more value rather than the mean: what the paper has of
                a single draw of random data is compared with that.

        >>> Estimate.of([1.0, 2.0, 3.0], least=0.0)
        Estimate(mean=2.0, low=0.0, high=4.484..., num=3)
        """
        array = _checked(values)
        mean, (low, high) = float(array.mean()), student(array)
        if is_of_one_draw:
            scale = sqrt(len(array) + 1)
            low, high = mean - scale * (mean - low), mean + scale * (high - mean)
        return cls(mean, _finite(max(low, least), low), _finite(min(high, most), high), len(array))

    @classmethod
    def of_shares(cls, values: Sequence[float]) -> "Estimate":
        """Mean of values between 0 and 1, beyond which its interval does not reach.

        >>> Estimate.of_shares([1.0, 0.9])
        Estimate(mean=0.95, low=0.314..., high=1.0, num=2)
        """
        return cls.of(values, least=0.0, most=1.0)

    @classmethod
    def share(cls, successes: int, trials: int) -> "Estimate":
        """How often something came out, with Wilson's interval."""
        if trials < 1:
            raise ValueError(f"trials must be at least 1, got {trials}")
        low, high = wilson(successes, trials)
        return cls(successes / trials, low, high, trials)

    @classmethod
    def bootstrap(
        cls, values: Sequence[float], statistic: Callable[..., Any] = np.median, random_state: int = 0
    ) -> "Estimate":
        """Any statistic with the interval that holds 95% of what it is on values drawn again.

        Args:
            values: What it is of.
            statistic: Of the values along ``axis``, such as :func:`numpy.median`.
            random_state: Of the draws.
        """
        array = _checked(values)
        if len(array) < 2:
            return cls(float(statistic(array)), None, None, len(array))
        generator = np.random.default_rng(random_state)
        drawn = generator.choice(array, (NUM_DRAWS, len(array)))
        low, high = np.quantile(statistic(drawn, axis=1), (0.025, 0.975))
        return cls(float(statistic(array)), float(low), float(high), len(array))

    @classmethod
    def tau(cls, value: float, num: int) -> "Estimate":
        r"""Kendall's tau over ``num`` models, with the normal interval of its error where there is no order.

        .. math:: \sqrt{\frac{2 (2n + 5)}{9 n (n - 1)}}

        >>> estimate = Estimate.tau(0.5, 11)
        >>> round(estimate.low, 3), round(estimate.high, 3)
        (0.042, 0.958)
        """
        if num < 2:
            return cls(value, None, None, num)
        spread = NORMAL_95 * sqrt(2 * (2 * num + 5) / (9 * num * (num - 1)))
        return cls(value, max(-1.0, value - spread), min(1.0, value + spread), num)


def verdict(ours: Estimate, paper: float | None, larger_is_better: bool | None) -> PaperVerdict:
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
    low, high = (-inf if ours.low is None else ours.low), (inf if ours.high is None else ours.high)
    if max(abs(low - paper), abs(high - paper)) <= ROUNDED:
        return "agrees"
    if larger_is_better is None:
        return "agrees" if low <= paper <= high else "differs"
    if low <= paper <= high:
        return "undecided"
    return "better" if (ours.mean > paper) == larger_is_better else "worse"


def _checked(values: Sequence[float]) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not array.size or not np.isfinite(array).all():
        raise ValueError(f"values must be finite numbers, at least one, got {list(values)}")
    return array


def _finite(number: float, unbounded: float) -> float | None:
    """An end of an interval; ``None`` where nothing was known of the spread, whatever the bounds are."""
    return number if isfinite(unbounded) else None
