import json
import os
import shutil

import pytest
from torch_geometric.data import Data

import protograph as pg
from protograph._utils.run_folder import new_folder, sha256_of, write_manifest
from protograph.cli.runs import MANIFEST, Run, read_run
from protograph.cli.train import check_model_out
from protograph.training import GCN, save_model

WRITTEN = {"explanation.json": "{}", "report.html": "<html>"}


def write(folder, run=None, **files):
    with new_folder(folder, MANIFEST, force=True) as staged:
        for name, text in (files or WRITTEN).items():
            (staged / name).write_text(text)
        write_manifest(staged, MANIFEST, (run or Run(data="ba-house", seed=0)).as_json())
    return folder


def test_a_run_is_read_as_it_was_written(tmp_path):
    run = Run(data="ba-house", seed=3, model="mine:build", weights="w.pt", return_type="raw", skip_invalid=True)
    kept = read_run(write(tmp_path / "run", run))
    assert kept.run == run
    assert kept.files == {name: sha256_of(kept.path / name) for name in WRITTEN}


def test_paths_hold_in_other_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphs.pt").touch()
    write(tmp_path / "a", Run(data="graphs.pt", seed=0, model="mine:build"))
    assert read_run(tmp_path / "a").run == Run(data=str(tmp_path / "graphs.pt"), seed=0, model="mine:build")


def test_a_folder_called_as_a_data_set_is_not_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ba-house").mkdir()
    assert Run(data="ba-house", seed=0).inputs() == {}
    assert Run(data="./ba-house", seed=0).inputs() == {"data": tmp_path.joinpath("ba-house").relative_to(tmp_path)}


def test_a_folder_without_a_run(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileNotFoundError, match=rf"^{folder} has no run\.json; give a folder .*`protograph"):
            read_run(folder)


def manifest(**entries):
    return json.dumps({"format": "protograph-run", **Run(data="ba-house", seed=0).as_json(), "files": {}} | entries)


@pytest.mark.parametrize(
    "content",
    ["{}", "[]", '{"format": "protograph-run", "files": {}}', "{", manifest(files=None), manifest(sums=3)]
    + [manifest(files={name: "0"}) for name in ("../model.pt", "/etc/passwd", "model.pt/", "a/model.pt")],
)
def test_a_damaged_run(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match=r"run\.json is damaged \(.+\); explain again$"):
        read_run(tmp_path)


def test_graphs_are_held_out_where_the_run_says_so(tmp_path):
    graphs = pg.datasets.GraphDataset(graphs=[Data(num_nodes=n, y=0) for n in range(1, 5)], name="four")
    folder = write(tmp_path / "run")
    text = json.dumps({"train": [2, 0], "validation": [3], "test": [1]})
    (folder / "split.json").write_text(text)  # not of this run, so that it says nothing about it
    explained, rest = read_run(folder).parts(graphs)
    assert explained is rest is graphs
    shutil.rmtree(folder)
    write(folder, **{"split.json": text})
    assert [[graph.num_nodes for graph in part] for part in read_run(folder).parts(graphs)] == [[3, 1], [2, 4]]


def test_a_file_that_is_not_as_the_run_wrote_it(tmp_path):
    kept = read_run(write(tmp_path / "run"))
    path = kept.file("explanation.json")
    path.write_text("[]")
    with pytest.raises(ValueError, match=r"explanation\.json is not the file that the run wrote.*; explain again$"):
        kept.file("explanation.json")
    with pytest.raises(ValueError, match=r"run\.json does not name model\.pt.*; explain again$"):
        kept.file("model.pt")
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"explanation\.json is gone.*; explain again$"):
        kept.file("explanation.json")


def test_what_a_run_was_made_of_is_known_by_its_sum(tmp_path):
    data = tmp_path / "graphs.pt"
    data.write_text("one")
    kept = read_run(write(tmp_path / "run", Run(data=str(data), seed=0)))
    kept.check_inputs(["data"])
    data.write_text("two")
    kept.check_inputs(["model"])
    with pytest.raises(ValueError, match=rf"^{data} has changed since {kept.path} was made of it; explain again$"):
        kept.check_inputs(["data"])


def test_a_model_of_ours_may_be_replaced_and_nothing_else(tmp_path):
    model, run, data, parts = (tmp_path / name for name in ("model.pt", "run", "graphs.pt", "parts"))
    save_model(GCN(3, 2, (4,)), model)
    data.write_text("mine")
    write(run, **{"model.pt": "a model"})
    parts.mkdir()
    (tmp_path / "hard.pt").hardlink_to(data)
    os.mkfifo(tmp_path / "pipe")
    for good in (model, tmp_path / "new.pt", parts, run / "other.pt"):
        check_model_out(good, [data])
    theirs = "is there and is not a model of `protograph train`"
    for out, inputs, message in (
        (data, [], theirs),
        (tmp_path / "pipe", [], theirs),
        (tmp_path / "hard.pt", [data], f"is or would be part of the data in {data}"),
        (parts / "new.pt", [parts], "is or would be part of the data in .*parts"),
        (run / "model.pt", [], theirs),
    ):
        with pytest.raises(ValueError, match=rf"^--out {out} {message}; choose another --out$"):
            check_model_out(out, inputs)
