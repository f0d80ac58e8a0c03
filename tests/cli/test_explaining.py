import json

from protograph.report import scene
from protograph.report.layout import layout


def test_each_prototype_is_laid_out_once(run_well, monkeypatch):
    calls = []
    monkeypatch.setattr(scene, "layout", lambda *arguments: calls.append(1) or layout(*arguments))
    done = run_well("explain", "graphs.pt", "--model", "model.pt", "--k", 1, "--clusters", 1, "--json", "--out", "once")
    assert len(calls) == sum(len(row["prototypes"]) for row in json.loads(done.stdout)["classes"].values())
