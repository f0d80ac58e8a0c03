import os
import subprocess
import sys

import pytest

from protograph._base.surroundings import check_working_directory

SCRIPT = """
import os, sys
sys.argv[0] = "/usr/bin/protograph"
os.rmdir(os.getcwd())
import protograph
"""


def test_a_deleted_working_directory_is_one_line(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=folder, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: the working directory was deleted; change to a folder that is there\n"


@pytest.mark.parametrize(("program", "leaves"), [("protograph", True), ("protograph.exe", True), ("mine.py", False)])
def test_only_the_command_is_ended(monkeypatch, program, leaves):
    def getcwd():
        raise FileNotFoundError

    monkeypatch.setattr(os, "getcwd", getcwd)
    monkeypatch.setattr(sys, "argv", [f"/bin/{program}"])
    if leaves:
        with pytest.raises(SystemExit, match=r"^error: the working directory was deleted; change to"):
            check_working_directory()
    else:
        check_working_directory()
