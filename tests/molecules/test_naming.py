import torch
from torch_geometric.utils.smiles import e_map, x_map

from protograph.molecules.read import read_edge_names, read_feature_names

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
