import gzip
import re
import struct

import numpy as np
import pytest

from protograph.datasets.idx import read_idx

BEGIN = "images must begin with 00 00 08 and its number of dimensions (idx format)"


def packed(array):
    return struct.pack(f">2xBB{array.ndim}I", 8, array.ndim, *array.shape) + array.tobytes()


@pytest.mark.parametrize("shape", [(0,), (5,), (3, 2), (2, 28, 28), (300, 1, 1)])
def test_array_is_the_one_written(shape):
    array = np.random.default_rng(0).integers(256, size=shape, dtype=np.uint8)
    got = read_idx(packed(array), "images")
    assert got.dtype == np.uint8
    assert np.array_equal(got, array)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", f"{BEGIN}, got nothing"),
        (b"\0\0\x08", f"{BEGIN}, got 00 00 08"),
        (b"\0\0\x0d\x01\0\0\0\0", f"{BEGIN}, got 00 00 0d 01"),
        (b"\0\0\x08\x02\0\0\0\x01", "images must have 12 bytes before its entries, got 8; it is cut short"),
        (b"\0\0\x08\x01\0\0\0\x03ab", "images must have 11 bytes for its shape (3,), got 10"),
        (b"\0\0\x08\x01\0\0\0\x01ab", "images must have 9 bytes for its shape (1,), got 10"),
    ],
)
def test_other_content(content, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read_idx(content, "images")


def test_a_size_beyond_all_memory_is_an_error_not_an_attempt():
    with pytest.raises(ValueError, match=r"for its shape \(4294967295, 4294967295\), got 12$"):
        read_idx(b"\0\0\x08\x02" + b"\xff" * 8, "images")


def test_a_packed_file_is_not_taken():
    with pytest.raises(ValueError, match=r"got 1f 8b 08 00$"):
        read_idx(gzip.compress(packed(np.zeros(3, dtype=np.uint8))), "images")
