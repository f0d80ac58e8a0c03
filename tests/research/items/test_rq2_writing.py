import pytest

from research.paper.findings import Estimate
from research.paper.items.rq2_figure import points_of, scatter
from research.paper.items.rq2_writing import SINGLE, write
from research.paper.paper import paper
from research.paper.sheet import Finding, Picture, Sheet
from research.paper.tables import Table
from tests.research.items.rq2_by_hand import results, scores, swept

PROBABILITIES = [0.2, 0.5, 0.9]
FAILED = {"failed": "no graph is predicted as class 1", "has_truth": True}


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
    truth_size = {"ba-house": 5 + 6, "ba-grid": 9 + 12, "benzene": 6 + 6, "mutagenicity": 2 * (3 + 2)}[name]
    assert total == nodes + edges + truth_size - right
    # 10 of 11 is .90909, of which the paper has the first four digits.
    assert right / total == pytest.approx(paper("table2", "accuracy", "PAGE", name), abs=0.0001)
    assert round(edges / nodes**2 + 1e-9, 4) == paper("table2", "density", "PAGE", name)


def test_the_papers_solubility_is_not_of_one_prototype():
    accuracy, density = (paper("table2", metric, "PAGE", "solubility") for metric in ("accuracy", "density"))
    fitting = [
        (nodes, edges, right)
        for truth_size in (10 + 11, 2 + 1)  # fused rings, R-OH
        for nodes in range(1, 61)
        for edges in range(nodes - 1, 2 * nodes)
        for right in range(truth_size + 1)
        if abs(edges / nodes**2 - density) < 0.0001
        and abs(right / (nodes + edges + truth_size - right) - accuracy) < 0.0001
    ]
    assert fitting == []


def test_points_are_those_of_the_first_sweep():
    found = results(lambda name, method, seed: {"1": scores(**swept(0.5, [seed + p for p in PROBABILITIES]))})
    assert points_of(found, "ba-house", "walk") == ([0.5, 0.7, 0.9], PROBABILITIES)
    assert points_of(results(lambda name, method, seed: {"1": FAILED}), "ba-house", "walk") == ([], [])


def test_a_panel_a_data_set():
    names = ("ba-house", "ba-grid", "benzene", "solubility")
    found = results(lambda name, method, seed: {"1": scores(**swept(0.5, PROBABILITIES))}, names, 1)
    titles = [axis.get_title() for axis in scatter(found, names).axes]
    assert titles == ["BA-house", "BA-grid", "Benzene", "Solubility", "", ""]
