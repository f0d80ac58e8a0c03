import math

import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.conditions import Reading
from protograph.graphs.named_graph import named_graph
from protograph.graphs.names import ColumnNames, is_one_hot, node_columns, read_names, unnamed_value
from protograph.graphs.variables import CONTINUOUS, Variable

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


def test_without_names_a_graph_is_told_by_what_its_nodes_are_told_apart_by():
    size = Variable(name="size", key="x", kind=CONTINUOUS, places=(1,), cuts=(0.5,), values=(-math.inf, 0.5))
    graph = Data(x=torch.tensor([[7.0, 0.1], [8.0, 3.0]]))
    told = named_graph(graph, ColumnNames(), ColumnNames(), Reading(variables=(size,)))
    assert (told.graph.x.tolist(), told.feature_names) == ([[1, 0], [0, 1]], ("size below 0.5", "size of at least 0.5"))
    named = named_graph(graph, ColumnNames(("a", "b")), ColumnNames(), Reading(variables=(size,)))
    assert (named.graph.x is graph.x, named.feature_names) == (True, ("a", "b"))


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
