"""Requests to end a command: each does what Ctrl-C does, and what is short is not done by half."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

INTERRUPTS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def ending_as_interrupts() -> Iterator[None]:
    """Let a request to end, or a terminal that was closed, do what Ctrl-C does; one that is ignored stays ignored."""
    wanted = [one for one in INTERRUPTS if one != signal.SIGINT and signal.getsignal(one) == signal.SIG_DFL]
    with _handled(wanted, signal.default_int_handler):
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Leave out interrupts, for what is short and must not be done by half."""
    with _handled(INTERRUPTS, lambda number, frame: None):
        yield


@contextmanager
def _handled(numbers: Any, handler: Callable[[int, Any], Any]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only there can handlers be set
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            # None stands for a handler that was not set from Python.
            signal.signal(number, signal.SIG_DFL if earlier is None else earlier)
