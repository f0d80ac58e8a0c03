import json
import re
from types import SimpleNamespace

import protograph as pg
from protograph.cli.evaluate import _lines


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


def test_a_line_has_what_is_known():
    plain = {
        "probability": 0.5,
        "margin": 1.25,
        "density": 0.5,
        "support": 0.75,
        "support_elsewhere": 0.25,
        "lift": 3.0,
    }
    truth = dict.fromkeys(("truth_probability", "truth_margin", "truth_density"))
    nothing = {**truth, "sources_probability": None, "sources_margin": None, "accuracies": (), "accuracy": None}
    bare = SimpleNamespace(**plain, **nothing, is_exact=True, margin_share=None, is_valid=None, truth=None)
    full = SimpleNamespace(
        **plain,
        truth_probability=0.9,
        truth_margin=2.0,
        truth_density=0.25,
        sources_probability=0.8,
        sources_margin=1.5,
        accuracies=(0.5, 1.0),
        accuracy=1.0,
        truth=1,
        is_exact=False,
        margin_share=0.625,
        is_valid=False,
    )
    interval = (0.5, 0.25, 0.75)
    scores = SimpleNamespace(
        target=1, accuracy=1.0, coverage=interval, overlap=(0.5,), gain_area=interval, prototypes=[bare, full]
    )
    assert _lines(scores, "house") == [
        "class 1 (house): accuracy 1.000, coverage 0.500 [0.250, 0.750], overlap 0.50, gain area 0.500 [0.250, 0.750]",
        "  1. p = 0.5000; margin 1.25; density 0.500; support 0.750, elsewhere 0.250, lift 3.0",
        "  2. p = 0.5000 (truth 0.9000, sources 0.8000); margin 1.25 (truth 2.00, sources 1.50); "
        "accuracy 1.000 (truth 2 of 0.500, 1.000) (not proven); density 0.500 (truth 0.250); "
        "support 0.750, elsewhere 0.250, lift 3.0; margin share 0.62; not a valid molecule",
    ]
