"""When nodes agree: by hand, and by a naive reading of the rule."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs.conditions import ColumnGroup, EdgeRule, NodeRule
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.joint import JointGraphs

POINTS = ColumnGroup(columns=(1, 2), anchors=((0.0, 0.0), (1.0, 0.0), (9.0, 9.0)), kinds=(0, 1, 0), scales=(1.0, 2.0))
MIXED = NodeRule(cuts=((0.5, 1.5), (), (), (), ()), groups=(POINTS,), ignored=(3,))
numbers = st.floats(-3, 10, allow_nan=False)


def naive(row, other):
    """Whether two rows agree by MIXED, said in plain Python."""

    def bin_of(value):
        return sum(value >= cut for cut in (0.5, 1.5))

    def kind_of(one):
        away = [(one[1] - a) ** 2 + ((one[2] - b) / 2) ** 2 for a, b in POINTS.anchors]
        return POINTS.kinds[away.index(min(away))]

    return bin_of(row[0]) == bin_of(other[0]) and kind_of(row) == kind_of(other) and row[4] == other[4]


@given(st.lists(st.tuples(numbers, numbers, numbers, numbers, st.integers(0, 2)), min_size=2, max_size=8))
def test_rows_agree_as_a_naive_reading_says(rows):
    x = torch.tensor(rows, dtype=torch.double)
    encoded = EncodedGraphs([Data(x=x, edge_index=torch.zeros(2, 0, dtype=torch.long))], match_features=MIXED)[0]
    wanted = [[naive(one, other) for other in rows] for one in rows]
    assert (encoded.node_kinds[:, None] == encoded.node_kinds[None]).tolist() == wanted
    graphs = [Data(x=row[None], edge_index=torch.zeros(2, 0, dtype=torch.long)) for row in x[:2]]
    assert bool(JointGraphs(graphs, MIXED).agree(0, 1)[0, 0]) == wanted[0][1]


def test_a_value_that_is_a_cut_counts_with_those_above_and_nan_with_the_highest():
    rule = NodeRule(cuts=((0.5, 1.5),))
    rows = np.array([[0.4], [0.5], [1.5], [np.nan], [np.inf], [-np.inf]])
    assert rule.compared(rows).flatten().tolist() == [0, 1, 2, 2, 2, 0]


def test_the_kind_of_a_group_stands_in_its_first_column():
    assert MIXED.compared(np.array([[1.0, 0.9, 0.1, 7.0, 2.0]])).tolist() == [[1, 1, 0, 0, 2]]
    assert POINTS.kinds_of(np.array([[0.0, np.nan, np.inf]])).tolist() == [0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cuts": ((1.0, 1.0),)}, r"^cuts\[0\] must be ascending, got \[1\.0, 1\.0\]$"),
        (
            {"cuts": ((1.0,),), "ignored": (0,)},
            r"^each column must be cut, ignored or in one group, got the columns \[0, 0\]$",
        ),
        ({"groups": (POINTS,), "ignored": (2,)}, r"got the columns \[1, 2, 2\]$"),
    ],
)
def test_rules_that_contradict_themselves_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        NodeRule(**options)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"columns": (2, 1)}, r"^columns must be ascending, at least one, got \[2, 1\]$"),
        ({"kinds": (0, 1)}, r"^kinds must have one for each of 3 anchors, got 2$"),
        ({"kinds": (0, 2, 0)}, r"^kinds must be numbered from 0 on without gaps, got \[0, 2\]$"),
        ({"scales": (1.0, 0.0)}, r"^scales must be above 0, got \[1\.0, 0\.0\]$"),
        ({"origin": "luck"}, r"^origin must be one of 'clusters', 'division', got 'luck'$"),
        ({"names": ("a",)}, r"^names must be one for each of 2 kinds, got 1$"),
    ],
)
def test_groups_that_do_not_fit_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        ColumnGroup(**vars(POINTS) | changed)


def test_graphs_of_another_width_are_refused():
    with pytest.raises(ValueError, match=r"^x must have 5 columns, as the rule for nodes has, got 2$"):
        MIXED.compared(np.zeros((1, 2)))


def test_cuts_of_other_columns_are_refused():
    with pytest.raises(ValueError, match=r"^edge_attr must have 1 columns, as the cuts have, got 2$"):
        EdgeRule(is_matched=True, cuts=((1.0,),)).compared(np.zeros((3, 2)))
