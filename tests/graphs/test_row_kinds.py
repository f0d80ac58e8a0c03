import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs import row_kinds
from protograph.graphs.edge_rule import EdgeRule
from protograph.graphs.row_kinds import RowKinds, distinct, distinct_rows

VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.5, np.inf, np.nan])


def numbered(rows, both_ways=None, rule=None):
    kinds = RowKinds("x", rule)
    return kinds.by_content(kinds.kinds(rows, is_pattern=False, both_ways=both_ways)).tolist()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 3), st.data())
def test_sorting_rows_out_gives_what_one_by_one_gives(width, data):
    rows = np.array(data.draw(st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=1, max_size=20)))
    kind = data.draw(st.sampled_from([np.float64, np.float32, np.int64]))
    rows = (np.nan_to_num(rows, posinf=3.0) if kind is np.int64 else rows).reshape(len(rows), width).astype(kind)
    back = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=len(rows), max_size=len(rows))))
    pairs = data.draw(st.sampled_from([None, (back, back[::-1]), (np.arange(len(rows)), back)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_kinds, "_FEW", 10**6)
        one_by_one = numbered(rows, pairs)
        patch.setattr(row_kinds, "_FEW", 0)
        assert numbered(rows, pairs) == one_by_one


def test_equal_rows_have_one_number_and_others_another():
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [-0.0, 1.0]] * 40, dtype=np.float32)
    assert numbered(rows) == [0, 1, 0] * 40


def test_many_rows_are_sorted_out():
    chosen, place = distinct_rows(np.eye(3)[[2, 0, 1, 0] * 25])
    assert len(chosen) == 3
    assert np.array_equal(chosen[place] % 4 % 2, np.arange(100) % 2)


def test_rows_with_one_product_stand_for_themselves(monkeypatch):
    monkeypatch.setattr(row_kinds, "distinct", lambda numbers: (np.array([0]), np.zeros(len(numbers), np.int64)))
    rows = np.repeat(np.eye(2), 50, axis=0)
    assert distinct_rows(rows)[1].tolist() == list(range(100))
    assert numbered(rows) == [1] * 50 + [0] * 50


def test_rows_that_agree_by_a_rule_have_one_number():
    rows = np.array([[0.1], [0.4], [0.6]] * 40)
    assert numbered(rows, rule=EdgeRule(is_matched=True, cuts=((0.5,),))) == [0, 0, 1] * 40


def test_large_whole_numbers_are_compared_as_numbers_are():
    assert numbered(np.array([[2**53], [2**53 + 1], [5]] * 40)) == numbered(
        np.array([[2.0**53], [2.0**53], [5.0]] * 40)
    )


def test_different_numbers_by_hand():
    chosen, place = distinct(np.array([3, 1, 3, 2]))
    assert chosen[0] == 1
    assert chosen[1] == 3
    assert place.tolist() == [2, 0, 2, 1]
    assert [part.size for part in distinct(np.zeros(0))] == [0, 0]
