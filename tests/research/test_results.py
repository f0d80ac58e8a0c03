"""Every file in ``results/`` says where it comes from, and README and docs quote what the files say."""

import csv
import json
import re
import statistics
from itertools import pairwise
from pathlib import Path

import pytest

from research import certificate
from research.paper.items import ITEMS

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "results").glob("*.json"))
PAPER = ROOT / "results" / "paper"
VERSIONS = ["python", *certificate.PACKAGES]
TITLES = {
    "BA-house": "ba-house",
    "BA-grid": "ba-grid",
    "Benzene": "benzene",
    "Mutagenicity": "mutagenicity",
    "MUTAG": "mutagenicity",
    "Solubility": "solubility",
    "MNIST-sp": "mnist-sp",
}


# Certificates


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_result_has_a_whole_certificate(path):
    content = json.loads(path.read_text())
    assert list(content) == ["certificate", "results"]
    assert content["results"]
    runs, limits = content["certificate"]["runs"], content["certificate"]["limits"]
    assert runs
    for run in runs:
        assert {"command", "commit", "date", "machine", "versions"} <= set(run)
        assert re.fullmatch(r"python -m (?:research|benchmarks)\.\w+.*", run["command"])
        assert re.fullmatch(r"[0-9a-f]{7,}( with uncommitted changes)?", run["commit"] or "")
        assert list(run["machine"]) == ["cpu", "cores", "device"]
        assert list(run["versions"]) == VERSIONS
    for one in limits:
        is_most = one["bound"] == "at most"
        assert one["holds"] == (one["value"] <= one["limit"] if is_most else one["value"] >= one["limit"])


def test_a_certificate_is_written_with_the_results_and_runs_are_added(tmp_path):
    path, earlier = tmp_path / "new" / "file.json", {"command": "python -m research.accuracy", "commit": "1b42b87"}
    assert (certificate.read(path, {}), certificate.runs_of(path)) == ({}, [])
    limit = certificate.limit("x", 2, at_most=3)
    certificate.write(path, {"ba-house": [1.0, 0.5]}, seeds=[1, 0, 1], limits=[limit], earlier=[earlier])
    content = json.loads(path.read_text())
    assert content["results"] == {"ba-house": [1.0, 0.5]} == certificate.read(path)
    assert content["certificate"]["seeds"] == [0, 1]
    assert content["certificate"]["limits"] == [limit]
    first, run = certificate.runs_of(path)
    assert first == earlier
    assert list(run["versions"]) == VERSIONS
    assert [file.name for file in path.parent.iterdir()] == ["file.json"]


def test_a_limit_says_whether_it_holds():
    assert [certificate.limit("x", value, at_least=1.0)["holds"] for value in (0.9, 1.0, 1.1)] == [False, True, True]
    assert [certificate.limit("x", value, at_most=1.0)["holds"] for value in (0.9, 1.0, 1.1)] == [True, True, False]


def test_the_command_names_no_folder_of_whoever_ran_it(monkeypatch):
    monkeypatch.setattr("sys.argv", ["/home/someone/speed.py", "--repeats", "6", "--out", "/home/someone/file.json"])
    assert certificate.command().endswith(" --repeats 6 --out file.json")


# Items of the paper


@pytest.mark.parametrize("name", ITEMS)
def test_every_item_was_measured_whole(name):
    content = json.loads((PAPER / name / "item.json").read_text())
    assert (content["item"], content["is_quick"]) == (name, False)
    readme = (PAPER / "README.md").read_text()
    assert f"\n## {name}: " in readme


def rows_of(item, table):
    """The rows of a table of an item, by what their columns are; numbers with an interval as dicts."""
    rows = []
    for values in csv.DictReader((PAPER / item / f"{table}.csv").read_text().splitlines()):
        row = {}
        for column, value in values.items():
            if values.get(f"{column} n"):
                ends = {"mean": column, "low": f"{column} low", "high": f"{column} high", "num": f"{column} n"}
                row[column] = {key: number(values[own]) for key, own in ends.items()}
            else:
                row[column] = number(value)
        rows.append(row)
    return rows


def number(text):
    """A cell as a number where it is one; ``None`` for nothing."""
    try:
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    except ValueError:
        return text or None


def findings_of(item):
    """What an item holds beside the paper's numbers or our limits, by what it is."""
    parts = json.loads((PAPER / item / "item.json").read_text())["parts"]
    return {one["claim"]: one for one in parts if one["part"] == "finding"}


# What README and docs say


def text_of(name):
    """A document with the blanks that its lines were broken at made one."""
    return " ".join((ROOT / name).read_text().split())


def assert_says(document, wanted):
    assert wanted in text_of(document), f"{document} must say, after results/: {wanted}"


def table_of(document, header):
    """Rows of the table of a document whose first line begins so: the first cell, then the others, without bold."""
    lines = (ROOT / document).read_text().splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith(header)]
    assert len(starts) == 1, f"{document} must have one table that begins with {header!r}, it has {len(starts)}"
    rows = {}
    for line in lines[starts[0] + 2 :]:
        if not line.startswith("|"):
            break
        first, *others = (cell.strip().replace("**", "") for cell in line.strip("|").split("|"))
        rows[first] = others
    return rows


def figure(value, digits):
    """A share as tables write it: without the 0 before the point."""
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}")


def mean_and_error(values, digits):
    error = statistics.stdev(values) / len(values) ** 0.5
    return f"{figure(statistics.mean(values), digits)} ± {figure(error, digits) if error else '0'}"


def accuracies_of(explainer):
    """Of each data set, what rq2 has of an explainer."""
    (row,) = [row for row in rows_of("rq2", "accuracy") if row[""] == explainer]
    return {TITLES[title]: value for title, value in row.items() if title in TITLES}


def test_the_readme_quotes_the_accuracy_of_prototypes():
    ours = {name: figure(one["mean"], 2) for name, one in accuracies_of("PAGE (default)").items() if one}
    walk = sorted(one["mean"] for one in accuracies_of("PAGE (walk)").values() if one)
    assert ours["ba-house"] == ours["ba-grid"]
    assert_says(
        "README.md",
        f"accuracy {ours['ba-house']} on BA-house and BA-grid, {ours['benzene']} on Benzene, {ours['mutagenicity']} on "
        f"Mutagenicity, {ours['solubility']} on Solubility, over ten seeds each, where the paper's search reaches "
        f"{figure(walk[0], 2)} to {figure(walk[-1], 2)} on the same models",
    )


def test_the_readme_shows_the_prototypes_of_the_first_seed():
    shown = [row for row in rows_of("prototypes", "first-seed") if row["data set"] == "BA-house"]
    assert [row["number"] for row in shown] == [1, 2]
    for row in shown:
        words = row["prototype"].replace("its class", "house")
        assert_says("README.md", f"{row['number']}. {words}")
        assert_says("README.md", f"p = {row['p']:.4f}, margin {row['margin']:.2f}; cut from")


def test_the_readme_quotes_the_fidelity_of_rules():
    ours = {row["data set"]: figure(row["fidelity"]["mean"], 3) for row in gcn_rows()}
    assert {row["fidelity"]["num"] for row in gcn_rows()} == {5}
    assert_says(
        "README.md",
        f"the rules agree with a GCN on {ours['BBBP']} of BBBP, {ours['MUTAG']} of Mutagenicity, {ours['NCI1']} of "
        f"NCI1 and {ours['IMDB-BINARY']} of IMDB-BINARY (means of five seeds;",
    )


def gcn_rows():
    return [row for row in rows_of("fidelity", "fidelity") if row["model"] == "GCN"]


def test_the_method_quotes_the_accuracy_of_every_search():
    rows = table_of("docs/method.md", "| | consensus | walk, L = 2 | random subgraphs |")
    columns = [accuracies_of(one) for one in ("PAGE (default)", "PAGE (walk)", "random subgraphs")]
    theirs = accuracies_of("PAGE in the paper")
    for title, cells in rows.items():
        name = TITLES[title]
        assert cells[:4] == [*(with_interval(column[name]) for column in columns), figure(theirs[name], 3)]


def test_the_method_says_which_options_move_the_walk():
    rows = {row["the walk"]: row for row in rows_of("ablation", "walk")}
    means = {
        name: {TITLES[title]: one["mean"] for title, one in row.items() if title in TITLES}
        for name, row in rows.items()
    }
    highest = max(of["mutagenicity"] for of in means.values())
    assert highest == means["max_nodes = 9"]["mutagenicity"]
    grid, mutagens = (figure(means["max_nodes = 9"][name], 3) for name in ("ba-grid", "mutagenicity"))
    assert_says(
        "docs/method.md",
        f"it has {grid} on BA-grid and {mutagens} on Mutagenicity (at most 9 nodes) and "
        f"{figure(means['max_nodes = 7']['benzene'], 3)} on Benzene (at most 7)",
    )
    theirs = figure(accuracies_of("PAGE in the paper")["mutagenicity"], 3)
    assert_says("docs/method.md", f"brings Mutagenicity near {theirs}: {figure(highest, 3)} is the highest")
    of_k, of_walk = (figure(rows[name]["mean"], 3) for name in ("k = 1", "as it is"))
    assert_says("docs/method.md", f"With k = 1 its mean over the five sets is {of_k} in place of {of_walk}.")


def test_the_method_says_where_random_subgraphs_are_more_accurate_than_the_walk():
    walk, random = (accuracies_of(one) for one in ("PAGE (walk)", "random subgraphs"))
    more = [name for name, one in walk.items() if one and random[name]["mean"] > one["mean"]]
    assert more == ["ba-grid", "mutagenicity"]
    assert_says("docs/method.md", "have a higher mean accuracy than the walk on BA-grid and Mutagenicity")


def test_the_method_says_where_the_default_is_worse_than_the_paper():
    found = {}
    for part in findings_of("rq2").values():
        if part["verdict"] == "worse" and "PAGE (default)" in part["claim"]:
            metric, title, _ = part["claim"].split(", ")
            found[metric, title] = (part["ours"]["mean"], part["paper"])
    assert set(found) == {("consistency", "BA-house"), ("consistency", "Benzene"), ("faithfulness", "MNIST-sp")}
    for title in ("BA-house", "Benzene"):
        ours, theirs = (figure(float(one), 3) for one in found["consistency", title])
        assert_says("docs/method.md", f"{title} ({ours}, paper {theirs})")
    ours, theirs = (figure(float(one), 2) for one in found["faithfulness", "MNIST-sp"])
    assert_says("docs/method.md", f"faithfulness is worse too ({ours}, paper {theirs}, one sweep)")


def test_the_method_says_which_steps_matter_beyond_chance():
    steps = table_of("docs/method.md", "| step | without it |")
    rows = {row["without"]: row["changes beyond chance"] for row in rows_of("ablation", "default")}
    costly, others = [step for step in steps if rows[step]], [step for step in steps if not rows[step]]
    assert all(" -" in rows[step] and " +" not in rows[step] for step in costly)
    assert_says("docs/method.md", f"on one data set or more, to leave out: {', '.join(costly)}.")
    assert_says("docs/method.md", f"Without these no data set changes beyond chance: {', '.join(others)}.")


def with_interval(one):
    return f"{figure(one['mean'], 3)} [{figure(one['low'], 3)}, {figure(one['high'], 3)}]"


def by_title(item, table):
    """Rows of a table, by the data set in the words of the documents."""
    found = {}
    for row in rows_of(item, table):
        found.setdefault(TITLES[row["data set"]], []).append(row)
    return found


def test_the_method_says_which_clusters_are_found():
    rows = table_of("docs/method.md", "| | consensus | walk, L = 2 | random subgraphs |")
    clusters = by_title("prototypes", "clusters")
    assert {TITLES[title] for title in rows} == set(clusters)
    for title, cells in rows.items():
        of_set = clusters[TITLES[title]]
        assert cells[4].startswith(" and ".join(str(row["clusters"]) for row in of_set))
    (house,) = clusters["ba-house"]
    assert rows["BA-house"][4].endswith(f"pure, in {house['seeds with all motifs apart']} seeds")


def test_the_method_quotes_what_the_model_makes_of_prototypes():
    rows = table_of("docs/method.md", "| | prototype | its truth | its representatives |")
    view = by_title("prototypes", "view")
    assert {TITLES[title] for title in rows} == set(view)
    for title, cells in rows.items():
        (row,) = view[TITLES[title]]
        assert cells[:3] == [
            f"{figure(row[f'p, {whose}'], 3)}, {row[f'margin, {whose}']:.1f}"
            for whose in ("prototype", "its truth", "its representatives")
        ]
        assert cells[3] == row["margin below the truth's"]
        assert cells[4] == figure(row["share of the contributions"], 2)


def test_the_method_says_what_comes_out():
    words = {(name, row["class"]): [] for name, rows in by_title("prototypes", "words").items() for row in rows}
    for name, rows in by_title("prototypes", "words").items():
        for row in rows:
            words[name, row["class"]].append((row["prototype"], row["times"]))
    assert words["benzene", 1] == [("six carbons in a ring", 10)]
    assert words["mutagenicity", 0] == [("a nitrogen with two oxygens (NO2)", 10)]
    assert words["solubility", 1] == [("carbon joined to oxygen", 10)]
    assert_says("docs/method.md", "All ten seeds of Benzene give the ring, and all ten of Mutagenicity NO2 itself.")
    assert_says("docs/method.md", "On Solubility the soluble class gives C-O on all ten seeds")


def test_the_method_quotes_the_fidelity_of_rules():
    rows = table_of("docs/method.md", "| data set | ours | each seed |")
    of_gcn = {row["data set"]: row for row in gcn_rows()}
    of_truths = {row["data set"]: row for row in rows_of("fidelity", "truths")}
    for title, cells in rows.items():
        if title.startswith("BA-"):
            continue
        row = of_gcn.get({"Mutagenicity": "MUTAG"}.get(title, title)) or of_truths[title]
        seeds = [figure(float(one), 3) for one in row["each seed"].split()]
        trees = ", ".join(figure(row[f"tree of {leaves}"], 3) for leaves in (8, 32))
        assert cells[:3] == [figure(row["fidelity"]["mean"], 3), " ".join(seeds), trees]
        assert cells[3] == (figure(row["LogicXGNN"], 3) if "LogicXGNN" in row else "-")
        if "the truth as a rule" in row:
            assert cells[4].endswith(figure(row["the truth as a rule"], 3))
        else:
            limit = findings_of("fidelity")[f"{row['data set']}, GCN: mean fidelity"]
            least = f".{limit['paper'].partition('.')[2]:0<2}"
            assert cells[4] == (least if limit["verdict"] == "holds" else f"{least}, missed")
    assert {of_truths[name]["fidelity"]["mean"] for name in ("BA-house", "BA-grid")} == {1.0}


def test_the_method_quotes_the_fidelity_of_other_models_and_of_worlds():
    other = {
        title: ", ".join(
            figure(row["fidelity"]["mean"], 3)
            for row in rows_of("fidelity", "fidelity")
            if row["data set"] == title and row["model"] != "GCN"
        )
        for title in ("BBBP", "MUTAG", "NCI1", "IMDB-BINARY")
    }
    assert_says(
        "docs/method.md",
        f"have {other['BBBP']} on BBBP, {other['MUTAG']} on Mutagenicity, {other['NCI1']} on NCI1, "
        f"{other['IMDB-BINARY']} on IMDB-BINARY, all above .95 of the GCN's",
    )
    held = findings_of("fidelity")
    assert all(
        held[f"{title}, {model}: mean fidelity"]["verdict"] == "holds"
        for title in other
        for model in ("GIN", "GraphSAGE", "GAT")
    )
    again = [row["patterns again"] for row in rows_of("fidelity", "rule-size") if row["model"] == "GCN"]
    assert_says(
        "docs/method.md",
        f"Of the patterns of one model's rule {figure(min(again), 2)} to {figure(max(again), 2)} come out again",
    )
    worlds = {row["what decides"]: row for row in rows_of("fidelity", "worlds")}
    whole, lowest = worlds["all"], sorted(worlds.values(), key=lambda row: row["reasons found"]["mean"])
    assert_says(
        "docs/method.md",
        f"On planted worlds ({whole['models']} models of 38 worlds) fidelity is "
        f"{figure(whole['fidelity']['mean'], 3)}, and of the planted reasons "
        f"{figure(whole['reasons found']['mean'], 3)} are found pattern for pattern",
    )
    kinds = [row["what decides"] for row in lowest[:5]]
    assert [*kinds[:3], *sorted(kinds[3:])] == ["without", "chordless", "edge attribute", "lack", "shortcut"]
    shares = [figure(row["reasons found"]["mean"], 2) for row in lowest[:5]]
    assert shares[3] == shares[4]
    assert_says("docs/method.md", f"({shares[0]} of {lowest[0]['models']} models, where we wanted .85)")
    assert_says("docs/method.md", f"rings without a chord ({shares[1]}), edges of a kind ({shares[2]})")
    assert_says("docs/method.md", f"and a shortcut and a lack ({shares[3]} each)")
    assert_says("docs/method.md", f"are right for {figure(whole['prototypes right']['mean'], 2)}:")


def test_the_data_sets_quote_the_accuracy_of_the_models():
    rows = table_of("docs/datasets.md", "| | ours | paper | |")
    statistics_rows = rows_of("table1", "statistics")
    measured = {row["data set"]: row for row in statistics_rows if row[""] == "ours"}
    theirs = dict(zip(measured, [row for row in statistics_rows if row[""] == "paper"], strict=True))
    assert list(rows) == list(measured)
    for title, row in measured.items():
        assert len(row["each seed"].split()) == 5
        spread = figure(row["spread"], 4) if row["spread"] else "0"
        ours = f"{figure(row['test accuracy'], 4)} ± {spread}"
        assert rows[title][:2] == [ours, figure(theirs[title]["test accuracy"], 4)]


def test_the_data_sets_quote_what_each_setting_gives():
    rows = table_of("docs/datasets.md", "| setting | test accuracy | epochs |")
    settings = certificate.read(ROOT / "results" / "benzene_settings.json")
    assert len(rows) == len(settings)
    # They stand in the same order, under longer names.
    for cells, setting in zip(rows.values(), settings, strict=True):
        epochs = statistics.median(run["epochs"] for run in setting["runs"])
        assert cells == [mean_and_error([run["test"] for run in setting["runs"]], 4), f"{epochs:.0f}"]


def test_the_readme_claims_the_speed_that_was_measured():
    content = certificate.read(ROOT / "results" / "speed.json")

    def passes(name):
        one = content["consensus"][name]
        around = [(before + after) / 2 for before, after in pairwise(one["passes"])]
        taken = sorted(f"{seconds / single:.0f}" for seconds, single in zip(one["seconds"], around, strict=True))
        return taken[0] if taken[0] == taken[-1] else f"{taken[0]} to {taken[-1]}"

    assert_says(
        "README.md",
        f"Without reasons (`max_reasons=0`), explaining all classes takes as long as {passes('ba-house')} forward "
        f"passes of the model itself for BA-house's 2,000 graphs, and {passes('benzene')} for Benzene's 12,000 "
        "molecules",
    )
    assert_says("README.md", "Dense graphs and stars of thousands of leaves take seconds")
    assert all(case["seconds"] <= 5 for case in content["hard_cases"].values())
