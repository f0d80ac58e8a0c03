"""Reading graphs from files, without ever running code that a file may hold."""

import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from torch_geometric.data import Batch, Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.separate import separate
from torch_geometric.data.storage import EdgeStorage, GlobalStorage, NodeStorage

from protograph._utils.plain_torch import load_plain
from protograph.graphs.origins import Origin

# All that PyG writes for a Data; anything else in a file is refused.
SAFE_CLASSES = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage, NodeStorage, EdgeStorage]
_WANTED = "graphs: wanted a list of torch_geometric Data written by torch.save, without other objects"


def read_graphs(path: str | PathLike[str]) -> list[Data]:
    """Read a ``.pt`` file with a list of graphs, as ``torch.save(graphs, path)`` writes it, or a folder of such files.

    What a PyG ``InMemoryDataset`` saves, one graph of all and where each begins, is read too. Only tensors, plain
    values and PyG's data classes are read; a file with anything else is refused. Of a folder all files that end in
    ``.pt`` are read, in the order of their names, ``part2`` before ``part10``.
    """
    path = Path(path)
    return FolderGraphs(path) if path.is_dir() else _graphs_of_file(path)


def _graphs_of_file(path: Path) -> list[Data]:
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


class FolderGraphs(list[Data]):
    """The graphs of the files in a folder.

    Attributes:
        origins: File and place of each graph.
    """

    def __init__(self, folder: Path) -> None:
        self.origins: list[Origin] = []
        super().__init__(graphs_of_folder(folder, self.origins))


def graphs_of_folder(folder: Path, origins: list[Origin]) -> Iterator[Data]:
    """The graphs of all ``.pt`` files in a folder, file by file, ``part2`` before ``part10``; ``origins`` grows along.

    Raises:
        FileNotFoundError: If there is no such folder, or no ``.pt`` file in it.
        ValueError: If a file holds something other than graphs.
    """
    if not folder.is_dir():
        raise FileNotFoundError(
            f"there is no folder {folder}; wanted one of .pt files, or graphs: of a file pass "
            f"protograph.datasets.read_graphs(path)"
        )
    paths = sorted(folder.glob("*.pt"), key=natural)
    if not paths:
        raise FileNotFoundError(f"{folder} has no .pt file; wanted files with lists of torch_geometric Data")
    for path in paths:
        for place, graph in enumerate(_graphs_of_file(path)):
            origins.append(Origin(position=len(origins), file=path.name, file_position=place))
            yield graph


def natural(path: Path) -> list[tuple[int, str]]:
    """Sorts numbers within names by value."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]
