from protograph.evaluation.cost import CostRule, Step, TimeLeft, cost_text, expected_seconds


def test_the_rule_by_hand():
    rule = CostRule()
    assert rule.seconds("training", 200, 1) == 1.0
    assert rule.seconds("other models", 200, 1) == 2.0  # ten, trained at once
    assert rule.seconds("page", 1000, 2) == 2 * 6.0  # 3 s and 3 ms a graph, a class
    assert rule.seconds("page", 100, 1) == 2 * 3.3  # short, so run twice
    assert rule.seconds("page", 100, 1, is_quick=True) == 3.3
    assert rule.seconds("gnninterpreter", 5, 1, is_quick=True) == 1.0
    assert rule.seconds("mine:Mine", 1000, 2) == rule.seconds("page", 1000, 2)


def test_what_is_left_follows_what_was_timed():
    told = []
    expected = expected_seconds(["training", "page"], [0, 1], 1000, 1)
    assert expected == {(0, "training"): 5.0, (0, "page"): 6.0, (1, "training"): 5.0, (1, "page"): 6.0}
    left = TimeLeft(expected, lambda *step: told.append(step))
    left.told(Step(0, "training", "epoch 3"))
    assert told[-1] == ("comparing (seed 0, training: epoch 3; about 22 s left)", 0, 2)
    left.told(Step(0, "training", seconds=10.0))  # twice as long as expected: so is all that was not timed yet
    assert left.seconds == 10.0 + 2 * (6.0 + 6.0)
    left.told(Step(0, "page", seconds=3.0))
    assert left.seconds == 10.0 + 3.0
    left.told(Step(1, "training", seconds=0.0))  # kept from an earlier run: says nothing of the others
    assert left.seconds == 3.0
    left.told(Step(1, "page", seconds=4.0))
    assert told[-1] == ("comparing (seed 1, page)", 2, 2)


def test_seeds_side_by_side_take_their_share_of_the_time():
    expected = {(seed, "page"): 10.0 for seed in range(4)}
    assert TimeLeft(expected, print, jobs=2).seconds == 20.0
    assert TimeLeft(expected, print, jobs=8).seconds == 10.0
    assert cost_text(expected, 2) == (
        "4 seeds of 1 explainer: about 20 s on an idle machine by the rule of docs/metrics.md, 2 seeds at a time "
        "(page 40 s)"
    )


def test_other_models_are_no_explainer_and_what_is_kept_takes_no_time():
    told = []
    expected = {(0, "training"): 0.0, (0, "other models"): 20.0, (0, "page"): 6.0, (0, "walk"): 0.0}
    left = TimeLeft(expected | {(1, "page"): 6.0}, lambda *step: told.append(step))
    assert left.seconds == 32.0
    left.told(Step(0, "other models", seconds=40.0))
    assert told[-1] == ("comparing (seed 0, other models; about 24 s left)", 0, 3)
    left.told(Step(0, "page", seconds=5.0))  # says nothing of walk, which is kept
    assert left.seconds == 5.0
    assert cost_text(expected, 1) == (
        "1 seed of 2 explainers: about 26 s on an idle machine by the rule of docs/metrics.md (other models 20 s, "
        "page 6 s); 1 of 2 runs kept from an earlier run, unless data or model have changed"
    )


def test_a_comparison_that_is_finished_costs_nothing():
    assert cost_text({(0, "training"): 0.0, (0, "page"): 0.0, (1, "training"): 5.0, (1, "page"): 0.0}, 2) == (
        "2 seeds of 1 explainer: all kept from an earlier run, unless data or model have changed"
    )


def test_seeds_that_are_kept_are_not_side_by_side_with_the_others():
    expected = {(seed, "page"): 10.0 if seed else 0.0 for seed in range(2)}
    assert cost_text(expected, 2) == (
        "2 seeds of 1 explainer: about 10 s on an idle machine by the rule of docs/metrics.md (page 10 s); 1 of 2 runs "
        "kept from an earlier run, unless data or model have changed"
    )
