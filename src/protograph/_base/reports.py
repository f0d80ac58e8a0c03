"""Progress told from several threads: one report at a time, and counts that never fall."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from protograph._base.notebook_progress import notebook_bars
from protograph._base.progress import Progress


@dataclass
class _Stage:
    """What of a stage is done, and how much of it each class of the run has asked for."""

    done: int = 0
    asked: list[int] = field(default_factory=list)

    def total(self, num_classes: int) -> int:
        """All that was asked for; classes that have not asked yet count as the mean of those that have."""
        missing = max(0, num_classes - len(self.asked))
        return sum(self.asked) + -(-missing * sum(self.asked) // max(1, len(self.asked)))


class Reports:
    """Hands reports of progress on to a callback, from whichever thread they come.

    A *run* goes over some classes, maybe in threads. Each class asks for so much of a stage and then does it, part by
    part; the callback is told what is done of what all classes are known or expected to ask for.

    Args:
        progress: Called as ``progress(stage, done, total)``; where it is ``None``, a notebook shows bars, and nothing
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
        self._bars = notebook_bars() if progress is None else None
        self._progress: Progress | None = progress or self._bars
        self._lock = threading.RLock()  # a callback may report by itself
        self._stages: dict[str, _Stage] = {}
        self._num_runs = self._num_classes = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Reports, (None if self._bars is not None else self._progress,)

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
                self._stages, self._num_classes = {}, num_classes
            self._num_runs += 1
        try:
            yield is_new
        finally:
            with self._lock:
                self._num_runs -= 1
            if is_new:
                self.finish()

    def finish(self) -> None:
        """A call is over: the bars that a notebook shows go."""
        if self._bars is not None:
            self._bars.close()

    def expect(self, stage: str, count: int) -> None:
        """Say how much of a stage a class needs, before it does any of it."""
        with self._lock:
            self._stages.setdefault(stage, _Stage()).asked.append(count)
            self._tell(stage)

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
            self._stages.setdefault(stage, _Stage()).done += count
            self._tell(stage)

    def _tell(self, stage: str) -> None:
        one = self._stages[stage]
        self(stage, one.done, max(one.done, one.total(self._num_classes)))
