"""Killing an action as a power cut does: in a forked process, at a moment that is chosen, with no word of warning."""

import os
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

# What changes which files there are; a write into a file that nobody looks at yet changes nothing.
CHANGES = ("replace", "rename", "unlink", "remove", "mkdir", "rmdir", "link", "symlink")


def killed_at(action: Callable[[], Any], number: int, folder: Path = Path("/")) -> bool:
    """Fork, and kill the action right before its ``number``-th change of which files there are in a folder.

    Returns:
        Whether it was killed; else it had fewer changes and came to its end.
    """

    def act() -> None:
        left = [number]
        for name in CHANGES:
            setattr(os, name, counting(getattr(os, name), left, folder))
        action()

    return _ended_by_a_kill(_forked(act))


def killed_after(action: Callable[[], Any], seconds: float) -> bool:
    """Fork, and kill the action after some time.

    Returns:
        Whether it was killed; else it had come to its end.
    """
    child = _forked(action)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return _ended_by_a_kill(child)


def counting(function: Callable[..., Any], left: list[int], folder: Path) -> Callable[..., Any]:
    """The function, which kills the process where nothing is left and it is about something in the folder."""

    def counted(path: Any, *arguments: Any, **options: Any) -> Any:
        if Path(os.path.abspath(path)).is_relative_to(folder):
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
        return function(path, *arguments, **options)

    return counted


def _forked(action: Callable[[], Any]) -> int:
    with warnings.catch_warnings(action="ignore"):  # newer Pythons warn where there are threads
        child = os.fork()
    if child:
        return child
    status = 1
    try:
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        action()
        status = 0
    except SystemExit as leaving:
        status = int(leaving.code or 0)
    finally:
        os._exit(status)


def _ended_by_a_kill(child: int) -> bool:
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code > 0:
        raise RuntimeError(f"the action failed with exit status {code} where it should have been killed or succeed")
    return code == -signal.SIGKILL


def content_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content, hidden ones too; empty folders end in a slash."""
    return {
        f"{path.relative_to(folder)}{'/' if path.is_dir() else ''}": b"" if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if not path.is_dir() or not any(path.iterdir())
    }
