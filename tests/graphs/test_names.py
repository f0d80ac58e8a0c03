import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.conditions import ColumnGroup, NodeRule
from protograph.graphs.names import (
    ColumnNames,
    group_names,
    is_one_hot,
    named_graph,
    node_columns,
    read_names,
    rule_lines,
    told_kinds,
    unnamed_value,
)

ONE, THREE = torch.tensor([[6], [8]]), torch.tensor([[6, 1, 4], [8, 2, 5]])


@pytest.mark.parametrize(
    ("given", "tensor", "columns", "values"),
    [
        (None, ONE, (), {}),
        ((), ONE, (), {}),
        (("a", "b", "c"), THREE, ("a", "b", "c"), {}),
        (["degree"], ONE, ("degree",), {}),
        (("C", "N"), ONE, ("column 0",), {0: {0: "C", 1: "N"}}),
        (("C", "N"), torch.tensor([0, 1]), ("column 0",), {0: {0: "C", 1: "N"}}),
        ({6: "C", 8: "O"}, ONE, ("column 0",), {0: {6: "C", 8: "O"}}),
        ({"6": "C", "-8": "O"}, ONE, ("column 0",), {0: {6: "C", -8: "O"}}),  # as JSON has it
        (
            [{6: "C"}, "degree", ["no", "yes"]],
            THREE,
            ("column 0", "degree", "column 2"),
            {0: {6: "C"}, 2: {0: "no", 1: "yes"}},
        ),
        (
            {"atom": {6: "C"}, "degree": None, "ring": [False, True]},
            THREE,
            ("atom", "degree", "ring"),
            {0: {6: "C"}, 2: {0: "False", 1: "True"}},
        ),
        (ColumnNames(("a",), {0: {1: "b"}}), ONE, ("a",), {0: {1: "b"}}),
    ],
)
def test_forms_of_names(given, tensor, columns, values):
    assert read_names(given, tensor, "feature_names", "x") == ColumnNames(columns, values)


@pytest.mark.parametrize(
    ("given", "tensor", "message"),
    [
        ("CNO", ONE, "feature_names must be a list of names, or a mapping, got 'CNO'"),
        (3, ONE, "feature_names must be a list of names, or a mapping, got 3"),
        (["a", 3, "c"], THREE, "feature_names of a column must be its name, or the names of its values, got 3"),
        ({"six": "C"}, ONE, "feature_names of values must be by whole numbers, got 'six'"),
        (("C", "N"), None, "feature_names must be left out where graphs have no x, got 2 (C, N)"),
        (
            ("C", "N"),
            THREE,
            "feature_names must have an entry for each of the 3 columns of x, got 2 (C, N); "
            "names of values are for a single column, or go into the entry of their column",
        ),
        (
            ColumnNames(tuple("abcdef")),
            THREE,
            "feature_names must have an entry for each of the 3 columns of x, got 6 (a, b, c, d, e, ...); "
            "names of values are for a single column, or go into the entry of their column",
        ),
    ],
)
def test_names_that_do_not_fit(given, tensor, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        read_names(given, tensor, "feature_names", "x")
    assert str(caught.value) == message


def test_a_graph_as_names_tell_it():
    names = ColumnNames(("atom", "ring", "formal_charge"), {0: {8: "O", 6: "C"}, 2: {4: "-1", 5: "0"}})
    edges = ColumnNames(("bond",), {0: {1: "single", 12: "aromatic"}})
    graph = Data(x=THREE, edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.tensor([12.0, 12.0]), y=1)
    told, feature_names, edge_names = named_graph(graph, names, edges)
    assert (feature_names, edge_names) == (("C", "O"), ("single", "aromatic"))
    assert told.x.tolist() == [[1, 0], [0, 1]]
    assert told.edge_attr.tolist() == [[0, 1], [0, 1]]
    assert (told.charge.tolist(), told.y, told.edge_index.tolist()) == ([-1, 0], 1, [[0, 1], [1, 0]])
    assert graph.x is THREE
    assert "charge" not in graph


def test_charges_that_cannot_be_read_are_left_out():
    names = ColumnNames(("atom", "charge", "c"), {0: {6: "C", 8: "O"}, 1: {1: "plus", 2: "minus"}})
    assert "charge" not in named_graph(Data(x=THREE), names, ColumnNames()).graph
    infinite = Data(x=torch.tensor([[6.0, torch.inf, 0.0]]))
    unnamed = ColumnNames(("atom", "charge", "c"), {0: {6: "C"}})
    assert "charge" not in named_graph(infinite, unnamed, ColumnNames()).graph
    own = torch.tensor([0, 1])
    assert named_graph(Data(x=THREE, charge=own), names, ColumnNames()).graph.charge is own


def test_values_without_a_name():
    names = ColumnNames(("atom",), {0: {6: "C"}})
    assert unnamed_value(names, ONE) == 8
    assert unnamed_value(names, torch.tensor([[6.0], [6.5]])) == 6.5
    assert unnamed_value(names, ONE[:1]) is None
    assert unnamed_value(ColumnNames(("atom",)), ONE) is None
    assert named_graph(Data(x=ONE), names, ColumnNames()).graph.x.tolist() == [[1], [0]]


def test_kinds_are_columns_or_the_named_values_of_the_first_such_column():
    assert ColumnNames(("carbon", "oxygen")).kinds == ("carbon", "oxygen")
    names = ColumnNames(("weight", "atom", "charge"), {2: {0: "plain"}, 1: {8: "oxygen", 6: "carbon"}})
    assert (names.column, names.kinds) == (1, ("carbon", "oxygen"))


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


def test_kinds_are_named_by_what_is_high_and_low():
    rows = np.array([[0.0, 0.1], [4.0, 4.1], [4.2, 4.0], [0.1, 0.0]])
    assert group_names(GROUP, rows, ColumnNames(("a", "b"))) == ("low a and low b", "high a and high b")


def test_lines_say_bins_kinds_and_the_sample():
    ids = ColumnGroup(columns=(1,), anchors=((1.0,), (2.0,)), kinds=(0, 1), scales=(1.0,), names=("1", "2"))
    rule = NodeRule(cuts=((0.5,), ()), groups=(ids,), sample="all 9 nodes", reasons=("because",))
    assert rule_lines(rule, ColumnNames()) == [
        "because",
        "bins: low x[0] (below 0.5), high x[0] (from 0.5)",
        "kind 1: 1; kind 2: 2",
        "taken from all 9 nodes",
    ]
    assert rule_lines(NodeRule(), ColumnNames()) == []


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (torch.eye(3), True),
        (torch.eye(3, dtype=torch.long)[[2, 2]], True),
        (torch.empty(0, 3), True),
        (torch.tensor([[1.0, 1.0]]), False),
        (torch.tensor([[0.0, 0.0]]), False),
        (torch.tensor([[0.5, 0.5]]), False),
        (torch.tensor([[2.0, -1.0]]), False),
        (torch.ones(4, 1), False),  # a constant says nothing of a kind
        (torch.ones(4), False),
    ],
)
def test_one_hot_is_a_single_one_in_every_row(x, expected):
    assert is_one_hot(x) is expected


def test_columns_without_a_colour_do_not_count():
    x = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    assert node_columns(Data(x=x)) is None
    assert node_columns(Data(x=x), ("#000000", "#FFFFFF", "")) == [1, 0]
    assert node_columns(Data(x=x), ("", "#FFFFFF", "#000000")) is None
    # Colours of another number of columns say nothing of these.
    assert node_columns(Data(x=torch.eye(3)), ("#000000", "")) == [0, 1, 2]
