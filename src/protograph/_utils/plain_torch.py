"""Reading what ``torch.save`` wrote without ever running code that a file may hold."""

import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

PLAIN = (str, bytes, int, float, complex, type(None))
# How many times as large as its file a content may become, and what any may: views of a few nodes' features are common.
MOST_TIMES, LEAST = 100, 1 << 20


def load_plain(path: Path, wanted: str, classes: Sequence[type] = ()) -> Any:
    """Content of a file of tensors, plain values and objects of the given classes, on the CPU.

    Args:
        path: The file.
        wanted: What it should hold, for the message.
        classes: Classes whose objects it may hold.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is damaged or holds anything else.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    # The context takes away on leaving what it was given, so it must not be given what PyG has allowed for good.
    unknown: list[Any] = [one for one in classes if one not in torch.serialization.get_safe_globals()]
    try:
        with torch.serialization.safe_globals(unknown), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns of unusual pickles before it refuses them
            check_plain_zip(path)
            content = torch.load(path, map_location="cpu", weights_only=True)
            _check_views(content, most_bytes(path))
            return content
    except MemoryError:
        raise
    except Exception as error:  # what a damaged file makes an unpickler raise is open
        raise ValueError(f"{path} cannot be read as {wanted}; {_reason(error)}") from None


def check_plain_zip(path: Path) -> None:
    """Check that a zip archive is as ``torch.save`` writes it: nothing in it is packed, so that it does not grow.

    Raises:
        ValueError: If a part of it is packed, or parts overlap.
    """
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ValueError("it is packed, which torch.save does not do; load it and save it with torch.save")
    if sum(member.file_size for member in members) > path.stat().st_size:
        raise ValueError("its parts overlap, which those of torch.save do not")


def most_bytes(path: Path) -> int:
    """Most bytes that what a file stands for may take beyond what it stores: views, sparse tensors, nodes without x."""
    return max(MOST_TIMES * path.stat().st_size, LEAST)


def _check_views(content: Any, limit: int) -> None:
    """Check that tensors that stand for more than is stored do not stand for far more than the file has."""
    for tensor in _tensors(content, set()):
        size, is_sparse = tensor.numel() * tensor.element_size(), tensor.layout != torch.strided
        if is_sparse or (not tensor.is_contiguous() and size > tensor.untyped_storage().nbytes()):
            limit -= size
        if limit < 0:
            raise ValueError(
                f"it has a tensor of shape {list(tensor.shape)} of which little is stored; "
                f"save what tensor.to_dense().contiguous() gives if it is meant"
            )


def _tensors(value: Any, seen: set[int]) -> Iterator[Tensor]:
    """All tensors in lists, tuples, dictionaries and objects, each object looked at once."""
    if isinstance(value, Tensor):
        yield value
    elif id(value) not in seen and not isinstance(value, PLAIN):
        seen.add(id(value))
        inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple | set) else ()
        for item in (*inner, *getattr(value, "__dict__", {}).values()):
            yield from _tensors(item, seen)


def _reason(error: Exception) -> str:
    """What is wrong, without torch's advice to read the file all the same."""
    if refused := re.search(r"GLOBAL ([\w.]+) was not an allowed", str(error)):
        return f"it holds a {refused[1]}"
    lines = str(error).strip().splitlines()
    is_advice = not lines or "Weights only load failed" in lines[0]
    return "it is damaged or holds other objects" if is_advice else lines[0]
