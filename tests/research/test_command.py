"""``python -m research.paper`` as a user meets it; one quick run of all items serves all tests."""

import json

import pytest
from typer.testing import CliRunner

from research.paper import cells
from research.paper.__main__ import app
from research.paper.items import ITEMS
from research.paper.page import QUICK


def run(*arguments):
    return CliRunner(env={"PROTOGRAPH_PROGRESS": "off"}).invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """All items; processes of their own would import PyTorch first, and are tested with less."""
    folder = tmp_path_factory.mktemp("reproduce") / "paper"
    done = run("all", "--quick", "--out", folder)
    assert done.exit_code == 0, (done.output, done.stderr)
    assert QUICK in done.stdout
    return folder


def test_every_item_has_its_files_and_its_place_on_the_page(out):
    assert sorted(path.name for path in out.iterdir()) == sorted(
        [".cells", "README.md", "index.html", "run.json", *ITEMS]
    )
    page, readme = (out / "index.html").read_text(), (out / "README.md").read_text()
    for name, item in ITEMS.items():
        assert f'<section id="{name}">' in page
        assert f"## {name}: {item.title}" in readme
        written = {path.suffix for path in (out / name).iterdir()}
        assert written <= {".csv", ".json", ".tex", ".svg"}
        assert json.loads((out / name / "item.json").read_text())["is_quick"] is True


def test_the_same_command_measures_nothing_again_and_writes_the_same(out):
    names = ("table1", "rq2", "arena")

    def tables():
        return {path: path.read_bytes() for name in names for path in (out / name).iterdir() if path.stem != "item"}

    before = tables()
    done = run(*names, "--quick", "--out", out)
    num_cells = sum(len(list((out / ".cells" / name).glob("*.json"))) for name in names)
    assert f"3 items, {num_cells} cells, all finished before\n" in done.stderr
    assert tables() == before


def test_what_is_finished_needs_neither_its_device_nor_its_versions(out, monkeypatch):
    monkeypatch.setattr(cells, "versions", lambda: {"torch": "0"})
    done = run("table1", "--quick", "--device", "nowhere", "--any-versions", "--out", out)
    assert done.exit_code == 0, (done.output, done.stderr)
    assert "all finished before" in done.stderr
    done = run("table1", "--quick", "--device", "nowhere", "--out", out / "new")
    assert not (out / "new").exists()
    assert isinstance(done.exception, ValueError)
    assert "device must be one that PyTorch can use here, got 'nowhere'" in str(done.exception)


def test_a_lost_cell_is_measured_again_with_its_kept_model(out):
    before = (out / "table1" / "statistics.csv").read_bytes()
    next((out / ".cells" / "table1").glob("*seed-1*.json")).unlink()
    done = run("table1", "--quick", "--out", out)
    assert "1 item, 2 cells, 1 finished before; to do: 1 training and 1 cell, about " in done.stderr
    assert (out / "table1" / "statistics.csv").read_bytes() == before
    assert f"## {list(ITEMS)[-1]}: " in (out / "README.md").read_text()  # the others stay on the page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table3"], f"ITEM must be all or among {', '.join(ITEMS)}, got table3"),
        (
            ["all", "--without", "cora"],
            "--without must be among ba-house, ba-grid, solubility, mutagenicity, benzene, mnist-sp, ba-2motifs, bbbp, "
            "nci1, imdb-binary, worlds, got cora",
        ),
        (
            ["arena", "--seeds", "2", "--world-seeds", "3"],
            "--world-seeds must be at most --seeds, which is 2, got 3",
        ),
    ],
)
def test_unknown_names_and_too_many_seeds_are_refused(tmp_path, arguments, message):
    done = run(*arguments, "--out", tmp_path / "new")
    assert (str(done.exception), (tmp_path / "new").exists()) == (message, False)


def test_a_readme_of_others_is_left_alone(tmp_path):
    (tmp_path / "README.md").write_text("# Mine\n")
    assert "is not what protograph wrote" in str(run("table1", "--quick", "--out", tmp_path).exception)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_a_failure_is_told_and_leaves_the_other_items(tmp_path, monkeypatch):
    from research.paper.lab import Lab

    def fail(lab, name, seed):
        raise FileNotFoundError(f"no file of {name}")

    monkeypatch.setattr(Lab, "model", fail)
    done = run("table1", "--quick", "--out", tmp_path)
    assert str(done.exception).startswith("4 tasks failed, and the items that need them were not written")
    assert "table1, ba-house, seed 1: FileNotFoundError: no file of ba-house" in done.stderr
    assert not (tmp_path / "table1").exists()


def test_planted_worlds_have_as_many_seeds_as_are_asked_for(tmp_path, monkeypatch):
    planned = []

    def note(plan):
        planned.append(plan)
        raise RuntimeError("that is all")

    monkeypatch.setattr("research.paper.__main__.measure", note)
    run("arena", "--world-seeds", 2, "--out", tmp_path)
    keys = list(planned[0].cells["arena"])
    assert {key[-1] for key in keys if key[0] == "world"} == {"seed 0", "seed 1"}
    assert {key[-1] for key in keys if key[0] == "set"} == {f"seed {seed}" for seed in range(10)}
