import os
import signal
import threading

import pytest

from protograph._utils.interrupts import ending_as_interrupts, uninterrupted


@pytest.fixture(autouse=True)
def usual_handlers():
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def end(number):
    with ending_as_interrupts():
        os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_is_an_interrupt(number):
    with pytest.raises(KeyboardInterrupt):
        end(number)
    assert signal.getsignal(number) == signal.SIG_DFL


def test_what_is_ignored_stays_so():
    """As under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    end(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


def test_what_is_short_is_not_interrupted():
    with uninterrupted():
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(os.getpid(), number)
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_other_threads_go_without():
    entered = []

    def work():
        with ending_as_interrupts(), uninterrupted():
            entered.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert entered == [signal.SIG_DFL]
