import hashlib
import re
import zipfile
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
import torch

from protograph import datasets
from protograph.datasets import nci1
from tests.datasets.real_files import directed_edges, needs, typed

REAL = needs(nci1.ARCHIVE.relative)
SMALL = {
    "A": "1, 2\n2, 1\n3, 4\n4, 3\n",
    "graph_indicator": "1\n1\n2\n2\n2\n",
    "graph_labels": "0\n1\n",
    "node_labels": "3\n1\n3\n22\n5\n",
}


def read(**changes):
    texts = {ending: text.encode() for ending, text in (SMALL | changes).items()}
    return nci1.from_texts(texts, Path("nci1"))


@pytest.fixture(scope="module")
def dataset():
    return datasets.load("NCI1")


@REAL
def test_counts_are_those_of_the_collection(dataset):
    assert repr(dataset) == "GraphDataset('nci1', 4110 graphs: 2053 inactive, 2057 active)"
    assert sum(graph.num_nodes for graph in dataset) == 122747
    edges = directed_edges(dataset)
    assert len(edges) == len(set(edges)) == 265506
    assert all(u != v for _, u, v in edges)
    assert {(number, v, u) for number, u, v in edges} == set(edges)


@REAL
def test_named_atoms_have_the_neighbours_that_their_names_ask_for(dataset):
    degrees = {name: Counter() for name in dataset.feature_names}
    for graph in dataset:
        counts = torch.bincount(graph.edge_index[0], minlength=graph.num_nodes).tolist()
        for atom, degree in zip(graph.x.argmax(dim=1).tolist(), counts, strict=True):
            degrees[dataset.feature_names[atom]][degree] += 1
    assert degrees["C"] == {1: 9760, 2: 41169, 3: 37147, 4: 2211}
    assert degrees["O"] == {0: 16, 1: 11750, 2: 6501}
    assert degrees["F"] == {1: 730}
    assert degrees["Br"] == {0: 21, 1: 222}
    assert degrees["Si"] == {4: 30}
    assert degrees["label 8"] == {0: 19}
    assert len(degrees) == 37


@REAL
def test_parts_are_kept(dataset):
    assert sum(not nx.is_connected(typed(graph)) for graph in dataset) == 580


@REAL
def test_fewer_graphs_are_the_first(dataset):
    fewer = datasets.load("nci1", num_graphs=7)
    assert len(fewer) == 7
    assert torch.equal(fewer[6].edge_index, dataset[6].edge_index)


def test_small_file_graph_by_graph():
    first, second = read()
    assert [nci1.ATOM_NAMES[atom] for graph in (first, second) for atom in graph.x.argmax(dim=1)] == [
        *("C", "O"),
        *("C", "Si", "Cl"),
    ]
    assert first.edge_index.tolist() == second.edge_index.tolist() == [[0, 1], [1, 0]]
    assert [first.y.tolist(), second.y.tolist()] == [[0], [1]]
    assert first.edge_attr is None


def test_a_label_that_no_atom_has():
    with pytest.raises(ValueError, match=r"^node_labels less 1 must be in \[0, 37\), got 37$"):
        read(node_labels="3\n1\n3\n38\n5\n")


def test_an_archive_of_other_texts(tmp_path):
    path = tmp_path / nci1.ARCHIVE.relative
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("NCI1/raw/NCI1_A.txt", SMALL["A"])
    got, wanted = hashlib.sha256(SMALL["A"].encode()).hexdigest(), nci1.TEXTS["A"].sha256
    message = f"{path}: A must have the SHA-256 checksum {wanted} when unpacked, got {got}; get the file again"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        datasets.load("nci1", tmp_path)
