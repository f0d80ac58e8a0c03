"""Archives read with one clear error where a file is damaged."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

# What zipfile and numpy raise on files cut short, overwritten or of another format.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, ValueError, RuntimeError)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what a damaged archive makes its reader raise into a ``ValueError`` that names the file.

    >>> with reading(Path("some.zip")):
    ...     raise EOFError("no data left")
    Traceback (most recent call last):
    ValueError: some.zip cannot be read (EOFError: no data left); it is damaged or another file, get it again
    """
    try:
        yield
    except DAMAGE as error:
        raise ValueError(
            f"{path} cannot be read ({type(error).__name__}: {error}); it is damaged or another file, get it again"
        ) from error


def check_sha256(path: Path, wanted: str) -> None:
    """Check that a file has the wanted SHA-256 checksum, in hexadecimal digits.

    Raises:
        ValueError: If it has another.
    """
    with path.open("rb") as file:
        got = hashlib.file_digest(file, "sha256").hexdigest()
    if got != wanted:
        raise ValueError(f"{path} must have the SHA-256 checksum {wanted}, got {got}; get the file again")


def read_zip(path: Path, members: Sequence[str]) -> list[bytes]:
    """Contents of the members of a zip archive.

    Raises:
        ValueError: If the archive is damaged or lacks a member.
    """
    with path.open("rb") as file, reading(path), zipfile.ZipFile(file) as archive:
        return [archive.read(member) for member in members]


def read_npz(path: Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Arrays of an ``.npz`` file by name; pickled objects are refused, so that reading runs no code.

    Raises:
        ValueError: If the file is damaged or lacks an array.
    """
    # Opened before: a file that may not be read is not a damaged one.
    with path.open("rb") as file, reading(path):
        archive = np.load(file, allow_pickle=False)
        if not isinstance(archive, NpzFile):
            raise ValueError("not an .npz archive")
        with archive:
            return {name: archive[name] for name in names}
