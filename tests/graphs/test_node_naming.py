"""Kinds by a rule, in words."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph import Pattern
from protograph.graphs.column_names import ColumnNames
from protograph.graphs.node_naming import bin_names, group_names, rule_lines, told_kinds
from protograph.graphs.node_rule import ColumnGroup, NodeRule

TYPES = NodeRule(cuts=((), (), (0.5,)), values=((0.0, 1.0), (0.0, 1.0), ()))
GROUP = ColumnGroup(columns=(0, 1), anchors=((0.0, 0.0), (4.0, 4.0)), kinds=(0, 1), scales=(1.0, 1.0))


def told(rows, rule, names=None):
    kinds = told_kinds(torch.tensor(rows), rule, names or ColumnNames())
    return [kinds.names[row.index(1)] if 1 in row else None for row in kinds.x.tolist()]


def test_types_beside_bins_are_told_by_both():
    names = ColumnNames(("C", "N", "charge"))
    rows = [[1.0, 0.0, 0.2], [0.0, 1.0, 0.5], [1.0, 1.0, 0.5]]
    assert told(rows, TYPES, names) == ["C, low charge", "N, high charge", None]


def test_values_with_names_are_told_by_these():
    rule = NodeRule(cuts=((), (0.5,)))
    names = ColumnNames(("atom", "charge"), {0: {6: "C", 8: "O"}})
    assert told([[8.0, 0.1], [7.0, 0.1]], rule, names) == ["O, low charge", None]


def test_columns_that_are_ignored_are_not_told_and_a_single_kind_has_no_name():
    rule = NodeRule(cuts=((), (), ()), ignored=(2,), values=((0.0, 1.0), (0.0, 1.0), ()))
    assert told([[1.0, 0.0, 0.2], [0.0, 1.0, 9.0]], rule) == ["feature 0", "feature 1"]
    only = told_kinds(torch.tensor([[0.3], [0.4]]), NodeRule(cuts=((),), ignored=(0,)), ColumnNames())
    assert only.x.tolist() == [[0.0], [0.0]]


def test_what_has_no_words_is_left_as_it_is():
    assert told_kinds(torch.rand(2, 3), NodeRule(cuts=((), (), (0.5,))), ColumnNames()) is None
    many = NodeRule(cuts=(tuple(range(30)), tuple(range(30))))
    assert told_kinds(torch.rand(2, 2), many, ColumnNames()) is None


@pytest.mark.parametrize(
    ("cuts", "is_whole", "wanted"),
    [
        ((0.25,), False, ("low q (below 0.25)", "high q (from 0.25)")),
        ((1.5, 2.5, 5.5), True, ("q up to 1", "q 2", "q 3 to 5", "q 6 or more")),
    ],
)
def test_bins_are_named_by_their_range(cuts, is_whole, wanted):
    assert bin_names("q", cuts, is_whole=is_whole) == wanted


def test_kinds_are_named_by_what_is_high_and_low_or_by_their_values():
    rows = np.array([[0.0, 0.1], [4.0, 4.1], [4.2, 4.0], [0.1, 0.0]])
    assert group_names(GROUP, rows, ColumnNames(("a", "b"))) == ("low a and low b", "high a and high b")
    ids = ColumnGroup(columns=(0,), anchors=((1.0,), (2.0,), (7.0,)), kinds=(0, 1, 0), scales=(1.0,), origin="model")
    values = np.array([[1.0], [7.0], [7.0], [2.0]])
    assert group_names(ids, values, ColumnNames(("atom",), {0: {7: "N"}})) == ("N and 1", "2")


def test_lines_say_bins_kinds_and_the_sample():
    ids = ColumnGroup(
        columns=(1,), anchors=((1.0,), (2.0,)), kinds=(0, 1), scales=(1.0,), origin="model", names=("1", "2")
    )
    rule = NodeRule(cuts=((0.5,), ()), groups=(ids,), sample="all 9 nodes", reasons=("because",))
    assert rule_lines(rule, ColumnNames()) == [
        "because",
        "bins: low x[0] (below 0.5), high x[0] (from 0.5)",
        "kind 1 of the model's view, mostly 1; kind 2 of the model's view, mostly 2",
        "taken from all 9 nodes",
    ]
    assert rule_lines(NodeRule(), ColumnNames()) == []


def test_a_pattern_is_told_by_its_bins():
    pair = Data(x=torch.tensor([[0.1], [0.9]]), edge_index=torch.tensor([[0, 1], [1, 0]]))
    pattern = Pattern(graph=pair, node_rule=NodeRule(cuts=((0.5,),)), feature_names=("charge",))
    assert pattern.describe() == "a node of high charge (from 0.5) joined to a node of low charge (below 0.5)"
    near = Data(x=torch.tensor([[0.4], [0.6]]), edge_index=pair.edge_index)
    both_low = Data(x=torch.tensor([[0.4], [0.2]]), edge_index=pair.edge_index)
    assert pattern.holds_in([near, both_low]).tolist() == [True, False]
