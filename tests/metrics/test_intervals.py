import math

import numpy as np
import pytest

from protograph.metrics.intervals import hoeffding, student, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [
        (0, 0, (0.0, 1.0)),
        (8, 10, (0.4902, 0.9433)),
        (0, 10, (0.0, 0.2775)),  # z^2 / (n + z^2) = 3.8415 / 13.8415
        (10, 10, (0.7225, 1.0)),
        (1, 1, (0.2065, 1.0)),
        (15, 148, (0.0624, 0.1605)),  # Newcombe 1998, table I
        (1, 29, (0.0061, 0.1718)),  # the same
        (81, 263, (0.2553, 0.3662)),  # the same
    ],
)
def test_wilson(successes, trials, expected):
    assert wilson(successes, trials) == pytest.approx(expected, abs=5e-5)


def test_a_higher_confidence_is_wider():
    low, high = wilson(8, 10, 0.99)
    assert low < 0.4902
    assert high > 0.9433


def test_student():
    # Mean 5, deviation 2 over four values, t of three degrees of freedom 3.1824.
    values = np.array([3.0, 5.0, 5.0, 7.0])
    spread = 3.182446 * math.sqrt(8 / 3) / 2
    assert student(values) == pytest.approx((5 - spread, 5 + spread), abs=1e-5)
    assert student(values[:1]) == (-math.inf, math.inf)
    assert student(np.ones(5)) == (1.0, 1.0)


def test_hoeffding():
    # ln 40 = 3.6889 over 2 * 50; six orders of three add ln 6.
    assert hoeffding(0.5, 50) == pytest.approx((0.5 - 0.19207, 0.5 + 0.19207), abs=1e-5)
    spread = math.sqrt(math.log(240) / 100)
    assert hoeffding(0.5, 50, num_orders=3) == pytest.approx((0.5 - spread, 0.5 + spread))
    assert hoeffding(0.9, 50) == pytest.approx((0.70793, 1.0), abs=1e-5)
    assert hoeffding(0.9, 0) == (0.0, 1.0)


def test_what_is_no_share():
    with pytest.raises(ValueError, match=r"^confidence must be between 0 and 1, got 95$"):
        wilson(1, 2, 95)
    with pytest.raises(ValueError, match=r"^successes must be in \[0, 2\], the number of trials, got 3$"):
        wilson(3, 2)
