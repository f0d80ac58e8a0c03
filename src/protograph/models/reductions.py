"""Recognising a tensor operation that reduces the nodes of each graph, and naming where it happens."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_REDUCERS = frozenset(
    f"{name}{suffix}"
    for name in ("scatter_add", "scatter_reduce", "index_add", "index_reduce", "scatter")
    for suffix in ("", "_")
)
DIVISIONS = frozenset({"div", "div_", "true_divide", "true_divide_", "__truediv__", "__itruediv__"})


@dataclass(frozen=True)
class Reduction:
    """An operation that reduces over ``batch``: what went in, and whether its index is ``batch`` itself."""

    source: Tensor
    is_same_memory: bool


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
        same_memory_only: Whether to look only at reductions whose index is ``batch`` itself, not a copy.
        node_module: Module whose output is the node embeddings, where the user named one.
        graph_module: Module whose input is the graph embeddings, where the user named one.
    """

    places: tuple[Place, ...] = ()
    same_memory_only: bool = True
    node_module: str | None = None
    graph_module: str | None = None


def reduction_over(batch: Tensor, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reduction | None:
    """Recognise the operation ``name`` as a reduction over ``batch``, else return ``None``."""
    if name not in _REDUCERS:
        return None
    index = args[2] if len(args) > 2 else kwargs.get("index")
    source = args[3] if len(args) > 3 else kwargs.get("src", kwargs.get("source"))
    if not isinstance(index, Tensor) or not isinstance(source, Tensor) or not source.is_floating_point():
        return None
    if source.dim() == 0 or source.size(0) != batch.numel() or not is_index(batch, index):
        return None
    return Reduction(source, is_same_memory=_shares_memory(index, batch))


def is_index(batch: Tensor, index: Tensor) -> bool:
    """Whether ``index`` is ``batch``, a copy of it, or either spread over columns."""
    if index.dim() == 0 or index.size(0) != batch.numel() or index.is_floating_point():
        return False
    return _shares_memory(index, batch) or torch.equal(index.reshape(index.size(0), -1)[:, 0], batch)


def _shares_memory(a: Tensor, b: Tensor) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Every tensor in nested tuples, lists and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
