"""Progress of long work: told to a callback, or drawn, so that nobody wonders whether it goes on.

In a program that gives no callback a notebook shows it and a script stays quiet; commands draw bars on a terminal, and
elsewhere write a line every few seconds to standard error, so that standard output stays for results.
"""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from typing import Any

from protograph._utils.words import clean_name, one_line

# Called with the stage, how much of it is done, and how much there is of it, ``None`` where that is not known.
Progress = Callable[[str, int, int | None], object]
# Seconds between two lines where there is no terminal, and before the first: what is quick stays quiet.
SECONDS = 5.0
# The same of a notebook, where a line takes the place of the last.
NOTEBOOK_SECONDS = 0.5
# What stages are called where their name does not say enough: this one takes longest where nobody has seen it before.
SAID = {"compiling": "compiling the search (once on this machine)"}
# Set to "off", it keeps these lines away.
VARIABLE = "PROTOGRAPH_PROGRESS"


def shown(progress: Progress | None) -> AbstractContextManager[Progress]:
    """Give ``progress`` back, or where it is ``None`` a callback that draws bars on a terminal.

    >>> with shown(None) as progress:
    ...     _ = progress("reading", 1, 2)
    """
    return progress_bars() if progress is None else nullcontext(progress)


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Give a callback ``progress(stage, done, total)`` that draws one bar a stage and clears it at the end.

    Nothing is drawn where standard error is not a terminal.
    """
    from rich import progress  # imported here: most who import the library never draw a bar
    from rich.console import Console

    console = Console(stderr=True)
    texts, times = progress.TextColumn("{task.description}", markup=False), progress.TimeElapsedColumn()
    columns = (texts, progress.BarColumn(), progress.MofNCompleteColumn(), times, progress.TimeRemainingColumn())
    with progress.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, progress.TaskID] = {}

        def advance(stage: str, done: int, total: int | None) -> None:
            name = stage.partition(" (")[0]  # what is in brackets changes while the stage goes on
            said = clean_name(SAID.get(stage, stage))
            if name not in tasks:
                tasks[name] = bars.add_task(said, total=total)
            bars.update(tasks[name], description=said, completed=done, total=total)

        yield advance


@contextmanager
def command_progress() -> Iterator[Progress]:
    """Progress as commands show it: bars on a terminal, and elsewhere a line every few seconds on standard error.

    ``PROTOGRAPH_PROGRESS=off`` keeps the lines away.
    """
    if sys.stderr.isatty() or _is_off():
        with progress_bars() as progress:
            yield progress
    else:
        yield ProgressLine()


class ProgressLine:
    """A callback that writes a line to standard error every few seconds; that loops are compiled, at once.

    Args:
        seconds: Between two lines, and before the first.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._started = self._last = time.monotonic()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Take note of how far a stage is, and show it if the last line is long enough ago."""
        now, begins_to_compile = time.monotonic(), (stage, done) == ("compiling", 0)
        if now - self._last < self._seconds and not begins_to_compile:
            return
        self._last = now
        of_all = "" if total is None else f" of {total:,}"
        seconds = timedelta(seconds=int(now - self._started))
        self.write(f"{one_line(SAID.get(stage, stage))}: {done:,}{of_all}, {seconds}")

    def write(self, text: str) -> None:
        """Show a line."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


class NotebookLine(ProgressLine):
    """The same below the cell of a notebook, where a line takes the place of the last and goes at the end."""

    def __init__(self) -> None:
        super().__init__(NOTEBOOK_SECONDS)
        self._handle: Any = None

    def write(self, text: str) -> None:
        """Show a line."""
        content = {"text/plain": text}
        if self._handle is None:
            # IPython is there already where this is called.
            self._handle = sys.modules["IPython.display"].display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def close(self) -> None:
        """The call is over: what was shown goes, and the next call begins anew."""
        if self._handle is not None:
            self.write("")
        self._handle = None
        self._started = self._last = time.monotonic()


@contextmanager
def shown_in_notebook(progress: Progress | None) -> Iterator[Progress]:
    """A callback that calls ``progress``, or where that is ``None`` shows a line in a notebook until the end."""
    reports = Reports(progress)
    with reports.run(1):
        yield reports


class Reports:
    """Hands reports of progress on to a callback, from whichever thread they come: one at a time, and never backwards.

    A *run* goes over some classes, maybe in threads. Each class asks for so much of a stage and then does it, part by
    part; the callback is told what is done of what all classes are known or expected to ask for.

    Args:
        progress: Called as ``progress(stage, done, total)``; where it is ``None``, a notebook shows a line, and nothing
            is told elsewhere.

    >>> reports = Reports(print)
    >>> with reports.run(2):
    ...     reports.expect("searching", 3)
    ...     with reports.part("searching", 3) as step:
    ...         step()
    searching 0 6
    searching 1 6
    searching 3 6
    """

    def __init__(self, progress: Progress | None = None) -> None:
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        is_shown = progress is None and hasattr(shell, "kernel") and not _is_off()
        self._line = NotebookLine() if is_shown else None
        self._progress = progress or self._line
        self._lock = threading.RLock()  # a callback may report by itself
        self._done: Counter[str] = Counter()
        self._asked: dict[str, list[int]] = {}  # how much of a stage each class of the run has asked for
        self._num_runs = self._num_classes = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Reports, ()  # who is told of progress stays in this process

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Report how far a stage is that nobody else counts."""
        if self._progress is not None:
            with self._lock:
                self._progress(stage, done, total)

    @contextmanager
    def run(self, num_classes: int) -> Iterator[bool]:
        """Begin to count anew, for so many classes; inside a run, that one goes on. Gives whether it is a new one."""
        with self._lock:
            is_new = self._num_runs == 0
            if is_new:
                self._done.clear()
                self._asked, self._num_classes = {}, num_classes
            self._num_runs += 1
        try:
            yield is_new
        finally:
            with self._lock:
                self._num_runs -= 1
            if is_new:
                self.finish()

    def finish(self) -> None:
        """A call is over: what a notebook shows goes."""
        if self._line is not None:
            self._line.close()

    def expect(self, stage: str, count: int) -> None:
        """Say how much of a stage a class needs, before it does any of it."""
        with self._lock:
            self._asked.setdefault(stage, []).append(count)
            self._advance(stage, 0)

    @contextmanager
    def stage(self, stage: str, count: int) -> Iterator[Callable[[], None]]:
        """Do all that a class needs of a stage."""
        self.expect(stage, count)
        with self.part(stage, count) as step:
            yield step

    @contextmanager
    def part(self, stage: str, count: int) -> Iterator[Callable[[], None]]:
        """Do so much of a stage: what is given is called after each step, and at the end the rest counts as done."""
        left = count

        def step() -> None:
            nonlocal left
            if left:
                left -= 1
                self._advance(stage, 1)

        yield step
        if left:
            self._advance(stage, left)

    def _advance(self, stage: str, count: int) -> None:
        with self._lock:
            self._done[stage] += count
            asked = self._asked.get(stage, [])
            # Classes that have not asked yet count as the mean of those that have.
            missing = max(0, self._num_classes - len(asked))
            total = sum(asked) + -(-missing * sum(asked) // max(1, len(asked)))
            self(stage, self._done[stage], max(self._done[stage], total))


@contextmanager
def timed(timings: dict[str, float], stage: str) -> Iterator[None]:
    """Add the seconds that the block took to ``timings[stage]``."""
    started = time.perf_counter()
    try:
        yield
    finally:
        timings[stage] = timings.get(stage, 0.0) + time.perf_counter() - started


def _is_off() -> bool:
    return os.environ.get(VARIABLE, "").lower() == "off"
