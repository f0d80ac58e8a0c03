"""SMILES as graphs, and the names of their columns."""

import re
import sys

import pytest
import torch
from torch_geometric.utils.smiles import e_map, x_map

from protograph.molecules.read import (
    import_chem,
    molecule_arrays,
    molecule_graphs,
    parse,
    read_edge_names,
    read_feature_names,
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))


def graphs_of(*smiles):
    arrays = molecule_arrays(map(parse, smiles))
    return molecule_graphs(arrays, torch.zeros(len(smiles), dtype=torch.long), smiles, len(smiles))


@pytest.mark.parametrize(
    ("smiles", "message"),
    [
        ("", "the SMILES is empty"),
        (" \t", "the SMILES is empty"),
        ("C C", "the SMILES has a blank inside"),
        ("C\nC", "the SMILES has a blank inside"),
        ("C1CC", "not valid SMILES"),
        ("nonsense", "not valid SMILES"),
        ("C\0C", "not valid SMILES"),
        ("é", "not valid SMILES"),
        ("c1cccc1", "Can't kekulize mol. Unkekulized atoms: 0 1 2 3 4"),
        ("FN(F)(F)F", "Explicit valence for atom # 1 N, 4, is greater than permitted"),
    ],
)
def test_texts_that_are_no_molecule(smiles, message, capfd):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(smiles)
    assert capfd.readouterr() == ("", "")


def test_graph_of_a_molecule_worked_out_by_hand():
    (graph,) = graphs_of("N#CC(=O)[O-]")
    assert graph.x.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]]  # C, N, O
    assert graph.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [2, 4], [4, 2]]
    assert graph.edge_attr.argmax(dim=1).tolist() == [2, 2, 0, 0, 1, 1, 0, 0]
    assert graph.charge.tolist() == [0, 0, 0, 0, -1]
    assert graph.charge.dtype == torch.long


def test_other_bonds_have_a_column_only_where_there_are_some():
    assert molecule_arrays([parse("CC")])["bond_types"].tolist() == ["single", "double", "triple", "aromatic"]
    arrays = molecule_arrays([parse("C$C"), parse("CC")])
    assert arrays["bond_types"].tolist() == ["single", "double", "triple", "aromatic", "other"]
    assert arrays["bond"].tolist() == [4, 4, 0, 0]


def test_without_rdkit_the_message_says_what_for_and_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(ImportError, match=r"counting atoms needs RDKit; pip install .*molecules"):
        import_chem("counting atoms")


ATOMS = torch.tensor([[6, 1], [53, 2]])


def test_pyg_s_own_maps_name_atoms_and_bonds():
    names = read_feature_names(x_map, torch.zeros(2, 9, dtype=torch.long))
    assert names.columns == tuple(x_map)
    assert (names.values[0][0], names.values[0][6], names.values[0][53]) == ("*", "C", "I")
    assert names.values[3][5] == "0"  # the sixth formal charge
    bonds = read_edge_names(e_map, torch.zeros(2, 3, dtype=torch.long))
    assert (bonds.kinds[1], bonds.kinds[12]) == ("SINGLE", "AROMATIC")


def test_a_column_called_atomic_number_needs_no_names_of_values():
    names = read_feature_names(["Atomic_Number", "degree"], ATOMS)
    assert (names.values[0][53], len(names.values[0]), 1 in names.values) == ("I", 119, False)


def test_other_names_and_other_numbers_stay():
    own = {"atomic_num": {6: "carbon"}, "degree": None}
    assert read_feature_names(own, ATOMS).values == {0: {6: "carbon"}}
    assert read_feature_names(["atomic number", "degree"], ATOMS / 100).values == {}
    assert read_feature_names(["atomic number", "degree"], ATOMS + 100).values == {}
