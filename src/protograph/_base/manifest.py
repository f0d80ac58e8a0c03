"""Which files in a folder are ours: those that a manifest names, with their sums."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from protograph._base.words import listed


@dataclass(frozen=True)
class FileFacts:
    """What tells a file from another one.

    Attributes:
        size: Its bytes.
        sha256: Its sum.
    """

    size: int
    sha256: str


@dataclass(frozen=True)
class FolderKind:
    """What a command writes into a folder.

    Attributes:
        manifest: Name of the file that names the others.
        format: What the manifest says that it is.
        names: Every name that its files may have, the manifest's too; plain names in small letters.
    """

    manifest: str
    format: str
    names: re.Pattern[str]


# What is known of each file; None where there is none yet, and of the manifest, which does not name its own sum.
Files = Mapping[str, FileFacts | None]


def facts_of(path: Path) -> FileFacts | None:
    """Size and sum of a file; ``None`` where there is none, or a link, a folder or anything else."""
    try:
        before = os.stat(path, follow_symlinks=False)
        if not stat.S_ISREG(before.st_mode):
            return None
        with path.open("rb") as file:
            return FileFacts(before.st_size, hashlib.file_digest(file, "sha256").hexdigest())
    except FileNotFoundError:
        return None


def read_manifest(folder: Path, kind: FolderKind) -> dict[str, Any]:
    """The content of a folder's manifest.

    Raises:
        FileNotFoundError: If it has none.
        ValueError: If it is damaged or of another format.
    """
    content = json.loads((folder / kind.manifest).read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("format") != kind.format:
        raise ValueError(f'it must have the format "{kind.format}"')
    content["files"] = _read_files(content.get("files"), kind)
    return content


def _read_files(files: Any, kind: FolderKind) -> dict[str, FileFacts | None]:
    """The files of a manifest, which may come from anywhere: no name may lead to anything but a file of ours."""
    if not isinstance(files, dict):
        raise ValueError("it must name its files")
    for name in files:
        if not kind.names.fullmatch(name) or name == kind.manifest:
            raise ValueError(f"it names the file {name!r}, which is none of ours")
    try:
        return {name: FileFacts(**facts) for name, facts in files.items()}
    except TypeError:
        raise ValueError("its files must have a size and a sha256 each") from None


def manifest_text(content: Mapping[str, Any], kind: FolderKind, files: Files) -> str:
    """A manifest with that content and those files, as :func:`read_manifest` reads it."""
    facts = {name: None if one is None else asdict(one) for name, one in sorted(files.items())}
    return json.dumps({"format": kind.format, **content, "files": facts})


def owned_files(folder: Path, kind: FolderKind) -> dict[str, FileFacts | None]:
    """The files in a folder that its manifest names and that are as it says, the manifest itself included.

    Raises:
        FileExistsError: If there is anything else under a name of ours.
    """
    files: Files = {}
    if os.path.lexists(folder / kind.manifest):
        try:
            files = {**read_manifest(folder, kind)["files"], kind.manifest: None}
        except (ValueError, OSError) as error:
            reason = f"{kind.manifest} there was not written by this version of protograph ({error}); move it away"
            raise FileExistsError(reason) from None
    owned: dict[str, FileFacts | None] = {}
    foreign = []
    for name in sorted(_names_of_ours(folder, kind)):
        facts = facts_of(folder / name)
        if facts is not None and name in files and files[name] in (None, facts):
            owned[name] = facts
        else:
            foreign.append(name)
    if foreign:
        is_one = len(foreign) == 1
        raise FileExistsError(
            f"{listed(foreign)} there {'is' if is_one else 'are'} not what protograph wrote; "
            f"move {'it' if is_one else 'them'} away"
        )
    return owned


def _names_of_ours(folder: Path, kind: FolderKind) -> Iterator[str]:
    names = set(os.listdir(folder))
    for name in names:
        # Where capitals make no difference, Model.pt is in the place of model.pt.
        is_in_place = name == name.lower() or (name.lower() not in names and os.path.lexists(folder / name.lower()))
        if is_in_place and kind.names.fullmatch(name.lower()):
            yield name
