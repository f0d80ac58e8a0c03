import math
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.explanation import Explanation, Pattern, Prototype, Support
from protograph.explanation.fidelity import Fidelity
from tests.explanation.by_hand import both, explained, house, naive_reason, reason, reasons
from tests.metrics.small_graphs import graph_of, graphs, path, ring

TRIANGLE, SQUARE = reason(has=(Pattern(graph=ring(3)),)), reason(has=(Pattern(graph=ring(4)),))


@st.composite
def cases(draw):
    """A few graphs, each with its predicted class and what it was used for, and reasons for class 0."""
    whole = draw(st.lists(graphs(min_nodes=1, max_nodes=5), min_size=1, max_size=6))
    size = len(whole)
    predictions = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    parts = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    return whole, predictions, parts, draw(st.lists(reasons(), max_size=2))


@settings(max_examples=50, deadline=None)
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
    rules = [some[: number + 1] for number in range(len(some))]
    assert len(found.fidelity_curve) == (len(some) if 2 in parts else 0)
    for rule, fidelity in zip(rules, found.fidelity_curve, strict=False):
        assert_fidelity(fidelity, [any(naive_reason(r, g) for r in rule) for g in whole], own, parts)
    without = [one for one in some if not one.unless]
    assert_fidelity(found.fidelity_without_rest, [any(naive_reason(r, g) for r in without) for g in whole], own, parts)


def assert_fidelity(fidelity, holds, own, parts):
    counts = [
        (
            sum(h == c for h, c, p in zip(holds, own, parts, strict=True) if p == 2 and c == is_class),
            sum(p == 2 and c == is_class for c, p in zip(own, parts, strict=True)),
        )
        for is_class in (True, False)
    ]
    if 2 not in parts:
        assert fidelity is None
        return
    shares = [right / total for right, total in counts if total]
    assert fidelity == pytest.approx(sum(shares) / len(shares), abs=1e-12)
    assert list(fidelity.counts) == counts


WHOLE = [house(), ring(3), ring(4), path(3), both(ring(3), path(2)), ring(4), path(4), ring(3)]
PREDICTIONS = [0, 0, 0, 1, 0, 1, 0, 1]
PARTS = [0, 0, 1, 1, 2, 2, 2, 2]


def test_a_rule_by_hand():
    found = explained(0, [TRIANGLE, SQUARE], WHOLE, PREDICTIONS, PARTS, typical_uncovered=(6,))
    assert found.predict(WHOLE).tolist() == [True, True, True, False, True, True, False, True]
    assert (found.uncovered, found.uncovered_share, found.disagreements) == ((6,), 0.2, (5, 6, 7))
    assert found.fidelity == Fidelity([1, 0], [2, 2])
    assert found.fidelity_curve == (0.5, 0.25)
    assert [one.support.num_graphs for one in found.reasons] == [4, 3]
    assert repr(found) == "Explanation(target=0, 0 prototypes, 2 reasons)"


def test_without_graphs_kept_apart_there_is_no_fidelity():
    found = explained(0, [TRIANGLE], WHOLE, PREDICTIONS, [0] * 7 + [1])
    few = replace(found, graph_parts=(), fidelity_note="8 graphs are too few to keep some apart")
    for one in (found, few):
        assert (one.fidelity, one.fidelity_without_rest, one.fidelity_curve) == (None, None, ())
    assert few.uncovered == (2, 6)


def test_a_class_for_which_no_reason_was_found_has_a_rule_that_never_holds():
    found = explained(0, [], WHOLE, PREDICTIONS, PARTS)
    assert not found.predict(WHOLE).any()
    assert (found.fidelity, found.uncovered_share, found.is_rule_of_prototypes) == (0.5, 1.0, False)


def prototype(graph, **facts):
    return Prototype(graph=graph, probability=0.9, margin=2.0, **facts)


def explanation(prototypes):
    return Explanation(
        target=0, prototypes=prototypes, explainer="PAGE", options={}, num_graphs=2, num_predicted=1, class_names="ab"
    )


def test_where_reasons_were_not_looked_for_the_rule_is_to_contain_a_prototype():
    found = explanation([prototype(ring(3)), prototype(graph_of(4, [(0, 1), (2, 3)]))])
    assert found.is_rule_of_prototypes
    assert found.predict([house(), ring(3), path(3), path(4), both(path(2), path(2))]).tolist() == [
        *(True, True, False, True, True)
    ]
    assert (found.fidelity, found.fidelity_curve, found.uncovered, found.disagreements) == (None, (), (), ())
    assert math.isnan(found.uncovered_share)


def test_prototypes_are_looked_for_as_they_were_counted():
    graph, other = path(2, kinds=[0, 1]), path(2, kinds=[0, 0])
    assert explanation([prototype(graph)]).predict([graph, other]).tolist() == [True, False]
    alike = explanation([prototype(graph, are_nodes_matched=False)])
    assert alike.predict([graph, other]).tolist() == [True, True]
    assert explanation([]).predict([graph]).tolist() == [False]


GOOD = explained(0, [TRIANGLE], WHOLE, PREDICTIONS, PARTS)


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        (
            {"graph_predictions": ()},
            "graph_predictions must be the class of each graph where there are reasons, got []",
        ),
        (
            {"graph_parts": (0, 1)},
            "graph_parts must be empty or a list of 8, one for each of graph_predictions, got [0, 1]",
        ),
        (
            {"graph_parts": (0, 0, 1, 1, 2, 2, 2, 3)},
            "graph_parts must be 0 (searched), 1 (confirming) or 2 (kept apart), got others",
        ),
        ({"graph_predictions": (0, 0, 0, -1, 0, 1, 0, 1)}, "graph_predictions must be classes, from 0, got others"),
        (
            {"graph_parts": (0, 1, 1, 1, 2, 2, 2, 2)},
            "reasons[0].searched must be what holds_in_indices comes to (num_in_class 1, num_class 1, "
            "num_elsewhere 0, num_others 0), got others",
        ),
        (
            {"graph_predictions": (0, 1, 0, 0, 0, 1, 0, 1), "graph_parts": ()},
            "reasons[0].support must be what holds_in_indices comes to (num_in_class 2, num_class 5, "
            "num_elsewhere 2, num_others 3), got others",
        ),
        (
            {"typical_uncovered": (0,)},
            "typical_uncovered must be graphs of the class in which no reason holds, got [0]",
        ),
        (
            {
                "reasons": (
                    reason(
                        has=(Pattern(graph=ring(3)),),
                        searched=Support(num_in_class=1, num_class=1, num_elsewhere=0, num_others=0),
                        holds_in_indices=(9,),
                    ),
                )
            },
            "reasons[0].holds_in_indices must be below 8, the number of graphs, got 9",
        ),
    ],
)
def test_figures_that_contradict_each_other_are_refused(facts, problem):
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        replace(GOOD, **facts)
