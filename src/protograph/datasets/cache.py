"""Arrays kept between runs, found by what they were made from, and made again where the file is damaged."""

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from protograph._utils.arrays import Arrays
from protograph._utils.errors import ProtographWarning
from protograph._utils.files import atomic_path

VARIABLE = "PROTOGRAPH_CACHE"


def cache_folder() -> Path:
    """Folder of what can be made or downloaded again: ``PROTOGRAPH_CACHE``, or else the platform's cache folder."""
    from platformdirs import user_cache_path

    name = os.environ.get(VARIABLE)
    return Path(name).expanduser() if name else user_cache_path("protograph", appauthor=False)


def cached_arrays(name: str, key: Mapping[str, str | int], build: Callable[[], Arrays]) -> Arrays:
    """Arrays that were made from ``key`` before, or what ``build`` makes, which is then kept.

    A damaged file is made again and replaced. Where nothing can be kept, a warning says so.

    Args:
        name: How the file's name begins.
        key: All that the arrays depend on: the checksums of the files they are read from, the versions of what reads
            them, and a number that is raised with every change of how they are made.
        build: Makes the arrays, of numbers or texts; what it raises is passed on, and nothing is kept.
    """
    text = json.dumps(dict(key), sort_keys=True)
    path = cache_folder() / "processed" / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.npz"
    # A damaged file makes zipfile and numpy raise almost anything; whatever it was, the arrays are made again.
    with suppress(Exception), path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        return dict(archive)
    arrays: dict[str, Any] = build()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            np.savez(temporary, **arrays)
    except OSError as error:
        warnings.warn(
            f"nothing could be kept in the cache ({error.strerror or error}), "
            f"so the next run does this work again; set {VARIABLE} to a folder that can be written",
            ProtographWarning,
            stacklevel=2,
        )
    return arrays
