import threading

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (its library is one of those that are limited)
from threadpoolctl import ThreadpoolController, threadpool_limits

from protograph._base.linear_algebra import one_thread


def limits():
    assert np.__version__  # its library is another one
    libraries = ThreadpoolController().select(user_api="blas").info()
    return {library["filepath"]: library["num_threads"] for library in libraries}


@pytest.fixture
def three_threads():
    with threadpool_limits(3, user_api="blas"):
        before = limits()
        yield before


def test_one_thread_inside_and_as_many_as_before_afterwards(three_threads):
    with one_thread():
        assert set(limits().values()) == {1}
        with one_thread():
            assert set(limits().values()) == {1}
        assert set(limits().values()) == {1}
    assert limits() == three_threads


def test_an_error_leaves_it_as_it_was(three_threads):
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert limits() == three_threads


def test_whoever_leaves_last_takes_the_limit_back(three_threads):
    entered, may_leave = threading.Event(), threading.Event()
    inside = []

    def other():
        with one_thread():
            entered.set()
            assert may_leave.wait(10)
            inside.append(set(limits().values()))

    thread = threading.Thread(target=other)
    with one_thread():
        thread.start()
        assert entered.wait(10)
    assert set(limits().values()) == {1}  # the other one is still inside
    may_leave.set()
    thread.join()
    assert inside == [{1}]
    assert limits() == three_threads
