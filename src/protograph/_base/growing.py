"""Arrays that grow row by row, in memory up to a size and beyond it in a temporary file that is read as if it were one.

A file that is mapped into memory counts as memory of the process only for those of its pages that were looked at;
:func:`give_back` hands these back, so that what is gone through once from its beginning to its end takes next to none.
"""

import mmap
import tempfile
import weakref
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Bytes of an array that stay in memory.
BYTES_IN_MEMORY = 2**25
# Rows of an array in a file that are changed at a time.
ROWS_AT_ONCE = 2**20
# Rows that are taken from all over a file at a time: each may be in a page of its own.
ROWS_GATHERED = 2**13


class GrowingArray:
    """Rows that come a few at a time.

    Args:
        dtype: Type of the numbers.
        width: Numbers of a row; ``None`` where a row is a number.
        max_bytes: How much of it stays in memory.

    >>> numbers = GrowingArray(np.int64)
    >>> numbers.append([1, 2])
    >>> numbers.append([3])
    >>> numbers.finished().tolist()
    [1, 2, 3]
    """

    def __init__(self, dtype: Any, width: int | None = None, max_bytes: int | None = None) -> None:
        self._dtype, self._width = np.dtype(dtype), width
        self._max_bytes = BYTES_IN_MEMORY if max_bytes is None else max_bytes
        self._parts: list[NDArray[Any]] = []
        self._num_bytes = self._length = 0
        self._file: IO[bytes] | None = None

    def __len__(self) -> int:
        return self._length

    @property
    def is_in_file(self) -> bool:
        """Whether it has outgrown memory."""
        return self._file is not None

    def append(self, rows: ArrayLike) -> None:
        """Add some rows, which are copied."""
        part = np.array(rows, dtype=self._dtype)
        self._length += len(part)
        self._num_bytes += part.nbytes
        if self._file is not None:
            part.tofile(self._file)
            return
        self._parts.append(part)
        if self._num_bytes > self._max_bytes:
            self._file = tempfile.TemporaryFile(prefix="protograph-")  # noqa: SIM115 - lives as long as this object
            weakref.finalize(self, self._file.close)
            for early in self._parts:
                early.tofile(self._file)
            self._parts = []

    def finished(self) -> NDArray[Any]:
        """All rows; a file is mapped into memory, and gone with the array."""
        shape = (self._length,) if self._width is None else (self._length, self._width)
        if self._file is None:
            return np.concatenate(self._parts).reshape(shape) if self._parts else np.zeros(shape, self._dtype)
        self._file.flush()
        mapped = np.memmap(self._file, dtype=self._dtype, mode="r+", shape=shape)
        # A plain array: compiled loops look at those much quicker, and are not compiled once more.
        return np.asarray(mapped)


def file_of(array: NDArray[Any]) -> mmap.mmap | None:
    """The file that an array is mapped from, ``None`` for one in memory."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base if isinstance(base, mmap.mmap) else None


def give_back(*arrays: NDArray[Any]) -> None:
    """Let go of the memory that arrays in files take by now; what they hold is read again when it is looked at."""
    for array in arrays:
        file = file_of(array)
        if file is not None and hasattr(mmap, "MADV_DONTNEED"):
            file.madvise(mmap.MADV_DONTNEED)


def rows_of(array: NDArray[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
    """Some rows of an array; of one in a file some thousand at a time, so that not all of it is in memory at once."""
    if file_of(array) is None:
        rows: NDArray[Any] = array[indices]
        return rows
    result = np.empty((indices.size, *array.shape[1:]), array.dtype)
    for first in range(0, indices.size, ROWS_GATHERED):
        part = slice(first, first + ROWS_GATHERED)
        result[part] = array[indices[part]]
        give_back(array)
    return result


def renumber(array: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """Put ``new[number]`` in the place of each number of an array; of one in a file a part at a time, in the file."""
    if file_of(array) is None:
        changed: NDArray[Any] = new[array]
        return changed
    for first in range(0, len(array), ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        array[part] = new[array[part]]
        give_back(array)
    return array
