import json
import re

import torch

import protograph as pg
from protograph.cli.loading import load_classifier
from protograph.training import GCN


def test_a_run_is_judged(run, run_well, folder):
    """On graphs that were held out where the model was trained here; with a model given, on the same graphs."""
    run_well("explain", "graphs.pt", "--model", "model.pt", "--k", 2, "--clusters", 1, "--out", "judged")
    facts = json.loads(run_well("evaluate", "judged", "--json").stdout)
    assert facts["held_out"] is False
    graphs = torch.load(folder / "graphs.pt", weights_only=False)
    explanations = pg.load(folder / "judged" / "explanation.json")
    again = pg.metrics.fidelity(explanations, graphs, load_classifier(str(folder / "model.pt")))
    assert facts["fidelity"] == {"value": again, "low": again.low, "high": again.high, "num_graphs": 120}
    for target, explanation in pg.load(folder / "judged" / "explanation.json").items():
        row = facts["classes"][str(target)]
        assert row["accuracy"] is None  # a file of graphs has no ground truth
        assert row["prototypes"][0]["probability"] == explanation.prototypes[0].probability
        assert row["prototypes"][0]["support"] > 0  # it occurs at least in the graph it was cut from
        assert row["prototypes"][0]["truth_margin"] is None
        assert 0.5 <= row["prototypes"][0]["sources_probability"] <= 1  # representatives are predicted as the class
    text = run_well("evaluate", "judged").stdout
    assert re.search(r"^prototype +p +margin +density +support", text, re.MULTILINE)
    assert re.search(r"^1 +[01]\.\d{4} +-?\d+\.\d\d +0\.\d{3} ", text, re.MULTILINE)
    assert re.search(r"^  sources +[01]\.\d{4} +-?\d+\.\d\d$", text, re.MULTILINE)
    assert text.splitlines()[-5:] == [
        "support, elsewhere, lift, coverage, overlap, gain area and fidelity are of the 120 graphs that were",
        "searched: none were kept apart",
        "fidelity: the share of graphs of which the rules say what the model predicts, every class weighing",
        "the same",
        "sources: the mean over the graphs that the prototype was cut from or matched with",
    ]
    assert max(map(len, text.splitlines())) <= 100
    (folder / "judged" / "run.json").write_text("{}")
    assert run("evaluate", "judged").stderr == (
        'error: judged/run.json is damaged (it must have the format "protograph-run"); explain again\n'
    )


def edited(folder, **entries):
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def test_a_run_runs_no_code_that_it_names(run, run_well, folder):
    given = ("--model", "mine:build", "--weights", "w.pt")
    torch.manual_seed(1)
    torch.save(GCN(3, 2, (8,)).state_dict(), folder / "w.pt")
    run_well("explain", "graphs.pt", *given, "--k", 1, "--clusters", 1, "--out", "own")
    trap = "import pathlib\npathlib.Path('trapped').touch()\n"
    (folder / "trap.py").write_text(trap)
    edited(folder / "own", model="trap:build")
    done = run("evaluate", "own")
    assert (done.returncode, done.stderr) == (
        1,
        "error: own was made with the code of trap:build, which runs only if you name it here; "
        f"if you trust it, add --model trap:build --weights {folder / 'w.pt'}\n",
    )
    assert not (folder / "trapped").exists()
    named = json.loads(run_well("evaluate", "own", *given, "--json").stdout)
    # Weights are data, so that those of the run are taken where none are named.
    assert json.loads(run_well("evaluate", "own", "--model", "mine:build", "--json").stdout) == named
    probability = pg.load(folder / "own" / "explanation.json")
    for target, row in named["classes"].items():
        assert row["prototypes"][0]["probability"] == probability[int(target)].prototypes[0].probability


def test_a_model_of_the_run_s_own_is_taken_as_it_was_written(run, run_well, folder):
    run_well("explain", "graphs.pt", "--k", 1, "--clusters", 1, "--out", "own")
    assert json.loads(run_well("evaluate", "own", "--json").stdout)["held_out"] is True
    assert run("evaluate", "own", "--model", "mine:build").stderr == (
        "error: own has a model of its own, model.pt; leave out --model and --weights\n"
    )
    (folder / "own" / "split.json").unlink()
    assert run("evaluate", "own").stderr == "error: own/split.json is gone, which run.json names; explain again\n"
    (folder / "own" / "model.pt").write_bytes((folder / "model.pt").read_bytes())
    assert run("evaluate", "own").stderr == (
        "error: own/model.pt is not the file that the run wrote, it was changed since; explain again\n"
    )
