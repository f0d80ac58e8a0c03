import pytest

from research.paper.items.rq7 import ITEM
from research.paper.settings import Settings
from research.paper.sheet import Finding
from research.paper.tables import Table
from tests.research.small import written


def trial(factor):
    """Two prototypes each; XGNN takes ten times the walk, a third of the default with reasons."""
    seconds = {"walk": 0.1, "page": 0.2, "page with reasons": 3.0, "xgnn": 1.0, "gnninterpreter": 0.5}
    return {method: {"fit": 0.4, "explain": factor * one, "prototypes": 2} for method, one in seconds.items()}


def values():
    found = {("trial", "ba-house", f"seed {seed}"): trial(1 + seed) for seed in range(2)}
    for method, quantity, grown in (("walk", "graphs", (100, 1000)), ("page", "nodes", (10, 100))):
        for value in grown:
            stages = {"fit": value / 100, "selection": 0.5, "search": (value / 100) ** 2, "evidence": 1e-5}
            found["cost", method, quantity, str(value)] = {**stages, "all": 1.0}
    return found


@pytest.fixture(scope="module")
def parts():
    return written(ITEM, values(), Settings(seeds=(0, 1)))


def test_what_there_is_to_measure():
    keys = [cell.key for cell in ITEM.cells(Settings())]
    assert [key for key in keys if key[0] == "trial"][:2] == [
        ("trial", "ba-house", "seed 0"),
        ("trial", "ba-house", "seed 1"),
    ]
    assert len([key for key in keys if key[0] == "trial"]) == 20
    assert ("cost", "page", "nodes", "240") in keys
    assert {key[1] for key in (cell.key for cell in ITEM.cells(Settings(is_quick=True)))} == {"ba-house", "walk"}


def test_times_are_ratios_by_the_prototype(parts):
    table = next(part for part in parts if isinstance(part, Table) and part.name == "time-ba-house")
    ratios = {row[0]: row[2].mean for row in table.rows}
    assert list(ratios.values()) == pytest.approx([1, 2, 30, 10, 5])
    assert [row[1].mean for row in table.rows] == pytest.approx([0.075, 0.15, 2.25, 0.75, 0.375])
    assert table.rows[3][3].mean == pytest.approx(0.4 + 1.5)
    assert table.rows[3][4].mean == pytest.approx(((0.4 + 1) / (0.4 + 0.1) + (0.4 + 2) / (0.4 + 0.2)) / 2)
    assert table.rows[3][5:] == (3.14, 3.14 / 1.15)
    assert table.rows[4][5:] == (None, None)
    assert table.caption == (
        "BA-house: time of explaining, median over trials with its bootstrap interval. In all: fit, and every "
        "prototype of the class with the motif, for all explainers; reasons are of all classes."
    )


def test_the_order_is_compared(parts):
    findings = [part for part in parts if isinstance(part, Finding) and not part.is_limit]
    assert [(one.ours.mean, one.verdict) for one in findings] == [
        (pytest.approx(10), "agrees"),
        (pytest.approx(5), "agrees"),
        (pytest.approx(1 / 3), "differs"),
    ]
    assert findings[0].paper == 3.14 / 1.15


def test_generators_are_to_take_twenty_times_as_long(parts):
    limits = [part for part in parts if isinstance(part, Finding) and part.is_limit]
    assert [(one.claim, one.ours.mean, one.paper, one.verdict) for one in limits] == [
        (f"BA-house: {title}'s time as a multiple of the walk's, a prototype", pytest.approx(times), *missed)
        for title, times, missed in zip(
            ("XGNN", "GNNInterpreter"), (10, 5), [("at least 20", "missed")] * 2, strict=True
        )
    ]


def test_exponents(parts):
    table = next(part for part in parts if isinstance(part, Table) and part.name == "growth")
    assert table.rows[0][:3] == ("PAGE (walk)", "number of graphs", "100 to 1,000")
    for row in table.rows:
        assert row[5:8] == (pytest.approx(1), pytest.approx(0, abs=1e-9), pytest.approx(2))
        assert row[8] is None  # hardly any time
