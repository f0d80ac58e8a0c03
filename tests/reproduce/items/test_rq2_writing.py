import numpy as np
import pytest

from protograph.reproduce.findings import Estimate
from protograph.reproduce.items.rq2_figure import points_of, scatter
from protograph.reproduce.items.rq2_writing import SINGLE, estimate, write
from protograph.reproduce.paper import paper
from protograph.reproduce.sheet import Finding, Picture, Sheet
from protograph.reproduce.tables import Table
from tests.reproduce.items.rq2_by_hand import results, scores, swept

PROBABILITIES = [0.2, 0.5, 0.9]
FAILED = {"failed": "no graph is predicted as class 1", "has_truth": True}


def test_accuracy_is_the_mean_over_classes_then_seeds_and_a_failure_counts_as_zero():
    found = results(lambda name, method, seed: {"0": scores(0.6), "1": FAILED if seed == 2 else scores(0.8)})
    assert estimate(found, "accuracy", "ba-house", "page") == Estimate.of([0.7, 0.7, 0.3], least=0.0, most=1.0)
    assert estimate(found, "density", "ba-house", "page").mean == pytest.approx(0.2)


def test_a_class_without_truth_has_no_accuracy():
    found = results(lambda name, method, seed: {"0": scores(None), "1": FAILED | {"has_truth": False}})
    assert estimate(found, "accuracy", "ba-house", "page") is None


def test_several_sweeps_have_an_interval_over_their_seeds():
    found = results(lambda name, method, seed: {"1": scores(**swept(seed / 2 if seed < 2 else None, PROBABILITIES))})
    assert estimate(found, "faithfulness", "ba-house", "page") == Estimate.of([0.0, 0.5], least=-1.0, most=1.0)


def test_a_single_sweep_has_an_interval_over_its_models():
    found = results(lambda name, method, seed: {"1": scores(**(swept(0.4, PROBABILITIES) if seed == 0 else {}))})
    assert estimate(found, "faithfulness", "ba-house", "page") == Estimate.tau(0.4, 3)
    assert estimate(found, "consistency", "ba-house", "page") == Estimate.bootstrap(PROBABILITIES, np.std)


def test_every_cell_stands_beside_the_papers():
    sheet = Sheet()
    by_method = {"page": 0.9, "walk": 0.5, "xgnn": 0.1}
    found = results(
        lambda name, method, seed: {
            "1": scores(by_method.get(method, 0.3) + 0.01 * seed, **swept(0.2 * seed, PROBABILITIES))
        }
    )
    write(found, sheet)
    findings = {part.claim: part for part in sheet.parts if isinstance(part, Finding)}
    assert findings["accuracy, BA-house, PAGE (default)"].verdict == "better"
    assert findings["accuracy, BA-house, XGNN"].verdict == "worse"
    assert findings["accuracy, BA-house, PAGE (walk)"].verdict == "undecided"
    assert (findings["accuracy, BA-house, PAGE (walk)"].ours, findings["accuracy, BA-house, PAGE (walk)"].paper) == (
        Estimate.of([0.5, 0.51, 0.52], least=0.0, most=1.0),
        0.5238,
    )
    assert findings["accuracy, BA-house, PAGE (walk)"].note == "0 of 3 seeds reach the paper's"
    assert findings["accuracy, BA-house, PAGE (default)"].note == "3 of 3 seeds reach the paper's"
    limit = findings["BA-house: accuracy of PAGE (default)"]
    assert (limit.paper, limit.verdict, limit.is_limit) == ("at least 0.8", "holds", True)
    assert not any(claim.startswith("density") for claim in findings)
    tables = {part.name: part for part in sheet.parts if isinstance(part, Table)}
    assert tables["density"].rows[-3:] == (
        ("PAGE in the paper", 0.1481),
        ("XGNN in the paper", 0.1235),
        ("ground truth", 0.24),
    )
    assert tables["verdicts"].rows[1] == ("PAGE (default)", 1, 2, 0, 0, 0, 0)
    assert [part.name for part in sheet.parts if isinstance(part, Picture)] == ["faithfulness-scatter"]


@pytest.mark.parametrize("name", SINGLE)
def test_the_papers_accuracy_and_density_are_those_of_one_prototype(name):
    nodes, edges, right, total = SINGLE[name]
    truth_size = {"ba-house": 5 + 6, "ba-grid": 9 + 12, "benzene": 6 + 6}[name]
    assert total == nodes + edges + truth_size - right
    assert round(right / total, 4) == paper("table2", "accuracy", "PAGE", name)
    assert round(edges / nodes**2 + 1e-9, 4) == paper("table2", "density", "PAGE", name)


def test_points_are_those_of_the_first_sweep():
    found = results(lambda name, method, seed: {"1": scores(**swept(0.5, [seed + p for p in PROBABILITIES]))})
    assert points_of(found, "ba-house", "walk") == ([0.5, 0.7, 0.9], PROBABILITIES)
    assert points_of(results(lambda name, method, seed: {"1": FAILED}), "ba-house", "walk") == ([], [])


def test_a_panel_a_data_set():
    names = ("ba-house", "ba-grid", "benzene", "solubility")
    found = results(lambda name, method, seed: {"1": scores(**swept(0.5, PROBABILITIES))}, names, 1)
    titles = [axis.get_title() for axis in scatter(found, names).axes]
    assert titles == ["BA-house", "BA-grid", "Benzene", "Solubility", "", ""]
