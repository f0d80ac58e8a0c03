"""Where a data set's files are: in a folder that the caller or the environment names, or else downloaded."""

import os
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from protograph._base.progress import Progress
from protograph.datasets.archives import check_sum, read_unpacked
from protograph.datasets.cache import cache_folder
from protograph.datasets.download import download

VARIABLE = "PROTOGRAPH_DATA"
NO_SOURCE = (
    f"there is no public source to download it from: name a folder that has it with {VARIABLE}, root= or --data-root"
)


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

    def find(self, relative: str) -> Path | None:
        """Path of a file, plain or with ``.gz`` at the end; ``None`` where it is not there.

        Args:
            relative: The file within the folder, its parts divided by ``/``.

        Raises:
            FileNotFoundError: If what is named as the folder is not a folder.

        >>> DataFiles("mine", Path("/nowhere")).find("mine/table.csv")
        Traceback (most recent call last):
        FileNotFoundError: mine/table.csv was looked for in /nowhere (root=), which is not a folder; ...
        """
        folder, origin = self._named()
        if folder is not None and not folder.is_dir():
            raise FileNotFoundError(
                f"{relative} was looked for in {folder} ({origin}), which is not a folder; name one that has the file"
            )
        return find_in((folder, downloads()) if folder else (downloads(),), relative)

    def get(self, file: SourceFile) -> Path:
        """Path of a file, which is downloaded where no folder is named and it is not there, or is damaged.

        Raises:
            FileNotFoundError: If the named folder does not have it, or it has no public source.
            ConnectionError: If it cannot be downloaded.
            ValueError: If what was downloaded has another checksum.
        """
        folder, origin = self._named()
        if folder is None:
            return fetch_into(file, downloads(), self.progress)
        path = self.find(file.relative)
        if path is None:
            way_out = f"`protograph datasets fetch {self.dataset}` gets it" if file.url else NO_SOURCE
            raise FileNotFoundError(
                f"{file.relative} was looked for in {folder} ({origin}), which has no such file; {way_out}"
            )
        return path

    def read(self, file: SourceFile) -> bytes:
        """Unpacked content of a file, as :meth:`get` gets it.

        Raises:
            FileNotFoundError: If the named folder does not have it, or it has no public source.
            ConnectionError: If it cannot be downloaded.
            ValueError: If it is damaged or has another checksum.
        """
        path = self.get(file)
        folder = path.parents[file.relative.count("/")]
        way_out = f"get it again with `protograph datasets fetch {self.dataset} --data-root {folder}`"
        return file.checked(path, str(path), way_out)

    def _named(self) -> tuple[Path | None, str]:
        """The folder that is named, if any, and where it is."""
        if self.root is not None:
            return self.root.expanduser(), "root="
        name = os.environ.get(VARIABLE)
        return (Path(name).expanduser() if name else None), VARIABLE


def downloads() -> Path:
    """Folder that files are downloaded to where none is named."""
    return cache_folder() / "downloads"


def find_in(folders: Iterable[Path], relative: str) -> Path | None:
    """Path of a file in the first folder that has it, plain or with ``.gz`` at the end; ``None`` where none has."""
    candidates = (folder / name for folder in folders for name in (relative, f"{relative}.gz"))
    return next((path for path in candidates if path.is_file()), None)


def fetch_into(file: SourceFile, folder: Path, progress: Progress) -> Path:
    """Path of a file in ``folder``, downloaded to there unless it is there with the right checksum.

    Raises:
        FileNotFoundError: If it is not there and has no public source.
        ConnectionError: If it cannot be downloaded.
        ValueError: If what was downloaded has another checksum.
        OSError: If it cannot be written.
    """
    path = find_in((folder,), file.relative)
    if path is not None:
        with suppress(ValueError):
            file.checked(path, str(path))
            return path
    if file.url is None:
        raise FileNotFoundError(f"{path or folder / file.relative} is missing or damaged; {NO_SOURCE}")
    path = folder / file.relative
    what = f"{path.name} from {file.url}"
    download(file.url, path, lambda received: file.checked(received, what, "try again later"), progress)
    return path
