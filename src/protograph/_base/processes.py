"""Work done in processes side by side, which end with the one that started them, however it ends."""

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from protograph._base.errors import ProtographWarning

Item = TypeVar("Item")
Result = TypeVar("Result")
# Seconds between two looks at what the processes have told.
LOOK = 0.2
_told: Any = None  # in a process that was started here: where its messages go


def in_processes(
    work: Callable[[Item, Callable[[Any], None]], Result],
    items: Sequence[Item],
    jobs: int,
    hear: Callable[[Any], None],
) -> list[Result]:
    """What ``work(item, tell)`` gives for each item, in their order; whatever it tells is heard here.

    Everything must be picklable: processes are started anew and import what they need. With one job, or one item, all
    is done in this process.

    Args:
        work: What to do.
        items: What to do it for.
        jobs: How many processes at most.
        hear: Called with what ``tell`` was called with, in this process.

    Raises:
        OSError: If a process was ended from outside.
    """
    if jobs <= 1 or len(items) <= 1:
        return [work(item, hear) for item in items]
    context = multiprocessing.get_context("spawn")
    messages = context.SimpleQueue()
    workers = min(jobs, len(items))
    with ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(messages,)) as pool:
        futures: list[Future[Result]] = [pool.submit(_work, work, item) for item in items]
        try:
            _wait(futures, messages, hear)
            return [future.result() for future in futures]
        except BrokenProcessPool:
            raise OSError(
                "a process that was working was ended from outside, as where the memory is not enough; "
                "take fewer jobs (--jobs)"
            ) from None
        except BaseException:
            for process in list((pool._processes or {}).values()):
                process.terminate()  # what they have finished is kept
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _wait(futures: Sequence[Future[Any]], messages: Any, hear: Callable[[Any], None]) -> None:
    """Hear what is told until all is done, or one has failed."""
    left = set(futures)
    while left:
        done, left = wait(left, timeout=LOOK, return_when=FIRST_COMPLETED)
        while not messages.empty():
            hear(messages.get())
        for future in done:
            future.result()


def _begin(messages: Any) -> None:
    global _told
    _told = messages
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all of a terminal's processes; the first one decides
    warnings.simplefilter("ignore", ProtographWarning)  # results have them as notes
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process with the one that started it: one that was killed can tell nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(work: Callable[[Any, Callable[[Any], None]], Any], item: Any) -> Any:
    return work(item, _told.put)
