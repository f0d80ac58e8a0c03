import importlib.util
import os
import subprocess
import sys

import pytest

from protograph._utils.surroundings import check_surroundings

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
            check_surroundings()
    else:
        check_surroundings()


CACHE = """
import sys
sys.argv[0] = "/usr/bin/{program}"
import protograph, numba
numba.core.config.reload_config()
print(numba.config.CACHE_DIR or "its own", sys.modules.get("yaml", 0) is not None)
"""


@pytest.mark.skipif(importlib.util.find_spec("yaml") is None, reason="without PyYAML Numba reads no such file")
@pytest.mark.parametrize(("program", "folder"), [("protograph", "its own"), ("mine.py", "here")])
def test_a_file_in_the_folder_names_no_compiled_code_to_run(tmp_path, program, folder):
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: here\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    code = CACHE.format(program=program)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{folder} True\n", "")
