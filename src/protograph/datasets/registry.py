"""The data sets by name: each is one file with a loader, listed here; other names are those of TU Dortmund's."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Protocol

from protograph._base.progress import Progress, shown
from protograph.datasets import (
    ba_2motifs,
    ba_grid,
    ba_house,
    benzene,
    benzene_smiles,
    graph_sst2,
    mnist_sp,
    mutagenicity,
    solubility,
    tu_collection,
)
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.sources import SourceFile, downloads, fetch_into


class Loader(Protocol):
    """What a data set's file offers; a loader that needs no folder or no seed leaves it unread."""

    def __call__(
        self, root: Path | None, *, random_state: int, num_graphs: int | None, progress: Progress | None
    ) -> GraphDataset:
        """The data set, or its first ``num_graphs`` graphs."""


LOADERS: Mapping[str, Loader] = {
    "ba-2motifs": ba_2motifs.load,
    "ba-grid": ba_grid.load,
    "ba-house": ba_house.load,
    "benzene": benzene.load,
    "graph-sst2": graph_sst2.load,
    "mnist-sp": mnist_sp.load,
    "mutagenicity": mutagenicity.load,
    "solubility": solubility.load,
}

# What can be downloaded, as alternatives in the order to be tried.
FILES: Mapping[str, Sequence[Sequence[SourceFile]]] = {
    "benzene": ((benzene_smiles.FILE,),),
    "mnist-sp": ((mnist_sp.PYG_ZIP,), (*mnist_sp.IMAGES.values(), *mnist_sp.LABELS.values())),
    "mutagenicity": (mutagenicity.FILES,),
    "solubility": ((solubility.FILE,),),
}


def names() -> tuple[str, ...]:
    """Names of the data sets that come with ground truths, colours and names of their own, sorted.

    :func:`load` also knows the names of TU Dortmund's collection.

    >>> names()
    ('ba-2motifs', 'ba-grid', 'ba-house', 'benzene', 'graph-sst2', 'mnist-sp', 'mutagenicity', 'solubility')
    """
    return tuple(sorted(LOADERS))


def load(
    name: str,
    root: str | PathLike[str] | None = None,
    *,
    random_state: int = 0,
    num_graphs: int | None = None,
    progress: Progress | None = None,
) -> GraphDataset:
    """Load a data set by its name, in any case and with ``_`` or ``-``.

    Args:
        name: One of :func:`names`, or of TU Dortmund's collection, such as ``"PROTEINS"``.
        root: Folder with the data set's files; ``None`` takes the one that the environment variable
            ``PROTOGRAPH_DATA`` names, and where there is none the files are downloaded from their public source.
            Generated data sets need no files.
        random_state: Seed of a generated data set, at least 0.
        num_graphs: Only the first so many graphs; all of them if ``None``.
        progress: Called as ``progress(stage, done, total)``; by default bars are drawn on a terminal.

    Raises:
        ValueError: If there is no data set of that name, or its file is damaged.
        FileNotFoundError: If the folder that is named has not the data set's file.
        ConnectionError: If no folder is named, and the files cannot be downloaded.
        ImportError: If the data set needs a package that is not installed.

    >>> load("BA-house", num_graphs=360)
    GraphDataset('ba-house', 360 graphs: 241 incomplete house, 119 house)
    """
    folder = Path(root) if root else None
    key = _key(name)
    with shown(progress) as report:
        if key in LOADERS:
            return LOADERS[key](folder, random_state=random_state, num_graphs=num_graphs, progress=report)
        return tu_collection.load(_tu_name(name, folder), folder, num_graphs=num_graphs, progress=report)


def fetch(name: str, root: str | PathLike[str] | None = None, progress: Progress | None = None) -> list[Path]:
    """Download the files of a data set into a folder, where they are not there already.

    Args:
        name: As for :func:`load`.
        root: The folder, made where it is not there; the cache, in which :func:`load` looks, by default.
        progress: As for :func:`load`.

    Returns:
        The files.

    Raises:
        ValueError: If there is no data set of that name, it needs no files or has no public source, or what was
            downloaded has another checksum.
        ConnectionError: If a file cannot be downloaded.
    """
    key = _key(name)
    folder = downloads() if root is None else Path(root).expanduser()
    if key in LOADERS and key not in FILES:
        why = "needs no files: it is generated" if key.startswith("ba-") else "has no public source to download from"
        raise ValueError(f"{key} {why}")
    choices = FILES[key] if key in LOADERS else ((tu_collection.archive(_tu_name(name, folder)),),)
    with shown(progress) as report:
        for files in choices[:-1]:
            try:
                return [fetch_into(file, folder, report) for file in files]
            except (OSError, ValueError):
                continue  # the next choice
        return [fetch_into(file, folder, report) for file in choices[-1]]


def is_known(name: str) -> bool:
    """Whether :func:`load` knows the name, whether or not its files are here.

    >>> is_known("Benzene"), is_known("imdb-binary"), is_known("mine")
    (True, True, False)
    """
    return _key(name) in LOADERS or tu_collection.spelled(name) is not None


def _key(name: str) -> str:
    return name.lower().replace("_", "-")


def _tu_name(name: str, root: Path | None) -> str:
    found = tu_collection.spelled(name, root)
    if found is None:
        known = {_key(other): other for other in (*tu_collection.NAMES, *LOADERS)}
        close = get_close_matches(_key(name), known, n=1)
        hint = f"; did you mean {known[close[0]]!r}?" if close else ""
        raise ValueError(f"name must be one of {', '.join(names())} or a TUDataset, got {name!r}{hint}")
    return found
