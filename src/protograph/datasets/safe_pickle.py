"""An array read from a pickle file without running what the file asks for.

A pickle names functions that its reader calls. Here the few names that numpy writes for an array stand for
functions of this file, which check what they are given, and every other name is refused. Not even numpy's own
are called: they trust what a pickle tells them about memory.
"""

import gzip
import math
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Reals, integers and booleans with their widths, as numpy abbreviates them.
_PLAIN_TYPES = frozenset({"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"})


class RefusedError(Exception):
    """A pickle asks for something that no array of numbers needs."""


def read_array(path: Path) -> NDArray[Any]:
    """The array of numbers that a pickle file holds, which may be gzipped (``.gz``); it cannot be written to.

    Raises:
        ValueError: If the file holds anything else, or is damaged.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "array.pkl"
    ...     _ = path.write_bytes(pickle.dumps(np.eye(2)))
    ...     read_array(path)
    array([[1., 0.],
           [0., 1.]])
    """
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        try:
            return _as_array(_ArrayUnpickler(file).load())
        except RefusedError as error:
            raise ValueError(f"{path} must be a pickled numpy array of numbers, {error}; nothing was run") from None
        # Any byte may be wrong, so that any exception may come; see the documentation of pickle.UnpicklingError.
        except Exception as error:
            raise ValueError(
                f"{path} cannot be read ({type(error).__name__}: {error}); it is damaged or another file, get it again"
            ) from error


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        asked = f"{module}.{name}"
        if asked not in _ALLOWED:
            raise RefusedError(f"got one that asks for {asked}")
        return _ALLOWED[asked]


class _PickledType:
    """A ``numpy.dtype``, whose byte order comes after its name."""

    def __init__(self, name: Any, *_: Any) -> None:
        if name not in _PLAIN_TYPES:
            raise RefusedError(f"got one of the type {name!r}")
        self.dtype: np.dtype[Any] = np.dtype(name)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[1] not in ("<", ">", "|", "="):
            raise RefusedError(f"got one with the byte order {state[1]!r}")
        self.dtype = self.dtype.newbyteorder(state[1])


class _PickledArray:
    """A ``numpy.ndarray``, whose content comes after it was made."""

    def __init__(self) -> None:
        self.array: NDArray[Any] | None = None

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, of_type, is_fortran, content = state
        self.array = _from_buffer(content, of_type, shape, "F" if is_fortran else "C")


def _from_buffer(content: Any, of_type: Any, shape: tuple[int, ...], order: Any) -> NDArray[Any]:
    if not isinstance(of_type, _PickledType) or not isinstance(content, bytes | bytearray):
        raise RefusedError("got one that is put together in another way")
    if len(content) != math.prod(shape) * of_type.dtype.itemsize:
        raise RefusedError(f"got {len(content)} bytes for the shape {shape} of {of_type.dtype}")
    array = np.frombuffer(content, of_type.dtype).reshape(shape, order=order)
    array.flags.writeable = False
    return array


def _reconstruct(*_: Any) -> _PickledArray:
    return _PickledArray()


def _pickled_type(*state: Any) -> _PickledType:
    return _PickledType(*state)


def _encode(text: Any, encoding: Any) -> bytes:
    # How bytes are written in the pickles of Python 2; other encodings may unpack a few bytes to gigabytes.
    if not isinstance(text, str) or encoding != "latin1":
        raise RefusedError(f"got one with texts encoded as {encoding!r}")
    return text.encode("latin1")


def _never_called(*_: Any) -> None:
    raise RefusedError("got one that is put together in another way")


# numpy.core was renamed to numpy._core in numpy 2.
_ALLOWED: Mapping[str, Callable[..., Any]] = {
    "numpy.ndarray": _never_called,
    "numpy.dtype": _pickled_type,
    "numpy.core.multiarray._reconstruct": _reconstruct,
    "numpy._core.multiarray._reconstruct": _reconstruct,
    "numpy.core.numeric._frombuffer": _from_buffer,
    "numpy._core.numeric._frombuffer": _from_buffer,
    "_codecs.encode": _encode,
}


def _as_array(content: Any) -> NDArray[Any]:
    array = content.array if isinstance(content, _PickledArray) else content
    if not isinstance(array, np.ndarray):
        raise RefusedError(f"got {type(content).__name__}")
    return array
