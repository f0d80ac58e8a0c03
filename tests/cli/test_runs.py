import json

import pytest
import torch

from protograph.cli.runs import Run, read_parts, read_run, write_split
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
