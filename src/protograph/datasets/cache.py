"""Arrays kept between runs, found by what they were made from, and made again where the file is not whole."""

import hashlib
import json
import os
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from protograph._utils.arrays import Arrays
from protograph._utils.errors import ProtographWarning
from protograph._utils.files import atomic_path

VARIABLE = "PROTOGRAPH_CACHE"
# Raised whenever the files look different, so that those of an earlier version are not read.
FORMAT = 2
# Where the file says what it was made from.
KEY = "made from"


def cache_folder() -> Path:
    """Folder of what can be made or downloaded again: ``PROTOGRAPH_CACHE``, or else the platform's cache folder.

    Raises:
        FileNotFoundError: If the variable is not set and there is no home folder.
    """
    from platformdirs import user_cache_path

    try:
        name = os.environ.get(VARIABLE)
        return Path(name).expanduser() if name else user_cache_path("protograph", appauthor=False)
    except RuntimeError as error:
        raise FileNotFoundError(f"no home folder is known for the cache; set {VARIABLE} to a folder") from error


def cached_arrays(name: str, key: Mapping[str, str | int], build: Callable[[], Arrays]) -> Arrays:
    """Arrays that were made from ``key`` before, or what ``build`` makes, which is then kept.

    A file that is damaged, or is not what its name says, is made again and replaced. Where nothing can be kept, a
    warning says so.

    Args:
        name: How the file's name begins.
        key: All that the arrays depend on: the checksums of the files they are read from, the versions of what reads
            them, and a number that is raised with every change of how they are made.
        build: Makes the arrays, of numbers or texts; what it raises is passed on, and nothing is kept.
    """
    text = json.dumps({"format": FORMAT, "key": dict(key)}, sort_keys=True, separators=(",", ":"))
    try:
        path = cache_folder() / "processed" / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.npz"
    except FileNotFoundError as error:
        _warn(error)
        return build()
    # Before anything is written: a folder that was filled beforehand may be read-only.
    if (kept := _read(path, text)) is not None:
        return kept
    arrays = build()
    # They would be pickled, and a pickle is never read.
    assert not any(array.dtype.hasobject for array in arrays.values())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            np.savez(temporary, **cast(dict[str, Any], arrays | {KEY: np.array(text)}))
    except OSError as error:
        _warn(error)
    return arrays


def _read(path: Path, text: str) -> Arrays | None:
    """Arrays of a whole file of that key; ``None`` where there is none."""
    try:
        # A damaged header may look old to numpy, which would warn.
        with path.open("rb") as file, warnings.catch_warnings(action="ignore"):
            archive = np.load(file, allow_pickle=False)
            # Packed arrays, which are never written here, could become far larger than the file.
            is_plain = all(member.compress_type == zipfile.ZIP_STORED for member in archive.zip.infolist())
            # An array is read as far as its header says, whose damage the archive's own sums find out.
            is_whole = is_plain and archive.zip.testzip() is None and archive[KEY] == text
            return {name: archive[name] for name in archive.files if name != KEY} if is_whole else None
    except Exception:
        # A damaged file makes zipfile and numpy raise almost anything; whatever it was, the arrays are made again.
        return None


def _warn(error: OSError) -> None:
    warnings.warn(
        f"nothing could be kept in the cache ({error.strerror or error}), "
        f"so the next run does this work again; set {VARIABLE} to a folder that can be written",
        ProtographWarning,
        stacklevel=3,
    )
