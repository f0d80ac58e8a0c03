import json
import os
import shutil

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph._base.manifest import facts_of
from protograph.cli.runs import Run, check_model_out, open_run, read_run, split_text
from protograph.training import GCN, save_model
from protograph.training.split import Split

WRITTEN = {"explanation.json": "{}", "report.html": "<html>"}


def write(folder, run=None, inputs=(), **files):
    with open_run(folder, inputs) as opened:
        for name, text in (files or WRITTEN).items():
            (opened.staged / name).write_text(text)
        opened.publish((run or Run(data="ba-house", seed=0)).as_json())


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_run_is_read_as_it_was_written(tmp_path):
    run = Run(data="ba-house", seed=3, model="mine:build", weights="w.pt", return_type="raw", skip_invalid=True)
    write(tmp_path, run)
    kept = read_run(tmp_path)
    assert kept.run == run
    assert kept.files == {name: facts_of(tmp_path / name) for name in WRITTEN}


def test_paths_hold_in_other_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphs.pt").touch()
    write(tmp_path / "a", Run(data="graphs.pt", seed=0, model="mine:build"))
    assert read_run(tmp_path / "a").run == Run(data=str(tmp_path / "graphs.pt"), seed=0, model="mine:build")


def test_a_folder_called_as_a_data_set_is_not_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "ba-house", Run(data="ba-house", seed=0))
    write(tmp_path / "ba-house", Run(data="ba-house", seed=1), Run(data="ba-house", seed=1).inputs().values())
    assert read_run(tmp_path / "ba-house").run == Run(data="ba-house", seed=1)
    assert Run(data="./ba-house", seed=0).inputs() == {"data": tmp_path.joinpath("ba-house").relative_to(tmp_path)}


def test_a_folder_without_a_run(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(
            FileNotFoundError,
            match=rf"^{folder} has no run\.json; give a folder that `protograph explain` has written$",
        ):
            read_run(folder)


def manifest(**entries):
    content = {"format": "protograph-run", **Run(data="ba-house", seed=0).as_json(), "files": {}}
    return json.dumps(content | entries)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{}", 'it must have the format "protograph-run"'),
        ("[]", 'it must have the format "protograph-run"'),
        ('{"format": "protograph-run", "files": {}}', "'data'"),
        ("{", "Expecting property .*"),
        (manifest(files=None), "it must name its files"),
        (manifest(files={"model.pt": {"size": 3}}), "its files must have a size and a sha256 each"),
        (manifest(sums=3), "sums must be an object, got 3"),
        *(
            (manifest(files={name: {"size": 1, "sha256": ""}}), f"it names the file {name!r}, which is none of ours")
            for name in ("../model.pt", "/etc/passwd", "notes.txt", "run.json", "model.pt/", "Model.pt", "a/model.pt")
        ),
    ],
)
def test_a_damaged_run(tmp_path, content, reason):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match=rf"run\.json is damaged \({reason}\); explain again$"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {"weights": "w.pt"},
        {"return_type": "raw"},
        {"node_embeddings": "conv"},
        {"graph_embeddings": "head"},
        {"task": 0},
    ],
)
def test_options_of_a_model_that_is_not_there(options):
    with pytest.raises(ValueError, match=r"^--weights, .* are for a model of yours; give it with --model$"):
        Run(data="ba-house", seed=0, **options)


def test_graphs_are_held_out_where_the_run_says_so(tmp_path):
    graphs = pg.datasets.GraphDataset(graphs=[Data(num_nodes=n, y=0) for n in range(1, 5)], name="four")
    write(tmp_path)
    text = split_text(Split(torch.tensor([2, 0]), torch.tensor([3]), torch.tensor([1])))
    assert text == '{"train": [2, 0], "validation": [3], "test": [1]}'
    (tmp_path / "split.json").write_text(text)  # not of this run, so that it says nothing about it
    explained, rest = read_run(tmp_path).parts(graphs)
    assert explained is rest is graphs
    (tmp_path / "split.json").unlink()
    write(tmp_path, **{"split.json": text})
    sizes = [[graph.num_nodes for graph in part] for part in read_run(tmp_path).parts(graphs)]
    assert sizes == [[3, 1], [2, 4]]


def test_a_file_that_is_not_as_the_run_wrote_it(tmp_path):
    write(tmp_path)
    kept = read_run(tmp_path)
    assert kept.file("explanation.json") == tmp_path / "explanation.json"
    (tmp_path / "explanation.json").write_text("[]")
    for name, error, message in (
        ("explanation.json", ValueError, "is not the file that the run wrote, it was changed since; explain again"),
        ("model.pt", ValueError, "run.json does not name model.pt, so the run has none; explain again"),
    ):
        with pytest.raises(error, match=f"{message}$"):
            kept.file(name)
    (tmp_path / "explanation.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"explanation\.json is gone, which run\.json names; explain again$"):
        kept.file("explanation.json")


def test_what_a_run_was_made_of_is_known_by_its_sum(tmp_path):
    data = tmp_path / "graphs.pt"
    data.write_text("one")
    write(tmp_path / "run", Run(data=str(data), seed=0))
    kept = read_run(tmp_path / "run")
    kept.check_inputs(["data"])
    data.write_text("two")
    kept.check_inputs(["model"])
    with pytest.raises(ValueError, match=rf"^{data} has changed since {kept.path} was made of it; explain again$"):
        kept.check_inputs(["data"])


@pytest.mark.parametrize("way", ["itself", "link", "capitals"])
def test_what_is_read_is_not_replaced(tmp_path, monkeypatch, way):
    monkeypatch.chdir(tmp_path)
    weights = tmp_path / ("Model.pt" if way == "capitals" else "model.pt")
    weights.write_text("mine")
    given = weights
    if way == "link":
        given = tmp_path / "given.pt"
        given.symlink_to(weights)
    message = f"{given} is read, but --out . may replace or remove it; choose another --out"
    with pytest.raises(ValueError, match=f"^{message}$"):
        write(tmp_path.relative_to(tmp_path), inputs=[given])
    assert weights.read_text() == "mine"


def test_a_folder_that_is_read_from_is_not_written_to(tmp_path):
    (tmp_path / "shards").mkdir()
    (tmp_path / "link").symlink_to("shards")
    with pytest.raises(ValueError, match=r"link is a folder that is read from; choose another --out$"):
        write(tmp_path / "link", inputs=[tmp_path / "shards"])
    write(tmp_path / "shards" / "inside", inputs=[tmp_path / "shards"])
    assert files(tmp_path / "shards") == ["inside"]


def test_a_model_of_ours_may_be_replaced_and_nothing_else(tmp_path):
    model, run, data = tmp_path / "model.pt", tmp_path / "run", tmp_path / "graphs.pt"
    save_model(GCN(3, 2, (4,)), model)
    data.write_text("mine")
    write(run)
    with open_run(run, ()) as opened:
        shutil.copy(model, opened.staged / "model.pt")
        opened.publish(Run(data="ba-house", seed=0).as_json())
    (tmp_path / "shards").mkdir()
    (tmp_path / "hard.pt").hardlink_to(data)
    for good in (model, tmp_path / "new.pt", tmp_path / "shards", run / "other.pt"):
        check_model_out(good, [data])
    theirs = "is there and is not a model of `protograph train`; choose another --out"
    for out, inputs, message in (
        (data, [], theirs),
        (tmp_path / "hard.pt", [data], f"is or would be part of the data in {data}; choose another --out"),
        (
            tmp_path / "shards" / "new.pt",
            [tmp_path / "shards"],
            "is or would be part of the data in .*shards; choose .*",
        ),
        (run / "model.pt", [], f"is part of the run in {run}; choose another --out"),
    ):
        with pytest.raises(ValueError, match=rf"^--out {out} {message}$"):
            check_model_out(out, inputs)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=rf"^--out {tmp_path}/pipe {theirs}$"):
        check_model_out(tmp_path / "pipe", [])
