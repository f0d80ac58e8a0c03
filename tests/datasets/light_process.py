"""Further processes that import single files of the library and not torch, so that they start at once."""

import subprocess
import sys
from pathlib import Path

import protograph

# The packages are there with their folders, but their __init__ files are not run.
PREAMBLE = """
import sys, types
for name, folder in (("protograph", {0!r}), ("protograph.datasets", {0!r} + "/datasets")):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]
sys.modules["protograph"].__version__ = "1.2.3"
"""


def start(script, *arguments):
    """Start a process that can be talked to line by line; it is for the caller to end it."""
    code = PREAMBLE.format(str(Path(protograph.__file__).parent)) + script + "\nassert 'torch' not in sys.modules\n"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
