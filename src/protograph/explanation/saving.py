"""The files that explanations are saved in: JSON with a format and a version."""

import json
from collections.abc import Mapping
from os import PathLike

from protograph._base.files import atomic_path
from protograph.explanation.codec import Json

FORMAT = "protograph-explanation"
# Version 2 added the survey of all graphs; files of version 1 lack it and are read all the same. Version 3 packs the
# columns of very many graphs.
VERSION = 3


def write(content: Mapping[str, Json], path: str | PathLike[str]) -> None:
    """Write what a file is to hold, whole or not at all."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **content}, allow_nan=False)
    with atomic_path(path) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8")
