import pytest
import torch
from torch_geometric.data import Data

from protograph.molecules.read import molecule_arrays, molecule_graphs, parse
from protograph.molecules.write import source_molecule, to_smiles, with_charges

ATOMS, BONDS = ("C", "N", "O", "H"), ("single", "double", "triple")


def graph_of(smiles):
    arrays = molecule_arrays([parse(smiles)])
    (graph,) = molecule_graphs(arrays, torch.tensor([0]), [smiles])
    return graph, tuple(arrays["atom_types"]), tuple(arrays["bond_types"])


def made(symbols, bonds):
    x = torch.eye(len(ATOMS))[[ATOMS.index(symbol) for symbol in symbols]]
    ends = [(u, v, kind) for u, v, kind in bonds] + [(v, u, kind) for u, v, kind in bonds]
    index = torch.tensor([pair[:2] for pair in ends]).T
    return Data(x=x, edge_index=index, edge_attr=torch.eye(3)[[BONDS.index(kind) for *_, kind in ends]])


def test_the_smiles_knows_what_the_graph_does_not():
    # Which nitrogen bears the hydrogen cannot be told from heavy atoms.
    pyrrole = graph_of("c1cc[nH]c1")
    assert to_smiles(source_molecule(*pyrrole)) == "c1cc[nH]c1"
    del pyrrole[0].smiles
    assert to_smiles(source_molecule(*pyrrole)) == "c1ccnc1"


@pytest.mark.parametrize("smiles", ["CCN", "CCOC", "C1CO1", "no molecule", "", "OCC"])
def test_a_smiles_of_another_molecule_does_not_count(smiles):
    graph, atoms, bonds = graph_of("CCO")
    graph.smiles = smiles
    assert to_smiles(source_molecule(graph, atoms, bonds)) == "CCO"


def test_what_is_no_molecule_is_none():
    pair = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]))
    assert source_molecule(pair, ("head", "body")) is None
    assert source_molecule(Data(edge_index=pair.edge_index, num_nodes=2)) is None


def test_charges_follow_from_bonds_where_hydrogens_are_nodes():
    nitro = made(
        "CNOOHHH", [(0, 1, "single"), (1, 2, "double"), (1, 3, "single"), *((0, n, "single") for n in (4, 5, 6))]
    )
    assert with_charges(nitro, ATOMS, BONDS).charge.tolist() == [0, 1, 0, -1, 0, 0, 0]
    assert to_smiles(source_molecule(nitro, ATOMS, BONDS)) == "[H]C([H])([H])[N+](=O)[O-]"


def test_charges_that_are_told_stay_and_those_of_heavy_atoms_alone_are_not_guessed():
    pair = made("CO", [(0, 1, "single")])
    assert "charge" not in with_charges(Data(x=pair.x[:, :3], edge_index=pair.edge_index), ATOMS[:3], BONDS)
    pair.charge = torch.tensor([1, 0])
    assert with_charges(pair, ATOMS, BONDS) is pair
