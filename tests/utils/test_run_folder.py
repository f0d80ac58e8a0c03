import os
import signal
import subprocess
import sys
import time

import pytest

from protograph._utils.run_folder import new_folder, read_manifest, write_manifest

MANIFEST = "thing.json"


def write(folder, *, force=False, reads=(), **files):
    with new_folder(folder, MANIFEST, force=force, reads=reads) as staged:
        for name, text in (files or {"a": "1"}).items():
            (staged / name).write_text(text)
        write_manifest(staged, MANIFEST, {"number": 3})


def content_of(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != MANIFEST}


def test_a_folder_appears_whole_and_says_what_it_is(tmp_path):
    folder = tmp_path / "new" / "folder"
    write(folder, a="1", b="2")
    assert content_of(folder) == {"a": "1", "b": "2"}
    content = read_manifest(folder, MANIFEST)
    assert (content["number"], sorted(content["files"])) == (3, ["a", "b"])
    assert folder.stat().st_mode == (tmp_path / "new").stat().st_mode
    assert os.listdir(tmp_path / "new") == ["folder"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_of_what_was_broken_off(tmp_path, error):
    with pytest.raises(error), new_folder(tmp_path / "new" / "folder", MANIFEST) as staged:  # noqa: PT012
        (staged / "a").write_text("1")
        raise error
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_there_is_moved_aside_only_when_asked(tmp_path):
    folder, old = tmp_path / "folder", tmp_path / "folder.old"
    for text in ("1", "2", "3"):
        write(folder, force=text != "1", a=text)
    assert (content_of(folder), content_of(old)) == ({"a": "3"}, {"a": "2"})
    with pytest.raises(FileExistsError, match=r"folder is there; choose another --out, .*--force"):
        write(folder, a="4")
    (folder / "notes.txt").write_text("mine")
    write(folder, force=True, a="5")
    assert content_of(old) == {"a": "3", "notes.txt": "mine"}  # moved, not lost
    with pytest.raises(FileExistsError, match=r"folder\.old is there, and has more or other files .*; move it away"):
        write(folder, force=True, a="6")
    (old / "notes.txt").unlink()
    (old / "a").write_text("changed")
    with pytest.raises(FileExistsError, match=r"folder\.old"):
        write(folder, force=True, a="6")
    assert content_of(folder) == {"a": "5"}


@pytest.mark.parametrize("force", [False, True])
def test_what_is_not_ours_is_refused_before_any_work(tmp_path, force):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_text("mine")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / MANIFEST).write_text('{"format": "another", "files": {}}')
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    before = sorted(os.listdir(tmp_path))
    for name in ("file", "folder", "other", "link", "."):
        with pytest.raises(FileExistsError, match="is there, and is not what this command wrote; choose another --out"):
            write(tmp_path / name, force=force)
    with pytest.raises(OSError, match=r"cannot write to .*file/below: .*; choose another --out"):
        write(tmp_path / "file" / "below", force=force)
    assert sorted(os.listdir(tmp_path)) == before


def test_an_empty_folder_is_taken_and_what_came_meanwhile_is_not(tmp_path):
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty")
    assert content_of(tmp_path / "empty") == {"a": "1"}
    with pytest.raises(FileExistsError, match="is there"), new_folder(tmp_path / "late", MANIFEST):
        (tmp_path / "late").write_text("mine")
    assert sorted(os.listdir(tmp_path)) == ["empty", "late"]


def test_what_is_read_is_not_moved_away(tmp_path):
    folder = tmp_path / "folder"
    write(folder)
    write(folder, force=True)
    for path in (folder / "a", tmp_path / "folder.old" / "a", folder):
        with pytest.raises(FileExistsError, match=r"is read, but --force would move or remove it"):
            write(folder, force=True, reads=[path])


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"format": "protograph-thing"}', '{"format": "protograph-thing", "files": {"../a": "0"}}']
)
def test_a_manifest_may_come_from_anywhere(tmp_path, text):
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(ValueError, match=r"format|files|Expecting"):
        read_manifest(tmp_path, MANIFEST)


CODE = """
import sys, time
from pathlib import Path
from protograph._utils.interrupts import ending_as_interrupts
from protograph._utils.run_folder import new_folder
with ending_as_interrupts(), new_folder(Path(sys.argv[1]), "thing.json") as staged:
    (staged / "a").write_text("half")
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_process_leaves_no_half_folder(tmp_path, number):
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, tmp_path / "folder"], stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    process.send_signal(number)
    process.wait(timeout=30)
    process.stdout.close()
    assert not (tmp_path / "folder").exists()
    if number == signal.SIGTERM:
        assert os.listdir(tmp_path) == []
    write(tmp_path / "folder")
    assert content_of(tmp_path / "folder") == {"a": "1"}
