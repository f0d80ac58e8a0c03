import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protograph._base.intervals import wilson
from protograph.explanation.fidelity import Fidelity, fidelity_of_all, fidelity_of_class
from tests.explanation.by_hand import naive_fidelity


@given(st.data(), st.integers(1, 30), st.integers(1, 4))
def test_all_together_is_what_plain_loops_count(data, num_graphs, num_classes):
    rows = st.lists(st.booleans(), min_size=num_classes, max_size=num_classes)
    holds = data.draw(st.lists(rows, min_size=num_graphs, max_size=num_graphs))
    predictions = data.draw(st.lists(st.integers(0, num_classes - 1), min_size=num_graphs, max_size=num_graphs))
    fidelity = fidelity_of_all(np.array(holds), np.array(predictions))
    assert fidelity == pytest.approx(naive_fidelity(holds, predictions, num_classes), abs=1e-12)
    assert fidelity.num_graphs == num_graphs
    assert 0 <= fidelity.low <= fidelity <= fidelity.high <= 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_a_class_against_the_rest_is_all_together_of_a_rule_and_its_opposite(rows):
    holds, is_class = np.array(rows).T
    rule = fidelity_of_class(holds, is_class)
    whole = fidelity_of_all(np.stack([holds, ~holds], axis=1), np.where(is_class, 0, 1))
    assert (rule, rule.low, rule.high, rule.counts) == (whole, whole.low, whole.high, whole.counts)


def test_its_interval_by_hand():
    fidelity = Fidelity([9, 30, 0], [10, 60, 0])
    first, second = wilson(9, 10), wilson(30, 60)
    assert fidelity == 0.7
    assert fidelity.low == pytest.approx(0.7 - math.sqrt((0.9 - first[0]) ** 2 + (0.5 - second[0]) ** 2) / 2)
    assert fidelity.high == pytest.approx(0.7 + math.sqrt((first[1] - 0.9) ** 2 + (second[1] - 0.5) ** 2) / 2)
    assert (fidelity.num_graphs, fidelity.counts) == (70, ((9, 10), (30, 60), (0, 0)))
    assert fidelity.by_class[:2] == (0.9, 0.5)
    assert math.isnan(fidelity.by_class[2])


def test_it_is_a_number():
    fidelity = Fidelity([3], [4])
    assert isinstance(fidelity, float)
    assert (f"{fidelity:.3f}", repr(fidelity), fidelity > 0.7) == ("0.750", "0.75", True)


def test_without_graphs_it_is_nan():
    assert math.isnan(Fidelity([0, 0], [0, 0]))
    assert Fidelity([], []).num_graphs == 0


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_it_is_copied_whole(again):
    fidelity = Fidelity([3, 5], [4, 9])
    same = again(fidelity)
    assert (same, same.low, same.high, same.counts) == (fidelity, fidelity.low, fidelity.high, fidelity.counts)
