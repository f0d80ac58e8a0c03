"""Arrays kept between runs, found by what they were made from, and made again where the file is not whole."""

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from protograph._base.errors import ProtographWarning
from protograph._base.files import atomic_path

VARIABLE = "PROTOGRAPH_CACHE"
# Raised whenever the files look different, so that those of an earlier version are not read.
FORMAT = 1
# The names of arrays begin so in the file, since numpy.savez takes some names for its own arguments.
PREFIX = "array."

Arrays = Mapping[str, NDArray[Any]]


def cache_folder() -> Path:
    """Folder of what can be made or downloaded again: ``PROTOGRAPH_CACHE``, or else the platform's cache folder.

    Raises:
        FileNotFoundError: If the variable is not set and there is no home folder.
    """
    try:
        named = os.environ.get(VARIABLE)
        return Path(named).expanduser() if named else platform_folder(sys.platform, os.environ, Path.home())
    except RuntimeError as error:
        raise FileNotFoundError(f"no home folder is known for the cache; set {VARIABLE} to a folder") from error


def platform_folder(platform: str, environ: Mapping[str, str], home: Path) -> Path:
    """Cache folder of a platform, as ``sys.platform`` names it.

    >>> platform_folder("linux", {}, Path("/home/ada")).as_posix()
    '/home/ada/.cache/protograph'
    """
    if platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "protograph" / "cache"
    if platform == "darwin":
        return home / "Library" / "Caches" / "protograph"
    # The standard asks for a relative one to be ignored.
    xdg = Path(environ.get("XDG_CACHE_HOME", ""))
    return (xdg if xdg.is_absolute() else home / ".cache") / "protograph"


def cached_arrays(name: str, key: Mapping[str, str | int], build: Callable[[], Arrays]) -> dict[str, NDArray[Any]]:
    """Arrays that were made from ``key`` before, or what ``build`` makes, which is then kept.

    A file that is damaged, or is not what its name says, is made again and replaced. Of several processes that want
    the same arrays one makes them, and the others wait for it. Where nothing can be kept, a warning says so.

    Args:
        name: How the file's name begins.
        key: All that the arrays depend on, such as the checksums of the files they are read from.
        build: Makes the arrays; what it raises is passed on, and nothing is kept.

    Raises:
        ValueError: If ``build`` gives an array of Python objects.
    """
    text = json.dumps({"format": FORMAT, "key": dict(key)}, sort_keys=True, separators=(",", ":"))
    with ExitStack() as held:
        try:
            path = _path(name, text)
            # Before anything is written: a folder that was filled beforehand may be read-only.
            if (kept := _read(path, text)) is not None:
                return kept
            path.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(FileLock(f"{path}.lock"))
        except (OSError, NotImplementedError) as error:  # the latter where the file system has no locks
            _warn(error)
            return _checked(build())
        # Another process may have made it while this one waited.
        if (kept := _read(path, text)) is not None:
            return kept
        arrays = _checked(build())
        try:
            _write(path, text, arrays)
        except OSError as error:
            _warn(error)
        return arrays


def _path(name: str, text: str) -> Path:
    digits = hashlib.sha256(text.encode()).hexdigest()[:24]
    return cache_folder() / "processed" / f"{name}-{digits}.npz"


def _checked(arrays: Arrays) -> dict[str, NDArray[Any]]:
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise ValueError(
                f"array {name!r} must have numbers or texts, got Python objects ({array.dtype}); "
                f"give it a dtype such as int64 or U"
            )
    return dict(arrays)


def _write(path: Path, text: str, arrays: Arrays) -> None:
    content: dict[str, Any] = {PREFIX + name: array for name, array in arrays.items()}
    with atomic_path(path) as temporary:
        np.savez(temporary, key=np.array(text), digest=np.array(_digest(arrays)), **content)


def _read(path: Path, text: str) -> dict[str, NDArray[Any]] | None:
    """Arrays of a whole file of that key; ``None`` where there is none."""
    try:
        # A damaged header may look old to numpy, which would warn.
        with path.open("rb") as file, warnings.catch_warnings(action="ignore"):
            return _whole(file, text)
    except Exception:
        # A damaged file makes zipfile and numpy raise almost anything; whatever it was, the arrays are made again.
        return None


def _whole(file: BinaryIO, text: str) -> dict[str, NDArray[Any]] | None:
    with np.load(file, allow_pickle=False) as archive:
        content = {name: archive[name] for name in archive.files}
    arrays = {name.removeprefix(PREFIX): array for name, array in content.items() if name.startswith(PREFIX)}
    is_whole = content["key"].item() == text and content["digest"].item() == _digest(arrays)
    return arrays if is_whole else None


def _digest(arrays: Arrays) -> str:
    """Checksum over names, kinds, shapes and bytes.

    >>> _digest({"a": np.array([1, 2])}) == _digest({"a": np.array([[1, 2]])})
    False
    """
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(json.dumps([name, array.dtype.descr, array.shape]).encode())
        if array.nbytes:
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _warn(error: OSError | NotImplementedError) -> None:
    reason = getattr(error, "strerror", None) or error
    warnings.warn(
        f"nothing could be kept in the cache ({reason}), so the next run does this work again; "
        f"set {VARIABLE} to a folder that can be written",
        ProtographWarning,
        stacklevel=3,
    )
