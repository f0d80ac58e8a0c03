from collections import Counter

import networkx as nx
import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Batch

from protograph import datasets
from protograph.datasets import solubility
from protograph.molecules import reading
from tests.datasets.real_files import contains, directed_edges, needs, typed

REAL = needs(f"{solubility.FILE.relative}.gz")

HEADER = f"Compound ID,{solubility.MEASURED},smiles"
# Below, on and between the limits, and above.
SMALL = f"{HEADER}\na,-4.1,c1ccc2ccccc2c1 \nb,-4,CC\nc,-3,CO\nd,-2.0,CN\ne,-1.99,C[O-]\nf,0.5,C\n".encode()


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def dataset(cache):
    return datasets.load("solubility")


def count_by_class(dataset, is_there):
    return [sum(is_there(graph) for graph in dataset[dataset.labels == label]) for label in (0, 1)]


@REAL
def test_counts_are_those_of_the_paper(dataset):
    assert len(dataset) == 708
    assert sum(graph.num_nodes for graph in dataset) == 9445
    assert sum(graph.num_edges for graph in dataset) == 2 * 9735
    assert torch.bincount(dataset.labels).tolist() == [341, 367]
    assert repr(dataset) == "GraphDataset('solubility', 708 graphs: 341 insoluble, 367 soluble)"


@REAL
def test_atoms_are_the_counted_ones(dataset):
    atoms = sum(graph.x.sum(dim=0) for graph in dataset).long().tolist()
    assert dict(zip(dataset.feature_names, atoms, strict=True)) == {
        "C": 7127, "N": 493, "O": 1092, "S": 96, "P": 36, "F": 69, "Cl": 482, "Br": 42, "I": 8,
    }  # fmt: skip
    assert dataset.edge_names == ("single", "double", "triple", "aromatic")


@REAL
def test_one_molecule_is_a_lone_atom(dataset):
    (methane,) = (graph for graph in dataset if graph.num_nodes == 1)
    assert methane.smiles == "C"
    assert methane.edge_index.shape == (2, 0)
    assert methane.edge_attr.shape == (0, 4)


@REAL
def test_kept_smiles_have_the_counted_groups(dataset):
    for smarts, counts in {"[OX2H]": [51, 118], "c1ccccc1": [234, 94]}.items():
        pattern = Chem.MolFromSmarts(smarts)
        assert count_by_class(dataset, lambda g, p=pattern: Chem.MolFromSmiles(g.smiles).HasSubstructMatch(p)) == counts


@REAL
def test_edges_go_both_ways_with_equal_bonds(dataset):
    edges = directed_edges(dataset)
    bonds = torch.cat([graph.edge_attr.argmax(dim=1) for graph in dataset]).tolist()
    bond_of = dict(zip(edges, bonds, strict=True))
    assert len(bond_of) == 19470  # none is repeated
    assert all(bond == bond_of[number, v, u] for (number, u, v), bond in bond_of.items())


@REAL
def test_ground_truths_occur_in_the_counted_molecules(dataset):
    ((fused,), (hydroxyl,)) = (dataset.ground_truths[label] for label in (0, 1))
    assert count_by_class(dataset, lambda graph: contains(graph, hydroxyl)) == [165, 262]
    assert count_by_class(dataset, lambda graph: contains(graph, fused)) == [89, 2]


@REAL
def test_ground_truths_are_what_they_are_said_to_be(dataset):
    ((fused,), (hydroxyl,)) = (dataset.ground_truths[label] for label in (0, 1))
    assert (fused.num_nodes, fused.num_edges, hydroxyl.num_nodes, hydroxyl.num_edges) == (10, 22, 2, 2)
    assert (fused.x.argmax(dim=1) == 0).all()
    assert [dataset.feature_names[column] for column in hydroxyl.x.argmax(dim=1)] == ["C", "O"]
    assert sorted(map(len, nx.minimum_cycle_basis(typed(fused)))) == [6, 6]
    assert sorted(dict(typed(fused).degree).values()) == [2] * 8 + [3] * 2


@REAL
def test_fewer_graphs_are_the_first_with_the_same_columns(dataset):
    fewer = datasets.load("solubility", num_graphs=5)
    assert [graph.smiles for graph in fewer] == [graph.smiles for graph in dataset[:5]]
    assert fewer.feature_names == dataset.feature_names
    assert torch.equal(fewer[4].x, dataset[4].x)
    with pytest.raises(ValueError, match=r"^num_graphs must be in \[1, 708\], got 709$"):
        datasets.load("solubility", num_graphs=709)


@REAL
def test_types_and_shapes(dataset):
    for graph in dataset[:50]:
        assert graph.x.dtype == graph.edge_attr.dtype == torch.float32
        assert (graph.charge.shape, graph.charge.dtype) == ((graph.num_nodes,), torch.long)
        assert (graph.y.shape, graph.y.dtype) == ((1,), torch.long)
        assert graph.smiles == graph.smiles.strip()
        graph.validate()
    assert dataset.hidden == (32, 32, 32)
    assert len(set(dataset.colors)) == 9
    assert Counter(int(charge) for graph in dataset for charge in graph.charge if charge) == {1: 36, -1: 36}


@REAL
def test_graphs_can_be_batched_and_taken_apart(dataset):
    graphs = dataset[:64]
    for graph, again in zip(graphs, Batch.from_data_list(graphs).to_data_list(), strict=True):
        assert graph.smiles == again.smiles
        assert all(torch.equal(graph[key], again[key]) for key in ("x", "edge_index", "edge_attr", "y", "charge"))


def test_limits_are_strict_and_blanks_are_cut():
    dataset = solubility.from_table(SMALL)
    assert [graph.smiles for graph in dataset] == ["c1ccc2ccccc2c1", "C[O-]", "C"]
    assert dataset.labels.tolist() == [0, 1, 1]
    assert dataset[1].charge.tolist() == [0, -1]
    assert dataset.feature_names == ("C", "O")
    assert contains(dataset[0], dataset.ground_truths[0][0])


def test_second_time_comes_from_the_cache(monkeypatch):
    content = SMALL + b"g,1,CCC\n"
    first = solubility.from_table(content)

    def parse(smiles):
        raise AssertionError("read again")

    monkeypatch.setattr("protograph.molecules.reading.parse", parse)
    second = solubility.from_table(content)
    assert torch.equal(
        torch.cat([g.edge_index for g in first], dim=1), torch.cat([g.edge_index for g in second], dim=1)
    )


def test_without_rdkit(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(reading, "import_module", missing)
    message = r"^the data set 'solubility' needs RDKit; pip install 'protograph\[molecules\]'$"
    with pytest.raises(ImportError, match=message):
        datasets.load("solubility")
