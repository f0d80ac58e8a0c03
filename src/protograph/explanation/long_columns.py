"""Long lists of numbers as a few bytes each: what JSON writes of a million graphs would be hundreds of megabytes.

Whole numbers are written as differences, and decimals with few places as whole numbers; both in as few bytes as they
need, the bytes of one rank side by side, compressed, as text.
"""

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Longer lists are written like this.
LONG = 100_000
_MOST = 2**31
_DECIMALS = 1e6
_WHOLE = (np.int8, np.int16, np.int32, np.int64)


def packed(values: Sequence[float] | NDArray[Any], kind: type) -> dict[str, Any]:
    """Numbers as an object for JSON.

    >>> unpacked(packed([3, 1, 2], int)), unpacked(packed([0.25, 0.1], float))
    ([3, 1, 2], [0.25, 0.1])
    """
    numbers, scale = np.asarray(values, dtype=np.int64 if kind is int else np.float64), 0.0
    if kind is float:
        with np.errstate(all="ignore"):
            whole = np.rint(numbers * _DECIMALS)
            if (np.abs(whole) < 2**52).all() and (whole / _DECIMALS == numbers).all() and not np.signbit(numbers).any():
                numbers, scale = whole.astype(np.int64), _DECIMALS
    if numbers.dtype == np.int64:
        steps = np.diff(numbers, prepend=0)
        low, high = int(steps.min(initial=0)), int(steps.max(initial=0))
        numbers = steps.astype(next(one for one in _WHOLE if np.iinfo(one).min <= low and high <= np.iinfo(one).max))
    rows = numbers.reshape(-1, 1).view(np.uint8).T
    text = base64.b64encode(zlib.compress(np.ascontiguousarray(rows).tobytes(), 6)).decode()
    return {"numbers": text, "dtype": numbers.dtype.name, "size": int(numbers.size), "scale": scale}


def is_packed(value: object) -> bool:
    """Whether an object of JSON is such a list."""
    return isinstance(value, Mapping) and set(value) == {"numbers", "dtype", "size", "scale"}


def unpacked(value: Mapping[str, Any]) -> list[Any]:
    """The numbers again.

    Raises:
        ValueError: If it is something else.
    """
    dtype = np.dtype(value["dtype"]) if value["dtype"] in ("int8", "int16", "int32", "int64", "float64") else None
    size = value["size"]
    if dtype is None or type(size) is not int or not 0 <= size <= _MOST or not isinstance(value["numbers"], str):
        raise ValueError("a packed list of numbers, got another object")
    length = size * dtype.itemsize
    reader = zlib.decompressobj()
    try:
        content = reader.decompress(base64.b64decode(value["numbers"], validate=True), length + 1)
    except (ValueError, zlib.error):
        content = b""
    if len(content) != length:
        raise ValueError(f"{size} packed numbers, got others")
    rows = np.ascontiguousarray(np.frombuffer(content, np.uint8).reshape(dtype.itemsize, size).T)
    numbers = rows.view(dtype).reshape(-1)
    if dtype.kind == "i":
        numbers = numbers.astype(np.int64).cumsum()
    listed: list[Any] = (numbers / value["scale"] if value["scale"] else numbers).tolist()
    return listed
