"""Files that data sets are read from: found, downloaded, checked and unpacked, whole or with one clear error.

What takes long to make of them is kept between runs, and made again where it is damaged. A small file must not become
one that fills the memory, so what is packed is unpacked up to a stated limit only.
"""

import gzip
import hashlib
import json
import os
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from protograph._utils.arrays import Arrays
from protograph._utils.errors import ProtographWarning
from protograph._utils.files import atomic_path
from protograph._utils.progress import Progress

VARIABLE, CACHE_VARIABLE = "PROTOGRAPH_DATA", "PROTOGRAPH_CACHE"
WAYS = f"{VARIABLE}, root= or --data-root"
NO_SOURCE = f"there is no public source to download it from: name a folder that has it with {WAYS}"

# What gzip, zipfile and numpy raise on files cut short, overwritten or of another format.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, LookupError, OSError, ValueError, TypeError, RuntimeError)
GZIP_MARK = b"\x1f\x8b"
CHUNK = 1 << 16
# Seconds that a server may be silent.
TIMEOUT = 30
# Bytes that a packed file, or the wanted ones of an archive together, may become.
MOST = 1 << 30


@contextmanager
def reading(what: Path | str) -> Iterator[None]:
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
            f"{what} cannot be read ({type(error).__name__}: {error}); it is damaged or another file, get it again"
        ) from error


def check_sum(content: bytes, sha256: str | None, what: str, way_out: str = "get the file again") -> None:
    """Check that a content has the wanted SHA-256 checksum; any will do where it is ``None``.

    Raises:
        ValueError: If it has another; the message begins with ``what``.
    """
    got = hashlib.sha256(content).hexdigest() if sha256 is not None else None
    if got != sha256:
        raise ValueError(f"{what} must have the SHA-256 checksum {sha256} when unpacked, got {got}; {way_out}")


def read_unpacked(path: Path, what: str = "") -> bytes:
    """Content of a file, unpacked if it is gzipped, whatever its name.

    Raises:
        ValueError: If it is gzipped and damaged, or becomes too large; the message begins with ``what``, or else the
            path.
    """
    with path.open("rb") as file:
        if not file.peek(len(GZIP_MARK)).startswith(GZIP_MARK):
            return file.read()
        with reading(what or path), gzip.GzipFile(fileobj=file) as packed:
            content = packed.read(MOST + 1)
            _check_size(len(content))
            return content


def read_members(path: Path, key_of: Callable[[str], str | None]) -> dict[str, bytes]:
    """Contents of some files in a zip archive; the others stay in it.

    Args:
        path: The archive.
        key_of: What a file of this name is to be called, or ``None`` if it is not wanted.

    Raises:
        ValueError: If the archive is damaged or locked by a password, or becomes too large.
    """
    # Opened before: a file that may not be read is not a damaged one.
    with path.open("rb") as file, reading(path), zipfile.ZipFile(file) as archive:
        wanted = {key: member for member in archive.infolist() if (key := key_of(member.filename)) is not None}
        # A file that lies about its size is cut there, and has another checksum then.
        _check_size(sum(member.file_size for member in wanted.values()))
        return {key: archive.read(member) for key, member in wanted.items()}


def _check_size(num_bytes: int) -> None:
    if num_bytes > MOST:
        raise ValueError(f"it becomes more than {MOST:,} bytes when unpacked; unpack it by hand if you trust it")


@dataclass(frozen=True)
class SourceFile:
    """A file that a data set is read from.

    Attributes:
        relative: Where it lies in a data folder, the parts divided by ``/``, without ``.gz``.
        sha256: Checksum of its unpacked content; ``None`` where none is published.
        url: Where it can be downloaded, packed or not; ``None`` where it cannot.
    """

    relative: str
    sha256: str | None = None
    url: str | None = None

    def checked(self, path: Path, what: str, way_out: str = "get the file again") -> bytes:
        """Unpacked content of this file at ``path``; nothing for an archive, whose texts are read one by one.

        Raises:
            ValueError: If it is damaged or has another checksum; the message begins with ``what``.
        """
        if self.relative.endswith(".zip"):
            # A page that asks to log in must not be kept in place of an archive.
            if not zipfile.is_zipfile(path):
                raise ValueError(f"{what} must be a zip archive, got something else; {way_out}")
            return b""
        content = read_unpacked(path, what)
        check_sum(content, self.sha256, what, way_out)
        return content


@dataclass(frozen=True)
class DataFiles:
    """The files of one data set: in a folder that is named, or among the downloads.

    Attributes:
        dataset: Name of the data set, for messages.
        root: The folder; ``None`` takes the one that ``PROTOGRAPH_DATA`` names. What it lacks is looked for among the
            downloads. Nothing is ever written to it.
        progress: Called with the stage, what is done of it, and what there is of it.
    """

    dataset: str
    root: Path | None = None
    progress: Progress = lambda stage, done, total: None

    @property
    def folder(self) -> Path | None:
        """The folder that is named, if any.

        Raises:
            FileNotFoundError: If what is named is not a folder.
        """
        named = self.root or os.environ.get(VARIABLE)
        folder = Path(named).expanduser() if named else None
        if folder is not None and not folder.is_dir():
            raise FileNotFoundError(
                f"files of {self.dataset} were looked for in {folder}, which is not a folder; name one that has them "
                f"with {WAYS}"
            )
        return folder

    def find(self, relative: str) -> Path | None:
        """Path of a file, plain or with ``.gz`` at the end; ``None`` where it is not there.

        Args:
            relative: The file within the folder, its parts divided by ``/``.

        Raises:
            FileNotFoundError: If what is named as the folder is not a folder.

        >>> DataFiles("mine", Path("/nowhere")).find("mine/table.csv")
        Traceback (most recent call last):
        FileNotFoundError: files of mine were looked for in /nowhere, which is not a folder; ...
        """
        return _find_in([self.folder or downloads(), downloads()], relative)

    def get(self, file: SourceFile) -> Path:
        """Path of a file, which is downloaded where no folder is named and it is not there, or is damaged.

        Raises:
            FileNotFoundError: If the named folder does not have it, or it has no public source.
            ConnectionError: If it cannot be downloaded.
            ValueError: If what was downloaded has another checksum.
        """
        folder = self.folder
        if folder is None:
            return fetch_into(file, downloads(), self.progress)
        path = self.find(file.relative)
        if path is None:
            way_out = f"`protograph datasets fetch {self.dataset}` gets it" if file.url else NO_SOURCE
            raise FileNotFoundError(f"{file.relative} was looked for in {folder}, which has no such file; {way_out}")
        return path

    def read(self, file: SourceFile) -> bytes:
        """Unpacked content of a file, as :meth:`get` gets it.

        Raises:
            FileNotFoundError: If the named folder does not have it, or it has no public source.
            ConnectionError: If it cannot be downloaded.
            ValueError: If it is damaged or has another checksum.
        """
        path = self.get(file)
        fetch = f"protograph datasets fetch {self.dataset} --data-root {path.parents[file.relative.count('/')]}"
        return file.checked(path, str(path), f"move it away and get it again with `{fetch}`")


def downloads() -> Path:
    """Folder that files are downloaded to where none is named."""
    return cache_folder() / "downloads"


def _find_in(folders: Iterable[Path], relative: str) -> Path | None:
    """Path of a file in the first folder that has it, plain or with ``.gz`` at the end; ``None`` where none has."""
    candidates = (folder / name for folder in folders for name in (relative, f"{relative}.gz"))
    return next((path for path in candidates if path.is_file()), None)


def fetch_into(file: SourceFile, folder: Path, progress: Progress, *, may_replace: bool = True) -> Path:
    """Path of a file in ``folder``, downloaded to there unless it is there with the right checksum.

    Whatever goes wrong, nothing is left of a download.

    Args:
        file: What to get.
        folder: Where it goes.
        progress: Called with the stage, the bytes received and the bytes in all.
        may_replace: Whether another file in its place is damaged, as in our cache, or may be the user's own.

    Raises:
        FileNotFoundError: If it is not there and has no public source.
        ConnectionError: If it cannot be downloaded.
        ValueError: If what was downloaded, or what is there and may not be replaced, has another checksum.
        OSError: If it cannot be written.
    """
    path = _find_in((folder,), file.relative)
    if path is not None:
        try:
            file.checked(path, str(path), "it is not replaced, so move it away and fetch again")
            return path
        except ValueError:
            if not may_replace:
                raise
    if file.url is None:
        raise FileNotFoundError(f"{path or folder / file.relative} is missing or damaged; {NO_SOURCE}")
    import requests  # here: who has the files does not need it

    path = folder / file.relative
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        try:
            # Packed on the way, the length would be another one.
            headers = {"Accept-Encoding": "identity"}
            with (
                requests.get(file.url, headers=headers, stream=True, timeout=TIMEOUT) as response,
                temporary.open("wb") as received,
            ):
                response.raise_for_status()
                total = int(response.headers.get("Content-Length", 0)) or None
                for chunk in response.iter_content(CHUNK):
                    received.write(chunk)
                    progress(f"downloading {path.name}", received.tell(), total)
        except requests.RequestException as error:
            raise ConnectionError(
                f"{file.url} could not be downloaded ({error}); try again later, put the file at {path} by hand, "
                f"or name a folder that has it with {WAYS}"
            ) from error
        file.checked(temporary, f"{path.name} from {file.url}", "try again later")
    return path


def cache_folder() -> Path:
    """Folder of what can be made or downloaded again: ``PROTOGRAPH_CACHE``, or else the platform's cache folder."""
    from platformdirs import user_cache_path

    name = os.environ.get(CACHE_VARIABLE)
    return Path(name).expanduser() if name else user_cache_path("protograph", appauthor=False)


def cached_arrays(name: str, key: Mapping[str, str | int], build: Callable[[], Arrays]) -> Arrays:
    """Arrays that were made from ``key`` before, or what ``build`` makes, which is then kept.

    A damaged file is made again and replaced. Where nothing can be kept, a warning says so.

    Args:
        name: How the file's name begins.
        key: All that the arrays depend on: the checksums of the files they are read from, the versions of what reads
            them, and a number that is raised with every change of how they are made.
        build: Makes the arrays, of numbers or texts; what it raises is passed on, and nothing is kept.
    """
    text = json.dumps(dict(key), sort_keys=True)
    path = cache_folder() / "processed" / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.npz"
    # A damaged file makes zipfile and numpy raise almost anything; whatever it was, the arrays are made again.
    with suppress(Exception), path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        return dict(archive)
    arrays: dict[str, Any] = build()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            np.savez(temporary, **arrays)
    except OSError as error:
        warnings.warn(
            f"nothing could be kept in the cache ({error.strerror or error}), "
            f"so the next run does this work again; set {CACHE_VARIABLE} to a folder that can be written",
            ProtographWarning,
            stacklevel=2,
        )
    return arrays
