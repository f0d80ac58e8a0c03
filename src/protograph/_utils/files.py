"""Files that are written whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from uuid import uuid4

# A fixed short stem: a name that the file system just allows must not become too long here.
STEM = ".protograph-"


@contextmanager
def atomic_path(path: str | PathLike[str]) -> Iterator[Path]:
    """Give a temporary file in the same folder, and let it take the place of ``path`` once all went well.

    Whatever ends the block early, an interrupt from the keyboard too, removes the temporary file and leaves
    an earlier file at ``path`` as it was. A process that is killed leaves the temporary file.

    Args:
        path: The file to write; an existing one is replaced by one that the same users may read and write. A link
            stays, and the file that it leads to is replaced.

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
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        wrong = "is not a folder" if path.parent.exists() else "does not exist"
        raise FileNotFoundError(f"cannot write {path}: the folder {path.parent} {wrong}")
    temporary = path.parent / f"{STEM}{uuid4().hex}{path.suffix}"
    try:
        temporary.touch(exist_ok=False)  # a folder that we cannot write to is noticed before any work
        yield temporary
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary)):
            raise
        raise type(error)(f"cannot write {path}: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)
