"""Reading graphs from files, without ever running code that a file may hold."""

import pickle
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Batch, Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import EdgeStorage, GlobalStorage, NodeStorage

# All that PyG writes for a Data; anything else in a file is refused.
_SAFE_CLASSES = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage, NodeStorage, EdgeStorage]


def read_graphs(path: str | PathLike[str]) -> list[Data]:
    """Read a ``.pt`` file with a list of graphs, as ``torch.save(graphs, path)`` writes it.

    Only tensors, plain values and PyG's data classes are read; a file with anything else is refused.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with torch.serialization.safe_globals(_SAFE_CLASSES):
            content = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, OSError, ValueError, KeyError, AttributeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ValueError(
            f"{path} cannot be read as graphs: wanted a list of torch_geometric Data written by torch.save, "
            f"without other objects; {reason}"
        ) from None
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
