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
    assert re.search(r"1\. p = [01]\.\d{4} \(sources [01]\.\d{4}\); margin -?\d+\.\d\d \(sources -?\d+\.\d\d\);", text)
    assert text.splitlines()[-1].endswith("120 the graphs it was found in: none were held out")
    (folder / "judged" / "run.json").write_text("{}")
    assert run("evaluate", "judged").stderr == "error: judged/run.json is damaged ('data'); explain again\n"
