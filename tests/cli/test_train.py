import json

import pytest
import torch

from benchmarks.killing import content_of, killed_at


def test_a_folder_that_cannot_be_made_is_told_before_the_work(run, monkeypatch):
    monkeypatch.setattr("protograph.cli.train.load_graphs", None)
    done = run("train", "graphs.pt", "--out", "nowhere/model.pt")
    assert done.returncode == 1
    assert done.stderr == "error: cannot write nowhere/model.pt: the folder nowhere does not exist\n"


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("graphs.pt", "--out graphs.pt is or would be part of the data in graphs.pt; choose another --out"),
        ("mine.py", "--out mine.py is there and is not a model of `protograph train`; choose another --out"),
    ],
)
def test_no_other_file_is_replaced(run, folder, monkeypatch, out, message):
    monkeypatch.setattr("protograph.cli.train.load_graphs", None)
    before = (folder / out).read_bytes()
    done = run("train", "graphs.pt", "--out", out)
    assert (done.returncode, done.stderr) == (1, f"error: {message}\n")
    assert (folder / out).read_bytes() == before


def test_killed_at_every_change_a_model_is_the_old_or_the_new(run, run_well, folder):
    given = ("train", "graphs.pt", "--layers", 1, "--max-epochs", 1, "--out", "place/model.pt")
    place = folder / "place"
    place.mkdir()
    run_well(*given, "--seed", 1)
    new = content_of(place)
    run_well(*given)
    old, states = content_of(place), []
    while killed_at(lambda: run(*given, "--seed", 1), len(states), place):
        states.append((place / "model.pt").read_bytes())
        run_well(*given)  # which removes what was left
        assert content_of(place) == old
    assert states == [old["model.pt"], new["model.pt"]]


def test_what_was_trained_is_said(run_well):
    lines = run_well("train", "graphs.pt", "--out", "other.pt", "--layers", 1, "--max-epochs", 2).stdout.splitlines()
    assert lines[0].startswith("trained for 2 epochs: training accuracy 0.")
    assert lines[1] == "model: other.pt"


def test_a_folder_of_shards_is_trained_on(run_well, folder):
    graphs = torch.load(folder / "graphs.pt", weights_only=False)
    (folder / "shards").mkdir()
    for number in range(3):
        torch.save(graphs[40 * number : 40 * number + 40], folder / "shards" / f"part{number}.pt")
    facts = json.loads(run_well("train", "shards", "--out", "sharded.pt", "--max-epochs", 1, "--json").stdout)
    assert set(facts) == {"model", "epochs", "train_accuracy", "validation_accuracy", "test_accuracy"}
    assert (facts["model"], facts["epochs"]) == ("sharded.pt", 1)


def test_rows_that_were_left_out_are_said(run, folder):
    rows = [f"{'C' * (1 + i % 7)}{'NO'[i % 2]},{i % 2}" for i in range(40)]
    (folder / "mol.csv").write_text("\n".join(["smiles,label", *rows, "C(,1"]) + "\n")
    done = run("train", "mol.csv", "--out", "mol.pt", "--max-epochs", 1, "--skip-invalid", "--json")
    assert done.stderr == "left out 1 row:\n  line 42: 'C(': not valid SMILES\n"
    assert json.loads(done.stdout)["left_out"] == ["line 42: 'C(': not valid SMILES"]
