import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph._utils.ties import TOLERANCE, best, best_first, first_best, levels, row_ranks

# Multiples of a quarter: what differs differs by far more than rounding.
COARSE = st.one_of(st.integers(-8, 8).map(lambda n: n / 4), st.sampled_from([math.inf, -math.inf]))
NOISE = st.floats(-1e-13, 1e-13)
some = settings(max_examples=30, deadline=None)


@pytest.mark.parametrize(
    ("values", "tolerance", "expected"),
    [
        ([], TOLERANCE, []),
        ([3.0], TOLERANCE, [0]),
        ([0.5, 2.0, 0.5 + 1e-12, 1.0], TOLERANCE, [2, 0, 2, 1]),
        ([math.inf, 1.0, -math.inf, math.inf, -math.inf], TOLERANCE, [0, 1, 2, 0, 2]),
        ([math.inf, math.inf], TOLERANCE, [0, 0]),
        ([-math.inf, -math.inf], 0.0, [0, 0]),
        ([0.0, 1.0, 2.0, 3.0], 1.0, [0, 0, 0, 0]),  # a chain of ties is one
        ([0.0, 1.0, 2.5, 3.5], 1.0, [1, 1, 0, 0]),
        ([0.0, -0.0], 0.0, [0, 0]),
        ([1.0, 1.0 + 2**-52], 0.0, [1, 0]),
        ([1.7e308, -1.7e308], 0.1, [0, 1]),  # a difference that is no number
    ],
)
def test_levels_by_hand(values, tolerance, expected):
    assert levels(values, tolerance).tolist() == expected


@some
@given(st.lists(st.floats(allow_nan=False), max_size=12), st.sampled_from([0.0, 1e-9, 0.5]), st.data())
def test_levels_know_no_order_but_that_of_the_values(values, tolerance, data):
    order = data.draw(st.permutations(range(len(values))))
    found = levels(values, tolerance)
    assert levels([values[i] for i in order], tolerance).tolist() == [found[i] for i in order]
    # Higher values never have a later place, and every place is taken.
    assert all(found[i] <= found[j] for i in range(len(values)) for j in range(len(values)) if values[i] > values[j])
    assert sorted(set(found.tolist())) == list(range(len(set(found.tolist()))))


@some
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=8), st.floats(0, 1))
def test_values_tie_if_no_gap_between_them_is_wider_than_the_tolerance(values, tolerance):
    found = levels(values, tolerance)
    ordered = sorted(values)
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            between = [v for v in ordered if min(one, other) <= v <= max(one, other)]
            is_chain = all(high - low <= tolerance for low, high in pairwise(between))
            assert (found[i] == found[j]) == is_chain


@some
@given(st.lists(st.tuples(COARSE, NOISE), min_size=1, max_size=12))
def test_the_first_of_the_best_is_not_moved_by_noise(pairs):
    values = [value for value, _ in pairs]
    assert first_best([value + noise for value, noise in pairs]) == values.index(max(values))


@some
@given(st.lists(st.tuples(COARSE, NOISE, st.integers(0, 3)), max_size=10))
def test_the_best_come_first_and_something_else_orders_ties(items):
    expected = sorted(items, key=lambda item: (-item[0], item[2]))
    found = best_first(items, lambda item: item[0] + item[1], then=lambda item: item[2])
    assert [(value, name) for value, _, name in found] == [(value, name) for value, _, name in expected]
    # Those that nothing orders keep their order.
    assert found == expected
    assert best_first(items, lambda item: item[0] + item[1]) == sorted(items, key=lambda item: -item[0])
    if items:
        assert best(items, lambda item: item[0] + item[1], then=lambda item: item[2]) == expected[0]


@some
@given(st.lists(st.tuples(COARSE, NOISE), min_size=1, max_size=10), st.data())
def test_with_an_order_for_ties_the_order_of_the_items_never_matters(pairs, data):
    items = [(value + noise, number) for number, (value, noise) in enumerate(pairs)]
    shuffled = data.draw(st.permutations(items))
    key = {"value": lambda item: item[0], "then": lambda item: item[1]}
    assert best_first(items, **key) == best_first(shuffled, **key)
    assert best(items, **key) == best(shuffled, **key) == best_first(iter(shuffled), **key)[0]


def test_nothing_has_no_best():
    assert best_first([], float) == []
    with pytest.raises(ValueError, match="empty"):
        best([], float)


@some
@given(st.data(), st.integers(1, 12), st.integers(1, 4), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_rows_are_ordered_by_the_levels_of_all_columns(data, number, dim, tolerance):
    entries = st.one_of(COARSE, st.floats(-2, 2))
    rows = np.array([data.draw(st.lists(entries, min_size=dim, max_size=dim)) for _ in range(number)])
    keys = [tuple(row) for row in np.stack([-levels(column, tolerance) for column in rows.T], axis=1).tolist()]
    assert row_ranks(rows, tolerance).tolist() == [sum(other < key for other in keys) for key in keys]


def test_rows_without_columns_all_tie():
    assert row_ranks(np.zeros((3, 0))).tolist() == [0, 0, 0]
    assert row_ranks(np.zeros((0, 2))).tolist() == []
