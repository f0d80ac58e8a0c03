"""What a user's graphs and model are, to the last stride and flag, so that a change of them is seen."""

import random
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data


def of_graphs(graphs: list[Any]) -> list[Any]:
    """All that graphs hold, attributes in their order; tensors with their memory."""
    return [_of_value(graph) for graph in graphs]


def _of_value(value: Any) -> Any:
    if isinstance(value, Tensor):
        return [value._version, *_of_tensor(value)]  # a count of how often it was written to
    if isinstance(value, Data):
        # PyG notes on a graph what it was asked of it, so all of its state counts.
        stores = {key: _of_value(own) for key, own in value._store.__dict__.items() if key != "_parent"}
        return [type(value), id(value), stores]
    if isinstance(value, dict):
        return [(key, _of_value(own)) for key, own in value.items()]
    if isinstance(value, list | tuple):
        return [type(value), *map(_of_value, value)]
    if isinstance(value, np.ndarray):
        return [value.dtype, value.shape, value.strides, value.tolist()]
    return [type(value), repr(value) if isinstance(value, int | float | complex | str | bytes) else id(value)]


def _of_tensor(value: Tensor) -> list[Any]:
    facts: list[Any] = [type(value), value.dtype, value.layout, tuple(value.shape), value.requires_grad, value.is_leaf]
    facts += [value.grad.tolist() if value.is_leaf and value.grad is not None else None]
    if value.is_meta:
        return facts
    if value.layout is not torch.strided:
        return [*facts, repr(value)]
    memory = value.detach().untyped_storage()
    return [*facts, value.stride(), value.storage_offset(), memory.data_ptr(), bytes(memory)]


def of_model(model: nn.Module) -> dict[str, Any]:
    """Weights, buffers, flags, gradients and hooks of a model."""
    # A module that is not initialised has no values to compare.
    lazy = nn.parameter.is_lazy
    tensors = dict((*model.named_parameters(), *model.named_buffers()))
    return {
        "tensors": {name: "lazy" if lazy(value) else _of_tensor(value) for name, value in tensors.items()},
        "training": [module.training for module in model.modules()],
        "hooks": [
            sum(len(own) for key, own in vars(module).items() if key.endswith("hooks") and isinstance(own, dict))
            for module in model.modules()
        ],
    }


def of_randomness() -> list[Any]:
    """States of the global generators."""
    name, keys, *rest = np.random.get_state()
    return [torch.get_rng_state().tolist(), random.getstate(), name, keys.tolist(), rest, torch.get_default_dtype()]


def difference(before: Any, after: Any, path: str = "") -> str:
    """Where two records differ first."""
    if type(before) is not type(after):
        return path
    if isinstance(before, dict) and list(before) == list(after):
        pairs = [(str(key), before[key], after[key]) for key in before]
    elif isinstance(before, list | tuple) and len(before) == len(after):
        pairs = [(str(at), *both) for at, both in enumerate(zip(before, after, strict=True))]
    else:
        return path
    return next((difference(b, a, f"{path}/{key}") for key, b, a in pairs if b != a), path)
