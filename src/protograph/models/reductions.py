"""Recognising a tensor operation that reduces the nodes of each graph, and naming where it happens."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor

_REDUCERS = frozenset(
    f"{name}{suffix}"
    for name in ("scatter_add", "scatter_reduce", "index_add", "index_reduce", "scatter")
    for suffix in ("", "_")
)
DIVISIONS = frozenset({"div", "div_", "true_divide", "true_divide_", "__truediv__", "__itruediv__"})


@dataclass(frozen=True)
class Place:
    """One step of a readout, found again in every call of the model.

    Attributes:
        ordinal: Which reduction over ``batch`` it is, or which call of the module.
        module: Name of the aggregation module, ``None`` for a reduction in the model's own code.
        is_mean: Whether the sums are divided by counts afterwards.
    """

    ordinal: int
    module: str | None = None
    is_mean: bool = False


@dataclass(frozen=True)
class Readout:
    """Where node and graph embeddings are to be caught.

    Attributes:
        places: The steps that make up the readout, all fed by the same node embeddings.
        node_module: Module whose output is the node embeddings, where the user named one.
        graph_module: Module whose input is the graph embeddings, where the user named one.
    """

    places: tuple[Place, ...] = ()
    node_module: str | None = None
    graph_module: str | None = None


def reduced_source(batch: Tensor, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
    """Return what the operation ``name`` reduces over ``batch``, ``None`` where it does not."""
    if name not in _REDUCERS:
        return None
    index = args[2] if len(args) > 2 else kwargs.get("index")
    source = args[3] if len(args) > 3 else kwargs.get("src", kwargs.get("source"))
    if not isinstance(index, Tensor) or not isinstance(source, Tensor) or not source.is_floating_point():
        return None
    is_over_nodes = source.dim() > 0 and source.size(0) == batch.numel()
    return source if is_over_nodes and is_index(batch, index) else None


def is_index(batch: Tensor, index: Tensor) -> bool:
    """Whether ``index`` is ``batch`` itself or spread over columns: the same memory, since equal numbers may be chance.

    (A convolution over graphs of one node each, with self-loops, has the same numbers as ``batch``.)
    """
    if index.dim() == 0 or index.size(0) != batch.numel():
        return False
    return index.untyped_storage().data_ptr() == batch.untyped_storage().data_ptr()


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Every tensor in nested tuples, lists and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
