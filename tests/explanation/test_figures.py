import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.explanation.figures import describe_composition, figures_of, formulas_of, smarts_of, smiles_of
from protograph.graphs.conditions import EdgeRule

CHAIN = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))


def test_figures_of_a_prototype():
    pytest.importorskip("rdkit")
    prototype = pg.Prototype(graph=CHAIN, probability=0.98765, margin=4.3825, source=7, feature_names=("C", "N"))
    assert (
        figures_of(prototype)
        == "3 nodes, 2 edges (2 N, 1 C); p = 0.9877, margin 4.38; cut from graph 7; SMARTS [#6]~[#7]~[#7]"
    )


def test_one_node_is_singular_and_nothing_is_said_of_what_is_not_known():
    alone = Data(x=torch.rand(1, 2), edge_index=torch.tensor([[0], [0]]))
    prototype = pg.Prototype(graph=alone, probability=1.0, margin=float("inf"))
    assert figures_of(prototype) == "1 node, 1 edge; p = 1.0000, margin inf"
    assert smiles_of(prototype) is None


def test_names_stay_on_one_line():
    assert describe_composition(CHAIN, ("a\n\x1b[2J", "b" * 50)) == f"2 {'b' * 37}..., 1 a [2J"


def test_features_that_are_not_one_hot_have_no_composition():
    assert describe_composition(Data(x=torch.rand(3, 2)), ()) == ""
    assert describe_composition(Data(num_nodes=3), ()) == ""


AROMATIC = EdgeRule(is_matched=True)
HALF_RING = Data(x=torch.eye(2)[[0, 0, 1]], edge_index=CHAIN.edge_index, edge_attr=torch.eye(2)[[1] * 4])


def fragment(graph=HALF_RING, **facts):
    names = {"feature_names": ("C", "N"), "edge_names": ("single", "aromatic")}
    return pg.Prototype(graph=graph, probability=0.5, margin=0.0, **(names | facts))


def test_a_smiles_that_rdkit_cannot_read_is_never_printed():
    pytest.importorskip("rdkit")
    half = fragment(edge_rule=AROMATIC)
    assert half.smiles == "ccn"
    assert smiles_of(half) is None
    assert formulas_of(half) == ["SMARTS [#6]:[#6]:[#7]"]
    assert smiles_of(fragment()) == "C~C~N"


def test_smiles_is_shown_where_bonds_were_counted():
    pytest.importorskip("rdkit")
    chain = fragment(Data(x=HALF_RING.x, edge_index=CHAIN.edge_index, edge_attr=torch.eye(2)[[0] * 4]))
    assert formulas_of(chain) == ["SMARTS [#6]~[#6]~[#7]"]
    matched = fragment(chain.graph, edge_rule=AROMATIC)
    assert formulas_of(matched) == ["SMILES CCN", "SMARTS [#6]-[#6]-[#7]"]


def test_what_smarts_cannot_say_is_said_in_words():
    pytest.importorskip("rdkit")
    graph = Data(x=torch.cat([HALF_RING.x, torch.ones(3, 2)], dim=1), edge_index=CHAIN.edge_index)
    further = fragment(graph, feature_names=("C", "N", "in\nring", "donor"), edge_names=())
    assert formulas_of(further) == ["SMARTS [#6]~[#6]~[#7], where in ring and donor must agree too"]


def test_graphs_of_other_things_have_neither():
    for names in ((), ("head", "body"), ("A", "C")):
        other = fragment(feature_names=names, edge_names=())
        assert (smiles_of(other), smarts_of(other), formulas_of(other)) == (None, None, [])
    uncounted = fragment(are_nodes_matched=False)
    assert (smiles_of(uncounted), smarts_of(uncounted), formulas_of(uncounted)) == (None, None, [])
