import json
import os
import re

import pytest

from protograph._base.manifest import FileFacts, FolderKind, facts_of, manifest_text, owned_files, read_manifest

KIND = FolderKind("list.json", "some-list", re.compile(r"list\.json|\d\.txt"))
HELLO = FileFacts(5, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")


def write(folder, **files):
    for name, facts in files.items():
        (folder / f"{name[1:]}.txt").write_text("hello" if facts == HELLO else "other")
    named = {f"{name[1:]}.txt": facts for name, facts in files.items()}
    (folder / "list.json").write_text(manifest_text({"by": "me"}, KIND, named))


def test_facts_are_of_plain_files(tmp_path):
    (tmp_path / "1.txt").write_text("hello")
    (tmp_path / "2.txt").symlink_to("1.txt")
    os.mkfifo(tmp_path / "3.txt")
    assert facts_of(tmp_path / "1.txt") == HELLO
    assert [facts_of(tmp_path / name) for name in ("2.txt", "3.txt", "4.txt", ".")] == [None] * 4


def test_a_manifest_is_read_as_it_was_written(tmp_path):
    write(tmp_path, _1=HELLO, _2=HELLO)
    assert read_manifest(tmp_path, KIND) == {
        "format": "some-list",
        "by": "me",
        "files": {"1.txt": HELLO, "2.txt": HELLO},
    }


def test_a_name_without_a_sum_makes_nothing_ours(tmp_path):
    write(tmp_path, _1=HELLO, _2=None)
    assert foreign(tmp_path) == (
        "list.json there was not written by this version of protograph (its files must have a size and a sha256 each); "
        "move it away"
    )


def test_what_the_manifest_names_is_ours(tmp_path):
    write(tmp_path, _1=HELLO, _2=HELLO, _3=HELLO)
    (tmp_path / "3.txt").unlink()
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "LIST.JSON").write_text("mine")  # another file here, where capitals make a difference
    assert owned_files(tmp_path, KIND) == {name: facts_of(tmp_path / name) for name in ("1.txt", "2.txt", "list.json")}


def foreign(folder):
    with pytest.raises(FileExistsError) as caught:
        owned_files(folder, KIND)
    return str(caught.value)


@pytest.mark.parametrize("kind", ["new", "changed", "link", "folder"])
def test_what_it_does_not_name_is_not(tmp_path, kind):
    write(tmp_path, _1=HELLO)
    path = tmp_path / "1.txt"
    if kind == "new":
        path = tmp_path / "2.txt"
        path.write_text("hello")
    elif kind == "changed":
        path.write_text("other")
    elif kind == "link":
        path.rename(tmp_path / "mine")
        path.symlink_to("mine")
    else:
        path.unlink()
        path.mkdir()
    assert foreign(tmp_path) == f"{path.name} there is not what protograph wrote; move it away"


def test_where_capitals_make_no_difference(tmp_path, monkeypatch):
    (tmp_path / "LIST.json").write_text("mine")
    monkeypatch.setattr(os.path, "lexists", lambda path: str(path).lower() == str(tmp_path / "list.json").lower())
    assert foreign(tmp_path).startswith("list.json there was not written by this version of protograph (")


def test_a_manifest_that_is_not_ours(tmp_path):
    (tmp_path / "list.json").write_text(json.dumps({"format": "other"}))
    assert foreign(tmp_path) == (
        'list.json there was not written by this version of protograph (it must have the format "some-list"); '
        "move it away"
    )
