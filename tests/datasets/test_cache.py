import os
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from protograph._base.errors import ProtographWarning
from protograph.datasets import cache
from protograph.datasets.cache import cache_folder, cached_arrays
from tests.datasets.light_process import start
from tests.permissions import needs_a_refusal

KEY = {"file": "0123abcd", "version": 2}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path))
    return tmp_path / "processed"


def arrays():
    return {
        "x": np.arange(6, dtype=np.float32).reshape(2, 3),
        "names": np.array(["carbon", "Ö"]),
        "empty": np.zeros((0, 4), dtype=np.int64),
        "columns": np.asfortranarray(np.arange(4).reshape(2, 2)),
        "one": np.array(True),
        "swapped": np.array([1], dtype=">i2"),
    }


def same(got, wanted):
    return list(got) == list(wanted) and all(
        np.array_equal(got[name], array) and got[name].dtype == array.dtype for name, array in wanted.items()
    )


def never():
    pytest.fail("the arrays must be read, not built")


def only_file(folder):
    (path,) = folder.glob("*.npz")  # the lock's file may stay beside it
    return path


# --- where the cache is ---


def test_variable_names_the_folder(tmp_path, monkeypatch):
    assert cache_folder() == tmp_path
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PROTOGRAPH_CACHE", "~/mine")
    assert cache_folder() == tmp_path / "mine"


def test_without_the_variable_it_is_the_platforms(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", "")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "protograph"


def test_no_home_folder(monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", "~nobody-of-this-name/cache")
    with pytest.raises(FileNotFoundError, match=r"^no home folder is known for the cache; set PROTOGRAPH_CACHE to a"):
        cache_folder()
    with pytest.warns(ProtographWarning, match="no home folder is known"):
        assert same(cached_arrays("set", KEY, arrays), arrays())


# --- kept and read ---


def test_built_once_then_read(folder):
    assert same(cached_arrays("set", KEY, arrays), arrays())
    assert same(cached_arrays("set", dict(reversed(KEY.items())), never), arrays())  # the order does not matter


def test_name_of_the_file_is_that_of_the_key(folder):
    cached_arrays("set", KEY, arrays)
    # sha256 of {"format":2,"key":{"file":"0123abcd","version":2}}, by sha256sum
    assert only_file(folder).name == "set-3f9b71d8a1d9ed1ac7ce11aa.npz"


@pytest.mark.parametrize("other", [("set", {**KEY, "version": 3}), ("set", {**KEY, "version": "2"}), ("other", KEY)])
def test_another_key_or_name_is_built_by_itself(other):
    cached_arrays("set", KEY, arrays)
    got = cached_arrays(*other, lambda: {"y": np.array([5])})
    assert list(got) == ["y"]
    assert same(cached_arrays("set", KEY, never), arrays())


def test_a_packed_file_is_not_unpacked(folder):
    cached_arrays("set", KEY, arrays)
    path = only_file(folder)
    with np.load(path) as archive:
        content = dict(archive)
    np.savez_compressed(path, **content)
    assert list(cached_arrays("set", KEY, lambda: {"y": np.array([5])})) == ["y"]


def test_another_format_is_built_again(monkeypatch):
    cached_arrays("set", KEY, arrays)
    monkeypatch.setattr(cache, "FORMAT", 3)
    assert list(cached_arrays("set", KEY, lambda: {"y": np.array([5])})) == ["y"]


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt()], ids=repr)
def test_what_build_raises_is_passed_on_and_nothing_is_kept(folder, error):
    def broken():
        raise error

    with pytest.raises(type(error)) as caught:
        cached_arrays("set", KEY, broken)
    assert caught.value is error
    assert list(folder.glob("*.npz")) == []
    assert same(cached_arrays("set", KEY, arrays), arrays())  # the lock was given back


@pytest.mark.parametrize("dtype", [object, [("a", int), ("b", object)]], ids=str)
def test_objects_are_a_mistake_of_ours(folder, dtype):
    with pytest.raises(AssertionError):
        cached_arrays("set", KEY, lambda: {"x": np.zeros(2, dtype=dtype)})
    assert list(folder.glob("*.npz")) == []


# --- files that are not whole ---


def spoil(folder, content):
    path = only_file(folder)
    path.write_bytes(content)
    return path


def check_rebuilt(folder):
    """The file is replaced by a whole one, and what the file gave is not trusted."""
    built = []

    def build():
        built.append(arrays())
        return built[-1]

    assert same(cached_arrays("set", KEY, build), arrays())
    assert len(built) == 1
    assert same(cached_arrays("set", KEY, never), arrays())
    assert len(list(folder.glob("*.npz"))) + len(list(folder.glob("*.lock"))) == len(list(folder.iterdir()))


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all" * 99], ids=["empty", "start", "text"])
def test_foreign_files_are_replaced(folder, content):
    cached_arrays("set", KEY, arrays)
    spoil(folder, content)
    check_rebuilt(folder)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.99])
def test_truncated_files_are_replaced(folder, share):
    cached_arrays("set", KEY, arrays)
    whole = only_file(folder).read_bytes()
    spoil(folder, whole[: int(share * len(whole))])
    check_rebuilt(folder)


def test_no_flipped_bit_is_believed_or_noticed_by_the_caller(folder):
    small = {"x": np.array([1, 2, 3], dtype=np.uint8)}
    cached_arrays("set", KEY, lambda: small)
    whole = only_file(folder).read_bytes()
    rebuilt = []

    def build():
        rebuilt.append(position)
        return small

    value = whole.index(b"\x01\x02\x03")
    for position in (value, *range(0, len(whole), 5)):
        flipped = bytearray(whole)
        flipped[position] ^= 1 << position % 8
        spoil(folder, flipped)
        assert same(cached_arrays("set", KEY, build), small)
    assert value in rebuilt
    assert len(rebuilt) > len(whole) / 5 / 2  # the rest does not change the arrays: times, padding


def test_a_pickle_is_never_loaded(folder, tmp_path):
    class Trap:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "sprung"),))

    cached_arrays("set", KEY, arrays)
    path = only_file(folder)
    with path.open("wb") as file:
        np.savez(file, x=np.array([Trap()], dtype=object))
    check_rebuilt(folder)
    assert not (tmp_path / "sprung").exists()


def test_a_file_of_another_key_is_replaced(folder):
    cached_arrays("set", KEY, arrays)
    path = only_file(folder)
    cached_arrays("set", {"other": 1}, lambda: {"y": np.array([5])})
    (other,) = set(folder.glob("*.npz")) - {path}
    other.replace(path)
    check_rebuilt(folder)


# --- nothing can be kept ---


def message_of(build=arrays):
    with pytest.warns(ProtographWarning) as caught:
        assert same(cached_arrays("set", KEY, build), arrays())
    (warning,) = caught
    assert warning.filename == __file__
    return str(warning.message)


WAY_OUT = ", so the next run does this work again; set PROTOGRAPH_CACHE to a folder that can be written"


def test_a_file_in_place_of_the_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "file"))
    assert message_of() == f"nothing could be kept in the cache (Not a directory){WAY_OUT}"


@pytest.mark.parametrize("where", ["pathlib.Path.mkdir", "protograph.datasets.cache.FileLock"])
def test_a_read_only_folder(where, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(where, refuse)
    assert message_of() == f"nothing could be kept in the cache (Read-only file system){WAY_OUT}"


@needs_a_refusal
def test_a_read_only_folder_for_real(folder):
    folder.mkdir(mode=0o555)
    assert message_of() == f"nothing could be kept in the cache (Permission denied){WAY_OUT}"


def test_a_full_disk(folder, monkeypatch):
    def fill(file, **content):
        Path(file).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", fill)
    assert "No space left on device" in message_of()
    assert list(folder.glob("*.npz")) == []


def test_no_locks(monkeypatch):
    def refuse(path):
        raise NotImplementedError("FileSystem does not appear to support flock")

    monkeypatch.setattr(cache, "FileLock", refuse)
    assert "does not appear to support flock" in message_of()


def test_a_folder_filled_before_is_read_without_writing(monkeypatch):
    cached_arrays("set", KEY, arrays)
    monkeypatch.setattr(cache, "FileLock", lambda path: never())
    with warnings.catch_warnings(action="error"):
        assert same(cached_arrays("set", KEY, never), arrays())


# --- two processes ---

BUILDER = """
import numpy as np
from protograph.datasets.cache import cached_arrays

def build():
    print("building", flush=True)
    sys.stdin.readline()
    return {"x": np.array([int(sys.argv[1])])}

print("started", flush=True)
print(cached_arrays("set", {"k": 1}, build)["x"][0], flush=True)
"""


@pytest.fixture
def builder():
    processes = []

    def launch(number):
        processes.append(start(BUILDER, number))
        assert processes[-1].stdout.readline() == "started\n"
        return processes[-1]

    yield launch
    for process in processes:
        process.kill()
        process.communicate()


def test_one_process_builds_while_the_other_waits_and_reads(builder):
    first = builder(1)
    assert first.stdout.readline() == "building\n"
    second = builder(2)
    time.sleep(0.2)  # long enough for it to come to the lock
    first.stdin.write("\n")
    first.stdin.flush()
    assert first.stdout.read() == "1\n"
    assert second.communicate()[0] == "1\n"
    assert (first.wait(), second.returncode) == (0, 0)


def test_a_crash_of_the_builder_lets_the_other_build(builder):
    first = builder(1)
    assert first.stdout.readline() == "building\n"
    second = builder(2)
    time.sleep(0.2)
    first.kill()
    assert second.communicate("\n")[0] == "building\n2\n"
    assert cached_arrays("set", {"k": 1}, never)["x"].tolist() == [2]
