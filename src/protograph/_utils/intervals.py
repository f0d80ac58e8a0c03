"""Wilson's confidence interval of a share, which holds for few trials too."""

from functools import lru_cache


def checked_confidence(confidence: float) -> float:
    """Return ``confidence`` if it is one."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
    return confidence


@lru_cache(maxsize=10_000)
def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share; both ends are in [0, 1], and without trials 0 and 1.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    from scipy.stats import binomtest  # where it is used: it takes a while to import

    checked_confidence(confidence)
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must be in [0, {trials}], the number of trials, got {successes}")
    if trials == 0:
        return 0.0, 1.0
    interval = binomtest(int(successes), int(trials)).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)
