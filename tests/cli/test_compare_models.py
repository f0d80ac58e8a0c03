import json

import pytest

from protograph._utils.run_folder import new_folder, write_manifest
from protograph.cli.runs import MANIFEST, Run
from tests.explanation.told import HAS_PATH, HAS_TRIANGLE, told


@pytest.fixture
def runs(folder):
    """Two runs of the same data, of which the second lacks a reason of the first, and one of other data."""
    fewer = {0: (HAS_PATH,), 1: (HAS_TRIANGLE,)}
    for name, data, explanations in (
        ("a", "ba-house", told()),
        ("b", "ba-house", told(fewer)),
        ("other", "ba-grid", told()),
    ):
        with new_folder(folder / name, MANIFEST) as staged:
            explanations.save(staged / "explanation.json")
            write_manifest(staged, MANIFEST, Run(data=data, seed=0).as_json())
    return folder


def test_what_went_is_said_and_written(run, runs):
    done = run("compare-models", "a", "b")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.split("\n")
    assert "  went     reason 2: without a node with at least two neighbours; 50% of the class, 0% elsewhere" in lines
    assert "1 of the 5 graphs has the same prediction for another reason:" in lines
    assert lines[-2] == "runs/compare-models-a-b.html"
    assert "From a to b" in (runs / "runs/compare-models-a-b.html").read_text()


def test_facts_for_scripts(run, runs):
    facts = json.loads(run("compare-models", "a", "b", "--out", "x.html", "--json").stdout)
    assert (facts["out"], facts["common"]) == ("x.html", 5)
    (went,) = [change for one in facts["classes"] for change in one["changes"] if change["status"] == "went"]
    assert went["before"] == {"number": 2, "share": 0.5, "share_elsewhere": 0.0}
    assert [graph["label"] for graph in facts["graphs"]] == ["graph 13 (line 5, d)"]


def test_only_a_page_of_its_own_is_replaced(run, runs):
    assert [run("compare-models", "a", "b", "--out", "x.html").returncode for _ in range(2)] == [0, 0]
    tag = '<meta name="generator" content="protograph compare-models">'
    notes = (
        "mine",
        "# protograph compare-models a b\n",
        f"I ran `protograph compare-models` and got\n{tag}\n",
        f"{tag}<p>",
    )
    for text in notes:
        (runs / "notes.md").write_text(text)
        done = run("compare-models", "a", "b", "--out", "notes.md")
        assert done.stderr.startswith("error: --out notes.md is there and is not a page of `protograph compare-models`")
        assert (runs / "notes.md").read_text() == text


def test_other_data_is_refused(run, runs):
    done = run("compare-models", "a", "other")
    assert done.returncode == 1
    assert done.stderr == (
        "error: a and other are of different data, ba-house and ba-grid, or the file has changed between them; "
        "explain both models on the same data\n"
    )
    assert not (runs / "runs").exists()
