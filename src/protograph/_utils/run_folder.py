"""Folders of results: written beside their place, renamed once, and never over anything that is not ours.

A folder is known by its manifest: a file such as ``run.json``, which says that its format is ``protograph-run``, and
names the other files with their SHA-256 sums.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from protograph._utils.files import atomic_path
from protograph._utils.interrupts import uninterrupted


def sha256_of(path: Path) -> str:
    """The SHA-256 sum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _format_of(manifest: str) -> str:
    return f"protograph-{Path(manifest).stem}"


def write_manifest(folder: Path, manifest: str, content: Mapping[str, Any]) -> None:
    """Write down what a folder is, and its files with their sums; the last file of it."""
    files = {path.name: sha256_of(path) for path in sorted(folder.iterdir()) if path.name != manifest}
    text = json.dumps({"format": _format_of(manifest), **content, "files": files})
    (folder / manifest).write_text(text, encoding="utf-8")


def add_to_manifest(folder: Path, manifest: str, name: str) -> None:
    """Write down the sum of a file that was written anew into a folder of ours."""
    content = read_manifest(folder, manifest)
    content["files"][name] = sha256_of(folder / name)
    with atomic_path(folder / manifest) as partial:
        partial.write_text(json.dumps(content), encoding="utf-8")


def read_manifest(folder: Path, manifest: str) -> dict[str, Any]:
    """What a folder says of itself.

    Raises:
        FileNotFoundError: If it has no manifest.
        ValueError: If that is damaged or of another format.
    """
    content = json.loads((folder / manifest).read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("format") != _format_of(manifest):
        raise ValueError(f'it must have the format "{_format_of(manifest)}"')
    files = content.get("files")
    # It may come from anywhere: no name may lead out of the folder.
    if not isinstance(files, dict) or any(name != Path(name).name for name in files):
        raise ValueError("it must name its files with their sums")
    return content


@contextmanager
def new_folder(folder: Path, manifest: str, *, reads: Iterable[Path] = (), force: bool = False) -> Iterator[Path]:
    """Give an empty folder beside the wanted one, which takes its name once all went well, and else is removed.

    Whether that can be done is known before any work.

    Args:
        folder: The wanted folder, which must not be there.
        manifest: Name of the file that says what is written into it.
        reads: Files and folders that are read meanwhile; nothing of them is moved or removed.
        force: Whether a folder of ours that is there is moved to ``NAME.old`` first, in place of an earlier one.

    Raises:
        OSError: If it cannot be written, or something that is not ours is in the way.
    """
    place = Path(os.path.abspath(folder))
    old = place.with_name(f"{place.name}.old")
    # Folders above it that are not there are made at the end.
    staged = next(parent for parent in place.parents if parent.exists()) / f".{place.name}-{uuid4().hex}"
    _check_place(folder, place, old, manifest, reads=reads, force=force)
    try:
        try:
            staged.mkdir()
        except OSError as error:
            raise OSError(f"cannot write to {folder}: {error.strerror}; choose another --out") from error
        yield staged
        with uninterrupted():
            _check_place(folder, place, old, manifest, reads=reads, force=force)  # again: the work may have taken hours
            if force and place.exists():
                shutil.rmtree(old, ignore_errors=True)
                place.rename(old)
            place.parent.mkdir(parents=True, exist_ok=True)
            staged.rename(place)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _check_place(folder: Path, place: Path, old: Path, manifest: str, *, reads: Iterable[Path], force: bool) -> None:
    """Refuse a place that is taken by anything but what may be moved away."""
    if not os.path.lexists(place) or (place.is_dir() and not place.is_symlink() and not os.listdir(place)):
        return
    if not _is_ours(place, manifest):
        raise FileExistsError(f"{folder} is there, and is not what this command wrote; choose another --out")
    if not force:
        raise FileExistsError(
            f"{folder} is there; choose another --out, or move it to {old.name} and write anew with --force"
        )
    if os.path.lexists(old) and not _is_untouched(old, manifest):
        raise FileExistsError(f"{old} is there, and has more or other files than this command wrote; move it away")
    for path in reads:
        if {place, old} & {path.resolve(), *path.resolve().parents}:
            raise FileExistsError(f"{path} is read, but --force would move or remove it; choose another --out")


def _is_ours(folder: Path, manifest: str) -> bool:
    try:
        read_manifest(folder, manifest)
    except (OSError, ValueError):
        return False
    return True


def _is_untouched(folder: Path, manifest: str) -> bool:
    """Whether a folder has what its manifest names, as it was written, and nothing else."""
    if folder.is_symlink() or not _is_ours(folder, manifest):
        return False
    files = read_manifest(folder, manifest)["files"]
    others = [path for path in folder.iterdir() if path.name != manifest]
    return all(path.is_file() and files.get(path.name) == sha256_of(path) for path in others)
