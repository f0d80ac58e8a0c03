"""Reading graphs from files, without ever running code that a file may hold."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np
from torch_geometric.data import Batch, Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.separate import separate
from torch_geometric.data.storage import EdgeStorage, GlobalStorage, NodeStorage

from protograph._utils.plain_torch import load_plain, most_bytes
from protograph.graphs.origins import Origins

# All that PyG writes for a Data; anything else in a file is refused.
SAFE_CLASSES = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage, NodeStorage, EdgeStorage]
_WANTED = "graphs: wanted a list of torch_geometric Data written by torch.save, without other objects"


def read_graphs(path: str | PathLike[str]) -> list[Data]:
    """Read a ``.pt`` file with a list of graphs, as ``torch.save(graphs, path)`` writes it.

    What a PyG ``InMemoryDataset`` saves, one graph of all and where each begins, is read too. Only tensors, plain
    values and PyG's data classes are read; a file with anything else is refused.
    """
    path = Path(path)
    content = load_plain(path, _WANTED, SAFE_CLASSES)
    if isinstance(content, tuple) and len(content) in (2, 3) and isinstance(content[1], dict):
        content = _apart(path, *content[:2])
    if isinstance(content, Batch) or not isinstance(content, list | tuple):
        ways = {Batch: "; save graphs.to_data_list()", Data: "; save [graph]", dict: "; save list(graphs.values())"}
        way = next((way for kind, way in ways.items() if isinstance(content, kind)), "")
        raise ValueError(f"{path} must hold a list of torch_geometric Data, got {type(content).__name__}{way}")
    for index, graph in enumerate(content):
        if not isinstance(graph, Data):
            raise ValueError(
                f"{path} must hold a list of torch_geometric Data, got {type(graph).__name__} at index {index}; "
                f"of a PyG data set, save its graphs: torch.save(list(dataset), path)"
            )
        # Without features it is a number like any other, and memory is taken for so many nodes.
        if isinstance(stated := graph.get("num_nodes"), int) and stated > most_bytes(path):
            raise ValueError(
                f"{path} is too small for graph {index}, whose num_nodes is {stated:,}; save the graph with its x"
            )
    if not content:
        raise ValueError(f"{path} holds an empty list; wanted at least one graph")
    return list(content)


def _apart(path: Path, whole: Any, slices: dict[str, Any]) -> list[Data]:
    """The graphs that an ``InMemoryDataset`` keeps as one."""
    try:
        whole = Data.from_dict(whole) if isinstance(whole, dict) else whole
        count = len(next(iter(slices.values()))) - 1
        return [separate(Data, whole, index, slices, decrement=False) for index in range(count)]
    except Exception as error:  # what PyG makes of other content is open
        raise ValueError(f"{path} cannot be read as {_WANTED}; {type(error).__name__}: {error}") from None


class ShardedGraphs(Sequence[Data]):
    """All graphs of the ``.pt`` files in a folder, in the order of the files' names, ``part2`` before ``part10``.

    Every file is read once when the sequence is made, so that a damaged one is noticed before any work. Reading
    graphs in their order reads each file once more; one file at a time is in memory.

    Args:
        folder: The folder; other files and folders in it are left alone.

    Raises:
        FileNotFoundError: If there is no such folder, or no ``.pt`` file in it.
        ValueError: If a file holds something other than graphs.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise FileNotFoundError(
                f"there is no folder {folder}; wanted one of .pt files, or graphs: of a file pass "
                f"protograph.datasets.read_graphs(path)"
            )
        # Absolute, as another process may be in another folder.
        self.paths = sorted(folder.absolute().glob("*.pt"), key=natural)
        if not self.paths:
            raise FileNotFoundError(f"{folder} has no .pt file; wanted files with lists of torch_geometric Data")
        self._starts = list(accumulate((len(read_graphs(path)) for path in self.paths), initial=0))
        self._number, self._graphs = -1, list[Data]()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_number": -1, "_graphs": []}  # another process reads what it needs

    @property
    def origins(self) -> Origins:
        """File and place of each graph."""
        files = [path.name for path in self.paths]
        return Origins(positions=np.arange(len(self)), files=files, starts=self._starts[:-1])

    def __len__(self) -> int:
        return self._starts[-1]

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
        number = bisect_right(self._starts, position) - 1
        if number != self._number:
            self._number, self._graphs = number, read_graphs(self.paths[number])
        return self._graphs[position - self._starts[number]]


def natural(path: Path) -> list[tuple[int, str]]:
    """Sorts numbers within names by value."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]
