"""Records as JSON and back, led by the types of their fields; reading runs nothing that a file holds.

A record is a dataclass; it becomes an object with an entry for each field. A field is a ``bool``, ``int``, ``float``,
``str``, tensor, array, graph, another record, ``Any`` (an option's value), or a tuple, list, mapping or ``| None`` of
these. An entry that a file lacks gets the field's default. What a record refuses when it is built, by a ``ValueError``
that begins with the name of the field, is refused in a file too.
"""

import json
import math
import warnings
from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation.long_columns import LONG, is_packed, packed, unpacked

Json = Any

WANTED: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "an object",
}
# JSON has no such numbers; they are written as text.
NON_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
# What the types of arrays come from; newer versions of NumPy have an alias of its own for them.
ARRAYS = (np.ndarray, NDArray)
# The type of each field of a record, by name.
_hints = cache(get_type_hints)
_DTYPE_NAMES = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)
DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in _DTYPE_NAMES}


class UnfitError(ValueError):
    """A value is not what it must be; the text says where it is, what was wanted and what came."""


def unfit(where: str, wanted: str, value: object) -> UnfitError:
    """The error that says what a value must be, and what it is.

    >>> print(unfit("graph.size", "a whole number", "big"))
    graph.size must be a whole number, got "big"
    """
    return UnfitError(f"{where} must be {wanted}, got {shown(value)}")


def shown(value: object) -> str:
    """A value as messages show it: as JSON has it, and never long.

    >>> shown((1, 2)), shown(math.nan), shown([0] * 9), shown({})
    ('[1, 2]', '"nan"', 'a list of 9', 'an object')
    """
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        short = f"[{', '.join(map(shown, value[:8]))}]"
        return short if len(value) <= 8 and len(short) <= 40 else f"a list of {len(value)}"
    value = _plain(value)
    text = json.dumps(str(value) if isinstance(value, float) and not math.isfinite(value) else value, default=str)
    return text if len(text) <= 40 else f"{text[:37]}..."


def pack(value: Any, kind: Any, where: str = "its content") -> Json:
    """A value as JSON.

    Args:
        value: The value.
        kind: Its type, as fields are annotated.
        where: What messages call it.

    Raises:
        UnfitError: If the value is of another type.

    >>> pack((1, math.inf), tuple[int, float]), pack({"pair": (1,)}, Mapping[str, Any])
    ([1, 'inf'], {'pair': {'tuple': [1]}})
    """
    origin, kinds = get_origin(kind), get_args(kind)
    own, is_record = origin or kind, is_dataclass(kind)
    if (is_record or own in (Mapping, Tensor, Data)) and not isinstance(value, own):
        raise unfit(where, f"of the type {own.__name__}", value)
    if origin is UnionType:
        return None if value is None else pack(value, kinds[0], where)
    if origin in (list, tuple):
        if kinds[1:] == (...,) and kinds[0] in (int, float) and isinstance(value, tuple) and len(value) > LONG:
            return packed(value, kinds[0])
        return [pack(*item) for item in _items(value, kind, where)]
    if origin is Mapping and kinds[0] is str:
        return {str(name): pack(item, kinds[1], f"{where}.{name}") for name, item in value.items()}
    if origin is Mapping:
        return pack([*value.items()], list[tuple[kinds]], where)  # type: ignore[valid-type]
    if origin in ARRAYS:
        return _pack_tensor(torch.tensor(np.asarray(value)), where)
    if is_record:
        return {name: pack(getattr(value, name), hint, f"{where}.{name}") for name, hint in _hints(kind).items()}
    if kind in LEAVES:
        return LEAVES[kind][0](value, where)
    checked = _checked(_plain(value), kind, where)
    return str(checked) if kind is float and not math.isfinite(checked) else checked


def read(value: Json, kind: Any, where: str = "its content") -> Any:
    """What :func:`pack` wrote.

    Raises:
        UnfitError: If it is something else.

    >>> read([1, "inf"], tuple[int, float])
    (1, inf)
    >>> read({"size": "big"}, Mapping[str, int], "graph")
    Traceback (most recent call last):
    ...
    protograph.explanation.codec.UnfitError: graph.size must be a whole number, got "big"
    """
    origin, kinds = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return None if value is None else read(value, kinds[0], where)
    if origin in (list, tuple):
        if is_packed(value) and kinds[1:] == (...,) and kinds[0] in (int, float):
            value = _read_packed(value, where)
        # Long lists of plain numbers need no look at each.
        is_plain = kinds[1:] in ((), (...,)) and kinds[0] in WANTED and type(value) is list
        return origin(
            value
            if is_plain and set(map(type, value)) <= {kinds[0]}
            else (read(*item) for item in _items(value, kind, where))
        )
    if origin is Mapping and kinds[0] is str:
        return {name: read(item, kinds[1], f"{where}.{name}") for name, item in _checked(value, dict, where).items()}
    if origin is Mapping:
        pairs = read(value, list[tuple[kinds]], where)  # type: ignore[valid-type]
        try:
            return dict(pairs)
        except TypeError:
            raise unfit(where, "pairs of a name and its value", value) from None
    if origin in ARRAYS:
        dtype = get_args(kinds[1])[0] if origin is np.ndarray else kinds[0]
        return _read_tensor(value, where, (np.dtype(dtype).name,)).numpy()
    if is_dataclass(kind):
        return _read_record(value, kind, where)
    if kind in LEAVES:
        return LEAVES[kind][1](value, where)
    return _checked(NON_FINITE.get(value, value) if kind is float and type(value) is str else value, kind, where)


def _read_record(value: Json, kind: Any, where: str) -> Any:
    entries, hints = _checked(value, dict, where), _hints(kind)
    for field in fields(kind):
        if field.name not in entries and field.default is field.default_factory is MISSING:
            raise UnfitError(f"{where} must have {field.name}, got an object without it")
    if others := sorted(set(entries) - set(hints)):
        raise UnfitError(f"{where} must have no entries but {', '.join(hints)}, got {shown(others[0])}")
    parts = {name: read(item, hints[name], f"{where}.{name}") for name, item in entries.items()}
    try:
        return kind(**parts)
    except ValueError as error:
        raise UnfitError(f"{where}.{error}") from None


def _read_packed(value: Any, where: str) -> list[Any]:
    try:
        return unpacked(value)
    except ValueError as error:
        raise UnfitError(f"{where} must be {error}") from None


def _items(values: Any, kind: Any, where: str) -> list[tuple[Any, Any, str]]:
    """Each item of a list or tuple with its type and where it is."""
    if not isinstance(values, list | tuple):
        raise unfit(where, WANTED[list], values)
    kinds = get_args(kind)
    if get_origin(kind) is list or kinds[-1] is Ellipsis:
        kinds = kinds[:1] * len(values)
    if len(kinds) != len(values):
        raise unfit(where, f"a list of {len(kinds)}", values)
    return [(item, kinds[place], f"{where}[{place}]") for place, item in enumerate(values)]


def _checked(value: Any, kind: Any, where: str) -> Any:
    """The value, if it is of this very type; a bool is an int for Python, but not here."""
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise unfit(where, "a number of 64 bits", value) from None
    if type(value) is not kind:
        raise unfit(where, WANTED[kind], value)
    return value


def _plain(value: Any) -> Any:
    """What NumPy, or a class that adds to Python's own, has for a number or a text, as Python has it."""
    value = value.item() if isinstance(value, np.generic) else value
    # A bool is an int as well, and comes first.
    own = next((kind for kind in (bool, int, float, str) if isinstance(value, kind)), None)
    return value if own is None else own(value)


def _pack_value(value: Any, where: str) -> Json:
    """An option's value; what JSON lacks becomes an object that says what it is, and a function its name."""
    value = _plain(value)
    if isinstance(value, list):
        return pack(value, list[Any], where)
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    for name, (own, kind) in TAGS.items():
        if isinstance(value, own) and (own is not Tensor or _is_storable(value)):
            return {name: pack(value, kind, f"{where}.{name}")}
    return f"{value.__module__}.{value.__qualname__}" if hasattr(value, "__qualname__") else str(value)


def _read_value(value: Json, where: str) -> Any:
    if isinstance(value, list):
        return read(value, list[Any], where)
    if not isinstance(value, dict):
        return value
    name = next(iter(value), None)
    if len(value) != 1 or name not in TAGS:
        raise unfit(where, f"an object with one entry of {', '.join(TAGS)}", list(value))
    return read(value[name], TAGS[name][1], f"{where}.{name}")


def are_whole(tensor: Tensor) -> bool:
    """Whether a tensor holds whole numbers, which truth values are not."""
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)


def _is_storable(tensor: Tensor) -> bool:
    return tensor.dtype in DTYPES.values() and tensor.layout == torch.strided and not tensor.is_meta


def _pack_tensor(tensor: Tensor, where: str) -> Json:
    flat = tensor.detach().cpu().resolve_conj().resolve_neg().reshape(-1)
    numbers = torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat
    if numbers.dtype == torch.float64 and numbers.numel() > LONG and bool(torch.isfinite(numbers).all()):
        return {"dtype": "float64", "shape": list(tensor.shape), "data": packed(numbers.numpy(), float)}
    data = numbers.tolist()
    if numbers.is_floating_point() and not bool(torch.isfinite(numbers).all()):
        data = pack(data, list[float], where)
    return {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape), "data": data}


@dataclass(frozen=True)
class _Numbers:
    """A tensor as it is written: the name of its type, its shape, and its numbers one after the other."""

    dtype: str
    shape: tuple[int, ...]
    data: object


def _read_tensor(value: Json, where: str, dtypes: Collection[str] = DTYPES.keys()) -> Tensor:
    written = _read_record(value, _Numbers, where)
    if written.dtype not in dtypes:
        raise unfit(f"{where}.dtype", f"one of {', '.join(dtypes)}", written.dtype)
    dtype = DTYPES[written.dtype]
    # A complex number is written as two real ones.
    real, shape = dtype.to_real(), (*written.shape, 2) if dtype.is_complex else written.shape
    kind = bool if dtype == torch.bool else float if real.is_floating_point else int
    listed = _read_packed(written.data, f"{where}.data") if is_packed(written.data) else written.data
    data = read(listed, list[kind], f"{where}.data")  # type: ignore[valid-type]
    try:
        tensor = torch.tensor(data, dtype=real).reshape(shape)
    except (RuntimeError, TypeError, ValueError, OverflowError):
        tensor = None
    # PyTorch takes -1 for a size that it may choose, and for the largest of some numbers without a sign.
    if tensor is None or tensor.shape != shape or (kind is int and tensor.flatten().tolist() != data):
        raise UnfitError(
            f"{where}.data must be {written.dtype} values of the shape {shown(written.shape)}, "
            f"got {len(data)} that are not"
        )
    return torch.view_as_complex(tensor) if dtype.is_complex else tensor


def _pack_graph(graph: Data, where: str) -> Json:
    """A graph as an object with an entry for each attribute; what is no tensor, graph, text or number is left out."""
    packed = {key: _pack_value(value, f"{where}.{key}") for key, value in graph.to_dict().items() if _is_kept(value)}
    if "x" not in packed or "num_nodes" in packed:
        with warnings.catch_warnings():
            # PyG warns that it guesses the number from the edges; written down, it need not be guessed again.
            warnings.simplefilter("ignore")
            packed["num_nodes"] = int(graph.num_nodes or 0)
    return packed


def _is_kept(value: object) -> bool:
    return (
        _is_storable(value) if isinstance(value, Tensor) else isinstance(value, str | int | float | np.generic | Data)
    )


def _read_graph(value: Json, where: str) -> Data:
    graph = Data()
    for key, item in _checked(value, dict, where).items():
        # Not by setattr: the name comes from outside, and may be that of a method.
        graph[key] = _read_value(item, f"{where}.{key}")
    x, edges = graph.get("x"), graph.get("edge_index")
    count = value.get("num_nodes", len(x) if isinstance(x, Tensor) and x.dim() else None)
    if type(count) is not int or count < 0:
        raise unfit(f"{where}.num_nodes", "a whole number of at least 0, unless x has a row for each node", count)
    if "edge_index" in value:
        if not isinstance(edges, Tensor) or edges.dim() != 2 or len(edges) != 2 or not are_whole(edges):
            raise UnfitError(f"{where}.edge_index must be whole numbers of shape [2, num_edges], got others")
        if outside := [node for node in edges.flatten().tolist() if not 0 <= node < count]:
            raise UnfitError(f"{where}.edge_index must join nodes 0 to {count - 1}, got node {outside[0]}")
    return graph


# Types that are written and read each in its own way.
LEAVES: dict[Any, tuple[Any, Any]] = {
    Any: (_pack_value, _read_value),
    Tensor: (_pack_tensor, _read_tensor),
    Data: (_pack_graph, _read_graph),
    object: (lambda value, where: value, lambda value, where: value),
}
# Values of options that JSON lacks: the name under which they are written, and the type as which.
TAGS: dict[str, tuple[Any, Any]] = {
    "float": (float, float),
    "tuple": (tuple, tuple[Any, ...]),
    "dict": (Mapping, Mapping[Any, Any]),
    "tensor": (Tensor, Tensor),
    "graph": (Data, Data),
}
