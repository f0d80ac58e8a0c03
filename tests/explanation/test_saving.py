import json

import pytest

from protograph.explanation.saving import FORMAT, VERSION, write


def test_a_file_says_what_it_is(tmp_path):
    write({"kind": "explanation"}, tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "format": FORMAT,
        "version": VERSION,
        "kind": "explanation",
    }


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("before")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write({"number": float("nan")}, path)
    assert path.read_text() == "before"
