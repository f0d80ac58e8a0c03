import pytest

from research.paper.items.arena_losses import differences, losses
from research.paper.items.arena_scores import values_of
from tests.research.items.arena_by_hand import RESULTS, results_of, run, scores


def test_the_best_other_is_set_beside_ours_seed_by_seed():
    rows = differences(values_of(RESULTS, "set"))
    assert [row[:2] for row in rows] == [
        ["accuracy", "random subgraphs"],
        ["reasons found", "random subgraphs"],
        ["fidelity", "random subgraphs"],
        ["coverage", "random subgraphs"],
        ["seconds (fewer is better)", "random subgraphs"],
    ]
    assert rows[0][2].mean == pytest.approx(((0.8 - 0.7) + (0.6 - 0.6)) / 2)
    assert rows[4][2].mean == pytest.approx(((2.0 - 1.75) + (2.0 - 2.75)) / 2)


def test_the_best_other_in_seconds_is_the_quickest():
    results = results_of(
        {
            ("set", "ba-house", method, "seed 0"): run(scores(1.0, [True]), seconds=seconds)
            for method, seconds in {"rules": 4.0, "walk": 1.0, "xgnn": 9.0}.items()
        }
    )
    assert differences(values_of(results, "set"))[-1][1] == "PAGE (walk)"
    assert losses(values_of(results, "set"))[-1] == (
        "seconds: PAGE (default) is slower than PAGE (walk) on 1 of 1 field (1.0 s there, ours 4.0 s)."
    )


def test_where_others_are_ahead_or_faster_is_said():
    assert losses(values_of(RESULTS, "set")) == [
        "accuracy: PAGE (default) is behind on 1 of 2 fields: BA-grid (random subgraphs 0.80, ours 0.50).",
        "reasons found: PAGE (default) is behind on 1 of 2 fields: BA-grid (random subgraphs 1.00, ours 0.00).",
        "fidelity: PAGE (default) is behind on none of 2 fields.",
        "coverage: PAGE (default) is behind on none of 2 fields.",
        "seconds: PAGE (default) is slower than random subgraphs on 1 of 2 fields (0.5 s there, ours 2.0 s).",
    ]


def test_without_others_nobody_is_ahead():
    values = values_of(RESULTS, "world")
    assert differences(values) == []
    assert losses(values)[::4] == [
        "accuracy: PAGE (default) is behind on none of 1 field.",
        "seconds: PAGE (default) is slower than no other on any of 1 field.",
    ]
