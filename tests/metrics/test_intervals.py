import math

import numpy as np
import pytest

from protograph.metrics.intervals import hoeffding, student


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
