"""Where a data set's files are: a folder that the caller or the environment names."""

import os
from os import PathLike
from pathlib import Path

VARIABLE = "PROTOGRAPH_DATA"


def find_file(root: str | PathLike[str] | None, relative: str) -> Path:
    """Path of a data set's file in ``root``, or in the folder that ``PROTOGRAPH_DATA`` names.

    Args:
        root: The folder; ``None`` or an empty text takes the environment variable.
        relative: The file within the folder, its parts divided by ``/``.

    Raises:
        FileNotFoundError: If no folder is named, or it has no such file.

    >>> find_file("/nowhere", "benzene/benzene_graphs.npz")
    Traceback (most recent call last):
    FileNotFoundError: benzene/benzene_graphs.npz was looked for in /nowhere (root=), which is not a folder; ...
    """
    given = os.fspath(root) if root is not None else ""
    name, origin = (given, "root=") if given else (os.environ.get(VARIABLE, ""), VARIABLE)
    if not name:
        raise _not_found(f"{relative} was not looked for, as no folder is named")
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise _not_found(f"{relative} was looked for in {folder} ({origin}), which is not a folder")
    path = folder / relative
    if not path.is_file():
        raise _not_found(f"{relative} was looked for in {folder} ({origin}), which has no such file")
    return path


def _not_found(problem: str) -> FileNotFoundError:
    return FileNotFoundError(
        f"{problem}; set {VARIABLE} to a folder that has it, or pass root=; "
        f"downloading is not available in this version"
    )
