"""Arrays kept between runs: a whole file of the right key is believed, and nothing else."""

import os

import numpy as np
import pytest

from protograph._utils.errors import ProtographWarning
from protograph.datasets.files import cache_folder, cached_arrays

KEY = {"file": "0123abcd", "version": 2}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path))
    return tmp_path / "processed"


def arrays():
    return {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "names": np.array(["carbon", "Ö"])}


def same(got, wanted):
    return list(got) == list(wanted) and all(
        np.array_equal(got[name], array) and got[name].dtype == array.dtype for name, array in wanted.items()
    )


def never(*arguments, **options):
    pytest.fail("the arrays must be read, not built")


def test_where_the_folder_is(tmp_path, monkeypatch):
    assert cache_folder() == tmp_path
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PROTOGRAPH_CACHE", "~/mine")
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.setenv("PROTOGRAPH_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "protograph"


def test_built_once_then_read(monkeypatch):
    assert same(cached_arrays("set", KEY, arrays), arrays())
    monkeypatch.setattr("pathlib.Path.mkdir", never)  # a folder that was filled before may be read-only
    assert same(cached_arrays("set", dict(reversed(KEY.items())), never), arrays())


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt()], ids=repr)
def test_what_build_raises_is_passed_on_and_nothing_is_kept(folder, error):
    def broken():
        raise error

    with pytest.raises(type(error)) as caught:
        cached_arrays("set", KEY, broken)
    assert caught.value is error
    assert list(folder.glob("*")) == []


def with_a_trap(path):
    class Trap:
        def __reduce__(self):
            return (os.mkdir, (str(path.parent / "sprung"),))

    with path.open("wb") as file:
        np.savez(file, x=np.array([Trap()], dtype=object))


def with_a_flipped_bit(path):
    content = bytearray(path.read_bytes())
    content[content.index(b"\x80?")] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 3]),
        with_a_flipped_bit,
        with_a_trap,
    ],
    ids=["empty", "cut", "bit", "pickle"],
)
def test_damaged_files_are_replaced_by_a_whole_one(folder, spoil):
    cached_arrays("set", KEY, arrays)
    (kept,) = folder.glob("*")
    spoil(kept)
    built = []
    assert same(cached_arrays("set", KEY, lambda: built.append(1) or arrays()), arrays())
    assert built == [1]
    assert same(cached_arrays("set", KEY, never), arrays())
    assert list(folder.glob("*")) == [kept]  # and no trap was sprung


def test_where_nothing_can_be_kept_a_warning_says_so(folder, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", refuse)
    message = r"nothing could be kept in the cache \(.*No space left on device\).*set PROTOGRAPH_CACHE to a folder"
    with pytest.warns(ProtographWarning, match=message) as caught:
        assert same(cached_arrays("set", KEY, arrays), arrays())
    assert caught[0].filename == __file__
    assert list(folder.glob("*")) == []
