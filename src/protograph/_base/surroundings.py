"""What the command needs around it before anything heavy is imported. Programs that use the library are left alone."""

import os
import sys
import warnings
from pathlib import Path
from typing import Any


def check_surroundings() -> None:
    """See to it that the folder that the command is called in is there, and that nothing in it is run."""
    if Path(sys.argv[0] if sys.argv else "").stem == "protograph":
        _check_working_directory()
        if not {"--help", "--version"} & set(sys.argv):  # which are there at once
            import_numba()


def _check_working_directory() -> None:
    """Leave with one line where the folder was deleted: torch may end the process, without a word that helps."""
    try:
        os.getcwd()
    except FileNotFoundError:
        sys.exit("error: the working directory was deleted; change to a folder that is there")


def import_numba() -> None:
    """Import Numba without the settings that it takes from ``.numba_config.yaml`` in the working directory.

    Such a file may name the folder of compiled code, and reading that folder runs what it holds. What is set in the
    environment counts. PyG imports Numba too, so that this must come before.
    """
    missing = object()
    earlier: Any = sys.modules.get("yaml", missing)
    sys.modules["yaml"] = None  # type: ignore[assignment]  # to Numba, its reader of such files is not installed
    warnings.filterwarnings("ignore", message="A Numba config file is found")  # and not read
    try:
        import numba  # noqa: F401
    finally:
        if earlier is missing:
            del sys.modules["yaml"]
        else:
            sys.modules["yaml"] = earlier
