"""The paper's experiments: one quick run serves most tests; the rest is on numbers that are known."""

import json
from math import inf

import pandas as pd
import pytest
from typer.testing import CliRunner

from research.paper.__main__ import app
from research.paper.drawings import gallery, graph_record, kinds_record, picture
from research.paper.estimates import (
    Estimate,
    bootstrap,
    mean_of,
    share_of,
    verdict,
)
from research.paper.items import ITEMS, arena, rq1, rq2, rq3
from research.paper.lab import Lab
from research.paper.runs import Results
from research.paper.settings import Settings
from research.paper.sheet import Sheet
from research.paper.truths import paper

QUICK = Settings(is_quick=True)


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Those items whose searches take no time."""
    folder = tmp_path_factory.mktemp("paper") / "paper"
    done = run("table1", "rq3", "prototypes", "--quick", "--jobs", "1", "--out", folder)
    assert done.exit_code == 0, (done.output, done.exception)
    return folder


def test_every_item_has_its_files_and_its_place_on_the_page(out):
    assert sorted(path.name for path in out.iterdir()) == [".cells", "README.md", "prototypes", "rq3", "table1"]
    readme = (out / "README.md").read_text()
    for name in ("table1", "rq3", "prototypes"):
        assert f"## {name}: {ITEMS[name].title}" in readme
        assert {path.suffix for path in (out / name).iterdir()} <= {".csv", ".json", ".svg"}
        facts = json.loads((out / name / "item.json").read_text())
        assert facts["is_quick"] is True
        assert facts["num_cells"] == len(json.loads((out / name / "cells.json").read_text())) > 0
    assert "its numbers mean nothing" in readme
    assert pd.read_csv(out / "table1" / "statistics.csv")["graphs"].tolist() == [160, 2000]


def test_a_run_goes_on_behind_the_last_finished_cell(out, monkeypatch):
    before = (out / "table1" / "cells.json").read_bytes()
    monkeypatch.setattr(Lab, "_train", lambda lab, spec: pytest.fail("it was trained before"))
    assert run("table1", "--quick", "--out", out).exit_code == 0
    next((out / ".cells" / "table1").glob("*seed1*.joblib")).unlink()
    assert run("table1", "--quick", "--out", out).exit_code == 0
    assert (out / "table1" / "cells.json").read_bytes() == before


def test_a_failure_is_told_and_leaves_the_other_items(tmp_path, monkeypatch):
    def fail(lab, spec):
        raise FileNotFoundError(f"no file of {spec.name}")

    monkeypatch.setattr(Lab, "_train", fail)
    done = run("table1", "--quick", "--out", tmp_path)
    assert done.exit_code == 1
    assert "FileNotFoundError: no file of ba-house" in done.stderr
    assert not (tmp_path / "table1").exists()


def test_unknown_names_and_folders_of_others_are_refused(tmp_path):
    assert "table3" in run("table3", "--out", tmp_path).output
    assert "cora" in run("all", "--without", "cora", "--out", tmp_path).output
    (tmp_path / "README.md").write_text("# Mine\n")
    done = run("table1", "--quick", "--out", tmp_path)
    assert isinstance(done.exception, FileExistsError)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_what_is_kept_is_made_once_of_the_same_facts(tmp_path):
    made = []
    lab = Lab(tmp_path, QUICK)
    for facts in ({"a": 1}, {"a": 1}, {"a": 2}):
        lab.kept("kind", "name", facts, lambda: made.append(0) or len(made))
    assert len(made) == 2
    assert Lab(tmp_path, Settings()).kept("kind", "name", {"a": 1}, lambda: "not quick") == "not quick"


# Numbers


def test_intervals_are_students_wilsons_and_of_one_draw_wider():
    assert mean_of([]) is None
    assert mean_of([0.5]) == Estimate(0.5, -inf, inf, 1)
    one = mean_of([0.0, 1.0, 2.0])
    assert (one.mean, one.low, one.high) == pytest.approx((1.0, 1 - 2.484138, 1 + 2.484138), abs=1e-5)
    assert mean_of([0.0, 1.0, 2.0], is_of_one_draw=True).high == pytest.approx(1 + 2 * 2.484138, abs=1e-5)
    assert (share_of(0, 10).low, share_of(0, 10).high) == pytest.approx((0, 0.277533), abs=1e-5)
    drawn = bootstrap(list(range(101)))
    assert drawn.mean == 50
    assert 30 < drawn.low < 50 < drawn.high < 70


@pytest.mark.parametrize(
    ("low", "high", "larger_is_better", "expected"),
    [
        (0.7, 0.9, True, "better"),
        (0.7, 0.9, False, "worse"),
        (0.7, 0.9, None, "differs"),
        (0.5, 0.7, True, "undecided"),
        (0.5, 0.7, None, "agrees"),
        (0.60001, 0.60001, True, "agrees"),
        (-inf, inf, True, "undecided"),
    ],
)
def test_the_paper_s_value_is_beside_our_interval(low, high, larger_is_better, expected):
    ours = Estimate((low + high) / 2 if high < inf else 0.9, low, high, 5)
    assert verdict(ours, 0.6, larger_is_better) == expected
    assert verdict(ours, None, larger_is_better) == "not comparable"


def test_a_table_is_numbers_in_a_file_and_words_on_the_page():
    sheet = Sheet("item")
    rows = [["a|b", Estimate(0.5, 0.25, 0.75, 4)], ["c", 12]]
    sheet.table("numbers", ("name", "value"), rows, "Numbers.")
    assert sheet.files["numbers.csv"] == "name,value,value low,value high,value n\na|b,0.5,0.25,0.75,4\nc,12,,,\n"
    assert "| a\\|b | 0.500 [0.250, 0.750] |" in sheet.text()
    sheet.limit("found", Estimate(0.5, 0.25, 0.75, 4), 0.6)
    assert [(one["verdict"], one["ours"]["low"]) for one in sheet.plain_findings()] == [("missed", 0.25)]
    with pytest.raises(ValueError, match=r"name.*'numbers.csv' again"):
        sheet.table("numbers", ("name",), [], "Again.")
    with pytest.raises(ValueError, match=r"verdict.*'good'"):
        sheet.finding("claim", 1, 2, "good")


# Items, on results that are known


def found(item, values):
    """Verdicts by claim, and tables."""
    sheet = Sheet(item.name)
    item.write(Results(values, Settings()), sheet)
    return {one["claim"]: one["verdict"] for one in sheet.findings}, sheet


def swept_class(accuracy):
    return {
        "accuracy": accuracy,
        "density": 0.1,
        "consistency": 0.05,
        "consistency_probabilities": [0.9, 1.0],
        "faithfulness": 0.5,
        "faithfulness_probabilities": [0.5] * 11,
        "faithfulness_accuracies": [1.0] * 11,
    }


def test_table_2_is_over_classes_then_seeds():
    values = {
        ("ba-house", method, f"seed {seed}"): {"classes": {"1": swept_class(accuracy)}}
        for method, accuracy in (("walk", 0.7), ("page", 0.9), ("xgnn", 0.3))
        for seed in range(3)
    }
    values["ba-house", "xgnn", "seed 2"] = {"classes": {"1": {"accuracy": 0.0}}}
    verdicts, sheet = found(rq2.ITEM, values)
    assert verdicts["accuracy, BA-house, PAGE (default)"] == "better"
    assert verdicts["BA-house: accuracy of PAGE (default)"] == "holds"
    results = Results(values, Settings())
    assert rq2.estimate(results, "accuracy", "ba-house", "xgnn").mean == pytest.approx(0.2)
    assert rq2.estimate(results, "density", "ba-house", "xgnn").num == 2  # without a prototype there is none
    one_sweep = Results({("benzene", "page", "seed 0"): {"classes": {"1": swept_class(1.0)}}}, Settings())
    assert rq2.estimate(one_sweep, "faithfulness", "benzene", "page").low == pytest.approx(0.042, abs=1e-3)
    assert verdicts["PAGE is more accurate than XGNN (PAGE (default))"] == "agrees"
    assert "wrong-labels.csv" in sheet.files


def test_sessions_are_counted_over_clusters_and_seeds():
    clusters = [
        {"cluster": 0, "probabilities": [0.4, 0.9], "chosen": 1},
        {"cluster": 1, "probabilities": [0.9, 0.9], "chosen": 0},
    ]
    values = {("ba-house", f"seed {seed}"): {"1": clusters} for seed in range(20)}
    verdicts, sheet = found(rq3.ITEM, values)
    assert verdicts["share of cases in which the first session's candidate is returned"] == "undecided"
    table = sheet.files["probabilities.csv"].splitlines()
    assert table[1] == '"BA-house, cluster 1",0.4,0.9,2,0,20'


def test_claims_of_prototypes_are_counted_by_seeds():
    def prototype(house, two, nodes):
        motifs = {"house": house, "two houses": two}
        record = {"kinds": [0] * nodes, "edges": []}
        part = {"nodes": [0, 1, 2], "edges": []}
        return {"motifs": motifs, "graph": record, "part": part, "truth": 0, "probability": 0.95}

    tells = rq1.tells_apart
    assert tells([prototype(1, 0.5, 5), prototype(1, 1, 10)], ()) == 1.0
    assert tells([prototype(1, 1, 10)], ()) == 0.0
    assert rq1.has("house")([prototype(0.8, 0.4, 4)], ()) == 0.0
    assert rq1.all_have("house")([], ()) == 0.0


def test_the_arena_leaves_out_models_that_guess_and_pairs_seeds():
    def scored(accuracy):
        return {"accuracy": accuracy, "found": [True, False], "fidelity": 0.5, "coverage": 0.5}

    def a_run(accuracy, test_accuracy=0.9):
        return {"test_accuracy": test_accuracy, "seconds": 1.0, "classes": {"1": scored(accuracy)}, "failed": ["no"]}

    values = {("set", "ba-house", m, f"seed {s}"): a_run(a) for m, a in (("rules", 0.8), ("xgnn", 0.4)) for s in (0, 1)}
    values |= {("set", "ba-grid", m, "seed 0"): a_run(0.0, 0.5) for m in ("rules", "xgnn")}
    values |= {("world", "house-tree", "seed 0"): {m: a_run(1.0) for m in ("rules", "xgnn")}}
    values |= {("world", "k4-chain", "seed 0"): {}}
    frame = arena.values_of(Results(values, Settings()))
    assert set(frame.field) == {"ba-house", "house-tree"}
    assert arena.over_seeds(arena.of_kind(frame, "set"), "rules", "accuracy").mean == pytest.approx(0.8)
    assert arena.over_seeds(arena.of_kind(frame, "all"), "rules", "accuracy").mean == pytest.approx(0.9)
    assert arena.over_seeds(arena.of_kind(frame, "all"), "rules", "found").mean == 0.5
    _, sheet = found(arena.ITEM, values)
    differences = pd.read_csv(pd.io.common.StringIO(sheet.files["differences.csv"]))
    assert differences["PAGE (default) beyond it"][differences.metric == "accuracy"].tolist() == pytest.approx(
        [0.2, 0.4, 0.0]
    )
    assert "k4-chain, seed 0" in sheet.text()
    assert "XGNN, 3 times: no" in sheet.text()


def test_records_are_of_the_columns_that_are_shown(out):
    lab = Lab(out / ".cells", QUICK)
    data = lab.data("ba-house", 0)
    kinds = kinds_record(data)
    record = graph_record(data.ground_truths[1][0], kinds)
    assert (len(record["kinds"]), len(record["edges"])) == (paper("rq1", "house_nodes"), 6)
    pictures = [picture(record, "a house", {"nodes": [0], "edges": []}), picture(record, shares=[0.2] * 5), "nothing"]
    assert len(gallery("title", ["a", "b", "c"], [("row", pictures)], kinds).axes) == 3
