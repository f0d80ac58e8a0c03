"""The data sets by name: those listed here, and those of TU Dortmund's collection."""

from difflib import get_close_matches
from os import PathLike
from pathlib import Path

from protograph._utils.progress import Progress, shown
from protograph.datasets import graph_sst2, mnist_sp, molecules, synthetic, tu
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import DataFiles, downloads, fetch_into
from protograph.datasets.spec import DatasetSpec, key_of

SPECS = {
    spec.name: spec
    for spec in (
        synthetic.BA_2MOTIFS,
        synthetic.BA_GRID,
        synthetic.BA_HOUSE,
        molecules.BBBP,
        molecules.BENZENE,
        graph_sst2.SPEC,
        tu.IMDB_BINARY,
        mnist_sp.SPEC,
        tu.MUTAGENICITY,
        tu.NCI1,
        molecules.SOLUBILITY,
    )
}


def names() -> tuple[str, ...]:
    """Names of the data sets that are checked, with names, colours and ground truths where there are any, sorted.

    :func:`load` also knows the names of TU Dortmund's collection.

    >>> names()  # doctest: +NORMALIZE_WHITESPACE
    ('ba-2motifs', 'ba-grid', 'ba-house', 'bbbp', 'benzene', 'graph-sst2', 'imdb-binary', 'mnist-sp', 'mutagenicity',
     'nci1', 'solubility')
    """
    return tuple(sorted(SPECS))


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
        FileNotFoundError: If the folder that is named does not have the data set's file.
        ConnectionError: If no folder is named, and the files cannot be downloaded.
        ImportError: If the data set needs a package that is not installed.

    >>> load("BA-house", num_graphs=360)
    GraphDataset('ba-house', 360 graphs: 241 incomplete house, 119 house)
    """
    folder = Path(root) if root else None
    spec = _spec(name, folder)
    with shown(progress) as report:
        return spec.load(DataFiles(spec.name, folder, report), random_state, num_graphs)


def fetch(name: str, root: str | PathLike[str] | None = None, progress: Progress | None = None) -> list[Path]:
    """Download the files of a data set into a folder, where they are not there already.

    Args:
        name: As for :func:`load`.
        root: The folder, made where it is not there; the cache, in which :func:`load` looks, by default. What is
            in the folder already is never replaced.
        progress: As for :func:`load`.

    Returns:
        The files.

    Raises:
        ValueError: If there is no data set of that name, it needs no files or has no public source, or what was
            downloaded, or is in the folder already, has another checksum.
        ConnectionError: If a file cannot be downloaded.
    """
    folder = downloads() if root is None else Path(root).expanduser()
    spec = _spec(name, folder)
    if not spec.files:
        raise ValueError(f"{spec.name} needs no files: it is generated")
    if not spec.downloads:
        raise ValueError(f"{spec.name} has no public source to download from")
    with shown(progress) as report:
        return [fetch_into(file, folder, report, may_replace=root is None) for file in spec.downloads]


def is_known(name: str) -> bool:
    """Whether :func:`load` knows the name, whether or not its files are here.

    >>> is_known("Benzene"), is_known("imdb-binary"), is_known("mine")
    (True, True, False)
    """
    return _find(name, None) is not None


def _find(name: str, root: Path | None) -> DatasetSpec | None:
    return SPECS.get(key_of(name)) or tu.find(name, root)


def _spec(name: str, root: Path | None) -> DatasetSpec:
    if spec := _find(name, root):
        return spec
    by_key = {key_of(other): other for other in (*tu.NAMES, *SPECS)}
    close = get_close_matches(key_of(name), by_key, n=1)
    hint = f"; did you mean {by_key[close[0]]!r}?" if close else ""
    raise ValueError(f"name must be one of {', '.join(names())} or a TUDataset, got {name!r}{hint}")
