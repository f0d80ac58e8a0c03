import gzip
import hashlib
import pickle
import re
import zipfile
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
import torch
from torch_geometric.data import Batch

from protograph import datasets
from protograph.datasets import mutagenicity
from tests.datasets.real_files import contains, directed_edges, find, needs, typed

REAL = needs(mutagenicity.ARCHIVE.relative)

# Two molecules: N bonded to two O, and C bonded to H beside a lone Na. The edges of the second come first.
SMALL = {
    "A": "4, 5\n5, 4\n1, 2\n2, 1\n1, 3\n3, 1\n",
    "graph_indicator": "1\n1\n1\n2\n2\n2\n",
    "graph_labels": "0\n1\n",
    "node_labels": "4\n1\n1\n0\n3\n10\n",
    "edge_labels": "2\n2\n1\n1\n0\n0\n",
    "edge_gt": "0\n0\n1\n1\n1\n1\n",
}


@pytest.fixture(scope="module")
def dataset():
    return datasets.load("mutagenicity")


def read(**changes):
    """The data set of the small texts, some of them changed."""
    texts = {ending: text.encode() for ending, text in (SMALL | changes).items()}
    return mutagenicity.from_texts(texts, Path("mutagenicity"))


@REAL
def test_counts_are_those_of_the_paper(dataset):
    assert len(dataset) == 4337
    assert sum(graph.num_nodes for graph in dataset) == 131488
    assert sum(graph.num_edges for graph in dataset) == 266894
    assert torch.bincount(dataset.labels).tolist() == [2401, 1936]
    sizes = [graph.num_nodes for graph in dataset]
    assert (min(sizes), max(sizes)) == (4, 417)


@REAL
def test_atoms_and_bonds_are_the_counted_ones(dataset):
    atoms = sum(graph.x.sum(dim=0) for graph in dataset).long().tolist()
    assert dict(zip(dataset.feature_names, atoms, strict=True)) == {
        "C": 53856, "O": 10645, "Cl": 1312, "H": 58205, "N": 6006, "F": 240, "Br": 299,
        "S": 654, "P": 119, "I": 23, "Na": 112, "K": 14, "Li": 1, "Ca": 2,
    }  # fmt: skip
    assert sum(graph.edge_attr.sum(dim=0) for graph in dataset).tolist() == [221000, 45674, 220]


@REAL
def test_names_are_those_of_the_readme_in_the_file(dataset):
    path = find(mutagenicity.ARCHIVE.relative)
    with zipfile.ZipFile(path) as archive:
        readme = archive.read("Mutagenicity/raw/Mutagenicity_label_readme.txt").decode()
    pairs = re.findall(r"^\t(\d+)\t(\w+)$", readme, flags=re.MULTILINE)
    atoms, bonds, classes = pairs[:14], pairs[14:17], pairs[17:]
    assert [name for _, name in atoms] == list(dataset.feature_names)
    assert bonds == [("0", "1"), ("1", "2"), ("2", "3")]
    assert [name for _, name in classes] == list(dataset.class_names)


@REAL
def test_edges_go_both_ways_with_equal_bond_and_mark(dataset):
    edges = directed_edges(dataset)
    kinds = torch.cat([torch.stack([g.edge_attr.argmax(dim=1), g.edge_mask.long()], dim=1) for g in dataset])
    kind_of = dict(zip(edges, kinds.tolist(), strict=True))
    assert len(kind_of) == 266894  # none is repeated
    assert all(kind == kind_of[number, v, u] for (number, u, v), kind in kind_of.items())
    assert all(u != v for _, u, v in edges)


@REAL
def test_parts_and_lone_atoms_are_kept(dataset):
    plain = [typed(graph) for graph in dataset]
    assert sum(not nx.is_connected(graph) for graph in plain) == 297
    assert sum(any(degree == 0 for _, degree in graph.degree) for graph in plain) == 121


@REAL
def test_marked_edges_are_the_counted_ones(dataset):
    marked = [graph for graph in dataset if graph.edge_mask.any()]
    assert sum(int(graph.edge_mask.sum()) for graph in marked) == 7352
    assert Counter(int(graph.y) for graph in marked) == {0: 1015, 1: 341}


@REAL
def test_types_and_shapes(dataset):
    for graph in dataset[:50]:
        assert graph.x.dtype == graph.edge_attr.dtype == torch.float32
        assert torch.equal(graph.x.sum(dim=1), torch.ones(graph.num_nodes))
        assert torch.equal(graph.edge_attr.sum(dim=1), torch.ones(graph.num_edges))
        assert graph.edge_mask.shape == (graph.num_edges,)
        assert graph.edge_mask.dtype == torch.bool
        assert (graph.y.shape, graph.y.dtype) == ((1,), torch.long)
        assert graph.edge_index.is_contiguous()
        graph.validate()


@REAL
def test_ground_truths_occur_more_often_in_mutagens(dataset):
    shares = []
    for truth in dataset.ground_truths[0]:
        counts = Counter(int(graph.y) for graph in dataset[::20] if contains(graph, truth))
        shares.append((counts[0], counts[1]))
    assert len(shares) == 4
    assert all(mutagens > others > 0 for mutagens, others in shares[:2])
    assert all(mutagens > others for mutagens, others in shares[2:])


@REAL
def test_groups_are_the_counted_ones(dataset):
    nitro, amino = Counter(), Counter()
    for graph in dataset:
        atoms, (u, v) = graph.x.argmax(dim=1), graph.edge_index
        is_end = torch.bincount(v, minlength=graph.num_nodes) == 1
        pairs = {"O": is_end[v], "H": torch.ones_like(graph.edge_mask)}
        for atom, counts in (("O", nitro), ("H", amino)):
            bonded = (atoms[u] == 4) & (atoms[v] == dataset.feature_names.index(atom)) & pairs[atom]
            counts[int(graph.y)] += int((torch.bincount(u[bonded], minlength=1) >= 2).any())
    assert nitro == {0: 597, 1: 104}
    assert amino == {0: 502, 1: 254}


@REAL
def test_graphs_can_be_batched_and_taken_apart(dataset):
    batch = Batch.from_data_list(dataset[:64])
    assert batch.num_nodes == sum(graph.num_nodes for graph in dataset[:64])
    for graph, again in zip(dataset[:64], batch.to_data_list(), strict=True):
        assert all(torch.equal(graph[key], again[key]) for key in graph.to_dict())


@REAL
def test_a_graph_does_not_carry_the_data_set_along(dataset):
    assert len(pickle.dumps(dataset[0])) < 20_000


@REAL
def test_fewer_graphs_are_the_first(dataset):
    fewer = datasets.load("mutagenicity", num_graphs=7)
    assert len(fewer) == 7
    assert torch.equal(fewer[6].edge_index, dataset[6].edge_index)
    with pytest.raises(ValueError, match=r"^num_graphs must be in \[1, 4337\], got 4338$"):
        datasets.load("mutagenicity", num_graphs=4338)


@REAL
def test_facts(dataset):
    assert dataset.hidden == (32, 32, 32)
    assert dataset.class_names == ("mutagen", "nonmutagen")
    assert len(set(dataset.colors)) == 14
    assert set(dataset.ground_truths) == {0}


def test_small_file_graph_by_graph():
    first, second = read()
    assert first.x.argmax(dim=1).tolist() == [4, 1, 1]
    assert first.edge_index.tolist() == [[0, 1, 0, 2], [1, 0, 2, 0]]
    assert first.edge_attr.tolist() == [[0, 1, 0], [0, 1, 0], [1, 0, 0], [1, 0, 0]]
    assert first.edge_mask.tolist() == [True] * 4
    assert second.x.argmax(dim=1).tolist() == [0, 3, 10]
    assert second.edge_index.tolist() == [[0, 1], [1, 0]]
    assert second.edge_attr.tolist() == [[0, 0, 1]] * 2
    assert second.edge_mask.tolist() == [False] * 2
    assert [first.y.tolist(), second.y.tolist()] == [[0], [1]]


def test_ground_truths_are_the_groups_alone_and_on_a_ring():
    dataset = read()
    nitro, amino, ring_nitro, ring_amino = dataset.ground_truths[0]
    names = [[dataset.feature_names[atom] for atom in g.x.argmax(dim=1)] for g in dataset.ground_truths[0]]
    assert names[:2] == [["N", "O", "O"], ["N", "H", "H"]]
    assert names[2:] == [["C"] * 6 + ["N", "O", "O"], ["C"] * 6 + ["N", "H", "H"]]
    assert [g.num_edges for g in (nitro, amino, ring_nitro, ring_amino)] == [4, 4, 18, 18]
    for group, whole in ((nitro, ring_nitro), (amino, ring_amino)):
        assert contains(whole, group)
        assert sorted(degree for _, degree in typed(whole).degree) == [1, 1, 2, 2, 2, 2, 2, 3, 3]
        assert [len(cycle) for cycle in nx.cycle_basis(typed(whole))] == [6]
    assert contains(dataset[0], nitro)
    assert not contains(dataset[0], amino)


def test_an_archive_of_other_texts(tmp_path):
    path = tmp_path / mutagenicity.ARCHIVE.relative
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Mutagenicity/raw/Mutagenicity_A.txt", SMALL["A"])
    got = hashlib.sha256(SMALL["A"].encode()).hexdigest()
    wanted = "ae85e22b4b898ebd819d2ed3adc8f06a7bf1cda746b333086472d19b36711145"
    message = f"{path}: A must have the SHA-256 checksum {wanted} when unpacked, got {got}; get the file again"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        datasets.load("mutagenicity", tmp_path)


@REAL
def test_an_archive_that_lacks_a_text(tmp_path):
    path = tmp_path / mutagenicity.ARCHIVE.relative
    path.parent.mkdir()
    with zipfile.ZipFile(find(mutagenicity.ARCHIVE.relative)) as whole, zipfile.ZipFile(path, "w") as archive:
        for name in whole.namelist():
            if not name.endswith("_edge_gt.txt"):
                archive.writestr(name, whole.read(name))
    with pytest.raises(
        ValueError, match=f"^{re.escape(str(path))}: the text edge_gt is missing; get the data set again$"
    ):
        datasets.load("mutagenicity", tmp_path)


@REAL
def test_texts_beside_each_other_give_the_same(dataset, tmp_path):
    with zipfile.ZipFile(find(mutagenicity.ARCHIVE.relative)) as archive:
        for ending, file in mutagenicity.TEXTS.items():
            path = tmp_path / f"{file.relative}.gz"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(gzip.compress(archive.read(f"Mutagenicity/raw/Mutagenicity_{ending}.txt"), 1))
    for one, other in zip(datasets.load("mutagenicity", tmp_path, num_graphs=9), dataset, strict=False):
        assert all(torch.equal(one[key], other[key]) for key in other.to_dict())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"node_labels": "4\n1\n1\n0\n3\n14\n"}, r"^node_labels must be in \[0, 14\), got 14$"),
        ({"edge_labels": "3\n" * 6}, r"^edge_labels must be in \[0, 3\), got 3$"),
    ],
)
def test_labels_without_a_name(changes, message):
    with pytest.raises(ValueError, match=message):
        read(**changes)
