import os

import pytest

from protograph._base import locking
from protograph._base.locking import HeldError, locked_file, remove_abandoned


def test_a_lock_is_held_until_it_is_closed(tmp_path):
    path = tmp_path / "lock"
    held = locked_file(path)
    with pytest.raises(HeldError, match=r"lock is held by another process$"):
        locked_file(path)
    remove_abandoned(path)
    assert path.exists()
    os.close(held)
    os.close(locked_file(path))
    remove_abandoned(path)
    assert not path.exists()
    remove_abandoned(path)


def test_a_lock_that_was_removed_keeps_nobody_out(tmp_path, monkeypatch):
    """The file is opened, then removed by the process that held it before the lock is had."""
    path = tmp_path / "lock"
    removed = []

    def flock(descriptor, flags, real=locking.fcntl.flock):
        if not removed:
            removed.append(path.unlink())
        return real(descriptor, flags)

    monkeypatch.setattr(locking.fcntl, "flock", flock)
    held = locked_file(path)
    assert path.exists()
    with pytest.raises(HeldError):
        locked_file(path)
    os.close(held)


def test_a_link_is_never_followed(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "link").symlink_to("mine")
    with pytest.raises(OSError, match="link"):
        locked_file(tmp_path / "link")
    remove_abandoned(tmp_path / "link")
    assert (tmp_path / "link").read_text() == "mine"


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def flock(descriptor, flags):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(locking.fcntl, "flock", flock)
    assert locked_file(tmp_path / "lock") is None
    remove_abandoned(tmp_path / "lock")
    assert (tmp_path / "lock").exists()  # nobody can tell
    monkeypatch.setattr(locking, "fcntl", None)
    assert locked_file(tmp_path / "lock") is None
    remove_abandoned(tmp_path / "lock")
    assert (tmp_path / "lock").exists()
