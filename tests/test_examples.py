"""The notebooks of ``examples/`` are kept as they ran; ``make notebooks`` runs them, which takes minutes."""

import ast
import json
import re
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.ipynb"))
NAMES = ["molecules", "own_model", "quick_start", "shortcut"]
MOST_BYTES = 200_000


def cells(path, kind="code"):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def source(cell):
    return "".join(cell["source"])


def shown(path):
    """Everything that cells have put out, as one text."""
    outputs = [output for cell in cells(path) for output in cell["outputs"]]
    texts = ["".join(output.get("text", "")) for output in outputs]
    return "\n".join(texts + ["".join(text) for output in outputs for text in output.get("data", {}).values()])


def test_all_examples_are_there():
    assert [path.stem for path in EXAMPLES] == NAMES


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_they_ran_from_top_to_bottom_without_an_error(path):
    assert [cell["execution_count"] for cell in cells(path)] == [*range(1, len(cells(path)) + 1)]
    assert not [output for cell in cells(path) for output in cell["outputs"] if output["output_type"] == "error"]
    assert all(ast.parse(source(cell)).body for cell in cells(path))
    assert cells(path, "markdown")[0]["source"][0].startswith("# ")


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_they_are_small_static_and_of_no_machine(path):
    assert path.stat().st_size < MOST_BYTES
    text = shown(path)
    assert "<script" not in text
    assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/", path.read_text())


def test_they_show_what_they_say():
    by_name = {path.stem: shown(path) for path in EXAMPLES}
    assert "a house" in by_name["quick_start"]
    assert "a nitrogen joined to two oxygens" in by_name["molecules"]
    assert "line 365: c1ccccc: not valid SMILES" in by_name["molecules"]
    assert "joined by a double bond to an oxygen" in by_name["own_model"]
    assert "a stamp node" in by_name["shortcut"]
