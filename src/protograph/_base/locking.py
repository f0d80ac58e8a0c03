"""Locks that end with their process, however it ends."""

import os
from pathlib import Path
from typing import Any

fcntl: Any
try:
    import fcntl
except ImportError:  # a system without such locks, where two commands at once are not noticed
    fcntl = None


class HeldError(OSError):
    """Another process holds the lock."""


def locked_file(path: Path) -> int | None:
    """Open a file, made where it is not there, and hold its lock until the descriptor is closed.

    Returns:
        The descriptor; ``None`` where the system or the file system has no locks.

    Raises:
        HeldError: If another process, or this one, holds it.
        OSError: If the file cannot be made.
    """
    if fcntl is None:
        return None
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held it before may have removed it since it was opened: then it keeps nobody out.
            if _is_at(path, descriptor):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise HeldError(f"{path} is held by another process") from None
        except OSError:  # such as a network file system without locks
            os.close(descriptor)
            return None
        os.close(descriptor)


def remove_abandoned(path: Path) -> None:
    """Remove a file whose lock nobody holds; what cannot be told or removed stays."""
    if fcntl is None:
        return
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(path, descriptor):
            os.unlink(path)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(descriptor))
    except FileNotFoundError:
        return False
