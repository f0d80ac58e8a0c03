"""A folder of ``.pt`` files, each with a list of graphs, as one sequence of which one file at a time is in memory."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import overload

from torch_geometric.data import Data

from protograph.graphs.reading import read_graphs


class ShardedGraphs(Sequence[Data]):
    """All graphs of the ``.pt`` files in a folder, in the order of the files' names, ``part2`` before ``part10``.

    Every file is read once when the sequence is made, so that a damaged one is told of before any work. Reading
    graphs in their order reads each file once more.

    Args:
        folder: The folder; other files and folders in it are left alone.

    Raises:
        FileNotFoundError: If there is no such folder, or no ``.pt`` file in it.
        ValueError: If a file holds something other than graphs.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise FileNotFoundError(f"there is no folder {folder}")
        self.paths = sorted(folder.glob("*.pt"), key=_natural)
        if not self.paths:
            raise FileNotFoundError(f"{folder} has no .pt file; wanted files with lists of torch_geometric Data")
        self._ends = list(accumulate(len(read_graphs(path)) for path in self.paths))
        self._number, self._graphs = -1, list[Data]()

    def __len__(self) -> int:
        return self._ends[-1]

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: slice) -> list[Data]: ...
    def __getitem__(self, index: int | slice) -> Data | list[Data]:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        if not -len(self) <= index < len(self):
            raise IndexError(f"index must lie in [{-len(self)}, {len(self)}), got {index}")
        position = index % len(self)
        number = bisect_right(self._ends, position)
        if number != self._number:
            self._number, self._graphs = number, read_graphs(self.paths[number])
        return self._graphs[position - (self._ends[number - 1] if number else 0)]


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sorts numbers within names by value."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]
