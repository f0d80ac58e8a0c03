"""Our number beside the paper's: means with their intervals, and what can be said of the two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Literal, get_args

import numpy as np

from protograph._base.arrays import Floats
from protograph._base.intervals import wilson
from protograph.metrics.intervals import student

Verdict = Literal["better", "worse", "undecided", "agrees", "differs", "not comparable"]
VERDICTS: tuple[str, ...] = get_args(Verdict)
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
    def of(cls, values: Sequence[float]) -> "Estimate":
        """Mean of seeds, with Student's interval.

        >>> Estimate.of([1.0, 2.0, 3.0])
        Estimate(mean=2.0, low=-0.484..., high=4.484..., num=3)
        """
        array = _checked(values)
        low, high = student(array)
        return cls(float(array.mean()), _finite(low), _finite(high), len(array))

    @classmethod
    def share(cls, successes: int, trials: int) -> "Estimate":
        """How often something came out, with Wilson's interval."""
        if trials < 1:
            raise ValueError(f"trials must be at least 1, got {trials}")
        low, high = wilson(successes, trials)
        return cls(successes / trials, low, high, trials)

    @classmethod
    def bootstrap(
        cls, values: Sequence[float], statistic: Callable[[Floats], float] = np.median, random_state: int = 0
    ) -> "Estimate":
        """Any statistic, such as a median, with the interval that holds 95% of what it is on values drawn again."""
        array = _checked(values)
        if len(array) < 2:
            return cls(float(statistic(array)), None, None, len(array))
        generator = np.random.default_rng(random_state)
        drawn = [float(statistic(generator.choice(array, len(array)))) for _ in range(NUM_DRAWS)]
        low, high = np.quantile(drawn, (0.025, 0.975))
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


def verdict(ours: Estimate, paper: float | None, larger_is_better: bool | None) -> Verdict:
    """What our interval says of the paper's value, which comes without one.

    Args:
        ours: Our number.
        paper: The paper's; ``None`` where it has none.
        larger_is_better: Which direction is better; ``None`` where neither is: the numbers then agree or differ.

    >>> verdict(Estimate(0.8, 0.7, 0.9, 10), 0.6, larger_is_better=True)
    'better'
    """
    if paper is None:
        return "not comparable"
    low, high = (-inf if ours.low is None else ours.low), (inf if ours.high is None else ours.high)
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


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
