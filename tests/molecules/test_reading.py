import sys

import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Batch
from torch_geometric.nn import GCNConv, global_add_pool

import protograph as pg
from protograph.graphs.subgraph import induced_subgraph
from protograph.molecules.elements import COLORS
from protograph.molecules.read import atom_order, import_chem, molecule_arrays, molecule_graphs, parse


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
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        parse(smiles)
    assert str(caught.value) == message
    assert capfd.readouterr() == ("", "")


def test_blanks_around_do_not_matter():
    assert Chem.MolToSmiles(parse(" CCO\n")) == "CCO"


def test_without_rdkit(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError("No module named 'rdkit'")

    monkeypatch.setattr("protograph.molecules.read.import_module", missing)
    with pytest.raises(ImportError, match=r"^reading SMILES needs RDKit; pip install 'protograph\[molecules\]'$"):
        parse("C")


def test_graph_of_a_molecule_worked_out_by_hand():
    (graph,) = graphs_of("N#CC(=O)[O-]")
    assert graph.x.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]]  # C, N, O
    assert graph.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [2, 4], [4, 2]]
    assert graph.edge_attr.argmax(dim=1).tolist() == [2, 2, 0, 0, 1, 1, 0, 0]
    assert graph.charge.tolist() == [0, 0, 0, 0, -1]
    assert graph.charge.dtype == torch.long


def test_atoms_are_in_rdkits_order_without_hydrogens():
    molecule = parse("O=C(O)c1ccccc1[2H]")
    (graph,) = graphs_of("O=C(O)c1ccccc1[2H]")
    symbols = [atom_order(a.GetSymbol() for a in molecule.GetAtoms())[i] for i in graph.x.argmax(dim=1)]
    assert symbols == [atom.GetSymbol() for atom in molecule.GetAtoms()]
    assert symbols.count("H") == 1  # RDKit keeps the isotope as an atom, and no other hydrogen


def test_columns_do_not_depend_on_the_order_of_molecules():
    one = molecule_arrays(map(parse, ["C[Si](C)C", "O", "[Se]", "*C"]))
    two = molecule_arrays(map(parse, ["*C", "[Se]", "O", "C[Si](C)C"]))
    assert one["atom_types"].tolist() == two["atom_types"].tolist() == ["C", "O", "*", "Se", "Si"]


def test_every_coloured_atom_goes_first():
    assert atom_order(["Zn", *reversed(COLORS), "Ag"]) == (*COLORS, "Ag", "Zn")


def test_other_bonds_have_a_column_only_where_there_are_some():
    assert molecule_arrays([parse("CC")])["bond_types"].tolist() == ["single", "double", "triple", "aromatic"]
    arrays = molecule_arrays([parse("C$C"), parse("CC")])
    assert arrays["bond_types"].tolist() == ["single", "double", "triple", "aromatic", "other"]
    assert arrays["bond"].tolist() == [4, 4, 0, 0]


def test_no_molecules():
    arrays = molecule_arrays([])
    assert arrays["edge_index"].shape == (2, 0)
    assert arrays["sizes"].tolist() == []


def test_batch_and_part_of_molecules():
    graphs = graphs_of("CC[O-]", "C", "c1ccccc1")
    batch = Batch.from_data_list(list(graphs))
    assert batch.smiles == ["CC[O-]", "C", "c1ccccc1"]
    assert batch.charge.tolist() == [0, 0, -1] + [0] * 7
    part = induced_subgraph(graphs[0], [2, 1])
    assert part.charge.tolist() == [-1, 0]
    assert "smiles" not in part  # it is not that of the part


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = GCNConv(width, 8)
        self.out = torch.nn.Linear(8, 2)

    def forward(self, x, edge_index, batch):
        return self.out(global_add_pool(self.conv(x, edge_index).relu(), batch))


def test_page_explains_molecules():
    torch.manual_seed(0)
    graphs = graphs_of(*("CCO", "CCN", "CC(=O)[O-]", "C", "c1ccccc1O", "CCCl", "OCCO", "CN(C)C") * 3)
    explanations = pg.PAGE(num_clusters=1, num_graphs=2).fit(Net(graphs[0].x.size(1)), graphs).explain_all()
    assert all(p.graph.charge.shape == (p.num_nodes,) for e in explanations.values() for p in e.prototypes)


def test_rdkit_is_given_where_it_is_installed():
    assert import_chem("counting atoms") is Chem


def test_without_rdkit_the_message_says_what_for_and_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(ImportError) as caught:
        import_chem("counting atoms")
    assert str(caught.value) == "counting atoms needs RDKit; pip install 'protograph[molecules]'"
