"""Every data set by its name: counts of the published files, what a graph has, facts and ground truths."""

import pickle
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
import torch
from rdkit import Chem
from scipy.sparse.csgraph import connected_components
from torch_geometric.data import Batch
from torch_geometric.utils import to_scipy_sparse_matrix

from protograph import datasets
from protograph.datasets import registry
from protograph.datasets.registry import SPECS
from protograph.datasets.spec import PaperCounts
from tests.datasets.real_files import contains, directed_edges, needs, typed, whole

FILES = {
    "bbbp": "bbbp/BBBP.csv.gz",
    "benzene": "benzene/benzene_smiles.csv.gz",
    "graph-sst2": "sst2/glue_train.tsv.gz",
    "imdb-binary": "imdb-binary/IMDB-BINARY_tu_raw.zip",
    "mnist-sp": "mnist/train-images-idx3-ubyte.gz",
    "mutagenicity": "mutagenicity/Mutagenicity_tu_raw.zip",
    "nci1": "nci1/NCI1_tu_raw.zip",
    "solubility": "solubility/delaney-processed.csv.gz",
}
GENERATED = ("ba-2motifs", "ba-grid", "ba-house")


class Facts(NamedTuple):
    nodes: int
    edges: int
    by_class: list[int]
    parts: int  # graphs in several parts
    truths: dict[int, int]


COUNTED = {
    "bbbp": Facts(49068, 2 * 52921, [479, 1560], 105, {}),
    "benzene": Facts(246993, 523842, [5999, 6001], 0, {1: 1}),
    "imdb-binary": Facts(19773, 193062, [500, 500], 0, {}),
    "mutagenicity": Facts(131488, 266894, [2401, 1936], 297, {0: 4}),
    "nci1": Facts(122747, 265506, [2053, 2057], 580, {}),
    "solubility": Facts(9445, 2 * 9735, [341, 367], 0, {0: 1, 1: 1}),
}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module", params=[pytest.param(name, marks=needs(FILES[name])) for name in COUNTED])
def dataset(request, cache):
    return whole(request.param)


def parts_of(dataset):
    """Number of connected parts of each graph."""
    batch = Batch.from_data_list(list(dataset))
    _, part = connected_components(to_scipy_sparse_matrix(batch.edge_index, num_nodes=batch.num_nodes))
    _, first = np.unique(part, return_index=True)
    return np.bincount(batch.batch[first])


def test_counts_are_the_published_ones(dataset):
    facts = COUNTED[dataset.name]
    assert sum(graph.num_nodes for graph in dataset) == facts.nodes
    assert torch.bincount(dataset.labels).tolist() == facts.by_class
    assert (parts_of(dataset) > 1).sum() == facts.parts
    assert {label: len(truths) for label, truths in dataset.ground_truths.items()} == facts.truths
    assert len(dataset) == SPECS[dataset.name].num_graphs
    assert len(dataset.class_names) == SPECS[dataset.name].num_classes


def test_edges_go_both_ways_with_equal_attributes(dataset):
    edges = directed_edges(dataset)
    kinds = [
        tuple(row)
        for graph in dataset
        for row in (graph.edge_attr if graph.edge_attr is not None else torch.zeros(graph.num_edges, 1)).tolist()
    ]
    kind_of = dict(zip(edges, kinds, strict=True))
    assert len(kind_of) == COUNTED[dataset.name].edges  # none is repeated
    assert all(u != v and kind == kind_of[number, v, u] for (number, u, v), kind in kind_of.items())


def test_types_batches_and_the_first_graphs(dataset):
    graphs = list(dataset[:40])
    for graph in graphs:
        graph.validate()
        assert graph.x.dtype == torch.float32
        assert (graph.y.shape, graph.y.dtype) == ((1,), torch.long)
        assert graph.edge_index.is_contiguous()
        assert len(pickle.dumps(graph)) < 40_000  # it does not carry the data set along
    if dataset.name != "imdb-binary":
        assert all(torch.equal(graph.x.sum(dim=1), torch.ones(graph.num_nodes)) for graph in graphs)
        assert len(dataset.colors) == len(dataset.feature_names) == graphs[0].x.shape[1]
    for graph, again in zip(graphs, Batch.from_data_list(graphs).to_data_list(), strict=True):
        assert all(torch.equal(graph[key], again[key]) for key in ("x", "edge_index", "y"))
    if dataset.name in ("benzene", "mutagenicity", "nci1"):
        return  # all is read for a few graphs too, which takes long
    fewer = datasets.load(dataset.name, num_graphs=7)
    assert len(fewer) == 7
    assert torch.equal(fewer[6].edge_index, dataset[6].edge_index)
    assert fewer.feature_names == dataset.feature_names
    with pytest.raises(ValueError, match=rf"num_graphs must be in \[1, {len(dataset)}\], got 0"):
        datasets.load(dataset.name, num_graphs=0)


ATOMS = {
    "benzene": {"C": 176589, "N": 31821, "O": 26982, "F": 5056, "S": 4484, "Cl": 1426, "Br": 530, "I": 61, "P": 44},
    "mutagenicity": {"C": 53856, "O": 10645, "Cl": 1312, "H": 58205, "N": 6006, "S": 654, "Li": 1, "Ca": 2},
    "nci1": {"C": 9760 + 41169 + 37147 + 2211, "F": 730, "Si": 30, "Br": 243, "label 8": 19},
    "solubility": {"C": 7127, "N": 493, "O": 1092, "S": 96, "P": 36, "F": 69, "Cl": 482, "Br": 42, "I": 8},
    "bbbp": {"C": 36596, "N": 4391, "O": 6254, "Cl": 618},
}
BONDS = {"benzene": [294998, 35138, 2516, 191190, 0], "mutagenicity": [221000, 45674, 220]}


def test_atoms_and_bonds_are_the_counted_ones(dataset):
    if dataset.name == "imdb-binary":
        assert dataset.feature_names == ("degree",)
        # A circle is that of one actor, who played with all others.
        assert all(int(graph.x.max()) == graph.num_nodes - 1 for graph in dataset)
        return
    atoms = sum(graph.x.sum(dim=0) for graph in dataset).long().tolist()
    counts = dict(zip(dataset.feature_names, atoms, strict=True))
    assert {name: counts[name] for name in ATOMS[dataset.name]} == ATOMS[dataset.name]
    if dataset.name in BONDS:
        assert sum(graph.edge_attr.sum(dim=0) for graph in dataset).tolist() == BONDS[dataset.name]


@needs(FILES["mutagenicity"])
def test_mutagenicity_marks_its_groups():
    dataset = whole("mutagenicity")
    nitro, amino, ring_nitro, ring_amino = dataset.ground_truths[0]
    for group, on_ring in ((nitro, ring_nitro), (amino, ring_amino)):
        assert contains(on_ring, group)
        assert [len(cycle) for cycle in nx.cycle_basis(typed(on_ring))] == [6]
    marked = [graph for graph in dataset if graph.edge_mask.any()]
    assert len(marked) > 1000
    assert {int(graph.y) for graph in marked} == {0, 1}
    for graph in marked[::40]:
        assert contains(graph, nitro) or contains(graph, amino)
        atoms = {dataset.feature_names[a] for a in graph.x[graph.edge_index[:, graph.edge_mask][0]].argmax(dim=1)}
        assert atoms <= {"N", "O", "H"}


@needs(FILES["benzene"])
def test_benzene_marks_the_atoms_of_rings():
    dataset = whole("benzene")
    assert all(bool(graph.node_mask.any()) == bool(graph.y == 1) for graph in dataset)
    assert {part: len(index) for part, index in dataset.splits.items()} == {"train": 10000, "test": 2000}
    (ring,) = dataset.ground_truths[1]
    assert all(contains(graph, ring) for graph in dataset[dataset.labels == 1][::100])
    for graph in dataset[:300]:  # every charge stands in brackets, as in [N+] or [O-]
        assert int((graph.charge == 1).sum()) == graph.smiles.count("+]")
        assert int((graph.charge == -1).sum()) == graph.smiles.count("-]")


@needs(FILES["solubility"])
def test_solubility_has_the_groups_that_decide():
    dataset = whole("solubility")
    ((fused,), (hydroxyl,)) = (dataset.ground_truths[label] for label in (0, 1))
    assert sorted(map(len, nx.minimum_cycle_basis(typed(fused)))) == [6, 6]

    def by_class(is_there):
        return [sum(is_there(graph) for graph in dataset[dataset.labels == label]) for label in (0, 1)]

    assert by_class(lambda graph: contains(graph, hydroxyl)) == [165, 262]
    assert by_class(lambda graph: contains(graph, fused)) == [89, 2]
    ring = Chem.MolFromSmarts("c1ccccc1")
    assert by_class(lambda graph: Chem.MolFromSmiles(graph.smiles).HasSubstructMatch(ring)) == [234, 94]


@pytest.mark.parametrize("name", ["benzene", "bbbp", "solubility"])
def test_rdkit_is_asked_for_before_a_download(name, monkeypatch, tmp_path):
    def missing(purpose):
        raise ImportError(f"{purpose} needs RDKit")

    monkeypatch.setattr("protograph.datasets.molecules.import_chem", missing)
    with pytest.raises(ImportError, match=rf"the data set '{name}' needs RDKit"):
        datasets.load(name, tmp_path)


# --- the registry ---


@pytest.mark.parametrize(
    "name", [*GENERATED, *(pytest.param(name, marks=needs(FILES[name])) for name in ("mnist-sp",))]
)
def test_other_names_load_a_data_set_of_that_name(name):
    dataset = datasets.load(name.upper().replace("-", "_"), num_graphs=3)
    assert dataset.name == name
    assert len(dataset) == 3
    assert "unknown" not in (dataset.licence, dataset.source)


def test_names_are_sorted():
    assert datasets.names() == tuple(sorted(SPECS)) == tuple(sorted([*GENERATED, *FILES]))


@pytest.mark.parametrize(("name", "hint"), [("ba-hose", "ba-house"), ("PROTEIN", "PROTEINS"), ("zzz", None)])
def test_unknown_names_list_the_names_and_the_closest(name, hint, no_data_folder):
    with pytest.raises(ValueError, match=rf"name must be one of .*ba-grid.* or a TUDataset, got '{name}'") as caught:
        datasets.load(name)
    assert (f"did you mean {hint!r}?" in str(caught.value)) == (hint is not None)


@pytest.mark.parametrize("name", ["../etc", "a/b", "", "..", "/etc/passwd", "x" * 300])
def test_a_name_is_never_a_path(name, tmp_path):
    assert not registry.is_known(name)
    with pytest.raises(ValueError, match=r"name must be one of"):
        datasets.load(name, tmp_path)


@pytest.mark.parametrize(("name", "why"), [("ba-house", "needs no files"), ("graph-sst2", "has no public source")])
def test_what_cannot_be_fetched(name, why, tmp_path):
    with pytest.raises(ValueError, match=rf"{name} {why}"):
        datasets.fetch(name, tmp_path)


@pytest.mark.parametrize(
    ("paper", "wanted"),
    [
        (PaperCounts(2, 4, 6, "directed"), "equal"),
        (PaperCounts(2, 4, 7, "directed"), "different"),
        (PaperCounts(2, 4, 7, "directed", 0.2, "chance"), "explained"),
        (PaperCounts(3, 4, 6, "directed", 0.9, "chance"), "different"),
    ],
)
def test_verdicts(paper, wanted):
    assert paper.verdict((2, 4, 6)) == wanted


@pytest.mark.parametrize(
    ("counting", "edges"), [("directed", 6), ("undirected", 3), ("undirected, training graphs only", 2)]
)
def test_edges_as_the_paper_counts_them(counting, edges):
    pair = torch.tensor([[0, 1], [1, 0]])
    loops = torch.cat([pair, torch.tensor([[0, 1], [0, 1]])], dim=1)
    graphs = [datasets.dataset.Data(edge_index=index, num_nodes=2, y=torch.tensor([0])) for index in (pair, loops)]
    splits = {"train": torch.tensor([1]), "test": torch.tensor([0])}
    dataset = datasets.GraphDataset(graphs=graphs, name="mine", class_names=("a", "b"), splits=splits)
    assert PaperCounts(2, 4, edges, counting).count(dataset, lambda *call: None) == (2, 4, edges)
