"""Graphs, tensors and option values as JSON, and back, bit for bit."""

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation.checked_json import Field, Json, UnfitError, pack_number

INTEGERS = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
# A complex number is written as two real ones.
COMPLEX = {"complex64": "float32", "complex128": "float64"}
DTYPES = ("bool", *INTEGERS, *FLOATS, *COMPLEX)


def pack_graph(graph: Data) -> Json:
    """A graph as an object with one entry an attribute; what is no tensor, graph, text or number is left out.

    >>> pack_graph(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))["num_nodes"]
    {'type': 'value', 'value': 2}
    """
    packed = {key: _pack_attribute(value) for key, value in graph.to_dict().items()}
    if "x" not in packed or "num_nodes" in packed:
        with warnings.catch_warnings():
            # PyG warns that it guesses the number from the edges; written down, it need not be guessed again.
            warnings.simplefilter("ignore")
            count = graph.num_nodes
        packed["num_nodes"] = None if count is None else {"type": "value", "value": int(count)}
    return {key: value for key, value in packed.items() if value is not None}


def _pack_attribute(value: Any) -> Json | None:
    if isinstance(value, Data):
        return {"type": "graph", "graph": pack_graph(value)}
    if isinstance(value, Tensor):
        is_plain = _name(value.dtype) in DTYPES and value.layout == torch.strided
        return {"type": "tensor", **pack_tensor(value)} if is_plain else None
    if isinstance(value, str | bool | int | float | np.generic):
        return {"type": "value", "value": pack_value(value)}
    return None


def pack_tensor(tensor: Tensor) -> dict[str, Json]:
    """A tensor as its type, shape and flat values.

    >>> pack_tensor(torch.tensor([[1.5, math.inf]]))
    {'dtype': 'float32', 'shape': [1, 2], 'data': [1.5, 'inf']}
    """
    name = _name(tensor.dtype)
    flat = tensor.detach().cpu().resolve_conj().resolve_neg().reshape(-1)
    if name in COMPLEX:
        flat = torch.view_as_real(flat).reshape(-1)
    data = flat.tolist()
    if flat.is_floating_point() and not bool(torch.isfinite(flat).all()):
        data = [pack_number(value) for value in data]
    return {"dtype": name, "shape": list(tensor.shape), "data": data}


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def pack_value(value: Any) -> Json:
    """An option's value; what JSON lacks becomes an object with a ``type``, and a function its name.

    >>> pack_value([1, (2.5, None)])
    [1, {'type': 'tuple', 'items': [2.5, None]}]
    >>> pack_value(math.hypot)
    'math.hypot'
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"type": "float", "value": str(float(value))}
    if isinstance(value, list):
        return [pack_value(item) for item in value]
    if isinstance(value, tuple):
        return {"type": "tuple", "items": [pack_value(item) for item in value]}
    if isinstance(value, Mapping):
        return {"type": "dict", "items": [[_pack_key(key), pack_value(item)] for key, item in value.items()]}
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return str(value)


def _pack_key(key: Any) -> Json:
    packed = pack_value(key)
    return str(key) if isinstance(packed, list | dict) else packed


def read_value(field: Field) -> Any:
    """What :func:`pack_value` wrote."""
    if isinstance(field.value, list):
        return [read_value(item) for item in field.items()]
    if not isinstance(field.value, dict):
        return field.value
    kind = field["type"]
    if kind.value == "float":
        return field["value"].number()
    if kind.value == "tuple":
        return tuple(read_value(item) for item in field["items"].items())
    if kind.value == "dict":
        return dict(_read_entry(item) for item in field["items"].items())
    raise kind.unfit('"float", "tuple" or "dict"')


def _read_entry(field: Field) -> tuple[Any, Any]:
    entry = field.items()
    if len(entry) != 2 or isinstance(entry[0].value, list | dict):
        raise field.unfit("a name and its value")
    return entry[0].value, read_value(entry[1])


def read_graph(field: Field) -> Data:
    """What :func:`pack_graph` wrote; its edges are checked."""
    graph = Data()
    for key, attribute in field.entries().items():
        # Not by setattr: the name comes from outside, and may be that of a method.
        graph[key] = _read_attribute(attribute)
    entries = field.entries()
    if "num_nodes" in entries and entries["num_nodes"]["value"].integer() < 0:
        raise entries["num_nodes"]["value"].unfit("at least 0")
    if isinstance(graph.get("x"), Tensor) and graph["x"].dim() == 0:
        raise entries["x"]["shape"].unfit("at least one number, the nodes")
    if "edge_index" in entries:
        _check_edges(graph, entries["edge_index"], field)
    return graph


def _read_attribute(field: Field) -> Any:
    kind = field["type"]
    if kind.value == "graph":
        return read_graph(field["graph"])
    if kind.value == "value":
        return read_value(field["value"])
    if kind.value == "tensor":
        return read_tensor(field)
    raise kind.unfit('"tensor", "value" or "graph"')


def _check_edges(graph: Data, field: Field, whole: Field) -> None:
    edges = graph["edge_index"]
    if not isinstance(edges, Tensor) or edges.dim() != 2 or edges.size(0) != 2 or _name(edges.dtype) not in INTEGERS:
        raise UnfitError(f"{field.where} must be whole numbers of shape [2, num_edges], got others")
    if "num_nodes" not in graph and not isinstance(graph.get("x"), Tensor):
        raise UnfitError(f"{whole.where} must have x or num_nodes, got neither")
    count = int(graph.num_nodes)
    outside = [node for node in edges.flatten().tolist() if not 0 <= node < count]
    if outside:
        raise UnfitError(f"{field.where} must join nodes 0 to {count - 1}, got node {outside[0]}")


def read_tensor(field: Field) -> Tensor:
    """What :func:`pack_tensor` wrote."""
    name, shape, data = field["dtype"].text(), field["shape"].integers(), field["data"].of(list, "a list")
    if name not in DTYPES:
        raise field["dtype"].unfit(f"one of {', '.join(DTYPES)}")
    if min(shape, default=0) < 0:
        raise field["shape"].unfit("whole numbers of at least 0")
    parts = (*shape, 2) if name in COMPLEX else shape
    if len(data) != math.prod(parts):
        raise UnfitError(f"{field.where}.data must have {math.prod(parts)} values for its shape, got {len(data)}")
    dtype = getattr(torch, COMPLEX.get(name, name))
    try:
        flat = torch.tensor(_checked_values(field["data"], dtype), dtype=dtype)
        return torch.view_as_complex(flat.reshape(parts)) if name in COMPLEX else flat.reshape(parts)
    except (RuntimeError, TypeError, OverflowError):
        raise field["shape"].unfit("a shape that a tensor can have") from None


def _checked_values(field: Field, dtype: torch.dtype) -> list[Any]:
    values: list[Any] = field.value
    wanted = {bool} if dtype == torch.bool else {float} if dtype.is_floating_point else {int}
    if not set(map(type, values)) <= wanted:
        if not dtype.is_floating_point:
            raise UnfitError(f"{field.where} must be {_name(dtype)} values, got others")
        values = [item.number() for item in field.items()]
    if wanted == {int} and values:
        limits = torch.iinfo(dtype)
        if min(values) < limits.min or max(values) > limits.max:
            raise UnfitError(f"{field.where} must be {_name(dtype)} values, got others")
    return values
