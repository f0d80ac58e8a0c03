"""What the command needs around it before anything heavy is imported."""

import os
import sys
from pathlib import Path


def check_working_directory() -> None:
    """Leave with one line where the command is called in a folder that was deleted.

    Torch may end the process when it is imported there, without a word that helps. Programs that use the library are
    left alone.
    """
    if Path(sys.argv[0] if sys.argv else "").stem != "protograph":
        return
    try:
        os.getcwd()
    except FileNotFoundError:
        sys.exit("error: the working directory was deleted; change to a folder that is there")
