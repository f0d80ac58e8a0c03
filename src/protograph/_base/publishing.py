"""Folders whose files are replaced all at once or not at all, and nothing in them that is not ours.

New files are staged in a hidden folder inside. One rename, of the journal that names them, commits them; what is left
to do then is done by whoever opens the folder next, should the process be killed. A lock keeps a second writer out, and
a manifest tells our files from the user's.
"""

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from protograph._base.files import atomic_path, remove_leftovers
from protograph._base.interrupts import uninterrupted
from protograph._base.locking import HeldError, locked_file
from protograph._base.manifest import FileFacts, Files, FolderKind, facts_of, manifest_text, owned_files

WORK = ".protograph-work"
STAGED, PARTS, JOURNAL, LOCK = "new", "parts", "commit.json", "lock"


class OpenFolder:
    """A folder that no other process writes to meanwhile.

    Attributes:
        staged: Where new files are written to; empty at first.
        parts: Where files are that are made one by one; see :meth:`resumed`.
    """

    def __init__(self, folder: Path, kind: FolderKind) -> None:
        self._folder, self._kind = folder, kind
        self.staged, self.parts = folder / WORK / STAGED, folder / WORK / PARTS

    def publish(self, content: Mapping[str, Any], *, keep: Collection[str] = ()) -> None:
        """Put the staged files and a manifest with ``content`` in the place of all files of ours except ``keep``.

        Raises:
            FileExistsError: If something else has come under a name of ours meanwhile.
        """
        owned = owned_files(self._folder, self._kind)
        kept = {name: facts for name, facts in owned.items() if name in keep}
        staged = {path.name: facts_of(path) for path in self.staged.iterdir()}
        assert all(facts and self._kind.names.fullmatch(name) for name, facts in staged.items()), staged
        manifest = self.staged / self._kind.manifest
        manifest.write_text(manifest_text(content, self._kind, {**kept, **staged}), encoding="utf-8")
        new = {**staged, manifest.name: facts_of(manifest)}
        removed = {name: facts for name, facts in owned.items() if name not in {*new, *kept}}
        replaced = {name: owned.get(name) for name in new}
        _sync([*self.staged.iterdir(), self.staged])
        with uninterrupted():  # what comes from here on comes too late
            _write_journal(self._folder, self._kind, new=new, replaced=replaced, removed=removed)
            _finish(self._folder, self._kind)

    def resumed(self, names: Collection[str]) -> Path:
        """A hidden folder for files that are made one by one, which stay there, should the work be broken off.

        It has what an earlier work of this kind has finished, and besides what the folder itself has under these names.
        """
        if self.parts.is_symlink():
            raise NotADirectoryError(f"{self.parts} is not a folder of ours; remove it")
        self.parts.mkdir(exist_ok=True)
        remove_leftovers(self.parts)
        for name in owned_files(self._folder, self._kind):
            if name in names and not os.path.lexists(self.parts / name):
                with atomic_path(self.parts / name) as temporary:
                    shutil.copyfile(self._folder / name, temporary)
        return self.parts

    def publish_parts(self, names: Collection[str], content: Mapping[str, Any], *, keep: Collection[str] = ()) -> None:
        """Publish those of the files made one by one, beside what is staged; others stay for another work."""
        finished = [self.parts / name for name in names if os.path.lexists(self.parts / name)]
        for path in finished:
            shutil.copyfile(path, self.staged / path.name)
        self.publish(content, keep=keep)
        for path in finished:
            path.unlink()


@contextmanager
def open_folder(folder: Path, kind: FolderKind, *, way_out: str) -> Iterator[OpenFolder]:
    """Open a folder for writing, made where it is not there; whether that can be done is known before any work.

    A folder that was made here and has got no files is removed again.

    Args:
        folder: The folder.
        kind: What is written into it.
        way_out: What to do where it cannot be written, for the message.

    Raises:
        OSError: If it cannot be written, another process writes to it, or it has files under our names that are not
            ours.
    """
    made = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
    if _has_only_leftovers(folder):
        made = [folder]
    lock = None
    try:
        try:
            lock = _made_and_locked(folder)
            _prepare(folder, kind)
        except OSError as error:
            raise _refusal(folder, error, way_out) from None
        opened = OpenFolder(folder, kind)
        try:
            yield opened
        except FileNotFoundError as error:
            raise error if opened.staged.exists() else FileNotFoundError(f"{folder} was removed meanwhile") from error
    finally:
        if lock is not None:
            _unlock(folder, lock)
        for one in made:
            with suppress(OSError):  # it is not empty
                one.rmdir()


def settle(folder: Path, kind: FolderKind) -> None:
    """Finish or undo what a killed process has left in a folder that is about to be read.

    Raises:
        OSError: If another process is replacing its files right now, or they cannot be completed.
    """
    if not os.path.lexists(folder / WORK):
        return
    lock, was_made = None, _has_only_leftovers(folder)
    try:
        lock = _locked(folder)
        _recover(folder, kind)
    except OSError as error:
        # Until the journal is there, the files are those of the earlier run.
        if os.path.lexists(folder / WORK / JOURNAL):
            raise OSError(f"{folder} is not whole, and cannot be made so: {_reason(error)}") from None
    finally:
        if lock is not None:
            _unlock(folder, lock)
        if was_made:
            with suppress(OSError):  # it has got files, or keeps what a broken off work has finished
                folder.rmdir()


def _has_only_leftovers(folder: Path) -> bool:
    """Whether a folder has nothing but what a killed process left: then that process has made it."""
    return folder.is_dir() and os.listdir(folder) == [WORK]


def _made_and_locked(folder: Path) -> tuple[int | None]:
    if os.path.lexists(folder) and not folder.is_dir():
        raise NotADirectoryError("it is a file, not a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return _locked(folder)


def _prepare(folder: Path, kind: FolderKind) -> None:
    _recover(folder, kind)
    owned_files(folder, kind)  # refuses what is not ours
    (folder / WORK / STAGED).mkdir()
    remove_leftovers(folder)


def _refusal(folder: Path, error: OSError, way_out: str) -> OSError:
    joint = ", or " if isinstance(error, FileExistsError) else "; "  # that one has a way out of its own
    return OSError(f"cannot write to {folder}: {_reason(error)}{joint}{way_out}")


def _reason(error: OSError) -> str:
    if isinstance(error, HeldError):
        return "another command is writing to it"
    return error.strerror or str(error)


def _locked(folder: Path) -> tuple[int | None]:
    work = folder / WORK
    while True:
        with suppress(FileExistsError):
            work.mkdir()
        if work.is_symlink() or not work.is_dir():
            raise NotADirectoryError(f"{WORK} there is not a folder of ours")
        try:
            return (locked_file(work / LOCK),)
        except FileNotFoundError:  # the one that held it has just removed it all
            continue


def _unlock(folder: Path, lock: tuple[int | None]) -> None:
    """Remove what is not committed, then the lock; another process may take it at once."""
    work = folder / WORK
    with suppress(OSError):
        if not os.path.lexists(work / JOURNAL):
            _remove_staged(work)
            if (work / PARTS).is_dir() and not os.listdir(work / PARTS):  # else it has what a broken off work finished
                (work / PARTS).rmdir()
            (work / LOCK).unlink(missing_ok=True)
            work.rmdir()
    if lock[0] is not None:
        os.close(lock[0])


def _remove_staged(work: Path) -> None:
    if os.path.lexists(work / STAGED):
        shutil.rmtree(work / STAGED)  # which refuses a link
    remove_leftovers(work)


def _recover(folder: Path, kind: FolderKind) -> None:
    if os.path.lexists(folder / WORK / JOURNAL):
        _finish(folder, kind)
    _remove_staged(folder / WORK)


def _write_journal(folder: Path, kind: FolderKind, **files: Files) -> None:
    journal = {"format": kind.format, **{part: _plain(facts) for part, facts in files.items()}}
    with atomic_path(folder / WORK / JOURNAL) as temporary:
        temporary.write_text(json.dumps(journal), encoding="utf-8")
        _sync([temporary])
    _sync([folder / WORK])


def _plain(files: Files) -> dict[str, Any]:
    return {name: None if facts is None else [facts.size, facts.sha256] for name, facts in files.items()}


def _read_journal(folder: Path, kind: FolderKind) -> tuple[dict[str, FileFacts | None], ...]:
    """What is new, what each new file replaces, and what is removed; no name leads to anything but a file of ours."""
    try:
        journal = json.loads((folder / WORK / JOURNAL).read_text(encoding="utf-8"))
        if journal["format"] != kind.format:
            raise ValueError("another format")
        parts = [journal[part].items() for part in ("new", "replaced", "removed")]
        if any(not kind.names.fullmatch(name) for part in parts for name, _ in part):
            raise ValueError("another name")
        return tuple({name: None if facts is None else FileFacts(*facts) for name, facts in part} for part in parts)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FileExistsError(f"{WORK}/{JOURNAL} there was not written by this version; move it away") from None


def _finish(folder: Path, kind: FolderKind) -> None:
    """Do what the journal says, as far as it is not done yet, and remove it."""
    staged = folder / WORK / STAGED
    new, replaced, removed = _read_journal(folder, kind)
    if os.path.lexists(staged) and (staged.is_symlink() or not staged.is_dir()):
        raise NotADirectoryError(f"{WORK}/{STAGED} there is not a folder of ours")
    for name, facts in new.items():
        if not os.path.lexists(staged / name):
            continue  # it is in its place already
        if facts is None or facts_of(staged / name) != facts:
            raise FileExistsError(f"{WORK}/{STAGED}/{name} there was changed meanwhile; move it away")
        if os.path.lexists(folder / name) and facts_of(folder / name) not in {facts, replaced.get(name) or facts}:
            raise FileExistsError(f"{name} there was changed meanwhile; move it away")
        os.replace(staged / name, folder / name)
    for name, facts in removed.items():
        if facts is not None and facts_of(folder / name) == facts:
            (folder / name).unlink()
    _sync([folder])
    (folder / WORK / JOURNAL).unlink()


def _sync(paths: Iterable[Path]) -> None:
    """Let files and folders reach the disk before what relies on them."""
    for path in paths:
        with suppress(OSError):  # some file systems cannot do this for folders
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
