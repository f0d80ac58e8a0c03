"""The data sets by name: each is one file with a loader, listed here."""

from collections.abc import Mapping
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Protocol

from protograph.datasets import ba_grid, ba_house, benzene, mutagenicity
from protograph.datasets.dataset import GraphDataset


class Loader(Protocol):
    """What a data set's file offers; a loader that needs no folder or no seed leaves it unread."""

    def __call__(self, root: Path | None, *, random_state: int, num_graphs: int | None) -> GraphDataset:
        """The data set, or its first ``num_graphs`` graphs."""


LOADERS: Mapping[str, Loader] = {
    "ba-grid": ba_grid.load,
    "ba-house": ba_house.load,
    "benzene": benzene.load,
    "mutagenicity": mutagenicity.load,
}


def names() -> tuple[str, ...]:
    """Names that :func:`load` knows, sorted.

    >>> names()
    ('ba-grid', 'ba-house', 'benzene', 'mutagenicity')
    """
    return tuple(sorted(LOADERS))


def load(
    name: str,
    root: str | PathLike[str] | None = None,
    *,
    random_state: int = 0,
    num_graphs: int | None = None,
) -> GraphDataset:
    """Load a data set by its name, in any case and with ``_`` or ``-``.

    Args:
        name: One of :func:`names`.
        root: Folder with the data set's files; ``None`` takes the one that the environment variable
            ``PROTOGRAPH_DATA`` names. Generated data sets need none.
        random_state: Seed of a generated data set, at least 0.
        num_graphs: Only the first so many graphs; all of them if ``None``.

    Raises:
        ValueError: If there is no data set of that name, or its file is damaged.
        FileNotFoundError: If the data set's file is not there.

    >>> load("BA-house", num_graphs=360)
    GraphDataset('ba-house', 360 graphs: 241 incomplete house, 119 house)
    """
    key = name.lower().replace("_", "-")
    if key not in LOADERS:
        close = get_close_matches(key, LOADERS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"name must be one of {', '.join(names())}, got {name!r}{hint}")
    folder = None if root is None else Path(root)
    return LOADERS[key](folder, random_state=random_state, num_graphs=num_graphs)
