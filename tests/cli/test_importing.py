import re
import sys

import pytest

from protograph.cli.importing import imported


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "own_module.py").write_text("thing = 3\n")
    (tmp_path / "own_broken.py").write_text("raise RuntimeError('no')\n")
    (tmp_path / "json.py").write_text("thing = 'never'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "own_module", raising=False)  # that of another test's folder
    monkeypatch.syspath_prepend(tmp_path / "nowhere")  # so that sys.path is as it was afterwards


@pytest.mark.usefixtures("here")
def test_a_module_of_the_working_directory_comes_last():
    assert imported("--model", "own_module:thing") == 3
    import json

    assert imported("--model", "json:loads") is json.loads


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("absent:thing", "--metrics 'absent:thing': there is no module 'absent'"),
        (
            "own_module.py:thing",
            "--metrics 'own_module.py:thing': there is no module 'own_module.py'; give own_module:thing",
        ),
        ("own_module:other", "--metrics 'own_module:other': module 'own_module' has no 'other'"),
        ("own_broken:f", "--metrics 'own_broken:f': importing 'own_broken' failed with RuntimeError: no"),
    ],
)
def test_what_is_not_there_is_named_with_the_option(spec, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        imported("--metrics", spec)
