"""Graphs as RDKit's molecules, SMILES and SDF files."""

import re

import numpy as np
import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Data

from protograph import datasets
from protograph.datasets.molecules import SOLUBILITY_FILE
from protograph.graphs.subgraph import induced_subgraph
from protograph.molecules.read import BOND_NAMES, molecule_arrays, molecule_graphs, parse
from protograph.molecules.write import MoleculeRecord, sdf_text, source_molecule, to_rdkit, to_smiles, with_charges
from tests.datasets.real_files import needs, whole

NAMES = (("C", "N", "O", "H"), ("single", "double"))


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def graph_of(smiles, atoms=("C", "N", "O")):
    arrays = molecule_arrays([parse(smiles)])
    column = np.array([atoms.index(symbol) for symbol in arrays["atom_types"]])
    arrays |= {"atom": column[arrays["atom"]], "atom_types": np.array(atoms)}
    return molecule_graphs(arrays, torch.tensor([0]), [smiles], 1)[0]


def fragment(atoms, bonds, names=("C", "N", "O", "H"), bond_names=("single", "double")):
    """A graph with an edge in both directions for each ``(node, node, bond)``."""
    edges = [(u, v, kind) for a, b, kind in bonds for u, v in ((a, b), (b, a))]
    return Data(
        x=torch.eye(len(names))[[names.index(atom) for atom in atoms]],
        edge_index=torch.tensor([(u, v) for u, v, _ in edges]).reshape(-1, 2).T,
        edge_attr=torch.eye(len(bond_names))[[bond_names.index(kind) for _, _, kind in edges]],
    )


def is_whole(molecule):
    return not Chem.DetectChemistryProblems(molecule)


@needs(f"{SOLUBILITY_FILE.relative}.gz")
def test_real_molecules_come_back():
    dataset = whole("solubility")
    # Which nitrogens of an aromatic ring bear a hydrogen is not in a graph of heavy atoms.
    wanted = [Chem.MolToSmiles(parse(graph.smiles), isomericSmiles=False) for graph in dataset]
    chosen = [(graph, text) for graph, text in zip(dataset, wanted, strict=True) if "[nH]" not in text]
    assert len(chosen) == 694
    for graph, text in chosen:
        molecule = to_rdkit(graph, dataset.feature_names, dataset.edge_names)
        assert to_smiles(molecule) == text
        assert [atom.GetFormalCharge() for atom in molecule.GetAtoms()] == graph.charge.tolist()


def test_open_valences_and_bonds():
    graph = induced_subgraph(graph_of("CC(=O)NC#N"), [2, 1, 3])
    molecule = to_rdkit(graph, ("C", "N", "O"), BOND_NAMES)
    assert to_smiles(molecule) == "NC=O"
    assert [atom.GetSymbol() for atom in molecule.GetAtoms()] == ["O", "C", "N"]
    assert is_whole(molecule)


def test_aromatic_ring_and_half_of_it():
    ring = to_rdkit(graph_of("c1ccccc1"), ("C", "N", "O"), BOND_NAMES)
    assert to_smiles(ring) == "c1ccccc1"
    assert is_whole(ring)
    half = to_rdkit(induced_subgraph(graph_of("c1ccccc1"), [0, 1, 2, 3]), ("C", "N", "O"), BOND_NAMES)
    assert to_smiles(half) == "cccc"
    assert not is_whole(half)
    assert half.GetRingInfo().NumRings() == 0  # known also where it is not sanitised


def test_nitro_without_charges():
    molecule = to_rdkit(fragment("CNOO", [(0, 1, "single"), (1, 2, "double"), (1, 3, "double")]), *NAMES)
    assert to_smiles(molecule) == "C[N+](=O)[O-]"  # RDKit's way to write it
    assert [atom.GetSymbol() for atom in molecule.GetAtoms()] == ["C", "N", "O", "O"]


def test_graphs_that_are_no_molecules():
    way_out = "; the data set must give atom symbols as feature_names"
    no_x = Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=2)
    with pytest.raises(ValueError, match=f"^x of the graph must have a row .* for each node, got none{way_out}$"):
        to_rdkit(no_x, ("C",))
    house = datasets.load("ba-house", num_graphs=1)
    columns = "atom_names must have the symbol of an atom for each of the 3 columns of x, got "
    for names, got in (((), "none"), (("C", "O"), "'C', 'O'"), (house.feature_names, "'head', 'body', 'backbone'")):
        with pytest.raises(ValueError, match=f"^{re.escape(columns + got + way_out)}$"):
            to_rdkit(house[0], names)


ATOMS, BONDS = NAMES


def named_graph_of(smiles):
    arrays = molecule_arrays([parse(smiles)])
    (graph,) = molecule_graphs(arrays, torch.tensor([0]), [smiles])
    return graph, tuple(arrays["atom_types"]), tuple(arrays["bond_types"])


def test_the_smiles_knows_what_the_graph_does_not():
    # Which nitrogen bears the hydrogen cannot be told from heavy atoms.
    pyrrole = named_graph_of("c1cc[nH]c1")
    assert to_smiles(source_molecule(*pyrrole)) == "c1cc[nH]c1"
    del pyrrole[0].smiles
    assert to_smiles(source_molecule(*pyrrole)) == "c1ccnc1"


@pytest.mark.parametrize("smiles", ["CCN", "CCOC", "C1CO1", "no molecule", "", "OCC"])
def test_a_smiles_of_another_molecule_does_not_count(smiles):
    graph, atoms, bonds = named_graph_of("CCO")
    graph.smiles = smiles
    assert to_smiles(source_molecule(graph, atoms, bonds)) == "CCO"


def test_charges_follow_from_bonds_where_hydrogens_are_nodes():
    nitro = fragment(
        "CNOOHHH", [(0, 1, "single"), (1, 2, "double"), (1, 3, "single"), *((0, n, "single") for n in (4, 5, 6))]
    )
    assert with_charges(nitro, ATOMS, BONDS).charge.tolist() == [0, 1, 0, -1, 0, 0, 0]
    assert to_smiles(source_molecule(nitro, ATOMS, BONDS)) == "[H]C([H])([H])[N+](=O)[O-]"


def test_charges_that_are_told_stay_and_those_of_heavy_atoms_alone_are_not_guessed():
    pair = fragment("CO", [(0, 1, "single")])
    assert "charge" not in with_charges(Data(x=pair.x[:, :3], edge_index=pair.edge_index), ATOMS[:3], BONDS)
    pair.charge = torch.tensor([1, 0])
    assert with_charges(pair, ATOMS, BONDS) is pair


def read_sdf(text):
    supplier = Chem.SDMolSupplier()
    supplier.SetData(text, sanitize=False)
    return list(supplier)


def test_what_is_written_is_read_again():
    molecules = [Chem.MolFromSmiles(smiles) for smiles in ("C[N+](=O)[O-]", "c1ccccc1")]
    read_again = read_sdf(sdf_text([MoleculeRecord(one, f"m{at}", {"p": 0.5}) for at, one in enumerate(molecules)]))
    assert [one.GetProp("_Name") for one in read_again] == ["m0", "m1"]
    assert [one.GetProp("p") for one in read_again] == ["0.5", "0.5"]
    for one in read_again:
        Chem.SanitizeMol(one)
    assert [Chem.MolToSmiles(one) for one in read_again] == ["C[N+](=O)[O-]", "c1ccccc1"]
    assert len({tuple(place) for place in read_again[1].GetConformer().GetPositions().round(3).tolist()}) == 6


def test_half_an_aromatic_ring_is_written_as_it_is():
    half = Chem.MolFromSmiles("cccO", sanitize=False)
    (read_again,) = read_sdf(sdf_text([MoleculeRecord(half, "half", {})]))
    assert [str(bond.GetBondType()) for bond in read_again.GetBonds()] == ["AROMATIC", "AROMATIC", "SINGLE"]


def test_a_text_from_the_data_neither_ends_a_molecule_nor_adds_a_property():
    hostile = {"source": "a\n\n> <p>\n1\n\n$$$$\n", "class": "$$$$", "other": "> <x>"}
    read_again = read_sdf(sdf_text([MoleculeRecord(Chem.MolFromSmiles("CO"), "a\nb", hostile)]))
    assert len(read_again) == 1
    assert sorted(read_again[0].GetPropNames()) == ["class", "other", "source"]
    assert read_again[0].GetProp("source") == "a > <p> 1 $$$$"
