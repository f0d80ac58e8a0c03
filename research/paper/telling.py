"""How far a run is: item, cell and time left, on one line of a terminal or as a line every few seconds elsewhere."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from protograph._base.progress import VARIABLE, duration

# Seconds between two lines, without and with a terminal.
SECONDS, ON_TERMINAL = 5.0, 0.5
WIDTH = 110


class Teller:
    """Keeps what is done and what is left, and says it.

    Args:
        total: Seconds that all work is expected to take on one core.
        num_tasks: How many tasks there are.
        jobs: How many are done at once.
        clock: Seconds that have passed, from any beginning.
    """

    def __init__(self, total: float, num_tasks: int, jobs: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._num_tasks, self._jobs, self._clock = total, num_tasks, jobs, clock
        self._started = self._last = clock()
        self._expected = 0.0
        self._num_done = 0
        self._running: dict[str, str] = {}

    def begin(self, task: str) -> None:
        """A task is being done."""
        self._running[task] = ""

    def report(self, task: str, stage: str) -> None:
        """How far a task is."""
        if task in self._running:
            self._running[task] = stage

    def finish(self, task: str, expected: float) -> None:
        """A task is done that was expected to take so long."""
        self._running.pop(task, None)
        self._num_done += 1
        self._expected += expected
        self._last = self._clock()

    def seconds_left(self) -> float:
        """What is left: as expected at first, and then as this machine has turned out to need."""
        left = (self._total - self._expected) / self._jobs
        # Until a tenth is done, one slow task would tell little of the rest. What has passed since a task was finished
        # says nothing of the pace: a long one may be under way.
        if self._expected and self._expected >= 0.1 * self._total:
            left *= (self._last - self._started) / (self._expected / self._jobs)
        return max(left - (self._clock() - self._last), 0.0)

    def line(self) -> str:
        """What is being done, what is done, and the time left."""
        task, stage = next(reversed(self._running.items()), ("", ""))
        about = duration(self.seconds_left())
        doing = f"{task} ({stage})" if stage else task
        return f"{self._num_done} of {self._num_tasks} done, about {about} left: {doing or 'waiting'}"


@contextmanager
def telling(teller: Teller, stream: TextIO | None = None) -> Iterator[None]:
    """Say how far a run is for as long as the block lasts; ``PROTOGRAPH_PROGRESS=off`` keeps it quiet."""
    out = stream or sys.stderr
    if os.environ.get(VARIABLE, "").lower() == "off":
        yield
        return
    is_terminal, is_over = out.isatty(), threading.Event()

    def watch() -> None:
        while not is_over.wait(ON_TERMINAL if is_terminal else SECONDS):
            _say(out, teller.line(), is_terminal)

    # A thread of its own: a cell that reports nothing for minutes must be seen to go on.
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        if is_terminal:
            _say(out, "", is_terminal)


def _say(out: TextIO, text: str, is_terminal: bool) -> None:
    if is_terminal:
        out.write(f"\r\x1b[K{text[:WIDTH]}")
    else:
        out.write(f"{text}\n")
    out.flush()
