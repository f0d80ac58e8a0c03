"""Wilson's confidence interval of a share, which holds for few trials too."""

from math import sqrt
from statistics import NormalDist


def checked_confidence(confidence: float) -> float:
    """Return ``confidence`` if it is one."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
    return confidence


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    r"""Wilson's score interval for a share.

    .. math:: \frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4n^2}}{1 + z^2 / n}

    Both ends are in [0, 1]; without trials they are 0 and 1.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    z = NormalDist().inv_cdf((1 + checked_confidence(confidence)) / 2)
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must be in [0, {trials}], the number of trials, got {successes}")
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    middle = share + z * z / (2 * trials)
    spread = z * sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    scale = 1 + z * z / trials
    # The ends are exactly 0 and 1 there, which rounding may miss.
    low = 0.0 if successes == 0 else max(0.0, (middle - spread) / scale)
    high = 1.0 if successes == trials else min(1.0, (middle + spread) / scale)
    return low, high
