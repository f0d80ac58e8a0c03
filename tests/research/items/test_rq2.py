from itertools import combinations

import numpy as np
import pytest

from protograph.metrics import accuracy, density
from research.paper.items.rq2 import ITEM
from research.paper.lab import Lab
from research.paper.settings import Settings


def test_the_first_seeds_judge_by_the_sweeps():
    cells = {cell.key: cell for cell in ITEM.cells(Settings())}
    kinds = {key: [need.kind for need in cell.needs] for key, cell in cells.items()}
    assert kinds["ba-grid", "page", "seed 4"] == ["model", "widths", "wrong labels"]
    assert kinds["ba-grid", "page", "seed 5"] == ["model"]
    assert kinds["benzene", "xgnn", "seed 0"] == ["model", "widths", "wrong labels"]
    assert kinds["benzene", "xgnn", "seed 1"] == ["model"]
    assert len(cells) == 5 * 10 * 5 + 2 * 5


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"), Settings(is_quick=True))
    cell = next(cell for cell in ITEM.cells(lab.settings) if cell.key == ("ba-house", "random", "seed 0"))
    return lab, cell.compute(lab)["classes"]["1"]


def test_accuracy_and_density_are_the_means_over_the_prototypes(measured):
    lab, scores = measured
    prototypes = lab.explained("ba-house", "random", 0).explanations[1].prototypes
    truths = lab.data("ba-house", 0).ground_truths[1]
    # Random subgraphs stand for no cluster: each is held against the truth that it is closest to.
    right = [max(accuracy(one.graph, truth).value for truth in truths) for one in prototypes]
    assert scores["accuracy"] == pytest.approx(np.mean(right))
    assert scores["density"] == pytest.approx(np.mean([density(one.graph) for one in prototypes]))


def test_the_sweeps_are_judged_one_by_one(measured):
    lab, scores = measured
    prototypes = lab.explained("ba-house", "random", 0).explanations[1].prototypes

    def probability(model):
        logits = [model(one.graph.x, one.graph.edge_index) for one in prototypes]
        return float(np.mean([row.detach().softmax(dim=1)[0, 1].item() for row in logits]))

    wanted = [probability(one.model) for one in lab.sweep("ba-house", "widths", 0)]
    assert scores["consistency_probabilities"] == pytest.approx(wanted, abs=1e-5)
    assert scores["consistency"] == pytest.approx(np.std(wanted), abs=1e-5)
    pairs = list(zip(scores["faithfulness_probabilities"], scores["faithfulness_accuracies"], strict=True))
    signs = [np.sign((a[0] - b[0]) * (a[1] - b[1])) for a, b in combinations(pairs, 2)]
    ties = [sum(a[n] == b[n] for a, b in combinations(pairs, 2)) for n in (0, 1)]
    assert scores["faithfulness"] == pytest.approx(sum(signs) / np.sqrt((3 - ties[0]) * (3 - ties[1])))
