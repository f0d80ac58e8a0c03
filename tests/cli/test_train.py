import json
import re

import pytest
import torch
from torch_geometric.data import Data


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


def test_what_was_trained_is_said(run_well):
    done = run_well("train", "graphs.pt", "--out", "other.pt", "--hidden", 32, "--max-epochs", 2)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("trained for 2 epochs: training accuracy 0.")
    assert re.fullmatch(r"balanced accuracy, the mean over the classes: training 0\.\d{4}, test [01]\.\d{4}", lines[1])
    assert re.fullmatch(r"accuracy of always guessing the largest class: training 0\.\d{4}, test 0\.\d{4}", lines[2])
    assert lines[3].split() == ["training", "graphs", "predicted", "recall", "test", "graphs", "predicted", "recall"]
    assert [line.split()[:2] for line in lines[4:6]] == [["class", "0"], ["class", "1"]]
    assert lines[6:] == ["model: other.pt"]


def test_a_model_that_learned_nothing_is_told_loudly_and_weights_reach_the_training(run, folder):
    """Nine graphs in ten are of one class, and nothing tells which."""
    pair = torch.tensor([[0, 1], [1, 0]])
    graphs = [Data(x=torch.ones(2, 3), edge_index=pair, y=int(number % 10 == 0)) for number in range(100)]
    torch.save(graphs, folder / "same.pt")
    arguments = ("train", "same.pt", "--out", "same-model.pt", "--max-epochs", 2, "--json")
    done = run(*arguments)
    facts = json.loads(done.stdout)
    share = facts["train_majority_share"]
    assert (facts["train_accuracy"], facts["train_balanced_accuracy"]) == (share, 0.5)
    assert facts["class_weights"] is None
    assert facts["class_counts"]["train"]["predicted"] == [90, 0]
    assert facts["class_counts"]["train"]["recalls"] == [1.0, 0.0]
    assert done.stderr.splitlines() == [
        "!! The model may have learned nothing:",
        "!!   on 90 training graphs its balanced accuracy is 0.500, no more than guessing may give (0.500).",
        "!!   all 90 training graphs are predicted as class 0.",
    ]
    weighted = json.loads(run(*arguments, "--class-weights", "balanced").stdout)["class_weights"]
    counts = facts["class_counts"]["train"]["graphs"]
    assert weighted == pytest.approx([90 / (2 * count) for count in counts])
    assert json.loads(run(*arguments, "--class-weights", "1,9").stdout)["class_weights"] == [1.0, 9.0]
