import gzip
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from protograph.datasets.safe_pickle import read_array

ARRAYS = {
    "float32": np.arange(6, dtype=np.float32).reshape(2, 3) / 7,
    "float64": np.linspace(0, 1, 5),
    "big-endian": np.arange(4, dtype=">i4"),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "strided": np.arange(12.0).reshape(3, 4)[:, ::2],
    "boolean": np.array([True, False]),
    "no dimensions": np.array(2.5),
}


class Touch:
    """A pickle of it makes its reader write a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


class Calls:
    """A pickle of it asks for a function by its arguments."""

    def __init__(self, *called):
        self.called = called

    def __reduce__(self):
        return self.called[0], self.called[1:]


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "features.pkl"
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_come_back_equal(written, kind, protocol):
    array = read_array(written(pickle.dumps(ARRAYS[kind], protocol)))
    assert array.dtype == ARRAYS[kind].dtype
    assert np.array_equal(array, ARRAYS[kind])
    assert array.shape == ARRAYS[kind].shape


@pytest.mark.parametrize("protocol", [2, 4])
def test_arrays_of_older_numpy_come_back_equal(written, protocol):
    content = pickle.dumps(ARRAYS["float32"], protocol)
    if protocol == 2:  # where names have no length before them
        content = content.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    else:
        content = content.replace(b"\x8c\x16numpy._core.multiarray", b"\x8c\x15numpy.core.multiarray")
        # The frame is a byte shorter.
        assert content[2:3] == b"\x95"
        size = int.from_bytes(content[3:11], "little") - 1
        content = content[:3] + size.to_bytes(8, "little") + content[11:]
    assert b"_core" not in content
    assert np.array_equal(read_array(written(content)), ARRAYS["float32"])


def test_gzipped_array(tmp_path):
    path = tmp_path / "features.pkl.gz"
    path.write_bytes(gzip.compress(pickle.dumps(ARRAYS["float64"])))
    assert np.array_equal(read_array(path), ARRAYS["float64"])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_code_in_a_pickle_is_not_run(written, tmp_path, protocol):
    target = tmp_path / "touched"
    content = pickle.dumps(Touch(target), protocol)
    path = written(content)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} must be a pickled numpy array of numbers, got one"):
        read_array(path)
    assert not target.exists()
    pickle.loads(content)
    assert target.exists()  # it would have run


def refused(path, what):
    wanted = f"{path} must be a pickled numpy array of numbers, {what}; nothing was run"
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}$"):
        read_array(path)


def test_refused_names_are_told(written):
    refused(written(pickle.dumps(Calls(os.getcwd))), f"got one that asks for {os.getcwd.__module__}.getcwd")
    refused(written(pickle.dumps(Calls(eval, "1"), 0)), "got one that asks for __builtin__.eval")
    refused(written(pickle.dumps([ARRAYS["float64"], Calls(exec, "1")])), "got one that asks for builtins.exec")
    refused(written(b"cnumpy\nload\n."), "got one that asks for numpy.load")
    refused(written(b"\x80\x04\x8c\x05numpy\x8c\x0cndarray.dump\x93."), "got one that asks for numpy.ndarray.dump")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (pickle.dumps([1, 2]), "got list"),
        (pickle.dumps({"x": np.eye(2)}), "got dict"),
        (pickle.dumps(np.array([1, "a", None], dtype=object)), "got one of the type 'O8'"),
        (pickle.dumps(np.array(["a", "bc"])), "got one of the type 'U2'"),
        (pickle.dumps(Calls(np.ndarray, (2,))), "got one that is put together in another way"),
        (b"c_codecs\nencode\n(Vx\nVzip\ntR.", "got one with texts encoded as 'zip'"),
    ],
)
def test_other_content_is_refused(written, content, what):
    refused(written(content), what)


def test_memory_outside_the_content_is_not_read(written):
    content = pickle.dumps(np.arange(3, dtype=np.int8), 4)
    assert content.count(b"K\x03\x85") == 1  # the shape
    refused(written(content.replace(b"K\x03\x85", b"K\x63\x85")), "got 3 bytes for the shape (99,) of int8")


def test_damaged_bytes_never_give_another_error(written):
    rng = np.random.default_rng(0)
    for protocol in (2, 4, 5):
        content = pickle.dumps(ARRAYS["float32"], protocol)
        path = written(content[: len(content) // 2])
        with pytest.raises(ValueError, match=f"^{re.escape(str(path))} cannot be read .*; it is damaged or another"):
            read_array(path)
        for _ in range(200):
            damaged = bytearray(content)
            damaged[rng.integers(len(content))] = rng.integers(256)
            message = str(path)
            try:
                read_array(written(damaged))
            except ValueError as error:
                message = str(error)
            assert message.startswith(str(path))
