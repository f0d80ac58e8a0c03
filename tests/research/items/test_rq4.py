import pytest
import torch

from protograph.datasets import load
from protograph.training import train
from research.paper.item import Results
from research.paper.items.rq4 import ITEM, figures_of, initial_model, means, num_perfect
from research.paper.lab import Lab
from research.paper.settings import Settings
from research.paper.sheet import Finding, Sheet

QUICK = Settings(is_quick=True)
KINDS = {"names": ["head", "body", "backbone"], "colors": ["#D55E00", "#56B4E9", "#BBBBBB"]}


def record(trained, initial, own, kinds=(0, 1, 2)):
    """A path of three nodes with the attributions of both methods."""
    graph = {"kinds": list(kinds), "edges": [[0, 1], [1, 2]]}
    methods = {method: {"trained": trained, "initial": initial} for method in ("InputXGradient", "GNNExplainer")}
    one = {"graph": graph, "part": {"nodes": own, "edges": []}, "truth": 0, "probability": 0.9, "methods": methods}
    return {**one, "figures": {method: figures_of(one, method) for method in methods}}


def test_figures_by_hand():
    found = figures_of(record([0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0, 1]), "InputXGradient")
    assert found["alpha"] == pytest.approx(0.8)
    assert found["initial_alpha"] == pytest.approx(0.4)
    assert found["beta"] == pytest.approx(1.0)
    assert found["auroc"] == 1.0
    assert found["truth_share"] == 2 / 3


def test_a_perfect_prototype_has_no_area():
    found = figures_of(record([0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0, 1, 2]), "GNNExplainer")
    assert found["alpha"] == pytest.approx(1.0)
    assert found["beta"] == pytest.approx(0.0)
    assert found["auroc"] is None


def results():
    """Two seeds of two prototypes each; the first of each is perfect."""
    perfect = record([0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0, 1, 2])
    half = record([0.5, 0.3, 0.2], [0.25, 0.0, 0.75], [0])
    lower = record([0.1, 0.3, 0.6], [0.25, 0.0, 0.75], [0])
    cells = {
        ("ba-house", f"seed {seed}"): {"kinds": KINDS, "classes": {"1": [perfect, other]}}
        for seed, other in enumerate((half, lower))
    }
    return Results(cells, Settings(seeds=(0, 1)), {})


def test_means_are_taken_over_a_seeds_prototypes_where_figures_are_defined():
    found = means(results(), "ba-house", 1, "InputXGradient")
    assert found["alpha"] == pytest.approx([(1 + 0.5) / 2, (1 + 0.1) / 2])
    assert found["beta"] == pytest.approx([(0 + 1.0) / 2, (0 - 0.6) / 2])
    assert found["auroc"] == [1.0, 0.0]  # of the second prototype alone
    assert num_perfect(results(), "ba-house", 1) == (2, 4)


def test_findings_stand_beside_the_papers_numbers():
    sheet = Sheet()
    ITEM.write(results(), sheet)
    findings = {part.claim: part for part in sheet.parts if isinstance(part, Finding)}
    alpha = findings["BA-house: alpha of Input x Gradient"]
    assert (alpha.ours.mean, alpha.paper) == (pytest.approx(0.65), 0.9128)
    assert alpha.note == "2 of 4 prototypes are perfect"
    assert findings["BA-house: beta of GNNExplainer is positive, share of seeds"].ours.mean == 0.5
    gap = findings["BA-house: alpha of GNNExplainer less the share of nodes that belong to the truth"]
    assert gap.ours.mean == pytest.approx(((0.75 - 2 / 3) + (0.55 - 2 / 3)) / 2)
    assert "attributions-ba-house.svg" in sheet.files()


def test_without_any_area_it_is_called_undefined():
    perfect = record([0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0, 1, 2])
    cells = {("ba-house", "seed 0"): {"kinds": KINDS, "classes": {"1": [perfect]}}}
    sheet = Sheet()
    ITEM.write(Results(cells, Settings(seeds=(0,)), {}), sheet)
    findings = {part.claim: part for part in sheet.parts if isinstance(part, Finding)}
    area = findings["BA-house: AUROC of GNNExplainer"]
    assert (area.ours, area.verdict) == ("undefined", "not comparable")


def test_the_initial_model_is_the_one_that_training_began_with():
    data = load("ba-house", random_state=3, num_graphs=60)
    trained = train(data, hidden=(4, 4), random_state=7, max_epochs=1)
    ours = initial_model(data, trained.model, 7).state_dict()
    assert all(torch.equal(weight, ours[name]) for name, weight in trained.initial_model.state_dict().items())


def test_attributions_of_a_quick_run_have_a_share_for_each_node(tmp_path):
    lab = Lab(tmp_path, QUICK)
    cell = ITEM.cells(QUICK)[0]
    found = cell.compute(lab)["classes"]["1"]
    prototypes = lab.explained("ba-house", "walk", 0).explanations[1].prototypes
    assert len(found) == len(prototypes)
    for one, prototype in zip(found, prototypes, strict=True):
        for shares in one["methods"].values():
            assert [len(shares[model]) for model in ("trained", "initial")] == [prototype.num_nodes] * 2
            assert sum(shares["trained"]) == pytest.approx(1.0)
