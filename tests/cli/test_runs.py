import json

import pytest
import torch

from protograph.cli.runs import Run, read_parts, read_run, whole_folder, write_split
from protograph.training.split import Split


def test_a_run_is_read_as_it_was_written(tmp_path):
    run = Run(data="ba-house", seed=3, model="mine:build", weights="w.pt", return_type="raw", skip_invalid=True)
    run.write(tmp_path)
    assert read_run(tmp_path) == run


def test_paths_hold_in_other_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphs.pt").touch()
    Run(data="graphs.pt", seed=0, model="mine:build").write(tmp_path)
    assert read_run(tmp_path) == Run(data=str(tmp_path / "graphs.pt"), seed=0, model="mine:build")


def test_a_folder_without_a_run(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"has no run\.json; give a folder that `protograph explain` has written$"
    ):
        read_run(tmp_path)


@pytest.mark.parametrize(("content", "reason"), [("{}", "'data'"), ("[]", "list indices"), ("{", "Expecting property")])
def test_a_damaged_run(tmp_path, content, reason):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match=rf"run\.json is damaged \({reason}.*\); explain again$"):
        read_run(tmp_path)


@pytest.mark.parametrize("options", [{"weights": "w.pt"}, {"return_type": "raw"}])
def test_options_of_a_model_that_is_not_there(options):
    with pytest.raises(
        ValueError, match=r"^--weights and --return-type are for a model of yours; give it with --model$"
    ):
        Run(data="ba-house", seed=0, **options)


def test_graphs_are_held_out_where_there_is_a_split(tmp_path):
    graphs = ["a", "b", "c", "d"]
    explained, rest = read_parts(tmp_path, graphs)
    assert explained is rest is graphs
    write_split(Split(torch.tensor([2, 0]), torch.tensor([3]), torch.tensor([1])), tmp_path)
    assert json.loads((tmp_path / "split.json").read_text()) == {"train": [2, 0], "validation": [3], "test": [1]}
    assert read_parts(tmp_path, graphs) == (["c", "a"], ["b", "d"])


def write(folder, *names, keep=None):
    with whole_folder(folder, keep) as partial:
        for name in names:
            (partial / name).write_text("new")


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_appear_at_the_end(tmp_path):
    with whole_folder(tmp_path / "new" / "one") as partial:
        (partial / "report.html").write_text("new")
        assert files(tmp_path / "new") == [partial.name]
    assert files(tmp_path / "new") == ["one"]
    assert files(tmp_path / "new" / "one") == ["report.html"]


def test_nothing_of_an_earlier_run_stays_beside_the_next(tmp_path):
    folder = tmp_path / "mixed"
    write(folder, "model.pt", "split.json", "class7-prototype1.png", "notes.txt")
    write(folder, "class0-prototype1.png")
    assert files(folder) == ["class0-prototype1.png", "notes.txt"]


def test_the_model_that_is_explained_stays(tmp_path):
    folder = tmp_path / "mixed"
    write(folder, "model.pt", "split.json")
    write(folder, "report.html", keep=str(folder / "model.pt"))
    assert files(folder) == ["model.pt", "report.html"]


def test_an_error_leaves_nothing(tmp_path):
    with pytest.raises(TypeError):
        write(tmp_path / "new" / "one", "report.html", 3)
    assert files(tmp_path) == []


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "taken").write_text("mine")
    for path, reason in ((tmp_path / "taken", "it is a file, not a folder"), (tmp_path / "taken" / "in", "")):
        with pytest.raises(OSError, match=rf"^cannot write to {path}: {reason}.*; choose another --out$"):
            write(path, "report.html")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_folder_without_permission(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(OSError, match=rf"^cannot write to {tmp_path}/a: no permission; choose another --out$"):
        write(tmp_path / "a", "report.html")
    assert files(tmp_path) == []
