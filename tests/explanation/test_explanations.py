from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.explanation import Explanations, Pattern
from tests.explanation.by_hand import explained, house, naive_fidelity, naive_reason, reason, reasons
from tests.metrics.small_graphs import graphs, path, ring


@settings(max_examples=40, deadline=None)
@given(st.data(), st.lists(graphs(min_nodes=1, max_nodes=5), min_size=1, max_size=6))
def test_all_rules_together_are_what_plain_loops_come_to(data, whole):
    size, num_classes = len(whole), 3
    predictions = data.draw(st.lists(st.integers(0, num_classes - 1), min_size=size, max_size=size))
    parts = data.draw(st.lists(st.integers(1, 2), min_size=size, max_size=size))
    rules = {target: data.draw(st.lists(reasons(), max_size=2)) for target in sorted(set(predictions))}
    found = Explanations(
        {target: explained(target, some, whole, predictions, parts, num_classes) for target, some in rules.items()}
    )
    for with_rest in (True, False):
        holds = [
            [any(naive_reason(r, g) for r in rules.get(c, ()) if with_rest or not r.unless) for c in range(num_classes)]
            for g in whole
        ]
        fidelity = found.fidelity if with_rest else found.fidelity_without_rest
        if with_rest:
            assert found.predict(whole).tolist() == holds
        kept = [number for number, part in enumerate(parts) if part == 2]
        if not kept:
            assert fidelity is None
            continue
        naive = naive_fidelity([holds[n] for n in kept], [predictions[n] for n in kept], num_classes)
        assert fidelity == pytest.approx(naive, abs=1e-12)


TRIANGLE = reason(has=(Pattern(graph=ring(3)),))
REST = reason(unless=(TRIANGLE,))
WHOLE, PREDICTIONS, PARTS = [house(), ring(3), ring(4), path(3)], [0, 0, 1, 1], [2] * 4


def both_classes():
    return {
        0: explained(0, [TRIANGLE], WHOLE, PREDICTIONS, PARTS, 3),
        1: explained(1, [REST], WHOLE, PREDICTIONS, PARTS, 3),
    }


def test_what_is_left_of_the_others_makes_a_rule_whole():
    found = Explanations(both_classes())
    assert found.predict(WHOLE).astype(int).tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert (found.fidelity, found.fidelity_without_rest) == (1.0, 0.5)
    assert found.fidelity.counts == ((2, 2), (2, 2), (0, 0))


def test_there_is_one_only_for_all_predicted_classes_of_one_fit():
    items = both_classes()
    assert Explanations({0: items[0]}).fidelity is None
    told = Explanations({0: items[0]}, not_explained={1: "it was stopped"})
    assert told.fidelity == 0.5
    other = {1: replace(items[1], graph_parts=(), fidelity_note="too few")}
    assert Explanations({0: items[0], **other}).fidelity is None
    assert Explanations({}).fidelity is None


def test_no_explanations_say_nothing():
    assert Explanations({}).predict(WHOLE).shape == (4, 0)
    assert Explanations({}).predict([]).dtype == np.dtype(bool)
