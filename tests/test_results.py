"""Every file in ``results/`` has a whole birth certificate, and README and docs quote what the files say."""

import json
import re
import statistics
from pathlib import Path

import pytest

from benchmarks import (
    accuracy,
    answers,
    brute_force,
    certificate,
    continuous,
    devices,
    ensemble_device,
    fidelity_limits,
    kills,
    peers,
    prototypes,
    relabelling,
    speed,
)
from benchmarks.speed import hard, whole_sets

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "results").iterdir())
KEYS_OF_A_RUN = ["command", "commit", "date", "machine", "versions"]
VERSIONS = ["python", "protograph", "torch", "torch_geometric", "numpy", "numba", "scikit-learn", "rdkit"]
# What recomputes the limits of a file; the others were measured against none.
LIMITS = {
    "accuracy.json": accuracy.limits_of,
    "brute_force.json": brute_force.limits_of,
    "continuous.json": continuous.limits_of,
    "devices.json": devices.limits_of,
    "ensemble_device.json": ensemble_device.limits_of,
    "fidelity.json": fidelity_limits.limits_of,
    "kills.json": kills.limits_of,
    "peers.json": peers.limits_of,
    "prototypes.json": prototypes.limits_of,
    "relabelling.json": relabelling.limits_of,
    "speed.json": speed.limits_of,
}
# Of results that do not say the seed of each row.
SEEDS = {
    "answers.json": answers.SEEDS,
    "brute_force.json": [brute_force.SEED],
    "relabelling.json": range(relabelling.SUBSETS),
}
TITLES = {
    "BA-house": "ba-house",
    "BA-grid": "ba-grid",
    "Benzene": "benzene",
    "Mutagenicity": "mutagenicity",
    "MUTAG": "mutagenicity",
    "Solubility": "solubility",
    "MNIST-sp": "mnist-sp",
}


def content_of(name):
    return json.loads((ROOT / "results" / name).read_text())


def results_of(name):
    return content_of(name)["results"]


# Certificates


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_result_has_a_whole_certificate(path):
    assert path.suffix == ".json"
    content = json.loads(path.read_text())
    assert list(content) == ["certificate", "results"]
    assert list(content["certificate"]) == ["runs", "seeds", "limits"]
    assert content["certificate"]["runs"]
    assert content["results"]
    for run in content["certificate"]["runs"]:
        assert problems(run) == []


def problems(run):
    """What is missing in the certificate of a run; one that was written down afterwards says what is not known."""
    if "reconstructed" in run:
        expected, may_be_null = [*KEYS_OF_A_RUN, "reconstructed", "not_known"], True
    else:
        expected, may_be_null = KEYS_OF_A_RUN, False
    wrong = [] if list(run) == expected else [f"keys are {list(run)}, not {expected}"]
    if wrong:
        return wrong
    if not re.fullmatch(r"python -m benchmarks\.\w+.*", run["command"]):
        wrong.append(f"command {run['command']!r}")
    if not re.fullmatch(r"[0-9a-f]{7,}( with uncommitted changes)?", run["commit"] or ""):
        wrong.append(f"commit {run['commit']!r}")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC", run["date"]):
        wrong.append(f"date {run['date']!r}")
    if list(run["machine"]) != ["cpu", "cores", "device"] or list(run["versions"]) != VERSIONS:
        wrong.append("machine or versions are not whole")
    unknown = [key for part in ("machine", "versions") for key, value in run[part].items() if value is None]
    if may_be_null and not run["not_known"]:
        wrong.append("it does not say what is not known")
    if not may_be_null and set(unknown) - {"rdkit"}:  # RDKit need not be installed
        wrong.append(f"not known: {', '.join(unknown)}")
    return wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_limits_and_seeds_are_those_of_the_results(path):
    content = json.loads(path.read_text())
    limits = LIMITS.get(path.name, lambda results: [])(content["results"])
    assert content["certificate"]["limits"] == limits
    seeds = set(SEEDS.get(path.name) or every("seed", content["results"]))
    assert content["certificate"]["seeds"] == sorted(seeds or {0})


def every(key, value):
    """All values that a key has, however deep."""
    if isinstance(value, dict):
        yield from ([value[key]] if key in value else [])
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from every(key, inner)


def test_a_certificate_is_written_with_the_results(tmp_path):
    path = tmp_path / "new" / "file.json"
    certificate.write(path, {"ba-house": [1.0, 0.5]}, seeds=[1, 0, 1], limits=[certificate.limit("x", 2, at_most=3)])
    content = json.loads(path.read_text())
    assert content["results"] == {"ba-house": [1.0, 0.5]} == certificate.read(path)
    assert content["certificate"]["seeds"] == [0, 1]
    assert content["certificate"]["limits"] == [
        {"what": "x", "limit": 3, "bound": "at most", "value": 2, "holds": True}
    ]
    (run,) = certificate.runs_of(path)
    assert list(run) == KEYS_OF_A_RUN
    assert list(run["versions"]) == VERSIONS
    assert run["machine"]["device"] == "cpu"
    assert run["machine"]["cores"] >= 1
    assert [file.name for file in path.parent.iterdir()] == ["file.json"]


def test_a_run_that_goes_on_keeps_the_certificate_of_the_one_before(tmp_path):
    path = tmp_path / "file.json"
    assert certificate.read(path, {}) == {}
    assert certificate.runs_of(path) == []
    earlier = {"command": "python -m benchmarks.accuracy", "commit": "1b42b87"}
    for seeds in ([0], [0, 1], [0, 1, 2]):
        runs = certificate.runs_of(path) or [earlier]
        certificate.write(path, seeds, seeds=seeds, earlier=runs)
    first, second = certificate.runs_of(path)
    assert first == earlier
    assert second["date"] == certificate.STARTED
    assert content_seeds(path) == [0, 1, 2]


def content_seeds(path):
    return json.loads(path.read_text())["certificate"]["seeds"]


def test_a_limit_says_whether_it_holds():
    assert [certificate.limit("x", value, at_least=1.0)["holds"] for value in (0.9, 1.0, 1.1)] == [False, True, True]
    assert [certificate.limit("x", value, at_most=1.0)["holds"] for value in (0.9, 1.0, 1.1)] == [True, True, False]


def test_the_command_names_no_folder_of_whoever_ran_it(monkeypatch):
    monkeypatch.setattr("sys.argv", ["/home/someone/speed.py", "--repeats", "6", "--out", "/home/someone/file.json"])
    assert certificate.command().endswith(" --repeats 6 --out file.json")


def test_numbers_stand_in_a_row():
    content = {"seeds": [0, 1], "rows": [{"test": 0.5, "tests": []}]}
    assert certificate.as_text(content) == (
        '{\n "seeds": [0, 1],\n "rows": [\n  {\n   "test": 0.5,\n   "tests": []\n  }\n ]\n}\n'
    )


@pytest.mark.parametrize("value", [[], [1], [-0.5, None, 1e-16], {"a": "[\n 1\n]"}, [[1, 2], [3]], [True, 1], ["1", 2]])
def test_results_are_read_as_they_were_written(value):
    assert json.loads(certificate.as_text(value)) == value


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


def test_figures_are_written_as_in_tables():
    assert [figure(value, 3) for value in (1.0, 0.9925, -0.5)] == ["1.000", ".993", "-.500"]
    assert mean_and_error([1.0, 1.0], 3) == "1.000 ± 0"
    assert mean_and_error([0.5, 0.7], 2) == ".60 ± .10"


def test_the_readme_quotes_the_accuracy_of_prototypes():
    results = results_of("prototypes.json")
    ours = {name: figure(prototypes.mean_accuracy(rows, "consensus"), 2) for name, rows in results.items()}
    walk = sorted(prototypes.mean_accuracy(rows, "walk") for rows in results.values())
    assert ours["ba-house"] == ours["ba-grid"]
    assert {len(rows) for rows in results.values()} == {10}
    wanted = (
        f"accuracy {ours['ba-house']} on BA-house and BA-grid, {ours['benzene']} on Benzene, "
        f"{ours['mutagenicity']} on Mutagenicity, {ours['solubility']} on Solubility, over ten seeds each, "
        f"where the paper's search reaches {figure(walk[0], 2)} to {figure(walk[-1], 2)} on the same models"
    )
    assert_says("README.md", wanted)


def test_the_readme_shows_the_prototypes_of_the_first_seed():
    first = results_of("prototypes.json")["ba-house"][0]
    assert first["seed"] == 0
    for number, prototype in enumerate(first["consensus"]["classes"]["1"], start=1):
        words = prototype["words"].replace("its class", "house")
        assert_says("README.md", f"{number}. {words}")
        assert_says("README.md", f"p = {prototype['probability']:.4f}, margin {prototype['margin']:.2f}; cut from")


def test_the_readme_claims_the_speed_of_the_defaults():
    sets = results_of("speed.json")["consensus"]

    def passes(name):
        lowest, *_, highest = (f"{passes:.0f}" for passes in whole_sets.in_passes(sets[name]))
        return lowest if lowest == highest else f"{lowest} to {highest}"

    assert_says(
        "README.md",
        f"Without reasons (`max_reasons=0`), explaining all classes takes as long as {passes('ba-house')} forward "
        f"passes of the model itself for BA-house's 2,000 graphs, and {passes('benzene')} for Benzene's 12,000 "
        "molecules",
    )


def test_the_readme_claims_that_hard_graphs_take_seconds():
    assert_says("README.md", "Dense graphs, stars of thousands of leaves and graphs of 20,000 nodes take seconds")
    assert all(case["seconds"] <= hard.MOST_SECONDS for case in results_of("speed.json")["hard_cases"].values())


def test_the_method_quotes_the_accuracy_of_every_search():
    rows = table_of("docs/method.md", "| | consensus | walk, L = 2 | random subgraphs |")
    results = results_of("prototypes.json")
    assert [TITLES[title] for title in rows] == list(results)
    for title, cells in rows.items():
        seeds = results[TITLES[title]]
        figures = [mean_and_error(prototypes.accuracies(seeds, method), 3) for method in prototypes.METHODS]
        assert cells[:4] == [*figures, figure(prototypes.PAPER[TITLES[title]], 3)]
        assert cells[4].startswith(clusters_of(seeds))
    apart = sum(prototypes.apart(row["consensus"]) for row in results["ba-house"])
    assert rows["BA-house"][4].endswith(f"pure, in {apart} of {len(results['ba-house'])} seeds")


def clusters_of(seeds):
    """How many clusters each class had over the seeds, as the table says it."""
    words = []
    for target in ("0", "1"):
        counts = sorted({row["consensus"]["num_clusters"][target] for row in seeds})
        between = " or " if counts[-1] - counts[0] == 1 else " to "
        words.append(str(counts[0]) if len(counts) == 1 else f"{counts[0]}{between}{counts[-1]}")
    return (" and " if words[0].isdigit() else ", and ").join(words)


def test_the_method_quotes_what_the_model_makes_of_prototypes():
    rows = table_of("docs/method.md", "| | prototype | its truth | its representatives |")
    results = results_of("prototypes.json")
    assert [TITLES[title] for title in rows] == list(results)
    for title, cells in rows.items():
        shown = prototypes.prototypes_of(results[TITLES[title]])
        assert cells[:3] == [
            f"{figure(mean_of(shown, prefix + 'probability'), 3)}, {mean_of(shown, prefix + 'margin'):.1f}"
            for prefix in ("", "truth_", "sources_")
        ]
        assert cells[3] == f"{prototypes.num_below_truth(shown)} of {len(shown)}"
        assert cells[4] == figure(statistics.mean(prototypes.contribution_shares(shown)), 2)


def mean_of(rows, key):
    return statistics.mean(row[key] for row in rows)


def test_the_method_says_how_many_seeds_are_right():
    results = results_of("prototypes.json")
    right = {
        name: sum(value == 1 for value in prototypes.accuracies(rows, "consensus")) for name, rows in results.items()
    }
    assert right == {"ba-house": 10, "ba-grid": 10, "benzene": 9, "mutagenicity": 9, "solubility": 0}
    assert_says(
        "docs/method.md", "One seed of Benzene gives six carbons in a chain in place of a ring. Nine of ten seeds"
    )
    assert_says("docs/method.md", "On Solubility the soluble class gives C-O on all ten seeds")
    soluble = [row["consensus"]["classes"]["1"] for row in results["solubility"]]
    assert all(p["accuracy"] == 1 for shown in soluble for p in shown)


def test_the_method_quotes_the_memory_of_a_search():
    highest = max(peak for peak, _ in results_of("speed.json")["memory"].values())
    assert highest < 100
    assert_says(
        "docs/method.md", "Memory stays under 100 MiB for three graphs of 417 nodes and for eight graphs of 75 nodes"
    )


def test_the_data_sets_quote_the_accuracy_of_the_models():
    rows = table_of("docs/datasets.md", "| | ours | paper | |")
    results = results_of("accuracy.json")
    assert {TITLES[title] for title in rows} == set(results)
    for title, cells in rows.items():
        name = TITLES[title]
        values = [row["test"] for row in results[name]["paper"]]
        error = f" ± {figure(accuracy.mean_and_error(results[name]['paper'])[1], 4)}" if len(values) > 1 else ""
        # The two that are 1 on all seeds are written with all their digits.
        ours = "1.0000 ± 0.0000" if set(values) == {1.0} else f"{figure(statistics.mean(values), 4)}{error}"
        assert cells[:2] == [ours, figure(accuracy.PAPER[name], 4)]
    worst = min(results["solubility"]["paper"], key=lambda row: row["test"])
    assert rows["Solubility"][2] == (
        f"{worst['num_test']} test graphs a seed; one seed stopped after {worst['epochs']} epochs "
        f"at {figure(worst['test'], 4)}"
    )


def test_the_data_sets_quote_what_each_setting_gives():
    rows = table_of("docs/datasets.md", "| setting | test accuracy | epochs |")
    settings = results_of("benzene_settings.json")
    assert len(rows) == len(settings)
    # They stand in the same order, under longer names.
    for cells, setting in zip(rows.values(), settings, strict=True):
        epochs = statistics.median(run["epochs"] for run in setting["runs"])
        assert cells == [mean_and_error([run["test"] for run in setting["runs"]], 4), f"{epochs:.0f}"]
