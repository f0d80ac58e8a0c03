import json
import os
import re
import shutil

import pytest

from protograph._base import publishing
from protograph._base.manifest import FolderKind
from protograph._base.publishing import WORK, open_folder, settle
from research.killing import content_of, killed_at
from tests.permissions import needs_a_refusal

KIND = FolderKind("list.json", "some-list", re.compile(r"list\.json|\d\.txt"))
OLD = {"1.txt": "one", "2.txt": "two"}
NEW = {"2.txt": "TWO", "3.txt": "THREE"}


def write(folder, files, **options):
    with open_folder(folder, KIND, way_out="go away") as opened:
        for name, text in files.items():
            (opened.staged / name).write_text(text)
        opened.publish({"by": "me"}, **options)


def refusal(folder, files=OLD):
    with pytest.raises(OSError, match=r"^cannot write to ") as caught:
        write(folder, files)
    return str(caught.value).removeprefix(f"cannot write to {folder}: ")


def seen(folder):
    return {name: text.decode() for name, text in content_of(folder).items()}


def test_files_appear_at_the_end_with_their_manifest(tmp_path):
    folder = tmp_path / "new" / "one"
    with open_folder(folder, KIND, way_out="") as opened:
        (opened.staged / "1.txt").write_text("one")
        assert sorted(seen(folder)) == [f"{WORK}/lock", f"{WORK}/new/1.txt"]
        opened.publish({"by": "me"})
    assert sorted(seen(folder)) == ["1.txt", "list.json"]
    manifest = json.loads(seen(folder)["list.json"])
    assert (list(manifest), list(manifest["files"])) == (["format", "by", "files"], ["1.txt"])


def test_nothing_of_what_was_ours_stays_beside_the_next_and_all_else_does(tmp_path):
    write(tmp_path, OLD)
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, NEW)
    assert {**NEW, "notes.txt": "mine"}.items() <= seen(tmp_path).items()
    assert sorted(seen(tmp_path)) == ["2.txt", "3.txt", "list.json", "notes.txt"]


def test_some_may_be_kept(tmp_path):
    write(tmp_path, OLD)
    write(tmp_path, {"3.txt": "three"}, keep=OLD)
    assert sorted(seen(tmp_path)) == ["1.txt", "2.txt", "3.txt", "list.json"]
    assert list(json.loads(seen(tmp_path)["list.json"])["files"]) == ["1.txt", "2.txt", "3.txt"]
    write(tmp_path, NEW)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_nothing(tmp_path, error):
    def fail(folder):
        with open_folder(folder, KIND, way_out="") as opened:
            (opened.staged / "1.txt").write_text("one")
            raise error

    (tmp_path / "there").mkdir()
    for folder in (tmp_path / "new" / "one", tmp_path / "there"):
        with pytest.raises(error):
            fail(folder)
    assert seen(tmp_path) == {"there/": ""}


def test_what_is_not_ours_is_refused_before_the_work(tmp_path):
    (tmp_path / "1.txt").write_text("mine")
    (tmp_path / "2.txt").write_text("mine")
    assert refusal(tmp_path) == "1.txt and 2.txt there are not what protograph wrote; move them away, or go away"
    assert seen(tmp_path) == {"1.txt": "mine", "2.txt": "mine"}


def test_what_comes_meanwhile_is_not_replaced_either(tmp_path):
    with open_folder(tmp_path, KIND, way_out="") as opened:
        (opened.staged / "1.txt").write_text("one")
        (tmp_path / "1.txt").write_text("mine")
        with pytest.raises(FileExistsError, match=r"^1\.txt there is not what protograph wrote; move it away$"):
            opened.publish({})
    assert seen(tmp_path) == {"1.txt": "mine"}


def test_a_second_writer_is_refused(tmp_path):
    write(tmp_path, OLD)
    with open_folder(tmp_path, KIND, way_out="") as opened:
        assert refusal(tmp_path) == "another command is writing to it; go away"
        settle(tmp_path, KIND)  # a reader does not mind
        (opened.staged / "2.txt").write_text("TWO")
        opened.publish({})
    assert sorted(seen(tmp_path)) == ["2.txt", "list.json"]


def test_a_reader_waits_for_what_is_being_replaced(tmp_path, monkeypatch):
    def finish(folder, kind):
        with pytest.raises(OSError, match=r"is not whole, and cannot be made so: another command is writing to it$"):
            settle(folder, kind)

    monkeypatch.setattr(publishing, "_finish", finish)
    write(tmp_path, OLD)
    monkeypatch.undo()
    assert sorted(seen(tmp_path)) == [
        f"{WORK}/{name}" for name in ("commit.json", "lock", *(f"new/{n}" for n in (*OLD, "list.json")))
    ]
    settle(tmp_path, KIND)
    assert sorted(seen(tmp_path)) == ["1.txt", "2.txt", "list.json"]


def test_interrupts_during_the_commit_come_too_late(tmp_path, monkeypatch):
    monkeypatch.setattr(publishing, "_sync", lambda paths: os.kill(os.getpid(), 15))
    monkeypatch.setattr(
        publishing.OpenFolder, "publish", _publish_without_the_first_sync(publishing.OpenFolder.publish)
    )
    write(tmp_path, OLD)
    assert sorted(seen(tmp_path)) == ["1.txt", "2.txt", "list.json"]


def _publish_without_the_first_sync(publish):
    def wrapped(self, content, **options):
        kill, first = publishing._sync, []
        publishing._sync = lambda paths: kill(paths) if first else first.append(paths)
        try:
            publish(self, content, **options)
        finally:
            publishing._sync = kill

    return wrapped


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "taken").write_text("mine")
    assert refusal(tmp_path / "taken") == "it is a file, not a folder; go away"
    assert refusal(tmp_path / "taken" / "in") == "Not a directory; go away"
    (tmp_path / WORK).symlink_to(tmp_path)
    assert refusal(tmp_path) == f"{WORK} there is not a folder of ours; go away"
    assert sorted(os.listdir(tmp_path)) == [WORK, "taken"]


def test_a_folder_that_vanishes_meanwhile(tmp_path):
    def vanish():
        with open_folder(tmp_path / "gone", KIND, way_out="") as opened:
            shutil.rmtree(tmp_path / "gone")
            opened.publish({})

    with pytest.raises(FileNotFoundError, match=r"^.*gone was removed meanwhile$"):
        vanish()
    assert seen(tmp_path) == {}


@needs_a_refusal
def test_a_folder_without_permission(tmp_path):
    write(tmp_path / "read", OLD)
    os.chmod(tmp_path / "read", 0o500)
    assert refusal(tmp_path / "read") == "Permission denied; go away"
    settle(tmp_path / "read", KIND)


def test_files_that_come_one_by_one_stay_hidden_until_all_are_there(tmp_path):
    folder, names = tmp_path / "new", ["1.txt", "2.txt"]

    def broken_off():
        with open_folder(folder, KIND, way_out="") as opened:
            (opened.resumed(names) / "1.txt").write_text("one")
            raise KeyboardInterrupt

    with open_folder(folder, KIND, way_out="") as opened:
        opened.resumed(names)
    assert seen(tmp_path) == {}  # nothing was finished
    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert list(seen(folder)) == [f"{WORK}/parts/1.txt"]
    with open_folder(folder, KIND, way_out="") as opened:
        parts = opened.resumed(names)
        assert (parts / "1.txt").read_text() == "one"
        (parts / "2.txt").write_text("two")
        opened.publish_parts(names, {"by": "me"})
    files = seen(folder)
    assert list(json.loads(files.pop("list.json"))["files"]) == names
    assert files == {"1.txt": "one", "2.txt": "two"}
    with open_folder(folder, KIND, way_out="") as opened:
        parts = opened.resumed(["2.txt"])
        assert [path.name for path in parts.iterdir()] == ["2.txt"]  # a copy of what is there
        (parts / "2.txt").write_text("TWO")
        opened.publish_parts(["2.txt"], {}, keep=["1.txt"])
    assert {name: text for name, text in seen(folder).items() if name in names} == {"1.txt": "one", "2.txt": "TWO"}


def test_a_link_in_the_place_of_parts_is_not_followed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "new" / WORK).mkdir(parents=True)
    (tmp_path / "new" / WORK / "parts").symlink_to(tmp_path / "mine")

    def resume():
        with open_folder(tmp_path / "new", KIND, way_out="") as opened:
            opened.resumed(["1.txt"])

    with pytest.raises(NotADirectoryError, match=r"parts is not a folder of ours; remove it$"):
        resume()
    assert list((tmp_path / "mine").iterdir()) == []


# Kills


def test_killed_at_every_change_it_is_the_old_or_the_new(tmp_path, monkeypatch):
    """And the next run gives what one that was never disturbed gives."""
    monkeypatch.setattr(publishing, "_sync", lambda paths: None)  # which makes no difference to a kill
    reference = tmp_path / "reference"
    write(reference, OLD)
    old = seen(reference)
    write(reference, NEW)
    new = seen(reference)
    outcomes = []
    for number in range(100):
        folder = tmp_path / str(number)
        write(folder, OLD)
        (folder / "notes.txt").write_text("mine")
        was_killed = killed_at(lambda place=folder: write(place, NEW), number)
        settle(folder, KIND)
        after = seen(folder)
        assert after.pop("notes.txt") == "mine"
        assert after in (old, new)
        outcomes.append(after == new)
        write(folder, NEW)
        assert seen(folder) == {**new, "notes.txt": "mine"}
        if not was_killed:
            break
    assert outcomes == sorted(outcomes)  # one change divides the old from the new
    assert (outcomes.count(False), outcomes.count(True)) == (4, 10)


def test_killed_the_first_time_it_leaves_no_folder_for_a_failure(tmp_path):
    folder = tmp_path / "new"
    assert killed_at(lambda: write(folder, OLD), 3)
    assert os.listdir(folder) == [WORK]
    with pytest.raises(TypeError):
        write(folder, {"1.txt": None})
    assert seen(tmp_path) == {}


@pytest.fixture
def half_done(tmp_path):
    """A folder whose writer was killed between the commit and its last change."""
    write(tmp_path, OLD)
    assert killed_at(lambda: write(tmp_path, NEW), 6)
    assert os.path.lexists(tmp_path / WORK / "commit.json")
    return tmp_path


def test_what_was_changed_after_a_kill_is_not_lost(half_done):
    (half_done / "list.json").write_text("mine")
    with pytest.raises(OSError, match=r"list\.json there was changed meanwhile; move it away$"):
        settle(half_done, KIND)
    assert refusal(half_done) == "list.json there was changed meanwhile; move it away, or go away"
    assert seen(half_done)["list.json"] == "mine"
    (half_done / "list.json").unlink()
    (half_done / "1.txt").write_text("mine")  # it was to be removed
    settle(half_done, KIND)
    assert {**NEW, "1.txt": "mine"}.items() <= seen(half_done).items()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"new": {"../2.txt": None}},
        {"removed": {"notes.txt": [4, ""]}},
        {"removed": {"/etc/passwd": [4, ""]}},
        {"replaced": 3},
    ],
    ids=str,
)
def test_a_journal_from_elsewhere_does_nothing(half_done, change):
    path = half_done / WORK / "commit.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    before = seen(half_done)
    with pytest.raises(OSError, match=rf"{WORK}/commit\.json there was not written by this version; move it away$"):
        settle(half_done, KIND)
    assert seen(half_done) == before


def test_staged_files_are_not_taken_from_elsewhere(half_done, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "mine"
    (half_done / WORK / "new").rename(elsewhere)
    (half_done / WORK / "new").symlink_to(elsewhere)
    before = seen(elsewhere)
    with pytest.raises(OSError, match=rf"{WORK}/new there is not a folder of ours$"):
        settle(half_done, KIND)
    assert seen(elsewhere) == before
