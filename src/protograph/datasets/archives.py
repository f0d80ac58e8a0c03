"""Packed files read with one clear error where they are damaged."""

import gzip
import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError

# What gzip, zipfile and torch raise on files cut short, overwritten or of another format.
DAMAGE = (zipfile.BadZipFile, zlib.error, UnpicklingError, EOFError, KeyError, OSError, ValueError, RuntimeError)


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Turn what a damaged file makes its reader raise into a ``ValueError`` that names the file.

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


def read_unpacked(path: Path, what: str = "") -> bytes:
    """Content of a file, unpacked if it is gzipped, whatever its name.

    Raises:
        ValueError: If it is gzipped and damaged; the message begins with ``what``, or else the path.
    """
    content = path.read_bytes()
    if not content.startswith(b"\x1f\x8b"):  # gzip's mark
        return content
    with reading(what or path):
        return gzip.decompress(content)


def check_sum(content: bytes, sha256: str | None, what: str, way_out: str = "get the file again") -> None:
    """Check that a content has the wanted SHA-256 checksum; any will do where it is ``None``.

    Raises:
        ValueError: If it has another; the message begins with ``what``.
    """
    got = hashlib.sha256(content).hexdigest() if sha256 is not None else None
    if got != sha256:
        raise ValueError(f"{what} must have the SHA-256 checksum {sha256} when unpacked, got {got}; {way_out}")
