"""What graphs tell of their nodes and edges, found in their columns."""

import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.dataset import collate
from protograph.graphs.names import ColumnNames
from protograph.graphs.variables import CONTINUOUS, DIRECTION, ONE_HOT, OTHER, STRUCTURE, WHOLE_NUMBER, variables_of

NONE = ColumnNames()
BOTH_WAYS = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def found(features=NONE, edges=NONE, edge_index=BOTH_WAYS, **columns):
    """The variables of three nodes, by name."""
    graph = Data(edge_index=edge_index, num_nodes=3, **columns)
    return {one.name: one for one in variables_of(collate([graph, graph]), features, edges)}


def kinds(variables):
    return {name: (one.kind, one.places) for name, one in variables.items() if one.kind != STRUCTURE}


def test_a_one_hot_block_is_one_variable_and_each_number_another():
    x = torch.tensor([[1, 0, 0, 5, 0.3], [0, 1, 0, 5, 0.2], [0, 0, 1, 4, 0.1]])
    names = ColumnNames(("C", "N", "O", "degree", "mass"))
    variables = found(names, x=x)
    assert kinds(variables) == {
        "element": (ONE_HOT, (0, 1, 2)),
        "degree": (WHOLE_NUMBER, (3,)),
        "mass": (WHOLE_NUMBER, (4,)),  # few values, which come again and again
    }
    assert variables["element"].labels == ((0, "C"), (1, "N"), (2, "O"))
    assert variables["degree"].values == (4.0, 5.0)
    assert list(kinds(found(x=x))) == ["kind", "x[3]", "x[4]"]


def test_many_values_are_a_quantity_and_many_quantities_one_vector():
    rows = torch.rand(100, 40, generator=torch.Generator().manual_seed(0))
    graph = Data(x=rows[:, :2], edge_index=torch.tensor([[0], [1]]))
    first, second, *_ = variables_of(collate([graph]), NONE, NONE)
    assert [(one.name, one.kind, one.is_expressible) for one in (first, second)] == [
        ("x[0]", CONTINUOUS, True),
        ("x[1]", CONTINUOUS, True),
    ]
    vector, *_ = variables_of(collate([Data(x=rows, edge_index=graph.edge_index)]), NONE, NONE)
    assert (vector.name, vector.kind, vector.is_expressible) == ("x (40 continuous columns)", OTHER, False)


def test_what_is_the_same_everywhere_and_what_is_no_feature_is_none():
    variables = found(x=torch.ones(3, 2), y=torch.tensor([1]), pos=torch.zeros(3, 2), face=torch.zeros(3, 3))
    assert list(variables) == ["edges"]


def test_attributes_of_nodes_edges_and_graphs_are_told_apart():
    graphs = [
        Data(
            x=torch.tensor([[0], [1], [place]]),
            charge=torch.tensor([0, 1, 0]),
            pos=torch.rand(3, 2, generator=torch.Generator().manual_seed(place)),
            edge_attr=torch.eye(2)[[0, 0, 1, 1]],
            edge_index=BOTH_WAYS,
            age=torch.tensor([float(place)]),
        )
        for place in (1, 2)
    ]
    variables = variables_of(collate(graphs), NONE, ColumnNames(("single", "double")))
    assert {(one.name, one.of, one.key, one.is_expressible) for one in variables} == {
        ("kind", "node", "x", True),
        ("charge", "node", "charge", True),
        ("pos", "node", "pos", False),
        ("bond", "edge", "edge_attr", True),
        ("age", "graph", "age", False),
        ("edges", "edge", "edge_index", False),
    }


@pytest.mark.parametrize(("edges", "has_ways"), [([[0, 1], [1, 2]], True), ([[0, 1], [1, 0]], False)])
def test_edges_that_go_one_way_have_a_direction(edges, has_ways):
    variables = found(edge_index=torch.tensor(edges))
    assert (variables.get("direction") is not None) == has_ways
    assert not has_ways or variables["direction"].kind == DIRECTION


def test_of_molecules_what_no_smarts_can_ask_for_is_not_asked_for():
    x = torch.tensor([[6, 0, 2], [8, 1, 0], [6, 0, 0]])
    names = ColumnNames(("atom", "chirality", "degree"), {0: {6: "C", 8: "O"}})
    assert [one.is_expressible for one in found(names, x=x).values()] == [True, False, True, False]
    assert all(one.is_expressible for one in list(found(ColumnNames(("a", "chirality", "b")), x=x).values())[:-1])


def test_names_that_two_variables_have_are_numbered():
    x = torch.tensor([[0, 3], [1, 4], [1, 3]])
    assert list(found(ColumnNames(("size", "size")), x=x)) == ["size", "size 2", "edges"]


def test_values_have_names_by_code_and_numbers_are_said_with_their_column():
    x = torch.tensor([[6, 2], [8, 1], [7, 1]])
    atom, degree, *_ = found(ColumnNames(("atom", "degree"), {0: {6: "C", 8: "O"}, 1: {1: "1", 2: "2"}}), x=x).values()
    assert (atom.word(6.0), atom.label(7.0), atom.word(7.0), atom.label(6.5)) == ("C", None, "atom 7", None)
    assert (degree.word(2.0), degree.is_ordered, atom.is_ordered) == ("degree 2", True, False)
