import numpy as np
import pytest

from research.paper.findings import Estimate
from research.paper.items.rq2_values import by_seed, estimate
from tests.research.items.rq2_by_hand import results, scores, swept

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


def test_numbers_are_kept_by_their_seeds():
    found = results(lambda name, method, seed: {"1": scores(**(swept(seed / 4, PROBABILITIES) if seed else {}))})
    assert by_seed(found, "faithfulness", "ba-house", "walk") == {"seed 1": 0.25, "seed 2": 0.5}
