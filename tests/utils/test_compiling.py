"""Loops are compiled for Python, or for other loops only."""

import numpy as np
from numba import njit

from protograph._utils.compiling import compiled, compiling_told, inner


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


def test_compiling_is_told_of_once():
    def tripled(number):
        return 3 * number

    tripled.__module__ = "protograph.tests"
    loop, told = njit(tripled), []
    with compiling_told(told.append):
        assert loop(1) == 3
        assert loop(2) == 6
        assert told == [0]
        assert loop(0.5) == 1.5  # other numbers are another loop
    assert told == [0, 1]
    assert loop(np.int8(1)) == 3
    assert told == [0, 1]


def test_what_others_compile_is_not_told_of():
    told = []
    with compiling_told(told.append):
        assert njit(lambda number: number + 1)(1) == 2
    assert told == []
