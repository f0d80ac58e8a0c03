"""Progress of long work: told to a callback, or drawn on standard error so that standard output stays for results."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

# Called with the stage, how much of it is done, and how much there is of it, ``None`` where that is not known.
Progress = Callable[[str, int, int | None], object]


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

        from protograph._base.words import clean_name
    except ImportError:
        yield lambda stage, done, total: None
        return
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, TaskID] = {}

        def advance(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(clean_name(stage), total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield advance
