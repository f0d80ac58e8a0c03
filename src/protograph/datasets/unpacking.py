"""Packed files, read as a stream and up to a stated limit: a small file must not become one that fills the memory."""

import gzip
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from protograph.datasets.files import CHUNK, reading

MARK = b"\x1f\x8b"  # gzip's
# Texts of molecules and graphs become three to ten times as large; what becomes a hundred times is made to do so.
MOST_TIMES = 100
# Any file may become this large, and none may become larger than that.
LEAST, MOST = 1 << 20, 1 << 30


def most_unpacked(num_packed: int) -> int:
    """Most bytes that a packed file of so many bytes may have when it is unpacked.

    >>> most_unpacked(10), most_unpacked(50_000), most_unpacked(10**9)
    (1048576, 5000000, 1073741824)
    """
    return min(max(MOST_TIMES * num_packed, LEAST), MOST)


def read_unpacked(path: Path, what: str = "") -> bytes:
    """Content of a file, unpacked if it is gzipped, whatever its name.

    Raises:
        ValueError: If it is gzipped and damaged, or becomes too large; the message begins with ``what``, or else the
            path.
    """
    with _opened(path, what) as (file, packed):
        return file.read() if packed is None else b"".join(_limited(packed, path, what))


@contextmanager
def open_unpacked(path: Path) -> Iterator[BufferedReader | gzip.GzipFile]:
    """A stream of what :func:`read_unpacked` reads, which is not in memory; it was read once, and found to be right.

    Raises:
        ValueError: If it is gzipped and damaged, or becomes too large.
    """
    with _opened(path, "") as (file, packed):
        if packed is not None:
            for _ in _limited(packed, path, ""):
                pass
            packed.seek(0)
        yield file if packed is None else packed


@contextmanager
def _opened(path: Path, what: str) -> Iterator[tuple[BufferedReader, gzip.GzipFile | None]]:
    with path.open("rb") as file:
        if not file.peek(len(MARK)).startswith(MARK):
            yield file, None
            return
        with gzip.GzipFile(fileobj=file) as packed:
            yield file, packed


def _limited(packed: gzip.GzipFile, path: Path, what: str) -> Iterator[bytes]:
    """The unpacked content piece by piece, up to what the whole file may become."""
    limit = most_unpacked(path.stat().st_size)
    while True:
        with reading(what or path):
            chunk = packed.read(CHUNK)
        if not chunk:
            return
        limit -= len(chunk)
        if limit < 0:
            raise _too_large(path, what or str(path))
        yield chunk


def _too_large(path: Path, what: str) -> ValueError:
    size = path.stat().st_size
    return ValueError(
        f"{what} has {size:,} bytes and becomes more than {most_unpacked(size):,} when unpacked ({MOST_TIMES} times as "
        f"many are allowed, but {LEAST:,} in any case and never more than {MOST:,}); unpack it by hand if you trust it"
    )


def read_members(path: Path, key_of: Callable[[str], str | None]) -> dict[str, bytes]:
    """Contents of some files in a zip archive, together no larger than the archive may become; the others stay in it.

    Args:
        path: The archive.
        key_of: What a file of this name is to be called, or ``None`` if it is not wanted.

    Raises:
        ValueError: If the archive is damaged or locked by a password, has a wanted file twice, or becomes too large.
    """
    # Opened before: a file that may not be read is not a damaged one.
    with path.open("rb") as file:
        with reading(path):
            archive = zipfile.ZipFile(file)
        with archive:
            wanted: dict[str, zipfile.ZipInfo] = {}
            for member in archive.infolist():
                key = key_of(member.filename)
                if key in wanted:
                    raise ValueError(
                        f"{path} must have one file {Path(member.filename).name}, got {wanted[key].filename} "
                        f"and {member.filename}; leave one in it"
                    )
                if key is not None:
                    wanted[key] = member
            return _read_all(archive, wanted, path)


def _read_all(archive: zipfile.ZipFile, wanted: dict[str, zipfile.ZipInfo], path: Path) -> dict[str, bytes]:
    # A file that lies about its size is cut there, and has another checksum then.
    if sum(member.file_size for member in wanted.values()) > most_unpacked(path.stat().st_size):
        raise _too_large(path, str(path))
    with reading(path):
        return {key: archive.read(member) for key, member in wanted.items()}


def extract(path: Path, name: str, folder: Path, most: int) -> Path:
    """One file of a zip archive, unpacked to a folder.

    Raises:
        ValueError: If the archive is damaged or does not have it, or it has more than ``most`` bytes.
    """
    with path.open("rb") as file, reading(path):
        archive = zipfile.ZipFile(file)
        size = archive.getinfo(name).file_size
        if size <= most:
            with archive:
                return Path(archive.extract(name, folder))
    raise ValueError(f"{path}: {name} must have at most {most:,} bytes when unpacked, got {size:,}; get it again")
