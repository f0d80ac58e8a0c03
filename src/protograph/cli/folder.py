"""A folder of results that appears whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OWN_FILES = ("class*-prototype*.png", "model.pt", "split.json")


@contextmanager
def whole_folder(folder: Path, keep: str | None = None) -> Iterator[Path]:
    """Yield a temporary folder whose files move to ``folder`` at the end, and vanish on any error.

    It is made at once: whether it can be written is known before hours of work, not after. What an earlier run has
    left is removed, except for the file ``keep``; all else stays.
    """
    made = [parent for parent in folder.parents if not parent.exists()]
    if folder.exists() and not folder.is_dir():
        raise OSError(f"cannot write to {folder}: it is a file, not a folder; choose another --out")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(folder if folder.exists() else folder.parent, os.W_OK):
            raise PermissionError("no permission")
        partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise OSError(f"cannot write to {folder}: {error.strerror or error}; choose another --out") from None
    try:
        yield partial
        folder.mkdir(exist_ok=True)
        for stale in [path for pattern in OWN_FILES for path in folder.glob(pattern)]:
            if keep is None or stale.resolve() != Path(keep).resolve():
                stale.unlink()
        for file in sorted(partial.iterdir()):
            os.replace(file, folder / file.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        for parent in made:
            if not any(parent.iterdir()):
                parent.rmdir()
