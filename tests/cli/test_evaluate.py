import dataclasses
import json
import math
import re

import torch

import protograph as pg
from protograph.cli.evaluate import scores_text
from protograph.cli.inputs import load_classifier
from protograph.evaluation.evaluation import ClassScores, PrototypeScores
from protograph.explanation import Fidelity
from protograph.training import GCN


def test_a_run_is_judged(run, run_well, runs):
    """On graphs that were held out where the model was trained here; with a model given, on the same graphs."""
    facts = json.loads(run_well("evaluate", "found", "--json").stdout)
    assert facts["held_out"] is False
    graphs = torch.load(runs / "graphs.pt", weights_only=False)
    explanations = pg.load(runs / "found" / "explanation.json")
    again = pg.metrics.fidelity(explanations, graphs, load_classifier(str(runs / "model.pt")))
    assert facts["fidelity"] == {"value": again, "low": again.low, "high": again.high, "num_graphs": 120}
    for target, explanation in explanations.items():
        row = facts["classes"][str(target)]
        assert row["accuracy"] is None  # a file of graphs has no ground truth
        assert row["prototypes"][0]["probability"] == explanation.prototypes[0].probability
        assert row["prototypes"][0]["support"] > 0  # it occurs at least in the graph it was cut from
        assert row["prototypes"][0]["truth_margin"] is None
        assert 0.5 <= row["prototypes"][0]["sources_probability"] <= 1  # representatives are predicted as the class
    text = run_well("evaluate", "found").stdout
    assert re.search(r"^prototype +p +margin +density +support", text, re.MULTILINE)
    assert re.search(r"^1 +[01]\.\d{4} +-?\d+\.\d\d +0\.\d{3} ", text, re.MULTILINE)
    assert re.search(r"^  sources +[01]\.\d{4} +-?\d+\.\d\d$", text, re.MULTILINE)
    assert text.splitlines()[-5:] == [
        "support, elsewhere, lift, coverage and fidelity are of the 120 graphs that were searched: none were",
        "kept apart",
        "fidelity: the share of graphs of which the rules say what the model predicts, every class weighing",
        "the same",
        "sources: the mean over the graphs that the prototype was cut from or matched with",
    ]
    assert max(map(len, text.splitlines())) <= 100
    (runs / "found" / "run.json").write_text("{}")
    assert run("evaluate", "found").stderr == (
        'error: found/run.json is damaged (it must have the format "protograph-run"); explain again\n'
    )


def edited(folder, **entries):
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def test_a_run_runs_no_code_that_it_names(run, run_well, folder):
    given = ("--model", "mine:build", "--weights", "w.pt")
    torch.manual_seed(1)
    torch.save(GCN(3, 2, (8,)).state_dict(), folder / "w.pt")
    run_well("explain", "graphs.pt", *given, "--explainer", "random", "--out", "own")
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


def test_a_model_of_the_run_s_own_is_taken_as_it_was_written(run, run_well, runs):
    assert json.loads(run_well("evaluate", "trained", "--json").stdout)["held_out"] is True
    assert run("evaluate", "trained", "--model", "mine:build").stderr == (
        "error: trained has a model of its own, model.pt; leave out --model and --weights\n"
    )
    (runs / "trained" / "model.pt").write_bytes((runs / "model.pt").read_bytes())
    assert run("evaluate", "trained").stderr == (
        "error: trained/model.pt is not the file that the run wrote, it was changed since; explain again\n"
    )


PLAIN = dict.fromkeys(field.name for field in dataclasses.fields(PrototypeScores)) | {
    "num_nodes": 3, "num_edges": 2, "probability": 0.5, "margin": 1.25, "accuracies": (), "density": 0.5,
    "support": 0.75, "support_elsewhere": 0.25, "lift": 3.0, "margin_share": 0.625,
}  # fmt: skip
FULL = PLAIN | {
    "accuracy": 1.0, "is_exact": False, "truth": 1, "accuracies": (0.5, 1.0), "truth_density": 0.25,
    "truth_probability": 0.9, "truth_margin": 2.0, "sources_probability": 0.8, "sources_margin": 1.5, "is_valid": False,
}  # fmt: skip
HALF = (0.5, 0.25, 0.75)


def of_class(*prototypes, **changes):
    facts = {"target": 1, "accuracy": None, "coverage": HALF}
    facts |= {"fidelity": HALF, "num_reasons": None, "num_patterns": 0}
    return ClassScores(**facts | changes, prototypes=tuple(PrototypeScores(**one) for one in prototypes))


def text(*scores, names=("0", "house"), where="the 7 graphs that no prototype was found in"):
    return scores_text(scores, names, where).splitlines()


def test_truth_and_sources_stand_below_a_prototype():
    assert text(of_class(FULL, accuracy=1.0)) == [
        "class 1 (house): accuracy 1.000",
        "  coverage 0.500 [0.250, 0.750]",
        "  fidelity 0.500 [0.250, 0.750]; rule: contains one of the prototypes",
        "prototype            p  margin  accuracy  density  support  elsewhere  lift  margin share   molecule",
        "1               0.5000    1.25    1.000?    0.500    0.750      0.250   3.0          0.62  not valid",
        "  truth 2 of 2  0.9000    2.00              0.250",
        "  sources       0.8000    1.50",
        "",
        "accuracy of the data set, the mean over its classes with a ground truth: 1.000",
        "",
        "support, elsewhere, lift, coverage and fidelity are of the 7 graphs that no prototype was found in",
        "fidelity: the share of graphs of which the rules say what the model predicts, every class weighing",
        "the same",
        "truth: the ground truth that counts, given to the model by itself",
        "sources: the mean over the graphs that the prototype was cut from or matched with",
        "accuracy with ?: the best that was found, not proven to be the best there is",
    ]


def test_what_is_missing_or_beyond_measure():
    scores = of_class(
        PLAIN | {"lift": math.inf},
        PLAIN | {"lift": None, "margin_share": None},
        PLAIN | {"lift": 12345678.9},
        coverage=(math.nan, 0.0, 1.0),
    )
    lines = text(scores)
    assert lines[1] == "  coverage -"
    assert [line.split()[-2:] for line in lines[4:7]] == [["inf", "0.62"], ["-", "-"], ["1e+07", "0.62"]]
    assert "nan" not in "\n".join(lines)


def test_rules_are_told_with_their_fidelity():
    both = [of_class(PLAIN, num_reasons=2, num_patterns=3), of_class(PLAIN, target=0, num_reasons=0)]
    lines = scores_text(both, ("0", "1"), "some", Fidelity([3, 1], [4, 1])).splitlines()
    assert [line for line in lines if "rule: " in line] == [
        "  fidelity 0.500 [0.250, 0.750]; rule: 2 reasons of 3 patterns",
        "  fidelity 0.500 [0.250, 0.750]; rule: 0 reasons of 0 patterns",
    ]
    assert "fidelity of all rules together: 0.875 [0.419, 0.977]" in lines
