"""Arrays kept between runs: a whole file of the right key is believed, and nothing else."""

import os
import warnings

import numpy as np
import pytest

from protograph._utils.errors import ProtographWarning
from protograph.datasets import cache
from protograph.datasets.cache import cache_folder, cached_arrays
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
        "one": np.array(True),
    }


def same(got, wanted):
    return list(got) == list(wanted) and all(
        np.array_equal(got[name], array) and got[name].dtype == array.dtype for name, array in wanted.items()
    )


def never(*arguments, **options):
    pytest.fail("the arrays must be read, not built")


def kept(folder):
    (path,) = folder.glob("*")
    return path


def test_where_the_folder_is(tmp_path, monkeypatch):
    assert cache_folder() == tmp_path
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PROTOGRAPH_CACHE", "~/mine")
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.setenv("PROTOGRAPH_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "protograph"
    monkeypatch.setenv("PROTOGRAPH_CACHE", "~nobody-of-this-name/cache")
    with pytest.raises(FileNotFoundError, match=r"no home folder .* set PROTOGRAPH_CACHE to a folder"):
        cache_folder()
    with pytest.warns(ProtographWarning, match="no home folder is known"):
        assert same(cached_arrays("set", KEY, arrays), arrays())


def test_built_once_then_read(folder, monkeypatch):
    assert same(cached_arrays("set", KEY, arrays), arrays())
    # sha256 of {"format":2,"key":{"file":"0123abcd","version":2}}, by sha256sum
    assert kept(folder).name == "set-3f9b71d8a1d9ed1ac7ce11aa.npz"
    monkeypatch.setattr("pathlib.Path.mkdir", never)  # a folder that was filled before may be read-only
    with warnings.catch_warnings(action="error"):
        assert same(cached_arrays("set", dict(reversed(KEY.items())), never), arrays())


@pytest.mark.parametrize("other", [("set", {**KEY, "version": 3}), ("set", {**KEY, "version": "2"}), ("other", KEY)])
def test_another_key_or_name_is_built_by_itself(other):
    cached_arrays("set", KEY, arrays)
    assert list(cached_arrays(*other, lambda: {"y": np.array([5])})) == ["y"]
    assert same(cached_arrays("set", KEY, never), arrays())


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt()], ids=repr)
def test_what_build_raises_is_passed_on_and_nothing_is_kept(folder, error):
    def broken():
        raise error

    with pytest.raises(type(error)) as caught:
        cached_arrays("set", KEY, broken)
    assert caught.value is error
    with pytest.raises(AssertionError):  # objects would be pickled
        cached_arrays("set", KEY, lambda: {"x": np.zeros(2, dtype=object)})
    assert list(folder.glob("*")) == []


def packed(path):
    with np.load(path) as archive:
        content = dict(archive)
    np.savez_compressed(path, **content)


def of_another_key(path):
    cached_arrays("set", {"other": 1}, lambda: {"y": np.array([5])})
    (other,) = set(path.parent.glob("*.npz")) - {path}
    other.replace(path)


def with_a_trap(path):
    class Trap:
        def __reduce__(self):
            return (os.mkdir, (str(path.parent / "sprung"),))

    with path.open("wb") as file:
        np.savez(file, x=np.array([Trap()], dtype=object))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no archive at all" * 99),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 3]),
        lambda path: path.write_bytes(path.read_bytes()[:-9]),
        packed,
        of_another_key,
        with_a_trap,
    ],
    ids=["empty", "text", "cut", "end", "packed", "other key", "pickle"],
)
def test_other_files_are_replaced_by_a_whole_one(folder, spoil):
    cached_arrays("set", KEY, arrays)
    spoil(kept(folder))
    built = []
    assert same(cached_arrays("set", KEY, lambda: built.append(1) or arrays()), arrays())
    assert built == [1]
    assert same(cached_arrays("set", KEY, never), arrays())
    assert kept(folder).is_file()  # and no trap was sprung


def test_no_flipped_bit_is_believed_or_noticed_by_the_caller(folder):
    small = {"x": np.array([1, 2, 3], dtype=np.uint8)}
    cached_arrays("set", KEY, lambda: small)
    content = kept(folder).read_bytes()
    value = content.index(b"\x01\x02\x03")
    for position in (value, *range(0, len(content), 23)):
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 8
        kept(folder).write_bytes(flipped)
        rebuilt = []
        assert same(cached_arrays("set", KEY, lambda to=rebuilt: to.append(1) or small), small)
        assert rebuilt or position != value


@pytest.mark.parametrize("reason", ["Not a directory", "Read-only file system", "No space left on device"])
def test_where_nothing_can_be_kept_a_warning_says_so(folder, reason, tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(28, reason)

    if reason == "Not a directory":
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "file"))
    elif reason == "Read-only file system":
        monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    else:
        monkeypatch.setattr(np, "savez", refuse)
    message = (
        rf"nothing could be kept in the cache \(.*{reason}\).*set PROTOGRAPH_CACHE to a folder that can be written"
    )
    with pytest.warns(ProtographWarning, match=message) as caught:
        assert same(cached_arrays("set", KEY, arrays), arrays())
    assert caught[0].filename == __file__
    assert list(folder.glob("*")) == []


@needs_a_refusal
def test_a_read_only_folder_for_real(folder):
    folder.mkdir(mode=0o555)
    with pytest.warns(ProtographWarning, match="Permission denied"):
        assert same(cached_arrays("set", KEY, arrays), arrays())


def test_another_format_is_built_again(monkeypatch):
    cached_arrays("set", KEY, arrays)
    monkeypatch.setattr(cache, "FORMAT", 3)
    assert list(cached_arrays("set", KEY, lambda: {"y": np.array([5])})) == ["y"]
