"""Where a data set's files are: a folder that the caller or the environment names, or else those downloaded."""

import gzip
import hashlib
import os
import zipfile
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from protograph._base.progress import Progress
from protograph.datasets.archives import reading
from protograph.datasets.cache import cache_folder
from protograph.datasets.download import GZIP_MAGIC, download, verify

VARIABLE = "PROTOGRAPH_DATA"

# Folders that are not called as their data set is.
FOLDERS = {"mnist": "mnist-sp", "MNISTSuperpixels": "mnist-sp", "sst2": "graph-sst2"}

Root = str | PathLike[str] | None


@dataclass(frozen=True)
class SourceFile:
    """A file that a data set is read from.

    Attributes:
        relative: Where it lies in a data folder, the parts divided by ``/``, without ``.gz``.
        sha256: Checksum of its unpacked content; ``None`` where none is published.
        url: Where it can be downloaded, packed or not; ``None`` where it cannot.
    """

    relative: str
    sha256: str | None
    url: str | None


def find(root: Root, relative: str) -> Path | None:
    """Path of a data set's file, plain or with ``.gz`` at the end; ``None`` where it is not there.

    Args:
        root: The folder; ``None`` or an empty text takes the one that ``PROTOGRAPH_DATA`` names. What it does not
            have is looked for where files are downloaded to.
        relative: The file within the folder, its parts divided by ``/``.

    Raises:
        FileNotFoundError: If a folder is named that is none.
    """
    named = _named(root)
    if named is None:
        return _in_folder(downloads(), relative)
    folder, origin = named
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{relative} was looked for in {folder} ({origin}), which is not a folder; name one that has the file"
        )
    return _in_folder(folder, relative) or _in_folder(downloads(), relative)


def find_file(root: Root, relative: str) -> Path:
    """Path of a data set's file, as :func:`find` finds it.

    Raises:
        FileNotFoundError: If it is not there.

    >>> find_file("/nowhere", "benzene/benzene_graphs.npz")
    Traceback (most recent call last):
    FileNotFoundError: benzene/benzene_graphs.npz was looked for in /nowhere (root=), which is not a folder; ...
    """
    path = find(root, relative)
    if path is None:
        raise FileNotFoundError(
            f"{_missing(root, relative)}; set {VARIABLE} to a folder that has it, pass root= or --data-root, "
            f"or get it with `protograph datasets fetch {dataset_of(relative)}`"
        )
    return path


def fetch(file: SourceFile, root: Root, progress: Progress | None = None) -> Path:
    """Path of a data set's file, which is downloaded where it is not there and no folder is named.

    Nothing is written to a folder that ``root`` or ``PROTOGRAPH_DATA`` names.

    Raises:
        FileNotFoundError: If the named folder does not have it, or it has no public source.
        ConnectionError: If it cannot be downloaded.
        ValueError: If what was downloaded has another checksum.
    """
    path = find(root, file.relative)
    if path is not None:
        return path
    named = _named(root)
    if named is not None and file.url is not None:
        raise FileNotFoundError(
            f"{_missing(root, file.relative)}; `protograph datasets fetch {dataset_of(file.relative)}` gets it"
        )
    if named is not None:
        raise _no_source(_missing(root, file.relative))
    return fetch_into(file, downloads(), progress)


def fetch_into(file: SourceFile, folder: str | PathLike[str], progress: Progress | None = None) -> Path:
    """Path of a data set's file in ``folder``, downloaded to there unless it is there with the right checksum.

    Raises:
        FileNotFoundError: If it is not there and has no public source.
        ConnectionError: If it cannot be downloaded.
        ValueError: If what was downloaded has another checksum.
    """
    folder = Path(folder).expanduser()
    there = _in_folder(folder, file.relative)
    if there is not None and _is_right(there, file):
        return there
    if file.url is None:
        raise _no_source(f"{file.relative} is not in {folder}" if there is None else f"{there} is damaged")
    return download(file.url, folder / file.relative, sha256=file.sha256, progress=progress, check=_check_kind)


def read(file: SourceFile, root: Root, progress: Progress | None = None) -> bytes:
    """Unpacked content of a data set's file, as :func:`fetch` finds it.

    A download that is found damaged is downloaded again; a file in a named folder is the caller's to replace.

    Raises:
        FileNotFoundError: If the named folder does not have it, or it has no public source.
        ConnectionError: If it cannot be downloaded.
        ValueError: If it is damaged or has another checksum.
    """
    path = fetch(file, root, progress)
    try:
        return _content(path, file)
    except ValueError:
        if _named(root) is not None or file.url is None:
            raise
    return _content(fetch_into(file, downloads(), progress), file)


def dataset_of(relative: str) -> str:
    """Name of the data set that a file belongs to.

    >>> dataset_of("mnist/train-images-idx3-ubyte"), dataset_of("tu/PROTEINS.zip"), dataset_of("benzene/a.csv")
    ('mnist-sp', 'PROTEINS', 'benzene')
    """
    first, _, rest = relative.partition("/")
    return rest.split("/")[0].removesuffix(".zip") if first == "tu" else FOLDERS.get(first, first)


def downloads() -> Path:
    """Folder that files are downloaded to where none is named."""
    return cache_folder() / "downloads"


def _named(root: Root) -> tuple[Path, str] | None:
    """The folder that is named, and where it is."""
    given = os.fspath(root) if root is not None else ""
    name, origin = (given, "root=") if given else (os.environ.get(VARIABLE, ""), VARIABLE)
    return (Path(name).expanduser(), origin) if name else None


def _in_folder(folder: Path, relative: str) -> Path | None:
    candidates = (folder / relative, folder / f"{relative}.gz")
    return next((path for path in candidates if path.is_file()), None)


def _missing(root: Root, relative: str) -> str:
    folder, origin = _named(root) or (downloads(), "the cache, as no folder is named")
    return f"{relative} was looked for in {folder} ({origin}), which has no such file"


def _no_source(problem: str) -> FileNotFoundError:
    return FileNotFoundError(
        f"{problem}, and there is no public source to download it from; "
        f"name a folder that has it with {VARIABLE}, root= or --data-root"
    )


def _is_right(path: Path, file: SourceFile) -> bool:
    try:
        verify(path, file.sha256, str(path))
        _check_kind(path)
    except ValueError:
        return False
    return True


def _check_kind(path: Path) -> None:
    """Check that an archive is one: a page that asks to log in must not be kept in its place."""
    name = path.name.removesuffix(".part")
    if name.endswith(".zip") and not zipfile.is_zipfile(path):
        raise ValueError(f"{name} must be a zip archive, got something else; try again later")


def _folder_of(path: Path, file: SourceFile) -> Path:
    return path.parents[file.relative.count("/")]


def _content(path: Path, file: SourceFile) -> bytes:
    content = path.read_bytes()
    if content.startswith(GZIP_MAGIC):
        with reading(path):
            content = gzip.decompress(content)
    got = hashlib.sha256(content).hexdigest()
    if file.sha256 is not None and got != file.sha256:
        raise ValueError(
            f"{path} must have the SHA-256 checksum {file.sha256} when unpacked, got {got}; get it again with "
            f"`protograph datasets fetch {dataset_of(file.relative)} --data-root {_folder_of(path, file)}`"
        )
    return content
