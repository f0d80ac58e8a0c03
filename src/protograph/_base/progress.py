"""Progress of long work: told to a callback, or drawn on standard error so that standard output stays for results."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TextIO

from protograph._base.words import clean_name

# Called with the stage, how much of it is done, and how much there is of it, ``None`` where that is not known.
Progress = Callable[[str, int, int | None], object]
# Seconds between two lines where there is no terminal, and before the first: what is quick stays quiet.
SECONDS = 5.0
# What stages are called where their name does not say enough: this one takes longest where nobody has seen it before.
SAID = {"compiling": "compiling the search (once on this machine)"}
# Stages whose steps are so many that their rate says when they will be done, and what the steps are.
COUNTED = {"embedding": "graphs"}
# Seconds after which a rate is told: before, it is that of the first steps.
RATE_AFTER = 1.0
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

    Nothing is drawn where standard error is not a terminal, or where rich is not installed.
    """
    try:
        # Imported here: most who import the library never draw a bar.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
    except ImportError:
        yield lambda stage, done, total: None
        return
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, TaskID] = {}

        rates = Rates()

        def advance(stage: str, done: int, total: int | None) -> None:
            name = stage.partition(" (")[0]  # what is in brackets changes while the stage goes on
            said = clean_name(SAID.get(stage, stage)) + rates.text(stage, done, total, ", {}")
            if name not in tasks:
                tasks[name] = bars.add_task(said, total=total)
            bars.update(tasks[name], description=said, completed=done, total=total)

        yield advance


@contextmanager
def command_progress() -> Iterator[Progress]:
    """Progress as commands show it: bars on a terminal, and elsewhere a line every few seconds on standard error.

    ``PROTOGRAPH_PROGRESS=off`` keeps the lines away.
    """
    if sys.stderr.isatty() or os.environ.get(VARIABLE, "").lower() == "off":
        with progress_bars() as progress:
            yield progress
        return
    lines, is_over = ProgressLines(), threading.Event()

    def watch() -> None:
        while not is_over.wait(SECONDS / 5):
            lines.tick()

    # A thread of its own: also what reports nothing for minutes must be seen to go on.
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lines.report
    finally:
        is_over.set()
        thread.join()


class Rates:
    """How quickly the steps of a stage go by, and when the last will have gone.

    Args:
        clock: Seconds that have passed, from any beginning.

    >>> times = iter([0.0, 10.0])
    >>> rates = Rates(lambda: next(times))
    >>> rates.text("embedding", 0, 3000)
    ''
    >>> rates.text("embedding", 1000, 3000)
    '100 graphs a second, 20 s left'
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: dict[str, tuple[float, int]] = {}

    def text(self, stage: str, done: int, total: int | None, form: str = "{}") -> str:
        """The rate of a stage, in a form of words; the empty text where there is none to tell."""
        stage = stage.partition(" (")[0]  # what is in brackets changes while the stage goes on
        if stage not in COUNTED:
            return ""
        now = self._clock()
        started, before = self._begun.setdefault(stage, (now, done))
        if done < before:  # begun again
            started, before = self._begun[stage] = now, done
        if now - started < RATE_AFTER or done == before:
            return ""
        rate = (done - before) / (now - started)
        left = "" if total is None else f", {duration((total - done) / rate)} left"
        return form.format(f"{rate:,.0f} {COUNTED[stage]} a second{left}")


class ProgressLines:
    """What is being done as plain lines, no more than one every few seconds; that it is compiled is told at once.

    Args:
        clock: Seconds that have passed, from any beginning.

    >>> times = iter([0.0, 1.0, 6.0])
    >>> lines = ProgressLines(lambda: next(times))
    >>> lines.report("training", 1, None)
    >>> lines.tick(sys.stdout)
    >>> lines.tick(sys.stdout)
    training: 1, 6 s
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = self._last = clock()
        self._stage, self._state = "", "working"
        self._untold = set(SAID)
        self._rates = Rates(time.monotonic)

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Take note of how far a stage is."""
        self._stage = stage
        of_all = "" if total is None else f" of {total:,}"
        self._state = f"{SAID.get(stage, stage)}: {done:,}{of_all}{self._rates.text(stage, done, total, ', {}')}"

    def tick(self, stream: TextIO | None = None) -> None:
        """Write a line if the last one is long enough ago."""
        now = self._clock()
        if now - self._last < SECONDS and self._stage not in self._untold:
            return
        self._last = now
        self._untold.discard(self._stage)
        print(f"{self._state}, {duration(now - self._started)}", file=stream or sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds as people say them.

    >>> duration(59.9), duration(61), duration(3725)
    ('59 s', '1 min 1 s', '1 h 2 min')
    """
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
