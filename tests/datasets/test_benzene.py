import pickle
from collections import Counter

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch

from protograph import datasets
from protograph.datasets import benzene
from protograph.molecules import reading
from tests.datasets.real_files import contains, directed_edges, find, needs, typed

REAL = needs(f"{benzene.FILE.relative}.gz")
# The published graphs and attributions, read where RDKit is not installed.
PUBLISHED = "benzene/benzene_graphs.npz"


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def dataset():
    return datasets.load("benzene")


@REAL
def test_counts_are_those_of_the_paper(dataset):
    assert len(dataset) == 12000
    assert sum(graph.num_nodes for graph in dataset) == 246993
    assert sum(graph.num_edges for graph in dataset) == 523842
    assert torch.bincount(dataset.labels).tolist() == [5999, 6001]


@REAL
def test_atoms_are_the_counted_ones(dataset):
    atoms = sum(graph.x.sum(dim=0) for graph in dataset).long().tolist()
    assert {name: count for name, count in zip(dataset.feature_names, atoms, strict=True) if count} == {
        "C": 176589, "N": 31821, "O": 26982, "F": 5056, "S": 4484, "Cl": 1426, "Br": 530, "I": 61, "P": 44,
    }  # fmt: skip
    assert sum(graph.edge_attr.sum(dim=0) for graph in dataset).tolist() == [294998, 35138, 2516, 191190, 0]


@REAL
def test_edges_go_both_ways_with_equal_bonds(dataset):
    edges = directed_edges(dataset)
    bonds = torch.cat([graph.edge_attr.argmax(dim=1) for graph in dataset]).tolist()
    bond_of = dict(zip(edges, bonds, strict=True))
    assert len(bond_of) == 523842  # none is repeated
    assert all(bond == bond_of[number, v, u] for (number, u, v), bond in bond_of.items())
    assert all(u != v for _, u, v in edges)


@REAL
def test_attributions_are_there_exactly_for_class_1(dataset):
    assert all(bool(graph.attributions.any()) == bool(graph.y == 1) for graph in dataset)
    assert all(torch.equal(graph.node_mask, graph.attributions.any(dim=1)) for graph in dataset)


@REAL
def test_attributions_are_all_unions_of_rings(dataset):
    widths = Counter(int(graph.attributions.any(dim=0).sum()) for graph in dataset)
    rings = {0: 5999, 1: 3982, 2: 1855, 3: 161, 4: 3}
    assert widths == {2**num - 1: count for num, count in rings.items()}


@REAL
@needs(PUBLISHED)
def test_graphs_and_attributions_are_the_published_ones(dataset):
    with np.load(find(PUBLISHED), allow_pickle=False) as file:
        content = {name: file[name] for name in file.files}
    assert dataset.feature_names == tuple(content["atom_types"].tolist())
    assert dataset.edge_names == tuple(name.lower() for name in content["bond_types"].tolist())
    assert dataset.labels.tolist() == content["y"].tolist()
    graphs = list(dataset)
    assert torch.cat([graph.x.argmax(dim=1) for graph in graphs]).tolist() == content["atom"].tolist()
    assert torch.cat([graph.edge_attr.argmax(dim=1) for graph in graphs]).tolist() == content["bond"].tolist()
    edges = torch.cat([graph.edge_index for graph in graphs], dim=1)
    assert edges.tolist() == [content["senders"].tolist(), content["receivers"].tolist()]
    for number in (*range(0, 12000, 97), *np.flatnonzero(content["att_k"] == 15).tolist()):
        graph, width = graphs[number], content["att_k"][number]
        att = content["att"][content["att_ptr"][number] : content["att_ptr"][number + 1]]
        assert np.array_equal(graph.attributions[:, :width].numpy(), att.reshape(graph.num_nodes, width) == 1)
        assert not graph.attributions[:, width:].any()


@REAL
def test_marked_atoms_are_rings_of_aromatic_carbons(dataset):
    for graph in dataset[dataset.labels == 1][::200]:
        smallest = graph.attributions.sum(dim=0)[graph.attributions.any(dim=0)].min()
        assert smallest == 6
        assert (graph.x[graph.node_mask].argmax(dim=1) == 0).all()
        for column in graph.attributions.T[graph.attributions.sum(dim=0) == 6]:
            ring = graph.subgraph(column)
            assert nx.is_isomorphic(typed(ring), nx.cycle_graph(6))
            assert (ring.edge_attr.argmax(dim=1) == 3).all()


@REAL
def test_ground_truth_occurs_in_every_graph_of_class_1(dataset):
    (ring,) = dataset.ground_truths[1]
    counts = Counter((int(graph.y), contains(graph, ring)) for graph in dataset[::60])
    assert counts[1, True] == int((dataset[::60].labels == 1).sum())
    # A ring of six carbons that is not aromatic is no benzene.
    assert counts[0, True] < counts[0, False] / 4


@REAL
def test_splits_are_the_published_ones(dataset):
    assert dataset.splits["train"].tolist() == list(range(10000))
    assert dataset.splits["test"].tolist() == list(range(10000, 12000))
    assert len(dataset[dataset.splits["test"]]) == 2000


@REAL
def test_types_and_shapes(dataset):
    for graph in dataset[:50]:
        assert graph.x.dtype == graph.edge_attr.dtype == torch.float32
        assert torch.equal(graph.x.sum(dim=1), torch.ones(graph.num_nodes))
        assert torch.equal(graph.edge_attr.sum(dim=1), torch.ones(graph.num_edges))
        assert graph.attributions.shape == (graph.num_nodes, 15)
        assert graph.attributions.dtype == graph.node_mask.dtype == torch.bool
        assert (graph.y.shape, graph.y.dtype) == ((1,), torch.long)
        assert graph.edge_index.is_contiguous()
        graph.validate()


@REAL
def test_graphs_can_be_batched_and_taken_apart(dataset):
    graphs = dataset[:64]
    assert len({int(graph.attributions.any(dim=0).sum()) for graph in graphs}) > 2
    for graph, again in zip(graphs, Batch.from_data_list(graphs).to_data_list(), strict=True):
        assert graph.smiles == again.smiles
        assert all(torch.equal(graph[key], again[key]) for key in graph.to_dict() if key != "smiles")


@REAL
def test_a_graph_does_not_carry_the_data_set_along(dataset):
    assert len(pickle.dumps(dataset[0])) < 20_000


@REAL
def test_fewer_graphs_are_the_first(dataset):
    fewer = datasets.load("benzene", num_graphs=7)
    assert len(fewer) == 7
    assert {part: len(index) for part, index in fewer.splits.items()} == {"train": 7, "test": 0}
    assert torch.equal(fewer[6].attributions, dataset[6].attributions)
    with pytest.raises(ValueError, match=r"^num_graphs must be in \[1, 12000\], got 0$"):
        datasets.load("benzene", num_graphs=0)


@REAL
def test_facts(dataset):
    assert dataset.hidden == (32, 32, 32)
    assert dataset.class_names == ("no benzene", "benzene")
    assert len(set(dataset.colors)) == 14
    assert dataset.edge_names == ("single", "double", "triple", "aromatic", "unspecified")
    assert set(dataset.ground_truths) == {1}
    (ring,) = dataset.ground_truths[1]
    assert ring.x.argmax(dim=1).tolist() == [dataset.feature_names.index("C")] * 6


@REAL
def test_charges_are_those_of_the_smiles(dataset):
    for graph in dataset[:300]:
        # Every charge stands in brackets, as in [N+] or [O-].
        assert int((graph.charge == 1).sum()) == graph.smiles.count("+]")
        assert int((graph.charge == -1).sum()) == graph.smiles.count("-]")


def test_small_table():
    smiles = ("c1ccc2ccccc2c1", "C[NH3+]", "Clc1ccccc1")
    fused, charged, single = benzene.from_arrays(benzene.make_arrays(smiles), smiles, (1, 0, 1))
    assert fused.attributions.sum(dim=0).tolist() == [6, 6, 10]
    assert not charged.attributions.any()
    assert charged.charge.tolist() == [0, 1]
    assert single.node_mask.tolist() == [False] + [True] * 6
    assert single.x.argmax(dim=1).tolist() == [benzene.ATOM_TYPES.index("Cl")] + [0] * 6
    assert [graph.smiles for graph in (fused, charged, single)] == list(smiles)
    assert [int(graph.y) for graph in (fused, charged, single)] == [1, 0, 1]


def test_no_molecule_has_a_ring():
    (graph,) = benzene.from_arrays(benzene.make_arrays(["CO"]), ["CO"], [0])
    assert graph.attributions.shape == (2, 0)
    assert graph.node_mask.tolist() == [False, False]


def test_rdkit_is_asked_for_before_a_download(monkeypatch, tmp_path):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(reading, "import_module", missing)
    message = r"^the data set 'benzene' needs RDKit; pip install 'protograph\[molecules\]'$"
    with pytest.raises(ImportError, match=message):
        datasets.load("benzene", tmp_path)


def test_folder_without_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^benzene/benzene_smiles\.csv was looked for in "):
        datasets.load("benzene", tmp_path)


@REAL
@needs(PUBLISHED)
def test_without_rdkit_the_file_of_arrays_gives_the_same_graphs(dataset, monkeypatch):

    def missing(purpose):
        raise ImportError(f"{purpose} needs RDKit; pip install 'protograph[molecules]'")

    monkeypatch.setattr(benzene, "import_chem", missing)
    plain = datasets.load("benzene")
    assert "charge" not in plain[0]
    for ours, theirs in zip(dataset, plain, strict=True):
        for name in ("x", "edge_index", "edge_attr", "y", "attributions", "node_mask"):
            assert torch.equal(ours[name], theirs[name])
        assert ours.smiles == theirs.smiles
