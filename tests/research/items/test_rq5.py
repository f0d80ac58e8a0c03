import numpy as np
import pytest

from research.paper.item import Results
from research.paper.items.rq5 import ITEM, NUM_TRIALS, draw, whole_share
from research.paper.lab import Lab
from research.paper.settings import Settings
from research.paper.sheet import Finding, Sheet

QUICK = Settings(is_quick=True)


def test_ten_graphs_are_drawn_and_three_of_the_class_are_taken():
    train = np.arange(100, 130)
    is_of_class = train % 2 == 0
    positions, chosen = draw(train, is_of_class, np.random.default_rng(0))
    assert len(set(positions.tolist())) == 10
    assert set(positions.tolist()) <= set(train.tolist())
    assert len(chosen) == 3
    assert all(positions[number] % 2 == 0 for number in chosen)


def test_where_too_few_are_of_the_class_nothing_is_drawn():
    is_of_class = np.array([True, True] + [False] * 20)
    assert draw(np.arange(22), is_of_class, np.random.default_rng(0)) is None


def trial(house, two_houses, num_nodes=5):
    return {
        "graph": {"kinds": [1] * num_nodes, "edges": [[n, n + 1] for n in range(num_nodes - 1)]},
        "part": {"nodes": [0, 1], "edges": [[0, 1]]},
        "truth": 0,
        "motifs": {"house": house, "two houses": two_houses},
        "probability": 0.5,
    }


def results():
    """Five trials: three have a whole house, one of these both."""
    found = [trial(1.0, 1.0, 10), trial(1.0, 0.5), trial(1.0, 0.5), trial(0.8, 0.4), trial(0.2, 0.1, 2)]
    truths = [{"kinds": [0, 1], "edges": [[0, 1]]}] * 2
    kinds = {"names": ["head", "body"], "colors": ["#D55E00", "#56B4E9"]}
    cell = {"kinds": kinds, "classes": {"1": {"truths": truths, "trials": found}}}
    return Results({("ba-house", "seed 0"): cell}, Settings(seeds=(0,)), {})


def test_whole_motifs_are_counted():
    found = results()["ba-house", "seed 0"]["classes"]["1"]["trials"]
    assert whole_share(found, "house").mean == 0.6
    assert whole_share(found, "two houses").mean == 0.2


def test_counts_stand_beside_the_papers():
    sheet = Sheet()
    ITEM.write(results(), sheet)
    findings = [part for part in sheet.parts if isinstance(part, Finding)]
    assert [(one.ours.mean, one.paper.mean, one.verdict) for one in findings] == [
        (0.6, 0.8, "undecided"),  # 3 of 5 beside 4 of 5
        (0.2, 0.0, "undecided"),  # 1 of 5 beside 0 of 5
    ]
    assert findings[0].note == "4 of 5 in the paper"
    table = sheet.files()["found.csv"].splitlines()
    assert table[1].startswith("BA-house,1,house,0.6,")
    assert '"2, 5, 10"' in table[1]
    assert "trials-ba-house.svg" in sheet.files()


def test_other_sets_follow_where_most_trials_have_the_motif():
    grids = [trial(0, 0) | {"motifs": {"grid": 1.0}}] * 5
    rings = [trial(0, 0) | {"motifs": {"fused rings": share}} for share in (1.0, 0.2, 0.2, 0.2, 0.2)]
    alcohols = [trial(0, 0) | {"motifs": {"R-OH": 0.5}}] * 5
    kinds = {"names": ["head", "body"], "colors": ["#D55E00", "#56B4E9"]}
    truths = [{"kinds": [0, 1], "edges": [[0, 1]]}]
    found = {"ba-grid": {"1": grids}, "solubility": {"0": rings, "1": alcohols}}
    cells = {
        (name, "seed 0"): {"kinds": kinds, "classes": {one: {"truths": truths, "trials": of} for one, of in by.items()}}
        for name, by in found.items()
    }
    sheet = Sheet()
    ITEM.write(Results(cells, Settings(seeds=(0,)), {}), sheet)
    findings = [part for part in sheet.parts if isinstance(part, Finding)]
    assert [(one.claim, one.ours.mean, one.paper, one.verdict, one.note) for one in findings] == [
        (f"{title}: share of trials in which {motif} is found whole", share, "similar trends, not shown", *rest)
        for title, motif, share, *rest in (
            ("BA-grid, class 1", "grid", 1.0, "agrees", "similar: in most trials"),
            ("Solubility, class 0", "fused rings", 0.2, "undecided", "similar: in most trials"),
            ("Solubility, class 1", "R-OH", 0.0, "differs", "similar: in most trials"),
        )
    ]


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"), QUICK)
    cell = ITEM.cells(QUICK)[0]
    return lab, cell


def test_a_seed_gives_the_same_trials_again(measured):
    lab, cell = measured
    first, second = cell.compute(lab), cell.compute(lab)
    assert first == second
    assert len(first["classes"]["1"]["trials"]) == NUM_TRIALS
    assert [len(one["kinds"]) for one in first["classes"]["1"]["truths"]] == [5, 10]
