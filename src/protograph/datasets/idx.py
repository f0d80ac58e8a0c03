"""The idx format of the MNIST files: a magic number, the shape, then the numbers."""

import math

import numpy as np
from numpy.typing import NDArray

UNSIGNED_BYTES = b"\x00\x00\x08"


def read_idx(content: bytes, what: str) -> NDArray[np.uint8]:
    r"""The array of an unpacked idx file of unsigned bytes, read-only.

    Args:
        content: The file's bytes: 00 00, the type 08, the number of dimensions, each size as four bytes with
            the highest first, then the entries.
        what: Which file it is, for the message.

    Raises:
        ValueError: If it is another format or the length does not fit.

    >>> read_idx(b"\x00\x00\x08\x01" + b"\x00\x00\x00\x02" + b"\x05\x07", "labels")
    array([5, 7], dtype=uint8)
    """
    if content[:3] != UNSIGNED_BYTES or len(content) < 4:
        got = content[:4].hex(" ") or "nothing"
        raise ValueError(f"{what} must begin with 00 00 08 and its number of dimensions (idx format), got {got}")
    num_dims = content[3]
    start = 4 + 4 * num_dims
    if len(content) < start:
        raise ValueError(f"{what} must have {start} bytes before its entries, got {len(content)}; it is cut short")
    shape = tuple(np.frombuffer(content, dtype=">u4", count=num_dims, offset=4).tolist())
    wanted = start + math.prod(shape)
    if len(content) != wanted:
        raise ValueError(f"{what} must have {wanted} bytes for its shape {shape}, got {len(content)}")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)
