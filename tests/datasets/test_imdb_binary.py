import re
import zipfile
from pathlib import Path

import pytest
import torch

from protograph import datasets
from protograph.datasets import imdb_binary
from tests.datasets.real_files import directed_edges, needs

REAL = needs(imdb_binary.ARCHIVE.relative)
SMALL = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n2\n",
    "graph_labels": "1\n0\n",
}


@pytest.fixture(scope="module")
def dataset():
    return datasets.load("IMDB-BINARY")


@REAL
def test_counts_are_those_of_the_collection(dataset):
    assert repr(dataset) == "GraphDataset('imdb-binary', 1000 graphs: 500 0, 500 1)"
    assert sum(graph.num_nodes for graph in dataset) == 19773
    edges = directed_edges(dataset)
    assert len(edges) == len(set(edges)) == 193062
    assert all(u != v for _, u, v in edges)
    assert {(number, v, u) for number, u, v in edges} == set(edges)


@REAL
def test_features_are_the_degrees(dataset):
    assert dataset.feature_names == ("degree",)
    for graph in dataset:
        assert graph.x.dtype == torch.float32
        assert torch.equal(graph.x[:, 0], torch.bincount(graph.edge_index[0], minlength=graph.num_nodes).float())
    # A circle is that of one actor, who played with all others.
    assert all(int(graph.x.max()) == graph.num_nodes - 1 for graph in dataset)


@REAL
def test_fewer_graphs_are_the_first(dataset):
    fewer = datasets.load("imdb-binary", num_graphs=5)
    assert len(fewer) == 5
    assert torch.equal(fewer[4].x, dataset[4].x)


def test_small_file_graph_by_graph():
    first, second = imdb_binary.from_texts({key: text.encode() for key, text in SMALL.items()}, Path("imdb"))
    assert first.x.tolist() == [[1], [2], [1]]
    assert second.x.tolist() == [[1], [1], [0]]
    assert second.edge_index.tolist() == [[0, 1], [1, 0]]
    assert [first.y.tolist(), second.y.tolist()] == [[1], [0]]


def test_the_collections_own_archive_is_read_where_ours_is_not_there(tmp_path):
    path = tmp_path / imdb_binary.PUBLIC.relative
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for ending, text in SMALL.items():
            archive.writestr(f"IMDB-BINARY/IMDB-BINARY_{ending}.txt", text)
    assert datasets.load("imdb-binary", tmp_path)[0].x.tolist() == [[1], [2], [1]]


def test_an_archive_of_other_texts(tmp_path):
    path = tmp_path / imdb_binary.ARCHIVE.relative
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("IMDB-BINARY/raw/IMDB-BINARY_A.txt", SMALL["A"])
    message = f"{path}: A must have the SHA-256 checksum {imdb_binary.SUMS['A']} when unpacked, got"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        datasets.load("imdb-binary", tmp_path)
