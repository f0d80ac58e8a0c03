"""What graphs may come in: a sequence, a PyG data set, or any iterable of graphs or batches of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from torch import Tensor
from torch_geometric.data import Batch, HeteroData, InMemoryDataset
from torch_geometric.data.data import BaseData


def check_container(graphs: Any) -> None:
    """Check that graphs came in something that can be gone through.

    >>> check_container({"a": 1})
    Traceback (most recent call last):
    ...
    TypeError: graphs must be a sequence or iterable of graphs, got a dict; pass list(graphs.values())
    """
    wanted = "graphs must be a sequence or iterable of graphs"
    if isinstance(graphs, BaseData):
        raise TypeError(f"{wanted}, got a single {type(graphs).__name__}; pass {_way_out(graphs)}")
    if isinstance(graphs, Mapping):
        raise TypeError(f"{wanted}, got a {type(graphs).__name__}; pass list(graphs.values())")
    if isinstance(graphs, str | PathLike):
        raise TypeError(f"{wanted}, got a {type(graphs).__name__}; pass protograph.datasets.read_graphs(graphs)")
    if isinstance(graphs, Tensor | bytes) or not (is_sequence(graphs) or hasattr(graphs, "__iter__")):
        raise TypeError(f"{wanted}, got {type(graphs).__name__}; pass a list of torch_geometric.data.Data")


def _way_out(graph: BaseData) -> str:
    if isinstance(graph, Batch):
        return "graphs.to_data_list()"
    return "[data.to_homogeneous()]" if isinstance(graph, HeteroData) else "[data]"


def is_sequence(graphs: Any) -> bool:
    """Whether graphs can be read again by their places."""
    return hasattr(graphs, "__getitem__") and hasattr(graphs, "__len__")


def is_in_memory(graphs: Any) -> bool:
    """Whether reading graphs once more costs next to nothing."""
    if isinstance(graphs, InMemoryDataset):
        return graphs.transform is None
    return isinstance(graphs, list | tuple) or isinstance(getattr(graphs, "graphs", None), list | tuple)


def read_each(graphs: Sequence[Any], indices: Sequence[int]) -> list[Any]:
    """The graphs in some places; an error of whoever reads them is passed on and says which place it was."""
    if type(graphs) is list and isinstance(indices, range) and indices.step == 1 and indices.stop <= len(graphs):
        return graphs[indices.start : indices.stop]
    given: list[Any] = []
    try:
        for index in indices:
            given.append(graphs[index])
    except Exception as error:
        error.add_note(f"this happened while graph {indices[len(given)]} of graphs was read")
        raise
    return given


def single_graphs(graphs: Iterable[Any]) -> Iterator[Any]:
    """The graphs of an iterable one by one, those of batches too; an error is passed on and says where it was."""
    given = iter(graphs)
    place = 0
    while True:
        try:
            item = next(given)
        except StopIteration:
            return
        except Exception as error:
            error.add_note(f"this happened while item {place} of graphs was read, counted from 0")
            raise
        yield from _apart(item, place)
        place += 1


def _apart(item: Any, place: int) -> list[Any]:
    if not isinstance(item, Batch):
        return [item]
    try:
        return list(item.to_data_list())
    except Exception:  # PyG raises whatever its own bookkeeping runs into
        raise ValueError(
            f"item {place} of graphs must be a graph, or a batch that Batch.from_data_list made, got one that was made "
            f"otherwise and cannot be taken apart; pass the graphs themselves"
        ) from None
