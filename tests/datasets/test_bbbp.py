import networkx as nx
import pytest
import torch

from protograph import datasets
from protograph.datasets import bbbp
from protograph.molecules import reading
from tests.datasets.real_files import directed_edges, needs, typed

REAL = needs(f"{bbbp.FILE.relative}.gz")
# Lines end as in the file; the second row has a nitrogen with five bonds.
SMALL = b"BBBP,smiles\r\n1,[Cl].CCO \r\n0,CN(=O)(=O)C\r\n0,C[N+](=O)[O-]\r\n"


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def dataset(cache):
    return datasets.load("BBBP")


@REAL
def test_counts_are_those_of_the_file_without_its_eleven_wrong_rows(dataset):
    assert repr(dataset) == "GraphDataset('bbbp', 2039 graphs: 479 kept out, 1560 passes)"
    assert sum(graph.num_nodes for graph in dataset) == 49068
    assert sum(graph.num_edges for graph in dataset) == 2 * 52921


@REAL
def test_edges_go_both_ways_with_equal_bonds(dataset):
    bonds = torch.cat([graph.edge_attr.argmax(dim=1) for graph in dataset]).tolist()
    bond_of = dict(zip(directed_edges(dataset), bonds, strict=True))
    assert len(bond_of) == 2 * 52921  # none is repeated
    assert all(bond == bond_of[number, v, u] for (number, u, v), bond in bond_of.items())
    assert dataset.edge_names == ("single", "double", "triple", "aromatic")


@REAL
def test_atoms_and_parts(dataset):
    atoms = sum(graph.x.sum(dim=0) for graph in dataset).long().tolist()
    counts = dict(zip(dataset.feature_names, atoms, strict=True))
    assert [counts[atom] for atom in ("C", "N", "O", "Cl")] == [36596, 4391, 6254, 618]
    assert sum(not nx.is_connected(typed(graph)) for graph in dataset) == 105


@REAL
def test_fewer_graphs_are_the_first_with_the_same_columns(dataset):
    fewer = datasets.load("bbbp", num_graphs=61)  # the 60th row is no molecule
    assert [graph.smiles for graph in fewer] == [graph.smiles for graph in dataset[:61]]
    assert fewer.feature_names == dataset.feature_names


def test_wrong_rows_are_left_out_and_salts_stay():
    first, second = bbbp.from_table(SMALL)
    assert [first.smiles, second.smiles] == ["[Cl].CCO", "C[N+](=O)[O-]"]
    assert [int(first.y), int(second.y)] == [1, 0]
    assert first.num_nodes == 4
    assert first.num_edges == 4
    assert second.charge.tolist() == [0, 1, 0, -1]


def test_without_rdkit(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(reading, "import_module", missing)
    message = r"^the data set 'bbbp' needs RDKit; pip install 'protograph\[molecules\]'$"
    with pytest.raises(ImportError, match=message):
        datasets.load("bbbp")
