import re

import numpy as np
import torch
from torch_geometric.data import Data

from protograph.graphs.named_graph import NamedGraph
from protograph.report.depicted_molecules import molecule_markup, placed_fragment, placed_molecule
from protograph.report.markup import Marks

NAMES = (("C", "O", "H"), ("single", "double"))


def graph_of(smiles, edges, **attributes):
    pairs = torch.tensor(edges).T
    return NamedGraph(Data(edge_index=torch.cat([pairs, pairs.flip(0)], 1), smiles=smiles, **attributes), (), ())


ACID = graph_of("CC(=O)O", [(0, 1), (1, 2), (1, 3)], num_nodes=4)


def test_marked_atoms_lie_where_they_are_wanted():
    ester = graph_of("COC(=O)C", [(0, 1), (1, 2), (2, 3), (2, 4)], num_nodes=5)
    first = placed_molecule(ACID)
    placed = placed_molecule(ester, {2: first.place_of(1), 3: first.place_of(2), 1: first.place_of(3)})
    assert np.allclose(placed.place_of(3), first.place_of(2), atol=0.05)


def test_nodes_matches_and_edges_can_be_pointed_at():
    markup = molecule_markup(placed_molecule(ACID), Marks({1: 0, 2: 1}, [(2, 1)], is_numbered=True), 'an "acid" <b>')
    assert 'aria-label="an &quot;acid&quot; &lt;b&gt;"' in markup
    assert re.findall(r'class="pg-node" data-node="(\d)"', markup) == ["0", "1", "2", "3"]
    assert markup.count('data-match="1"') == 3  # the disc behind, what is pointed at, and the number
    assert 'data-edge="1-2"' in markup
    assert "<title>O, atom 2</title>" in markup
    assert ' id="' not in markup
    assert "style=" not in markup


def test_hydrogens_are_drawn_where_they_are_marked():
    names = ("O", "H")
    water = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]))
    water.edge_attr = torch.ones(4, 1)
    assert placed_molecule(NamedGraph(water, names, ("single",))) is None  # no carbon: H and O may be anything
    named = NamedGraph(
        Data(x=torch.eye(3)[[0, 2, 2]], edge_index=water.edge_index, edge_attr=water.edge_attr),
        ("O", "C", "H"),
        ("single",),
    )
    assert placed_molecule(named).shown.nodes == (0,)
    assert placed_molecule(named, {1: None}).shown.nodes == (0, 1)
    assert placed_molecule(named, {1: None}).smiles == "O"


def test_without_rdkit_there_is_no_molecule(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("protograph.molecules.read.import_module", missing)
    assert placed_molecule(ACID) is None
    assert placed_fragment(NamedGraph(Data(x=torch.eye(3)), *NAMES), has_orders=True) is None


def test_a_molecule_whose_types_of_bonds_are_not_known_is_drawn_without_them():
    pair = Data(x=torch.eye(3)[:2], edge_index=torch.tensor([[0, 1], [1, 0]]))
    (carbon, oxygen) = placed_molecule(NamedGraph(pair, *NAMES)).shown.molecule.GetAtoms()
    assert [atom.GetTotalNumHs() for atom in (carbon, oxygen)] == [0, 0]
    assert carbon.GetProp("atomLabel") == "C"
