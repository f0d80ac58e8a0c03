"""Interrupts from the keyboard, and requests to end, which are treated as such."""

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


class HeldInterrupts:
    """Keeps interrupts back while something is done that they must not break into, one thing inside another.

    They are passed on whenever the next thing begins or one has ended. Other threads than the main one, which no
    interrupt breaks into, hold nothing.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._earlier: dict[int, Callable[[int, Any], Any]] = {}
        self._held: list[int] = []

    def hold(self) -> None:
        """Begin; every call must be followed by one of :meth:`release`, also where this one raises."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth += 1
        if self._depth == 1:
            handlers = {number: signal.getsignal(number) for number in INTERRUPTS}
            self._earlier = {number: handler for number, handler in handlers.items() if callable(handler)}
            for number in self._earlier:
                signal.signal(number, lambda number, frame: self._held.append(number))
        self._pass_on()

    def release(self) -> None:
        """End what was begun last."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._depth == 0:
            for number, handler in self._earlier.items():
                signal.signal(number, handler)
        self._pass_on()

    def _pass_on(self) -> None:
        if self._held:
            number = self._held[0]
            self._held.clear()
            self._earlier[number](number, None)


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
