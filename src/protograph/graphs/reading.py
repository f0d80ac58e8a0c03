"""Reading graphs from files, without ever running code that a file may hold."""

from os import PathLike
from pathlib import Path
from typing import Any

from torch_geometric.data import Batch, Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import EdgeStorage, GlobalStorage, NodeStorage

from protograph._base.plain_torch import load_plain

# All that PyG writes for a Data; anything else in a file is refused.
_SAFE_CLASSES = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage, NodeStorage, EdgeStorage]


def read_graphs(path: str | PathLike[str]) -> list[Data]:
    """Read a ``.pt`` file with a list of graphs, as ``torch.save(graphs, path)`` writes it.

    Only tensors, plain values and PyG's data classes are read; a file with anything else is refused.
    """
    path = Path(path)
    wanted = "graphs: wanted a list of torch_geometric Data written by torch.save, without other objects"
    content = load_plain(path, wanted, _SAFE_CLASSES)
    return _as_list(content, path)


def _as_list(content: Any, path: Path) -> list[Data]:
    if isinstance(content, Batch) or not isinstance(content, list | tuple):
        raise ValueError(f"{path} must hold a list of torch_geometric Data, got {type(content).__name__}")
    for index, graph in enumerate(content):
        if not isinstance(graph, Data):
            raise ValueError(
                f"{path} must hold a list of torch_geometric Data, got {type(graph).__name__} at index {index}"
            )
    if not content:
        raise ValueError(f"{path} holds an empty list; wanted at least one graph")
    return list(content)
