"""Loops are compiled for Python, or for other loops only."""

import gc
import os
import signal
from threading import Thread

import numpy as np
import pytest
from numba import njit

from protograph._base.compiling import compiled, compiling_told, inner


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


def test_an_interrupt_is_heard_when_a_loop_is_compiled():
    def halved(number):
        return number / 2

    halved.__module__ = "protograph.tests"
    loop, before = njit(halved), signal.getsignal(signal.SIGINT)
    with compiling_told(lambda done: os.kill(os.getpid(), signal.SIGINT)), pytest.raises(KeyboardInterrupt):
        loop(1)
    assert signal.getsignal(signal.SIGINT) == before
    assert loop(1) == 0.5


def _compiled_with(tell):
    """Compile a loop that no one has compiled before, telling of it."""

    def quartered(number):
        return number / 4

    quartered.__module__ = "protograph.tests"
    loop = njit(quartered)
    with compiling_told(tell):
        assert loop(1) == 0.25


def test_memory_is_not_collected_while_a_loop_is_compiled():
    collected = []
    _compiled_with(lambda done: collected.append(gc.isenabled()))
    assert collected == [False]
    assert gc.isenabled()


def test_memory_is_collected_again_after_an_error():
    def interrupted(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _compiled_with(interrupted)
    assert gc.isenabled()


def test_what_was_not_collected_before_is_not_after():
    gc.disable()
    try:
        _compiled_with(lambda done: None)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_loop_that_another_thread_compiles_pauses_nothing():
    collected = []

    def thirded(number):
        return number / 3

    thirded.__module__ = "protograph.tests"
    loop = njit(thirded)
    with compiling_told(lambda done: collected.append(gc.isenabled())):
        thread = Thread(target=loop, args=(3,))
        thread.start()
        thread.join()
    assert collected == [True]
