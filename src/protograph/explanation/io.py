"""Explanations as JSON and back: versioned, bounded, and read without running anything that a file holds.

A record is a dataclass; it becomes an object with an entry for each field, led by the types of the fields. A field is a
``bool``, ``int``, ``float``, ``str``, tensor, array, graph, another record, ``Any`` (an option's value), or a tuple,
list, mapping or ``| None`` of these. An entry that a file lacks gets the field's default. What a record refuses when it
is built, by a ``ValueError`` that begins with the name of the field, is refused in a file too.
"""

import base64
import json
import math
import re
import warnings
import zlib
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.files import atomic_path

Json = Any

FORMAT = "protograph-explanation"
# Versions 1 to 3 were those of development; no release wrote them, and they are not read.
VERSION = 4
# Longer lists of numbers are packed: as JSON those of a million graphs would be hundreds of megabytes.
LONG = 100_000
# Packed numbers in a file, of which a million graphs have some ten million: a small file must not fill the memory.
MAX_PACKED = 30_000_000
# Nodes of the graphs in a file beyond one a byte: without features and edges a graph of any size is a few bytes.
MAX_NODES = 1_000_000

# What ends up in a terminal must not steer it: sequences that begin with escape, and other control characters.
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
# JSON has no such numbers; they are written as text.
_NON_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_WANTED: dict[Any, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
_DTYPE_NAMES = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64"),
)
_DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in _DTYPE_NAMES}
_PACKED_DTYPES = ("int8", "int16", "int32", "int64", "float64")
# Values of options and of graphs that JSON lacks: the name under which they are written, their type, and as what.
_TAGS: dict[str, tuple[Any, Any]] = {
    "float": (float, float),
    "tuple": (tuple, tuple[Any, ...]),
    "dict": (Mapping, Mapping[str, Any]),
    "tensor": (Tensor, Tensor),
    "graph": (Data, Data),
}
# What the types of arrays come from; newer versions of NumPy have an alias of its own for them.
_ARRAYS = (np.ndarray, NDArray)


# The type of each field of a record, by name; asked for often.
_hints = cache(get_type_hints)


class UnfitError(ValueError):
    """A value is not what it must be; the text says where it is, what was wanted and what came."""


def unfit(where: str, wanted: str, value: object) -> UnfitError:
    """The error that says what a value must be, and what it is.

    >>> print(unfit("graph.size", "a whole number", "big"))
    graph.size must be a whole number, got "big"
    """
    return UnfitError(f"{where} must be {wanted}, got {_shown(value)}")


def _shown(value: object) -> str:
    """A value as messages show it: as JSON has it, and never long."""
    if isinstance(value, dict):
        return "an object"
    text = json.dumps(_plain(value), default=str)
    if len(text) <= 40:
        return text
    return f"a list of {len(value)}" if isinstance(value, list | tuple) else f"{text[:37]}..."


def are_whole(tensor: Tensor) -> bool:
    """Whether a tensor holds whole numbers, which truth values are not."""
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)


def write_document(content: Mapping[str, Json], path: str | PathLike[str]) -> None:
    """Write what a file is to hold, whole or not at all, with the format and its version."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **content}, allow_nan=False)
    with atomic_path(path) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8")


def read_document(path: Path) -> tuple[dict[str, Json], "Reader"]:
    """The object in a file, its format and version checked, and what reads its entries.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is something else; of another version, :class:`UnfitError` for what is no such file at all.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}; give the path of a file that save wrote") from None
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnfitError(f"it is not JSON, or cut off ({error})") from None
    document = _checked(document, dict, "its content")
    if document.get("format") != FORMAT:
        raise unfit("format", f'"{FORMAT}"', document.get("format"))
    version = _checked(document.get("version"), int, "version")
    if version != VERSION:
        way_out = "upgrade protograph, or save" if version > VERSION else "save"
        raise ValueError(
            f"path must be an explanation file of version {VERSION}, got {path} of version {version}; {way_out} the "
            f"explanation again with this release"
        )
    return document, Reader(len(content))


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
    own = origin or kind
    if (is_dataclass(own) or own in (Mapping, Tensor, Data)) and not isinstance(value, own):
        raise unfit(where, f"of the type {own.__name__}", value)
    if kind is Any:
        return _pack_value(value, where)
    if origin is UnionType:
        return None if value is None else pack(value, kinds[0], where)
    if origin in (list, tuple):
        if len(value) > LONG and kinds[0] in (int, float):
            # As few bytes: compressed, as text.
            numbers = np.asarray(value, dtype=np.int64 if kinds[0] is int else np.float64)
            text = base64.b64encode(zlib.compress(numbers.tobytes())).decode()
            return {"numbers": text, "dtype": numbers.dtype.name, "size": int(numbers.size)}
        return [pack(*item) for item in _items(value, kind, where)]
    if origin is Mapping:
        return {str(name): pack(item, kinds[1], f"{where}.{name}") for name, item in value.items()}
    if origin in _ARRAYS or kind is Tensor:
        tensor = torch.as_tensor(value)
        of = bool if tensor.dtype == torch.bool else float if tensor.is_floating_point() else int
        data = pack(tensor.flatten().tolist(), list[of], where)  # type: ignore[valid-type]
        return {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape), "data": data}
    if is_dataclass(kind):
        return pack_record(value, where)
    if kind is Data:
        return _pack_graph(value, where)
    checked = _checked(_plain(value), kind, where)
    return str(checked) if kind is float and not math.isfinite(checked) else checked


def pack_record(record: Any, where: str, *, without: Collection[str] = ()) -> Json:
    """A record as an object of JSON, without some of its fields."""
    hints = {name: hint for name, hint in _hints(record.__class__).items() if name not in without}
    return {name: pack(getattr(record, name), hint, f"{where}.{name}") for name, hint in hints.items()}


def _items(values: Any, kind: Any, where: str) -> list[tuple[Any, Any, str]]:
    """Each item of a list or tuple with its type and where it is."""
    if not isinstance(values, list | tuple):
        raise unfit(where, "a list", values)
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
        raise unfit(where, _WANTED.get(kind, "an object"), value)
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
    for name, (own, kind) in _TAGS.items():
        if isinstance(value, own) and (own is not Tensor or _is_storable(value)):
            return {name: pack(value, kind, f"{where}.{name}")}
    return f"{value.__module__}.{value.__qualname__}" if hasattr(value, "__qualname__") else str(value)


def _is_storable(tensor: Tensor) -> bool:
    return tensor.dtype in _DTYPES.values() and tensor.layout == torch.strided and not tensor.is_meta


def _pack_graph(graph: Data, where: str) -> Json:
    """A graph as an object with an entry for each attribute; what is no tensor, graph, text or number is left out."""
    kept = (str, int, float, np.generic, Data)
    packed = {
        key: _pack_value(value, f"{where}.{key}")
        for key, value in graph.to_dict().items()
        if (_is_storable(value) if isinstance(value, Tensor) else isinstance(value, kept))
    }
    if "x" not in packed or "num_nodes" in packed:
        with warnings.catch_warnings():
            # PyG warns that it guesses the number from the edges; written down, it need not be guessed again.
            warnings.simplefilter("ignore")
            packed["num_nodes"] = int(graph.num_nodes or 0)
    return packed


class Reader:
    """Reads what :func:`pack` wrote, and no more of it than fits into memory.

    Args:
        size: How many bytes the file has.

    >>> Reader(0).read([1, "inf"], tuple[int, float])
    (1, inf)
    >>> Reader(0).read({"size": "big"}, Mapping[str, int], "graph")
    Traceback (most recent call last):
    ...
    protograph.explanation.io.UnfitError: graph.size must be a whole number, got "big"
    """

    def __init__(self, size: int) -> None:
        self._packed_left, self._nodes_left = MAX_PACKED, MAX_NODES + size

    def read(self, value: Json, kind: Any, where: str = "its content") -> Any:
        """A value of a type, as fields are annotated.

        Raises:
            UnfitError: If it is something else.
        """
        origin, kinds = get_origin(kind), get_args(kind)
        if kind is Any:
            return self._value(value, where)
        if origin is UnionType:
            return None if value is None else self.read(value, kinds[0], where)
        if origin in (list, tuple):
            if kinds[0] in (int, float) and isinstance(value, dict):
                value = self._unpacked(value, where)
            # Long lists of plain numbers need no look at each.
            is_plain = kinds[1:] in ((), (...,)) and type(value) is list and set(map(type, value)) <= {kinds[0]}
            if is_plain and kinds[0] in (bool, int, float):
                return origin(value)
            return origin(self.read(*item) for item in _items(value, kind, where))
        if origin is Mapping:
            entries = _checked(value, dict, where).items()
            return {self._key(name, kinds[0], where): self.read(v, kinds[1], f"{where}.{name}") for name, v in entries}
        if origin in _ARRAYS or kind is Tensor:
            tensor = self._tensor(value, where)
            return tensor if kind is Tensor else tensor.numpy()
        if is_dataclass(kind):
            return self._record(value, kind, where)
        if kind is Data:
            return self._graph(value, where)
        if kind is float and type(value) is str:
            value = _NON_FINITE.get(value, value)
        return _cleaned(_checked(value, kind, where))

    def _record(self, value: Json, kind: Any, where: str) -> Any:
        if isinstance(value, kind):  # what several records share was read before
            return value
        entries, hints = _checked(value, dict, where), _hints(kind)
        for field in fields(kind):
            if field.name not in entries and field.default is field.default_factory is MISSING:
                raise UnfitError(f"{where} must have {field.name}, got an object without it")
        if others := sorted(set(entries) - set(hints)):
            raise UnfitError(f"{where} must have no entries but {', '.join(hints)}, got {_shown(others[0])}")
        parts = {name: self.read(item, hints[name], f"{where}.{name}") for name, item in entries.items()}
        try:
            return kind(**parts)
        except ValueError as error:
            raise UnfitError(f"{where}.{error}") from None

    def _key(self, name: str, kind: Any, where: str) -> Any:
        if kind is str:
            return _cleaned(name)
        if not re.fullmatch(r"-?\d{1,18}", name):
            raise unfit(where, "an object with whole numbers for names", name)
        return int(name)

    def _value(self, value: Json, where: str) -> Any:
        if isinstance(value, list):
            return self.read(value, list[Any], where)
        if not isinstance(value, dict):
            return _cleaned(value)
        name = next(iter(value), None)
        if len(value) != 1 or name not in _TAGS:
            raise unfit(where, f"an object with one entry of {', '.join(_TAGS)}", list(value))
        return self.read(value[name], _TAGS[name][1], f"{where}.{name}")

    def _unpacked(self, value: dict[str, Json], where: str) -> list[Any]:
        size, dtype, text = (value.get(name) for name in ("size", "dtype", "numbers"))
        if type(size) is not int or size < 0 or dtype not in _PACKED_DTYPES or not isinstance(text, str):
            raise UnfitError(f"{where} must be a list, or packed numbers, got another object")
        self._packed_left -= size
        if self._packed_left < 0:
            raise unfit(where, f"part of at most {MAX_PACKED:,} packed numbers in a file", size)
        length = size * np.dtype(dtype).itemsize
        try:
            content = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), length + 1)
        except (ValueError, zlib.error):
            content = b""
        if len(content) != length:
            raise UnfitError(f"{where} must be {size} packed numbers, got others")
        return list(np.frombuffer(content, dtype).tolist())

    def _tensor(self, value: Json, where: str) -> Tensor:
        entries = _checked(value, dict, where)
        if set(entries) != {"dtype", "shape", "data"}:
            raise unfit(where, "a tensor of dtype, shape and data", sorted(entries))
        dtype = _DTYPES.get(str(entries["dtype"]))
        shape = self.read(entries["shape"], tuple[int, ...], f"{where}.shape")
        if dtype is None:
            raise unfit(f"{where}.dtype", f"one of {', '.join(_DTYPES)}", entries["dtype"])
        kind = bool if dtype == torch.bool else float if dtype.is_floating_point else int
        data = self.read(entries["data"], list[kind], f"{where}.data")  # type: ignore[valid-type]
        try:
            tensor = torch.tensor(data, dtype=dtype).reshape(shape)
        except (RuntimeError, TypeError, ValueError, OverflowError):
            tensor = None
        # PyTorch takes -1 for a size that it may choose, and for the largest of some numbers without a sign.
        if tensor is None or tensor.shape != shape or (kind is int and tensor.flatten().tolist() != data):
            raise UnfitError(
                f"{where}.data must be {entries['dtype']} values of the shape {_shown(shape)}, "
                f"got {len(data)} that are not"
            )
        return tensor

    def _graph(self, value: Json, where: str) -> Data:
        graph = Data()
        for key, item in _checked(value, dict, where).items():
            # Not by setattr: the name comes from outside, and may be that of a method.
            graph[key] = self._value(item, f"{where}.{key}")
        x, edges = graph.get("x"), graph.get("edge_index")
        count = value.get("num_nodes", len(x) if isinstance(x, Tensor) and x.dim() else None)
        if type(count) is not int or count < 0:
            raise unfit(f"{where}.num_nodes", "a whole number of at least 0, unless x has a row for each node", count)
        self._nodes_left -= count
        if self._nodes_left < 0:
            raise unfit(f"{where}.num_nodes", "one of the sizes that a file of this length can have", count)
        if "edge_index" in value:
            if not isinstance(edges, Tensor) or edges.dim() != 2 or len(edges) != 2 or not are_whole(edges):
                raise UnfitError(f"{where}.edge_index must be whole numbers of shape [2, num_edges], got others")
            if wrong := [node for node in edges.flatten().tolist() if not 0 <= node < count]:
                raise UnfitError(f"{where}.edge_index must join nodes 0 to {count - 1}, got node {wrong[0]}")
        return graph


def _cleaned(value: Any) -> Any:
    """A text without what steers a terminal; anything else as it is."""
    return _CONTROL.sub("", value) if isinstance(value, str) else value
