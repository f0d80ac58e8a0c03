"""The numbers that metrics give, and confidence intervals that hold for few graphs too."""

from dataclasses import dataclass
from math import inf, lgamma, log, sqrt

from protograph._utils.arrays import Floats
from protograph._utils.intervals import checked_confidence


@dataclass(frozen=True)
class Measure:
    """A number that a metric gives; what it was computed from is beside it.

    Attributes:
        value: The number.
    """

    value: float

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, kw_only=True)
class Estimate(Measure):
    """A number with its confidence interval.

    Attributes:
        value: The number; nan where there is no graph to take it from.
        low: Lower end of the interval.
        high: Upper end of the interval.
        num_graphs: How many graphs it was taken from.
        confidence: Probability with which such an interval holds the true value.
    """

    low: float
    high: float
    num_graphs: int
    confidence: float = 0.95


def student(values: Floats, confidence: float = 0.95) -> tuple[float, float]:
    r"""Student's interval for a mean.

    .. math:: \bar v \pm t_{n - 1} s / \sqrt n

    With fewer than two values nothing is known of the spread: the ends are minus infinity and infinity.

    >>> import numpy as np
    >>> [round(end, 4) for end in student(np.array([1.0, 2.0, 3.0]))]
    [-0.4841, 4.4841]
    """
    from scipy.special import stdtrit  # type: ignore[import-untyped, unused-ignore]

    checked_confidence(confidence)
    if values.size < 2:
        return -inf, inf
    mean, error = float(values.mean()), float(values.std(ddof=1)) / sqrt(values.size)
    spread = float(stdtrit(values.size - 1, (1 + confidence) / 2)) * error
    return mean - spread, mean + spread


def hoeffding(mean: float, trials: int, confidence: float = 0.95, *, num_orders: int = 1) -> tuple[float, float]:
    r"""Hoeffding's interval for the mean of values in [0, 1], whichever of ``m!`` means was picked after seeing them.

    .. math:: \bar v \pm \sqrt{\ln(2 \, m! / \alpha) / 2n}

    Args:
        mean: The mean.
        trials: How many values it is of; with none the ends are 0 and 1.
        confidence: One minus alpha.
        num_orders: The number m of things whose order was picked.

    >>> [round(end, 4) for end in hoeffding(0.5, 200)]
    [0.404, 0.596]
    """
    alpha = 1 - checked_confidence(confidence)
    if trials == 0:
        return 0.0, 1.0
    spread = sqrt((log(2 / alpha) + lgamma(num_orders + 1)) / (2 * trials))
    return max(0.0, mean - spread), min(1.0, mean + spread)
