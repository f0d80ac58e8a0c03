"""Reasons, rules and fidelity: by plain loops, and by hand."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph._utils.intervals import wilson
from protograph.explanation import Example, Explanations, Fidelity, Pattern, Prototype, Support
from protograph.explanation.rule import fidelity_of_all, fidelity_of_class
from protograph.graphs.conditions import Reading
from tests.explanation.by_hand import (
    NOWHERE,
    asking,
    both,
    explained,
    house,
    naive_fidelity,
    naive_reason,
    reason,
    reasons,
)
from tests.made import made_explanation
from tests.metrics.small_graphs import graph_of, graphs, path, ring

TRIANGLE, SQUARE = reason(has=(Pattern(graph=ring(3)),)), reason(has=(Pattern(graph=ring(4)),))
WHOLE = [house(), ring(3), ring(4), path(3), both(ring(3), path(2)), ring(4), path(4), ring(3)]
PREDICTIONS = [0, 0, 0, 1, 0, 1, 0, 1]
PARTS = [0, 0, 1, 1, 2, 2, 2, 2]
PAIR = Pattern(graph=path(2))
EXAMPLE = {"source": 7, "nodes": (3, 5, 6), "graph": path(3), "marked": ((0, 1),), "probability": 0.9}
ONE = Support(num_in_class=1, num_class=1, num_elsewhere=0, num_others=0)


@settings(max_examples=30, deadline=None)
@given(reasons(), st.lists(graphs(max_nodes=5), max_size=4))
def test_a_reason_holds_where_plain_loops_say_so(one, whole):
    assert one.holds(whole).tolist() == [naive_reason(one, graph) for graph in whole]


def test_support_is_counted_and_added():
    holds, is_class = np.array([True, True, False, True, False]), np.array([True, False, True, True, False])
    support = Support.of(holds, is_class)
    assert support == Support(num_in_class=2, num_class=3, num_elsewhere=1, num_others=2)
    assert (support.num_graphs, support.share, support.share_elsewhere) == (3, 2 / 3, 0.5)
    assert (support.interval, support.interval_elsewhere) == (wilson(2, 3), wilson(1, 2))
    assert support + support == Support(num_in_class=4, num_class=6, num_elsewhere=2, num_others=4)
    assert math.isnan(NOWHERE.share)
    assert math.isnan(NOWHERE.share_elsewhere)
    parts = {"has": (PAIR,), "searched": ONE, "confirming": ONE}
    assert reason(**parts, kept_apart=ONE, holds_in_indices=(0, 4, 7)).support == ONE + ONE + ONE


@pytest.mark.parametrize(
    ("make", "parts", "problem"),
    [
        (reason, {"has": ()}, r"has must have a pattern where lacks and unless have none"),
        (reason, {"unless": (reason(unless=(reason(has=(PAIR,)),)),)}, r"unless must be reasons without unless"),
        (reason, {"holds_in_indices": (2, 1)}, r"holds_in_indices must be ascending and at least 0"),
        (reason, {"holds_in_indices": (1,)}, r"holds_in_indices must be a list of 0, .* got \[1\]"),
        (reason, {"searched": ONE}, r"holds_in_indices must be a list of 1, as many as the supports count"),
        (reason, {"has": (replace(PAIR, at_least=2),), "example": Example(**EXAMPLE)}, r"example.marked .* \[2, 2\]"),
        (Example, EXAMPLE | {"nodes": (1, 2)}, r"nodes must be a list of 3 different ones, .* got \[1, 2\]"),
        (Example, EXAMPLE | {"nodes": (1, 2, 2)}, r"nodes must be a list of 3 different ones, .* got \[1, 2, 2\]"),
        (Example, EXAMPLE | {"marked": ((0, 1), (0, 3))}, r"marked\[1\] must be .* from 0 to 2, got \[0, 3\]"),
        (Support, vars(ONE) | {"num_in_class": 3}, r"num_in_class must be in \[0, 1\], .*num_class, got 3"),
        (Support, vars(ONE) | {"num_elsewhere": -1}, r"num_elsewhere must be in \[0, 0\], .*num_others, got -1"),
    ],
)
def test_what_cannot_be_is_refused(make, parts, problem):
    with pytest.raises(ValueError, match=f"^{problem}"):
        make(**{"has": (PAIR,)} | parts if make is reason else parts)


@given(st.data(), st.integers(1, 30), st.integers(1, 4))
@settings(max_examples=30)
def test_fidelity_of_all_is_what_plain_loops_count(data, num_graphs, num_classes):
    rows = st.lists(st.booleans(), min_size=num_classes, max_size=num_classes)
    holds = data.draw(st.lists(rows, min_size=num_graphs, max_size=num_graphs))
    predictions = data.draw(st.lists(st.integers(0, num_classes - 1), min_size=num_graphs, max_size=num_graphs))
    fidelity = fidelity_of_all(np.array(holds), np.array(predictions))
    assert fidelity == pytest.approx(naive_fidelity(holds, predictions, num_classes), abs=1e-12)
    assert fidelity.num_graphs == num_graphs
    assert 0 <= fidelity.low <= fidelity <= fidelity.high <= 1
    # A class against the rest is all together of a rule and its opposite.
    own, is_class = np.array(holds)[:, 0], np.array(predictions) == 0
    rule = fidelity_of_class(own, is_class)
    whole = fidelity_of_all(np.stack([own, ~own], axis=1), np.where(is_class, 0, 1))
    assert (rule, rule.low, rule.high, rule.counts) == (whole, whole.low, whole.high, whole.counts)


def test_the_interval_of_a_fidelity_by_hand():
    fidelity = Fidelity([9, 30, 0], [10, 60, 0])
    first, second = wilson(9, 10), wilson(30, 60)
    assert fidelity == 0.7
    assert fidelity.low == pytest.approx(0.7 - math.sqrt((0.9 - first[0]) ** 2 + (0.5 - second[0]) ** 2) / 2)
    assert fidelity.high == pytest.approx(0.7 + math.sqrt((first[1] - 0.9) ** 2 + (second[1] - 0.5) ** 2) / 2)
    assert (fidelity.num_graphs, fidelity.counts) == (70, ((9, 10), (30, 60), (0, 0)))
    assert fidelity.by_class[:2] == (0.9, 0.5)
    assert math.isnan(fidelity.by_class[2])
    assert math.isnan(Fidelity([0, 0], [0, 0]))


def test_a_fidelity_is_a_number_that_is_copied_whole():
    fidelity = Fidelity([3, 5], [4, 9])
    same = pickle.loads(pickle.dumps(fidelity))
    assert (same, same.low, same.high, same.counts) == (fidelity, fidelity.low, fidelity.high, fidelity.counts)


@st.composite
def cases(draw):
    """A few graphs, each with its predicted class and what it was used for, and reasons for class 0."""
    whole = draw(st.lists(graphs(min_nodes=1, max_nodes=5), min_size=1, max_size=6))
    size = len(whole)
    predictions = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    parts = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    return whole, predictions, parts, draw(st.lists(reasons(), max_size=2))


@settings(max_examples=20, deadline=None)
@given(cases())
def test_all_that_a_rule_says_is_what_plain_loops_come_to(case):
    whole, predictions, parts, some = case
    found = explained(0, some, whole, predictions, parts)
    holds = [any(naive_reason(one, graph) for one in some) for graph in whole]
    own = [prediction == 0 for prediction in predictions]
    assert found.predict(whole).tolist() == holds
    assert found.uncovered == tuple(i for i, c in enumerate(own) if c and not holds[i])
    assert found.disagreements == tuple(i for i, c in enumerate(own) if c != holds[i])
    if any(own):
        assert found.uncovered_share == len(found.uncovered) / sum(own)
    assert_fidelity(found.fidelity, holds, own, parts)
    assert len(found.fidelity_curve) == (len(some) if 2 in parts else 0)
    for number, fidelity in enumerate(found.fidelity_curve, start=1):
        assert_fidelity(fidelity, [any(naive_reason(r, g) for r in some[:number]) for g in whole], own, parts)
    without = [one for one in some if not one.unless]
    assert_fidelity(found.fidelity_without_rest, [any(naive_reason(r, g) for r in without) for g in whole], own, parts)


def assert_fidelity(fidelity, holds, own, parts):
    kept = [(h, c) for h, c, part in zip(holds, own, parts, strict=True) if part == 2]
    if not kept:
        assert fidelity is None
        return
    counts = [(sum(h == c == k for h, c in kept), sum(c == k for _, c in kept)) for k in (True, False)]
    shares = [right / total for right, total in counts if total]
    assert fidelity == pytest.approx(sum(shares) / len(shares), abs=1e-12)
    assert list(fidelity.counts) == counts


def test_a_rule_by_hand():
    found = explained(0, [TRIANGLE, SQUARE], WHOLE, PREDICTIONS, PARTS, typical_uncovered=(6,))
    assert found.predict(WHOLE).tolist() == [True, True, True, False, True, True, False, True]
    assert (found.uncovered, found.uncovered_share, found.disagreements) == ((6,), 0.2, (5, 6, 7))
    assert found.fidelity == Fidelity([1, 0], [2, 2])
    assert found.fidelity_curve == (0.5, 0.25)
    assert [one.support.num_graphs for one in found.reasons] == [4, 3]
    assert str(found.rule) == "a triangle; or a ring of four nodes"
    assert repr(found) == "Explanation(target=0, 0 prototypes, 2 reasons)"
    none = explained(0, [], WHOLE, PREDICTIONS, PARTS)
    assert (none.fidelity, none.uncovered_share, str(none.rule), none.predict(WHOLE).any()) == (0.5, 1.0, "", False)


def prototype(graph, **facts):
    return Prototype(graph=graph, probability=0.9, margin=2.0, **facts)


def test_where_reasons_were_not_looked_for_the_rule_is_to_contain_a_prototype():
    found = made_explanation(prototypes=[prototype(ring(3)), prototype(graph_of(4, [(0, 1), (2, 3)]))])
    assert found.predict([house(), ring(3), path(3), path(4), both(path(2), path(2))]).tolist() == [
        *(True, True, False, True, True)
    ]
    assert (found.rule, found.fidelity, found.fidelity_curve, found.uncovered, found.disagreements) == (
        *(None, None, (), (), ()),
    )
    assert math.isnan(found.uncovered_share)
    # Prototypes are looked for as they were counted.
    graph, other = path(2, kinds=[0, 1]), path(2, kinds=[0, 0])
    assert made_explanation(prototypes=[prototype(graph)]).predict([graph, other]).tolist() == [True, False]
    alike = made_explanation(prototypes=[prototype(graph, node_rule=Reading())])
    assert alike.predict([graph, other]).tolist() == [True, True]
    blue = asking(path(2, kinds=[1, 1]), ("red", "blue", "green"))
    open_ended = replace(blue, node_conditions=((), blue.of_nodes[1]))
    assert made_explanation(prototypes=[prototype(graph, pattern=open_ended)]).predict([graph, other]).tolist() == [
        *(True, False)
    ]


@settings(max_examples=20, deadline=None)
@given(st.data(), st.lists(graphs(min_nodes=1, max_nodes=5), min_size=1, max_size=6))
def test_all_rules_together_are_what_plain_loops_come_to(data, whole):
    size, num_classes = len(whole), 3
    predictions = data.draw(st.lists(st.integers(0, num_classes - 1), min_size=size, max_size=size))
    parts = data.draw(st.lists(st.integers(1, 2), min_size=size, max_size=size))
    rules = {target: data.draw(st.lists(reasons(), max_size=2)) for target in sorted(set(predictions))}
    found = Explanations(
        {target: explained(target, some, whole, predictions, parts, num_classes) for target, some in rules.items()}
    )
    kept = [number for number, part in enumerate(parts) if part == 2]
    for with_rest, fidelity in ((True, found.fidelity), (False, found.fidelity_without_rest)):
        holds = [
            [any(naive_reason(r, g) for r in rules.get(c, ()) if with_rest or not r.unless) for c in range(num_classes)]
            for g in whole
        ]
        assert found.predict(whole, with_rest=with_rest).tolist() == holds
        if not kept:
            assert fidelity is None
        else:
            naive = naive_fidelity([holds[n] for n in kept], [predictions[n] for n in kept], num_classes)
            assert fidelity == pytest.approx(naive, abs=1e-12)


def test_fidelity_is_of_all_predicted_classes_of_one_fit():
    whole, predictions, parts = [house(), ring(3), ring(4), path(3)], [0, 0, 1, 1], [2] * 4
    first = explained(0, [TRIANGLE], whole, predictions, parts, 3)
    second = explained(1, [reason(unless=(TRIANGLE,))], whole, predictions, parts, 3)
    found = Explanations({0: first, 1: second})
    assert found.predict(whole).astype(int).tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert (found.fidelity, found.fidelity_without_rest) == (1.0, 0.5)
    assert found.fidelity.counts == ((2, 2), (2, 2), (0, 0))
    assert Explanations({0: first}).fidelity is None
    assert Explanations({0: first}, not_explained={1: "it was stopped"}).fidelity == 0.5
    assert Explanations({0: first, 1: replace(second, rule=replace(second.rule, parts=()))}).fidelity is None
    assert Explanations({}).fidelity is None
    assert Explanations({}).predict(whole).shape == (4, 0)
