"""Whether differences between two explainers are more than chance: paired over seeds, corrected for their number."""

import math
from collections.abc import Sequence

import numpy as np

# A difference is called significant below it, after the correction.
LEVEL = 0.05


def paired_p_value(values: Sequence[float], others: Sequence[float]) -> float | None:
    r"""How likely so large a mean difference would be, were there none: the two-sided paired t-test.

    .. math:: t = \frac{\bar d}{s_d / \sqrt n}, \qquad d_i = v_i - w_i

    Where all differences are the same and not 0, they have no spread, and the sign test takes its place,
    :math:`2^{1 - n}`; where all are 0 it is 1. ``None`` with fewer than two pairs.

    Args:
        values: Of one explainer, a value a seed.
        others: Of the other, for the same seeds.

    >>> round(paired_p_value([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]), 4)
    0.0742
    >>> paired_p_value([0.5, 0.5, 0.5], [0.0, 0.0, 0.0]), paired_p_value([1.0], [0.0])
    (0.25, None)
    """
    from scipy.special import stdtr

    differences = np.asarray(values, np.float64) - np.asarray(others, np.float64)
    num = differences.size
    if num < 2:
        return None
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if spread <= 1e-12 * max(1.0, abs(mean)):
        return 1.0 if abs(mean) <= 1e-12 else 2.0 ** (1 - num)
    return float(2 * stdtr(num - 1, -abs(mean) / (spread / math.sqrt(num))))


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrected for how many there are, by Holm's method: the chance of any false alarm stays below the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    corrected, highest = [1.0] * len(p_values), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = highest
    return corrected
