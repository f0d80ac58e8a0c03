"""Named tensors in one file that holds nothing but numbers: reading it runs no code.

The layout is that of ``safetensors``, which many programs read: eight bytes that tell the length of the header, the
header as JSON, and the numbers of all tensors one after the other. Beside the tensors a header may hold texts; one of
them is a checksum of the numbers, by which a damaged file is told: a CRC, which takes a quarter of the time of reading.
Files that were written before have a digest in its place, which took longer than reading.
"""

import hashlib
import json
import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from protograph._base.files import atomic_path

_DTYPES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F32": torch.float32,
    "F64": torch.float64,
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_TEXTS, _CHECKSUM, _DIGEST = "__metadata__", "crc32", "blake2b"
# A longer header is none that we wrote.
_MOST_HEADER = 2**28


def is_storable(tensor: Tensor) -> bool:
    """Whether a file can hold a tensor: one on the device ``meta`` has no numbers."""
    return tensor.dtype in _NAMES and tensor.layout is torch.strided and not tensor.is_meta


def write_tensors(path: Path, tensors: Mapping[str, Tensor], texts: Mapping[str, str]) -> None:
    """Write tensors and texts, whole or not at all."""
    header: dict[str, Any] = {}
    parts, place, checksum = [], 0, 0
    for name, tensor in tensors.items():
        numbers = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
        end = place + numbers.size
        header[name] = {
            "dtype": _NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [place, end],
        }
        checksum = zlib.crc32(numbers.data, checksum)
        parts.append(numbers)
        place = end
    head = json.dumps({_TEXTS: {**texts, _CHECKSUM: f"{checksum:08x}"}, **header}).encode()
    head += b" " * (-len(head) % 8)
    with atomic_path(path) as partial, partial.open("wb") as file:
        file.write(len(head).to_bytes(8, "little"))
        file.write(head)
        for part in parts:
            file.write(part.data)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Tensors and texts of a file.

    Raises:
        ValueError: If it is damaged, or something else; the message names it.
    """
    content = np.fromfile(path, dtype=np.uint8).data
    try:
        return _parsed(content)
    except (ValueError, KeyError, TypeError, RuntimeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged or no file of tensors: {error or type(error).__name__}") from None


def read_texts(path: Path) -> dict[str, str]:
    """The texts of a file, without a look at its tensors.

    Raises:
        ValueError: If it is damaged, or something else; the message names it.
    """
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        head = file.read(length) if length <= _MOST_HEADER else b""
    try:
        return dict(json.loads(head)[_TEXTS])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path} is damaged or no file of tensors: it is cut off, or has no header") from None


def _parsed(content: memoryview) -> tuple[dict[str, Tensor], dict[str, str]]:
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or not 2 <= length <= min(_MOST_HEADER, len(content) - 8):
        raise ValueError("it is cut off, or has no header")
    header = json.loads(bytes(content[8 : 8 + length]))
    texts = dict(header.pop(_TEXTS, {}))
    numbers = content[8 + length :]
    checksum, digest = texts.pop(_CHECKSUM, None), texts.pop(_DIGEST, None)
    is_damaged = checksum is not None and f"{zlib.crc32(numbers):08x}" != checksum
    if is_damaged or (digest is not None and hashlib.blake2b(numbers, digest_size=16).hexdigest() != digest):
        raise ValueError("its numbers are not those that were written")
    return {name: _tensor(numbers, **entry) for name, entry in header.items()}, texts


def _tensor(numbers: memoryview, dtype: str, shape: list[int], data_offsets: list[int]) -> Tensor:
    kind, (first, last) = _DTYPES[dtype], data_offsets
    size = math.prod(shape) * kind.itemsize
    if min(shape, default=0) < 0 or first < 0 or last - first != size or last > len(numbers):
        raise ValueError("a tensor lies outside of it")
    own = np.frombuffer(numbers[first:last], dtype=np.uint8).copy()  # where its numbers may begin at any byte
    return torch.from_numpy(own).view(kind).reshape(shape) if size else torch.empty(shape, dtype=kind)
