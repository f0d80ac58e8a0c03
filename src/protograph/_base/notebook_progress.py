"""Progress of long calls in a notebook: a bar a stage, drawn in place and gone when the call is over."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Any

from protograph._base.progress import SAID, VARIABLE, Progress
from protograph._base.words import one_line

# Seconds before the first drawing, so that what is quick stays quiet, and between two drawings.
PATIENCE, PAUSE = 0.5, 0.1
# What is said of a stage, how much of it is done, and how much there is of it.
Stage = tuple[str, int, int | None]


class NotebookBars:
    """A callback ``progress(stage, done, total)`` that draws HTML's own progress bars: no scripts and no widgets.

    Args:
        show: Makes an output of some HTML, and gives what replaces it; IPython's by default.
        clock: Seconds that have passed, from any beginning.

    >>> outputs, times = [], iter([0.0, 1.0])
    >>> bars = NotebookBars(lambda html: outputs.append(html), lambda: next(times))
    >>> bars("searching", 1, 4), bars("searching", 2, 4)
    (None, None)
    >>> outputs[0].count("<progress"), "2 of 4" in outputs[0]
    (1, True)
    """

    def __init__(
        self,
        show: Callable[[str], Callable[[str], Any] | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._show, self._clock = show or _show, clock
        self._lock = threading.Lock()
        self._begin()

    def __reduce__(self) -> tuple[Any, ...]:
        return NotebookBars, ()  # an output stays with its notebook

    def _begin(self) -> None:
        self._stages: dict[str, Stage] = {}
        self._replace: Callable[[str], Any] | None = None
        self._next: float | None = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Take note of how far a stage is, and draw it if the last drawing is long enough ago."""
        with self._lock:
            name = stage.partition(" (")[0]  # what is in brackets changes while the stage goes on
            self._stages[name] = (stage, done, total)
            now = self._clock()
            if self._next is None:
                self._next = now + PATIENCE
            if now >= self._next:
                self._next = now + PAUSE
                self._draw(bars_html(self._stages))

    def close(self) -> None:
        """The call is over: what was drawn goes, and the next call begins anew."""
        with self._lock:
            if self._replace is not None:
                self._replace("")
            self._begin()

    def _draw(self, html: str) -> None:
        if self._replace is None:
            self._replace = self._show(html)
        else:
            self._replace(html)


def bars_html(stages: Mapping[str, Stage]) -> str:
    """A line a stage: what it is, a bar where the whole is known, and the numbers."""
    rows = []
    for stage, done, total in stages.values():
        whole = "" if total is None else f' value="{done}" max="{max(1, total)}"'
        numbers = f"{done:,}" if total is None else f"{done:,} of {total:,}"
        name = escape(one_line(SAID.get(stage, stage)))
        rows.append(
            f'<div style="display:flex;gap:.8rem;align-items:center"><span style="min-width:8rem">{name}</span>'
            f'<progress{whole} style="width:18rem;max-width:40%" aria-label="{name}"></progress>'
            f'<span style="opacity:.75">{numbers}</span></div>'
        )
    return f"<div>{''.join(rows)}</div>"


def notebook_bars() -> NotebookBars | None:
    """Bars where a notebook shows them; ``None`` elsewhere, and where ``PROTOGRAPH_PROGRESS`` is ``off``."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    is_notebook = hasattr(shell, "kernel")
    return NotebookBars() if is_notebook and os.environ.get(VARIABLE, "").lower() != "off" else None


@contextmanager
def shown_in_notebook(progress: Progress | None) -> Iterator[Progress | None]:
    """Give ``progress`` back, or where it is ``None`` and a notebook is there bars that go at the end."""
    bars = notebook_bars() if progress is None else None
    try:
        yield progress if bars is None else bars
    finally:
        if bars is not None:
            bars.close()


def _show(html: str) -> Callable[[str], Any] | None:
    # Only called where IPython is there already.
    display = sys.modules["IPython.display"]
    handle: Any = display.display(display.HTML(html), display_id=True)
    return None if handle is None else lambda text: handle.update(display.HTML(text))
