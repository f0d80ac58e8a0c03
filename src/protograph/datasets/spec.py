"""What is known of a data set before it is loaded: its files, where they are, and its row of the paper's Table 1."""

import os
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from protograph._base.progress import Progress
from protograph.datasets.cache import cache_folder
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import check_sum, download
from protograph.datasets.unpacking import read_unpacked

VARIABLE = "PROTOGRAPH_DATA"
NO_SOURCE = (
    f"there is no public source to download it from: name a folder that has it with {VARIABLE}, root= or --data-root"
)

Counting = Literal["directed", "undirected", "undirected, training graphs only"]
State = Literal["generated", "here", "to be downloaded", "not here"]


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
        fetch = f"protograph datasets fetch {self.dataset} --data-root {path.parents[file.relative.count('/')]}"
        return file.checked(path, str(path), f"move it away and get it again with `{fetch}`")

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


def fetch_into(file: SourceFile, folder: Path, progress: Progress, *, may_replace: bool = True) -> Path:
    """Path of a file in ``folder``, downloaded to there unless it is there with the right checksum.

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
    path = find_in((folder,), file.relative)
    if path is not None:
        try:
            file.checked(path, str(path), "it is not replaced, so move it away and fetch again")
            return path
        except ValueError:
            if not may_replace:
                raise
    if file.url is None:
        raise FileNotFoundError(f"{path or folder / file.relative} is missing or damaged; {NO_SOURCE}")
    path = folder / file.relative
    what = f"{path.name} from {file.url}"
    download(file.url, path, lambda received: file.checked(received, what, "try again later"), progress)
    return path


# Called with the files, the seed, and how many graphs to give, all if None; what it does not need it leaves unread.
Loader = Callable[[DataFiles, int, int | None], GraphDataset]


@dataclass(frozen=True)
class PaperCounts:
    """A row of the paper's Table 1.

    Attributes:
        graphs: Number of graphs.
        nodes: Number of nodes in all graphs.
        edges: Number of edges in all graphs.
        counting: How the table counts the edges of this data set.
        within: Largest difference, as a share of the paper's count, that ``reason`` explains; 0 if none.
        reason: Why counts may differ.
    """

    graphs: int
    nodes: int
    edges: int
    counting: Counting
    within: float = 0.0
    reason: str = ""

    def count(self, dataset: GraphDataset, progress: Progress) -> tuple[int, int, int]:
        """Graphs, nodes and edges of a data set, the edges as the paper counts them.

        An undirected edge is half of its two directions, and so is a self-loop, as in the paper's figure for MNIST-sp.
        """
        has_all = self.counting != "undirected, training graphs only"
        with_edges = set(range(len(dataset)) if has_all else dataset.splits["train"].tolist())
        nodes = edges = 0
        for number, graph in enumerate(dataset):
            nodes += int(graph.num_nodes or 0)
            edges += graph.num_edges if number in with_edges else 0
            if number % 1000 == 999:
                progress(f"counting {dataset.name}", number + 1, len(dataset))
        return len(dataset), nodes, edges if self.counting == "directed" else edges // 2

    def verdict(self, counts: tuple[int, int, int]) -> Literal["equal", "explained", "different"]:
        """Whether counts are the paper's, or differ by no more than its row explains.

        >>> PaperCounts(10, 100, 200, "directed", 0.05, "generated").verdict((10, 99, 205))
        'explained'
        """
        wanted = (self.graphs, self.nodes, self.edges)
        if counts == wanted:
            return "equal"
        # The number of graphs is never a matter of chance.
        is_close = counts[0] == wanted[0] and all(
            abs(ours - theirs) <= self.within * theirs for ours, theirs in zip(counts, wanted, strict=True)
        )
        return "explained" if is_close else "different"


@dataclass(frozen=True, kw_only=True)
class DatasetSpec:
    """A data set that :func:`protograph.datasets.load` can load.

    Attributes:
        name: Name under which it is loaded.
        load: Makes it.
        question: What its classes tell apart.
        num_graphs: Number of graphs; ``None`` where only the files tell.
        num_classes: Number of classes; ``None`` where only the files tell.
        files: The files that it is read from, as alternatives of which one is enough, in the order in which they are
            tried; none if it is generated.
        extra: The extra of the package that it needs.
        paper: Its row of Table 1, if it has one.
    """

    name: str
    load: Loader
    question: str = ""
    num_graphs: int | None = None
    num_classes: int | None = None
    files: tuple[tuple[SourceFile, ...], ...] = ()
    extra: str | None = None
    paper: PaperCounts | None = None

    @property
    def downloads(self) -> list[tuple[SourceFile, ...]]:
        """The alternatives that can be downloaded."""
        return [choice for choice in self.files if all(file.url is not None for file in choice)]

    def state(self, root: Path | None) -> State:
        """Where its files are; the first file of an alternative stands for the others."""
        if not self.files:
            return "generated"
        try:
            if any(DataFiles(self.name, root).find(first.relative) is not None for first, *_ in self.files):
                return "here"
        except FileNotFoundError:  # what is named as the folder is not a folder
            return "not here"
        return "to be downloaded" if self.downloads else "not here"


def key_of(name: str) -> str:
    """A name as it is looked up: in any case, and with ``_`` or ``-``.

    >>> key_of("BA_House")
    'ba-house'
    """
    return name.lower().replace("_", "-")
