"""Files that are written whole or not at all."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from uuid import uuid4

from protograph._base.locking import HeldError, locked_file, remove_abandoned

# A fixed short stem: a name that the file system just allows must not become too long here.
STEM = ".protograph-"
TEMPORARY = re.compile(rf"{re.escape(STEM)}[0-9a-f]{{32}}(\..*)?")


@contextmanager
def atomic_path(path: str | PathLike[str]) -> Iterator[Path]:
    """Give a temporary file in the same folder, and let it take the place of ``path`` once all went well.

    Whatever ends the block early, an interrupt from the keyboard too, removes the temporary file and leaves
    an earlier file at ``path`` as it was. A process that is killed leaves the temporary file, which the next one that
    writes to the folder removes.

    Args:
        path: The file to write; an existing one is replaced. A link stays, and the file that it leads to is replaced.

    Yields:
        The path to write to; its ending is that of ``path``.

    Raises:
        OSError: If the file cannot be written there; the message names ``path`` and the reason.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with atomic_path(path) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> path.read_text()
    'whole'
    """
    path = Path(path)
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    temporary, lock = _reserve(path)
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary)):
            raise
        raise type(error)(f"cannot write {path}: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder; those still written to stay."""
    with suppress(OSError):  # a folder may be written to and yet not read
        for name in os.listdir(folder):
            if TEMPORARY.fullmatch(name):
                remove_abandoned(folder / name)


def _reserve(path: Path) -> tuple[Path, int | None]:
    """Create the empty temporary file, so that a folder we cannot write to is noticed before any work.

    The lock on it tells others that it is still written to.
    """
    folder = path.parent
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if not folder.exists():
        raise FileNotFoundError(f"cannot write {path}: the folder {folder} does not exist")
    if not folder.is_dir():
        raise NotADirectoryError(f"cannot write {path}: {folder} is not a folder")
    remove_leftovers(folder)
    temporary = folder / f"{STEM}{uuid4().hex}{path.suffix}"
    try:
        temporary.touch(exist_ok=False)
        lock = locked_file(temporary)
    except HeldError:  # by another process that is about to remove it, since it had no lock yet
        return _reserve(path)
    except PermissionError as error:
        raise PermissionError(f"cannot write {path}: no permission to write in the folder {folder}") from error
    except OSError as error:
        raise type(error)(f"cannot write {path}: {error.strerror}") from error
    return temporary, lock
