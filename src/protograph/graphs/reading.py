"""Reading graphs from files, without ever running code that a file may hold."""

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import overload

import numpy as np
from torch_geometric.data import Batch, Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import EdgeStorage, GlobalStorage, NodeStorage

from protograph._base.plain_torch import load_plain, most_bytes
from protograph.graphs.origins import Origins

# All that PyG writes for a Data; anything else in a file is refused.
SAFE_CLASSES = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage, NodeStorage, EdgeStorage]


def read_graphs(path: str | PathLike[str]) -> list[Data]:
    """Read a ``.pt`` file with a list of graphs, as ``torch.save(graphs, path)`` writes it.

    Only tensors, plain values and PyG's data classes are read; a file with anything else is refused.
    """
    wanted = "graphs: wanted a list of torch_geometric Data written by torch.save, without other objects"
    content = load_plain(Path(path), wanted, SAFE_CLASSES)
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
        if isinstance(stated := graph.get("num_nodes"), int) and stated > most_bytes(Path(path)):
            raise ValueError(
                f"{path} is too small for graph {index}, whose num_nodes is {stated:,}; save the graph with its x"
            )
    if not content:
        raise ValueError(f"{path} holds an empty list; wanted at least one graph")
    return list(content)


class Shards(Sequence[Data]):
    """Graphs in shards, read by their places.

    Args:
        starts: Number of the first graph of each shard, and at the end the number of all graphs.
    """

    def __init__(self, starts: list[int]) -> None:
        self._starts = starts

    @abstractmethod
    def _at(self, position: int) -> Data:
        """The graph at a place, counted from 0."""

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
        return self._at(index % len(self))

    def _number_of(self, position: int) -> int:
        """Number of the shard in which a place is."""
        return bisect_right(self._starts, position) - 1


class ShardedGraphs(Shards):
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
            raise FileNotFoundError(f"there is no folder {folder}")
        self.paths = sorted(folder.glob("*.pt"), key=natural)
        if not self.paths:
            raise FileNotFoundError(f"{folder} has no .pt file; wanted files with lists of torch_geometric Data")
        super().__init__(list(accumulate((len(read_graphs(path)) for path in self.paths), initial=0)))
        self._number, self._graphs = -1, list[Data]()

    @property
    def origins(self) -> Origins:
        """File and place of each graph."""
        files = [path.name for path in self.paths]
        return Origins(positions=np.arange(len(self)), files=files, starts=self._starts[:-1])

    def _at(self, position: int) -> Data:
        number = self._number_of(position)
        if number != self._number:
            self._number, self._graphs = number, read_graphs(self.paths[number])
        return self._graphs[position - self._starts[number]]


def natural(path: Path) -> list[tuple[int, str]]:
    """Sorts numbers within names by value."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]
