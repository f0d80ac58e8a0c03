import torch
from torch_geometric.data import Data

from protograph.explanation import Prototype, Session
from research.paper.item import Results
from research.paper.items.rq3 import (
    ITEM,
    cases_of,
    first_has_largest_probability,
    first_wins,
    sessions_record,
)
from research.paper.settings import Settings
from research.paper.sheet import Finding, Sheet

SETTINGS = Settings(seeds=(0, 1))


def cluster(number, probabilities, chosen):
    sessions = [{"probability": p, "margin": 10 * p, "num_nodes": 5} for p in probabilities]
    return {"cluster": number, "sessions": sessions, "chosen": chosen}


def results():
    """Two clusters of one data set on two seeds: the first session wins in one of four cases."""
    first = {"1": [cluster(0, [0.9, 0.5], 0), cluster(1, [0.4, 0.8], 1)]}
    second = {"1": [cluster(0, [0.70, 0.75], 1), cluster(1, [1 - 1e-9, 1.0], 1)]}
    values = {("ba-house", "seed 0"): first, ("ba-house", "seed 1"): second}
    return Results(values, SETTINGS, {})


def test_one_cell_a_data_set_and_seed():
    cells = ITEM.cells(Settings())
    assert len(cells) == 5 * 10
    assert {need.kind for cell in cells for need in cell.needs} == {"model"}


def test_the_chosen_session_is_the_first_with_the_prototypes_margin():
    def session(margin):
        return Session(start=(0,), probability=0.5, margin=margin, size=3, source=0, stopped="full", num_iterations=2)

    graph = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]))
    sessions = [session(1.0), session(2.0), session(2.0)]
    record = sessions_record(Prototype(graph=graph, probability=0.5, margin=2.0, cluster=1, sessions=sessions))
    assert record["chosen"] == 1
    assert record["cluster"] == 1
    assert [one["margin"] for one in record["sessions"]] == [1.0, 2.0, 2.0]


def test_cases_are_counted():
    cases = cases_of(results())
    assert [(case.label, case.seed) for case in cases] == [
        ("BA-house, cluster 1", 0),
        ("BA-house, cluster 1", 1),
        ("BA-house, cluster 2", 0),
        ("BA-house, cluster 2", 1),
    ]
    assert first_wins(cases) == 1
    # At six decimals the last case's probabilities are equal.
    assert first_has_largest_probability(cases) == 2


def test_findings_count_over_all_cases():
    sheet = Sheet()
    ITEM.write(results(), sheet)
    findings = [part for part in sheet.parts if isinstance(part, Finding)]
    wins, largest, differ, others, gain = [finding.ours for finding in findings]
    assert (wins.mean, largest.mean, differ.mean, others.mean) == (0.25, 0.5, 0.5, 0.75)
    assert wins.num == 4
    assert round(gain.mean, 6) == round((0 + 0.4 + 0.05 + 1e-9) / 4, 6)
    assert findings[0].paper.mean == 0.7
    # 1 of 4 goes from 0.05 to 0.70, 7 of 10 from 0.40 to 0.89.
    assert findings[0].verdict == "undecided"
    assert "MUTAG was not measured" in findings[2].note


def test_the_table_has_the_numbers_of_the_figure():
    sheet = Sheet()
    ITEM.write(results(), sheet)
    assert sheet.files()["probabilities.csv"].splitlines()[1:] == [
        '"BA-house, cluster 1",0.9,0.5,1,1,1,0.500 to 0.900',
        '"BA-house, cluster 2",0.4,0.8,2,0,2,0.400 to 1.000',
    ]
    assert "sessions.svg" in sheet.files()
