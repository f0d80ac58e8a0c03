import pytest

from research.paper.items.arena_scores import (
    by_seed,
    estimate_of,
    has_learned,
    of_classes,
    over_seeds,
    runs_of,
    seeds_of,
    values_of,
)
from tests.research.items.arena_by_hand import RESULTS, results_of, run, scores


def test_reasons_are_counted_over_classes_and_other_figures_averaged():
    classes = [scores(None, [True, True, False]), scores(0.5, [False]), scores(1.0, [])]
    assert of_classes(classes, "found") == 0.5
    assert of_classes(classes, "accuracy") == 0.75
    assert of_classes(classes[:1], "accuracy") is None


def test_a_seed_is_the_mean_over_the_fields():
    found = by_seed(values_of(RESULTS, "set"), "rules", "accuracy")
    assert found == {"seed 0": pytest.approx(0.8), "seed 1": pytest.approx(0.6)}


def test_all_fields_count_alike_on_the_seeds_that_both_kinds_have():
    assert [seeds_of(RESULTS, kind) for kind in ("set", "world", "all")] == [
        ["seed 0", "seed 1"],
        ["seed 0"],
        ["seed 0"],
    ]
    values = values_of(RESULTS, "all")
    assert list(values["rules", "accuracy"]) == ["ba-house", "ba-grid", "house-tree"]
    assert by_seed(values, "rules", "accuracy") == {"seed 0": pytest.approx((1.0 + 0.6 + 1.0) / 3)}


def test_models_that_guess_count_only_where_all_are_asked_for():
    guessing = run(scores(0.0, [False]), test_accuracy=0.59)
    results = results_of(
        {
            ("set", "ba-house", "rules", "seed 0"): run(scores(1.0, [True]), test_accuracy=0.6),
            ("set", "ba-house", "rules", "seed 1"): guessing,
        }
    )
    assert [has_learned(result) for *_, result in runs_of(results, "set")] == [True, False]
    assert by_seed(values_of(results, "set"), "rules", "accuracy") == {"seed 0": 1.0}
    with_all = values_of(results, "set", with_all_models=True)
    assert by_seed(with_all, "rules", "accuracy") == {"seed 0": 1.0, "seed 1": 0.0}


def test_an_interval_ends_where_the_metric_does():
    shares, seconds = estimate_of([0.0, 1.0], "fidelity"), estimate_of([0.0, 10.0], "seconds")
    assert (shares.low, shares.high) == (0.0, 1.0)
    assert (seconds.low, seconds.high) == (0.0, pytest.approx(5 + 12.706 * 5, abs=0.01))
    assert estimate_of([], "fidelity") is None
    assert over_seeds(values_of(RESULTS, "set"), "xgnn", "accuracy") is None
