import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.naming import ColumnNames, named_graph, num_columns, read_names, unnamed_value

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


def test_a_graph_without_names_of_values_is_itself():
    graph = Data(x=THREE)
    named = named_graph(graph, ColumnNames(("a", "b", "charge")), ColumnNames())
    assert named == (graph, ("a", "b", "charge"), ())
    assert named.graph is graph


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


def test_numbers_of_columns():
    tensors = (None, torch.ones(3), torch.ones(3, 2), torch.ones(1, 2, 3), torch.ones(3, 2, dtype=torch.cfloat))
    assert [num_columns(each) for each in tensors] == [0, 1, 2, 0, 0]
