"""Reading what ``torch.save`` wrote without ever running code that a file may hold."""

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch


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
            return torch.load(path, map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except Exception as error:  # what a damaged file makes an unpickler raise is open
        raise ValueError(f"{path} cannot be read as {wanted}; {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """What is wrong, without torch's advice to read the file all the same."""
    if refused := re.search(r"GLOBAL ([\w.]+) was not an allowed", str(error)):
        return f"it holds a {refused[1]}"
    lines = str(error).strip().splitlines()
    is_advice = not lines or "Weights only load failed" in lines[0]
    return "it is damaged or holds other objects" if is_advice else lines[0]
