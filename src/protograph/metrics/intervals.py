"""The numbers that metrics give."""

from dataclasses import dataclass


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
