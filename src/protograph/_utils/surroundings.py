"""What the command needs around it: a working folder, nothing in it that is run, and a way to end.

Programs that use the library are left alone. Nothing heavy is imported here.
"""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

INTERRUPTS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def check_surroundings() -> None:
    """See to it that the folder that the command is called in is there, and that nothing in it is run."""
    if Path(sys.argv[0] if sys.argv else "").stem == "protograph":
        _check_working_directory()
        if not {"--help", "--version"} & set(sys.argv):  # which are there at once
            import_numba()


def _check_working_directory() -> None:
    """Leave with one line where the folder was deleted: torch may end the process, without a word that helps."""
    try:
        os.getcwd()
    except FileNotFoundError:
        sys.exit("error: the working directory was deleted; change to a folder that is there")


def import_numba() -> None:
    """Import Numba without the settings that it takes from ``.numba_config.yaml`` in the working directory.

    Such a file may name the folder of compiled code, and reading that folder runs what it holds. What is set in the
    environment counts. PyG imports Numba too, so that this must come before.
    """
    missing = object()
    earlier: Any = sys.modules.get("yaml", missing)
    sys.modules["yaml"] = None  # type: ignore[assignment]  # to Numba, its reader of such files is not installed
    warnings.filterwarnings("ignore", message="A Numba config file is found")  # and not read
    try:
        import numba  # noqa: F401
    finally:
        if earlier is missing:
            del sys.modules["yaml"]
        else:
            sys.modules["yaml"] = earlier


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
