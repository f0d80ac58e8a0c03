import re

import numpy as np
import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Data

import protograph as pg
from protograph import datasets
from protograph.datasets.molecules import SOLUBILITY_FILE
from protograph.explanation import Explanation, Prototype
from protograph.graphs.subgraph import induced_subgraph
from protograph.molecules.read import BOND_NAMES, molecule_arrays, molecule_graphs, parse
from protograph.molecules.write import to_rdkit, to_smiles
from tests.datasets.real_files import needs

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
    dataset = datasets.load("solubility")
    # Which nitrogens of an aromatic ring bear a hydrogen is not in a graph of heavy atoms.
    wanted = [Chem.MolToSmiles(parse(graph.smiles), isomericSmiles=False) for graph in dataset]
    chosen = [(graph, text) for graph, text in zip(dataset, wanted, strict=True) if "[nH]" not in text]
    assert len(chosen) == 694
    for graph, text in chosen:
        molecule = to_rdkit(graph, dataset.feature_names, dataset.edge_names)
        assert to_smiles(molecule) == text
        assert [atom.GetFormalCharge() for atom in molecule.GetAtoms()] == graph.charge.tolist()


@needs(f"{SOLUBILITY_FILE.relative}.gz")
def test_any_part_of_a_molecule_can_be_written(capfd):
    dataset = datasets.load("solubility", num_graphs=200)
    generator = torch.Generator().manual_seed(0)
    for graph in dataset:
        nodes = torch.randperm(graph.num_nodes, generator=generator)[:7].tolist()
        molecule = to_rdkit(induced_subgraph(graph, nodes), dataset.feature_names, dataset.edge_names)
        whole = parse(graph.smiles)
        symbols = [whole.GetAtomWithIdx(node).GetSymbol() for node in nodes]
        assert [atom.GetSymbol() for atom in molecule.GetAtoms()] == symbols
        assert to_smiles(molecule)
    assert capfd.readouterr() == ("", "")


@needs("mutagenicity/Mutagenicity_tu_raw.zip")
def test_real_molecules_with_hydrogens_can_be_written(capfd):
    dataset = datasets.load("mutagenicity", num_graphs=300)
    for graph in dataset:
        molecule = to_rdkit(graph, dataset.feature_names, dataset.edge_names)
        assert molecule.GetNumAtoms() == graph.num_nodes  # hydrogens stay
        assert molecule.GetNumBonds() == graph.num_edges // 2
        assert to_smiles(molecule)
    assert capfd.readouterr() == ("", "")


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


def test_too_many_bonds():
    bonds = [(0, node, "double") for node in range(1, 4)]
    molecule = to_rdkit(fragment("COOO", bonds), *NAMES)
    assert to_smiles(molecule) == "O=C(=O)=O"
    assert not is_whole(molecule)


def test_hydrogens_are_atoms():
    molecule = to_rdkit(fragment("CHHO", [(0, 1, "single"), (0, 2, "single"), (0, 3, "double")]), *NAMES)
    assert to_smiles(molecule) == "[H]C([H])=O"
    assert molecule.GetNumAtoms() == 4


def test_kekule_ring_becomes_aromatic():
    bonds = [(node, (node + 1) % 6, ("single", "double")[node % 2]) for node in range(6)]
    assert to_smiles(to_rdkit(fragment("CCCCCC", bonds), *NAMES)) == "c1ccccc1"


def test_charges():
    graph = graph_of("C[N+](=O)[O-]")
    assert to_smiles(to_rdkit(graph, ("C", "N", "O"), BOND_NAMES)) == "C[N+](=O)[O-]"
    del graph.charge
    assert to_smiles(to_rdkit(graph, ("C", "N", "O"), BOND_NAMES)) == "CN(=O)O"


def test_unknown_atoms_and_bonds():
    graph = fragment("CNO", [(0, 1, "single"), (1, 2, "double")])
    assert to_smiles(to_rdkit(graph, ("C", "*", "other", "H"), ("SINGLE", "Double"))) == "*=*C"
    assert to_smiles(to_rdkit(graph, NAMES[0], ("single", "other"))) == "CN~O"
    assert to_smiles(to_rdkit(graph, NAMES[0], ("unspecified", "double"))) == "C~N=O"
    assert to_smiles(to_rdkit(graph, NAMES[0])) == "C~N~O"
    graph.x[2] = 0
    graph.edge_attr[:] = 0
    assert to_smiles(to_rdkit(graph, *NAMES)) == "*~N~C"
    graph.edge_attr = None
    assert to_smiles(to_rdkit(graph, *NAMES)) == "*~N~C"


def test_self_loops_and_single_directions():
    graph = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1, 1], [0, 0, 1]]), edge_attr=torch.ones(3, 1))
    assert to_smiles(to_rdkit(graph, ("C", "O"), ("single",))) == "CO"


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


def test_without_rdkit(monkeypatch):
    graph = graph_of("CO")

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("protograph.molecules.read.import_module", missing)
    with pytest.raises(ImportError, match=r"^writing molecules needs RDKit; pip install 'protograph\[molecules\]'$"):
        to_rdkit(graph, ("C", "N", "O"))


def explanation_of(graph, **names):
    prototype = Prototype(graph=graph, probability=0.9, margin=2.0, **names)
    return Explanation(
        target=0,
        prototypes=[prototype],
        explainer="PAGE",
        options={},
        num_graphs=2,
        num_predicted=1,
        class_names=("a", "b"),
        **names,
    )


def test_prototypes_know_their_names_also_after_saving(tmp_path):
    saved = explanation_of(graph_of("C[N+](=O)[O-]"), feature_names=("C", "N", "O"), edge_names=BOND_NAMES)
    saved.save(tmp_path / "e.json")
    for explanation in (saved, pg.load(tmp_path / "e.json")):
        (prototype,) = explanation.prototypes
        assert explanation.edge_names == prototype.edge_names == BOND_NAMES
        assert prototype.smiles == "C~N(~O)~O"  # edges were not matched
        assert to_smiles(prototype.to_rdkit()) == "C[N+](=O)[O-]"
        assert prototype.to_rdkit().GetNumAtoms() == 4


def test_bonds_without_names_are_any_bonds(tmp_path):
    explanation_of(graph_of("CO"), feature_names=("C", "N", "O")).save(tmp_path / "e.json")
    explanation = pg.load(tmp_path / "e.json")
    assert explanation.edge_names == ()
    assert explanation.prototypes[0].smiles == "C~O"


def test_prototype_without_names_of_atoms():
    (prototype,) = explanation_of(graph_of("CO")).prototypes
    with pytest.raises(ValueError, match=r"must give atom symbols as feature_names$"):
        _ = prototype.smiles


def test_networkx_with_names():
    names = {"feature_names": ("C", "N", "O"), "edge_names": BOND_NAMES}
    (prototype,) = explanation_of(graph_of("C=[NH+]"), **names).prototypes
    graph = prototype.to_networkx()
    assert dict(graph.nodes(data=True)) == {0: {"feature": "C", "charge": 0}, 1: {"feature": "N", "charge": 1}}
    assert list(graph.edges(data=True)) == [(0, 1, {"bond": "double"})]


def test_networkx_without_names():
    edge_index = torch.tensor([[0, 1], [1, 0]])
    features = Data(x=torch.tensor([[0.5, 1.0], [0.0, 2.0]]), edge_index=edge_index, edge_attr=torch.tensor([3.0, 3.0]))
    (prototype,) = explanation_of(features, feature_names=("a", "b")).prototypes
    graph = prototype.to_networkx()
    assert dict(graph.nodes(data=True)) == {0: {"x": (0.5, 1.0)}, 1: {"x": (0.0, 2.0)}}
    assert list(graph.edges(data=True)) == [(0, 1, {"edge_attr": 3.0})]
    (prototype,) = explanation_of(Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=2)).prototypes
    assert dict(prototype.to_networkx().nodes(data=True)) == {0: {}, 1: {}}
