from pathlib import Path

import pytest

from protograph import datasets
from protograph.datasets.location import find_file

WAY_OUT = "; set PROTOGRAPH_DATA to a folder that has it, or pass root=; downloading is not available in this version"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("PROTOGRAPH_DATA", raising=False)


def folder_with_file(folder):
    (folder / "some").mkdir(parents=True)
    (folder / "some" / "file.txt").write_text("here")
    return folder


def message_of(root):
    with pytest.raises(FileNotFoundError) as caught:
        find_file(root, "some/file.txt")
    return str(caught.value)


@pytest.mark.parametrize("kind", [str, Path])
def test_root_is_looked_in(tmp_path, kind):
    folder = folder_with_file(tmp_path / "a")
    assert find_file(kind(folder), "some/file.txt").read_text() == "here"


def test_variable_is_looked_in_where_no_root_is_given(tmp_path, monkeypatch):
    folder = folder_with_file(tmp_path / "a")
    monkeypatch.setenv("PROTOGRAPH_DATA", str(folder))
    assert find_file(None, "some/file.txt") == folder / "some" / "file.txt"


def test_root_goes_before_the_variable(tmp_path, monkeypatch):
    first, second = (folder_with_file(tmp_path / name) for name in "ab")
    monkeypatch.setenv("PROTOGRAPH_DATA", str(second))
    assert find_file(first, "some/file.txt").is_relative_to(first)


def test_no_folder_named(monkeypatch):
    wanted = f"some/file.txt was not looked for, as no folder is named{WAY_OUT}"
    assert message_of(None) == wanted
    monkeypatch.setenv("PROTOGRAPH_DATA", "")
    assert message_of(None) == wanted


def test_folder_is_missing(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    assert message_of(gone) == f"some/file.txt was looked for in {gone} (root=), which is not a folder{WAY_OUT}"
    monkeypatch.setenv("PROTOGRAPH_DATA", str(gone))
    assert message_of(None).startswith(f"some/file.txt was looked for in {gone} (PROTOGRAPH_DATA), which is not")


def test_file_is_missing(tmp_path):
    (tmp_path / "some" / "file.txt").mkdir(parents=True)  # a folder of that name is no file
    assert message_of(tmp_path) == (
        f"some/file.txt was looked for in {tmp_path} (root=), which has no such file{WAY_OUT}"
    )


@pytest.mark.parametrize(
    ("name", "file"),
    [("benzene", "benzene/benzene_graphs.npz"), ("mutagenicity", "mutagenicity/Mutagenicity_tu_raw.zip")],
)
def test_data_sets_say_which_file_they_lack(tmp_path, name, file):
    with pytest.raises(FileNotFoundError, match=f"^{file} was looked for in "):
        datasets.load(name, tmp_path)
