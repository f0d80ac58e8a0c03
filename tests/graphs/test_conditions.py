"""When nodes agree: by hand, and by a naive reading of the variables."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs.conditions import Condition, Reading, accepted, as_reading, equal_to
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.variables import CONTINUOUS, DIRECTION, ONE_HOT, OTHER, Variable
from protograph.patterns.joint import JointGraphs

SIZE = Variable(name="size", key="x", kind=CONTINUOUS, places=(0,), cuts=(0.5, 1.5))
KIND = Variable(name="kind", key="x", kind=ONE_HOT, places=(1, 2), labels=((0, "red"), (1, "blue")), values=(0.0, 1.0))
DEGREE = Variable(name="degree", key="x", places=(4,), values=(0.0, 1.0, 2.0))
MIXED = Reading(variables=(SIZE, KIND, DEGREE))
numbers = st.floats(-3, 10, allow_nan=False)
ones = st.sampled_from([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])


def naive(row, other):
    """Whether two rows agree by MIXED, said in plain Python; the column between does not count."""

    def bin_of(value):
        return sum(value >= cut for cut in (0.5, 1.5))

    return bin_of(row[0]) == bin_of(other[0]) and row[1:3] == other[1:3] and row[4] == other[4]


@given(st.lists(st.tuples(numbers, ones, numbers, st.integers(0, 2)), min_size=2, max_size=8))
def test_rows_agree_as_a_naive_reading_says(drawn):
    rows = [(size, *kind, other, degree) for size, kind, other, degree in drawn]
    x = torch.tensor(rows, dtype=torch.double)
    encoded = EncodedGraphs([Data(x=x, edge_index=torch.zeros(2, 0, dtype=torch.long))], match_features=MIXED)[0]
    wanted = [[naive(one, other) for other in rows] for one in rows]
    assert (encoded.node_kinds[:, None] == encoded.node_kinds[None]).tolist() == wanted
    graphs = [Data(x=row[None], edge_index=torch.zeros(2, 0, dtype=torch.long)) for row in x[:2]]
    assert bool(JointGraphs(graphs, MIXED).agree(0, 1)[0, 0]) == wanted[0][1]


def test_a_value_that_is_a_cut_counts_with_those_above_and_nan_with_the_highest():
    rows = np.array([[0.4], [0.5], [1.5], [np.nan], [np.inf], [-np.inf]])
    assert SIZE.codes(rows).tolist() == [-math.inf, 0.5, 1.5, 1.5, 1.5, -math.inf]


def test_a_row_of_zeros_is_of_none_of_the_kinds_and_a_negative_zero_is_a_zero():
    rows = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert KIND.codes(rows).tolist() == [1, -1, 0]
    assert np.copysign(1, DEGREE.codes(np.array([[0, 0, 0, 0, -0.0]]))).tolist() == [1]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Condition(variable="a", low=1.0, high=2.0), [False, True, True, False, False]),
        (Condition(variable="a", low=1.0, high=2.0, is_not=True), [True, False, False, True, False]),
        (Condition(variable="a", high=1.0), [True, True, False, False, False]),
        (Condition(variable="a"), [True, True, True, True, False]),  # NaN is no value
    ],
)
def test_a_condition_holds_between_its_ends_or_just_not(condition, holds):
    assert condition.holds(np.array([0.0, 1.0, 2.0, 3.0, np.nan])).tolist() == holds


def test_ends_in_the_wrong_order_are_refused():
    with pytest.raises(ValueError, match=r"^low must be at most high, 1\.0, got 2\.0$"):
        Condition(variable="a", low=2.0, high=1.0)


def test_all_conditions_must_be_met():
    table = np.array([[0.5, 0.0, 2.0], [0.5, 1.0, 2.0], [-np.inf, 1.0, 2.0]])
    conditions = equal_to(table[1], MIXED)
    assert accepted(conditions, table, MIXED).tolist() == [False, True, False]
    assert accepted(conditions[1:], table, MIXED).tolist() == [False, True, True]
    assert accepted((), table, MIXED).tolist() == [True, True, True]


def test_equal_rows_are_equal_values_of_all_variables():
    """Continuous values count as they are, and what no SMARTS can ask for by its values; long vectors as rows."""
    chirality = Variable(name="chirality", key="x", kind=OTHER, places=(3,), values=(0.0, 1.0))
    length = Variable(name="length", key="edge_attr", of="edge", kind=CONTINUOUS, places=(0,))
    reading = Reading.of_rows([SIZE, KIND, chirality, length], "x")
    rows = np.array([[0.6, 1, 0, 0], [0.7, 1, 0, 0], [0.6, 1, 0, 1]])
    assert reading.codes({"x": rows}).tolist() == [[0.6, 0, 0], [0.7, 0, 0], [0.6, 0, 1]]
    vector = Variable(name="x (40 continuous columns)", key="x", kind=OTHER, places=tuple(range(40)))
    assert Reading.of_rows([vector, length], "x") == Reading(rows="x") == as_reading(True, "x")
    assert as_reading(False, "x") == Reading()
    assert as_reading(MIXED, "x") is MIXED


def test_what_nodes_and_edges_are_called_by():
    atoms = Variable(name="element", key="x", kind=ONE_HOT, places=(1, 2), labels=((0, "C"), (1, "O")))
    way = Variable(name="direction", key="edge_index", of="edge", kind=DIRECTION)
    assert Reading(variables=(SIZE, atoms)).noun is atoms
    assert MIXED.noun is SIZE
    assert Reading(variables=(way, DEGREE)).noun is DEGREE
    assert Reading(variables=(way,)).noun is None
    assert Reading(variables=(way, DEGREE, KIND)).keys == ("x",)
    assert MIXED.main == Reading(variables=(SIZE,))
    with pytest.raises(KeyError, match="colour"):
        MIXED.variable("colour")
