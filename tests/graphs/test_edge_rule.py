"""When edges agree."""

import numpy as np
import pytest

from protograph.graphs.edge_rule import EdgeRule


def test_cuts_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^cuts\[1\] must be ascending, got \[2\.0, 2\.0\]$"):
        EdgeRule(is_matched=True, cuts=((), (2.0, 2.0)))


def test_a_value_that_is_a_cut_counts_with_those_above() -> None:
    rule = EdgeRule(is_matched=True, cuts=((1.0, 2.0), ()))
    rows = np.array([[0.9, 5.0], [1.0, 5.0], [2.0, 6.0], [9.0, 6.0]])
    assert rule.compared(rows).tolist() == [[0, 5], [1, 5], [2, 6], [2, 6]]


def test_cuts_of_other_columns_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^edge_attr must have 1 columns, as the cuts have, got 2$"):
        EdgeRule(is_matched=True, cuts=((1.0,),)).compared(np.zeros((3, 2)))
