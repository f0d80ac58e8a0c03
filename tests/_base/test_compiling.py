"""Loops are compiled for Python, or for other loops only."""

import numpy as np

from protograph._base.compiling import compiled, inner


@inner
def _double(number):
    return 2 * number


@compiled
def _doubled(numbers, result):
    for place in range(numbers.size):
        result[place] = _double(numbers[place])


def test_python_calls_loops_that_call_loops():
    numbers, result = np.arange(3), np.zeros(3, np.int64)
    _doubled(numbers, result)
    assert result.tolist() == [0, 2, 4]
