from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.page.reasons.conditions import Draft
from protograph.page.reasons.reasons import JointRules, joined
from protograph.page.reasons.scope import ReasonOptions
from tests.explanation.by_hand import naive_fidelity
from tests.page.naive_patterns import groups_of_graphs
from tests.page.reasons.by_hand import condition, scope_of
from tests.page.reasons.test_conditions import conditions_of
from tests.page.reasons.test_confirming import SQUARES, TRIANGLES, world

STARS = Draft((condition([(0, 1), (0, 2), (0, 3)], source=3),))


def naive_holds(rules, scope, indices, num_classes):
    rows = []
    for index in indices:
        row = [
            any(draft.holds(scope.reader, np.array([index]))[0] for draft in rules.drafts.get(target, ()))
            for target in range(num_classes)
        ]
        if rules.rest is not None:
            row[rules.rest] = row[rules.rest] or not any(row[: rules.rest] + row[rules.rest + 1 :])
        rows.append(row)
    return rows


@settings(max_examples=40, deadline=None)
@given(groups_of_graphs(max_nodes=4, min_graphs=3, max_graphs=6), st.data())
def test_rules_hold_and_agree_as_plain_loops_say(graphs, data):
    predictions = data.draw(st.lists(st.integers(0, 2), min_size=len(graphs), max_size=len(graphs)))
    scope = scope_of(graphs, predictions)
    few = st.lists(conditions_of(graphs), min_size=1, max_size=2).map(tuple)
    drafts = {
        target: [Draft(data.draw(few)) for _ in range(data.draw(st.integers(0, 2)))] for target in set(predictions)
    }
    rules = JointRules(drafts, data.draw(st.sampled_from([None, *sorted(drafts)])))
    num_classes = max(predictions) + 1
    expected = naive_holds(rules, scope, range(len(graphs)), num_classes)
    assert rules.holds(scope.reader, np.arange(len(graphs)), num_classes).tolist() == expected
    assert rules.agreement(scope) == pytest.approx(naive_fidelity(expected, predictions, num_classes))
    best = joined(drafts, scope)
    if best.rest is not None:  # nothing can be missing where nothing marks the others
        assert any(own for target, own in best.drafts.items() if target != best.rest)
    assert best.agreement(scope) >= JointRules(drafts).agreement(scope)


def test_the_rest_is_taken_where_it_adds_something():
    scope = world(("triangle", 1, 8), ("square", 0, 4), ("star", 0, 4))
    rules = joined({0: [], 1: [TRIANGLES]}, scope)
    assert (rules.rest, rules.agreement(scope)) == (0, 1.0)
    assert rules.drafts == {0: [], 1: [TRIANGLES]}


def test_the_rest_must_add_more_than_a_little():
    scope = world(("triangle", 1, 300), ("square", 0, 300), ("star", 0, 1))
    rules = {0: [SQUARES], 1: [TRIANGLES]}
    assert 0 < joined(rules, scope).agreement(scope) < 1
    assert joined(rules, scope).rest is None
    assert joined(rules, replace(scope, options=ReasonOptions(least_rest=0.0))).rest == 0


def test_nothing_can_be_missing_where_nothing_marks_the_others():
    scope = world(("triangle", 1, 8), ("square", 0, 8))
    assert joined({0: [], 1: []}, scope).rest is None
    assert joined({0: [], 1: [TRIANGLES]}, scope).rest == 0
    rules = joined({0: [], 1: [TRIANGLES], 2: []}, world(("triangle", 1, 8), ("square", 0, 8), ("star", 2, 2)))
    assert rules.rest == 0  # the larger share


def test_reasons_that_hold_where_another_rule_is_right_go_with_the_rest():
    scope = world(("both", 1, 8), ("square", 0, 4), ("star", 0, 4), ("triangle", 1, 2))
    # That it has a square speaks for the first class, but half of the second have one: what is left says it all.
    rules = joined({0: [SQUARES], 1: [TRIANGLES]}, scope)
    assert (rules.drafts, rules.rest, rules.agreement(scope)) == ({0: [], 1: [TRIANGLES]}, 0, 1.0)


def test_the_rest_is_one_of_so_many_reasons():
    scope = world(("triangle", 1, 8), ("square", 0, 4), ("star", 0, 3))
    for number, left in ((8, [SQUARES]), (2, [SQUARES]), (1, [])):
        rules = joined({0: [SQUARES], 1: [TRIANGLES]}, replace(scope, max_reasons=number))
        assert (rules.drafts[0], rules.rest, rules.agreement(scope)) == (left, 0, 1.0)
