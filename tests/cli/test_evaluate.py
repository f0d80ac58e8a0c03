import json
import re

import protograph as pg


def test_a_run_is_judged(run, run_well, folder):
    """On graphs that were held out where the model was trained here; with a model given, on the same graphs."""
    run_well("explain", "graphs.pt", "--model", "model.pt", "--k", 2, "--clusters", 1, "--out", "judged")
    facts = json.loads(run_well("evaluate", "judged", "--json").stdout)
    assert facts["held_out"] is False
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
    assert (
        text.splitlines()[-2:]
        == [
            "support, elsewhere, lift, coverage, overlap and gain area are of the 120 graphs that prototypes were",
            "found in: none were held out",
        ]
        or text.splitlines()[-1] == "sources: the mean over the graphs that the prototype was found in"
    )
    assert max(map(len, text.splitlines())) <= 100
    (folder / "judged" / "run.json").write_text("{}")
    assert run("evaluate", "judged").stderr == "error: judged/run.json is damaged ('data'); explain again\n"
