"""Fingerprints: of a graph's tensors, and of all that a value holds."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.validate import NUMBERS


def fingerprint(graph: Data) -> bytes:
    """What tells graphs apart by all their tensors, their names, types and shapes, wherever they stand in a data set.

    >>> one, same, other = Data(x=torch.ones(2, 1)), Data(x=torch.ones(2, 1)), Data(x=torch.ones(1, 2))
    >>> fingerprint(one) == fingerprint(same), fingerprint(one) == fingerprint(other)
    (True, False)
    """
    digest = hashlib.sha256()
    for key, value in sorted(graph.to_dict().items()):
        if isinstance(value, Tensor):
            digest.update(f"{key} {value.dtype} {tuple(value.shape)}".encode())
            plain = _dense(value)
            if plain.dtype in NUMBERS and plain.is_floating_point():
                plain = plain + 0.0  # so that -0.0 has the bytes of 0.0
            digest.update(_bytes(plain))
    return digest.digest()


def _dense(tensor: Tensor) -> Tensor:
    """All numbers of a tensor, in order and on the CPU; none where it is on the device ``meta``."""
    tensor = tensor.detach()
    if tensor.is_meta:
        return torch.empty(0)
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    return (tensor if tensor.layout == torch.strided else tensor.to_dense()).cpu().contiguous()


def _bytes(plain: Tensor) -> memoryview:
    return plain.reshape(-1).view(torch.uint8).numpy().data


def content_hash(*values: Any) -> str:
    """What tells values apart by all that they hold: numbers, texts, tensors to the last bit, graphs with their words.

    Lists, mappings and records are gone through; a mapping has no order. A function or another object whose content
    cannot be read is like nothing else, not even itself at another time.

    >>> content_hash({"a": 1, "b": [torch.ones(2)]}) == content_hash({"b": [torch.ones(2)], "a": 1})
    True
    >>> content_hash(1) == content_hash(1.0), content_hash(print) == content_hash(print)
    (False, False)
    """
    digest = hashlib.sha256()
    for value in values:
        _add(digest.update, value)
    return digest.hexdigest()


def _add(update: Callable[[Any], object], value: Any) -> None:
    """Add a value with its type and length, so that no two values give the same bytes."""
    if isinstance(value, Tensor):
        update(f"tensor {value.dtype} {tuple(value.shape)};".encode())
        update(_bytes(_dense(value)))
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        update(f"array {value.dtype.str} {value.shape};".encode())
        update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
    elif isinstance(value, str | bytes):
        content = value.encode(errors="surrogatepass") if isinstance(value, str) else value
        update(f"{type(value).__name__} {len(content)};".encode())
        update(content)
    elif isinstance(value, PLAIN):
        update(f"{type(value).__name__} {value!r};".encode())
    else:
        _add_parts(update, value)


PLAIN = (type(None), bool, int, float, complex, np.generic, torch.dtype, torch.device)


def _add_parts(update: Callable[[Any], object], value: Any) -> None:
    parts: Sequence[Any]
    if isinstance(value, Data):
        value = value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        parts = [(field.name, getattr(value, field.name)) for field in fields(value)]
    elif isinstance(value, Mapping):
        parts = sorted(value.items(), key=lambda item: repr(item[0]))
    elif isinstance(value, Sequence):
        parts = value
    else:
        update(uuid4().bytes)
        return
    update(f"{type(value).__name__} {len(parts)};".encode())
    for part in parts:
        _add(update, part)
