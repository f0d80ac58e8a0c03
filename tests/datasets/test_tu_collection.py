import re
import zipfile

import pytest
import torch
from torch_geometric.datasets import TUDataset

from protograph import datasets
from protograph.datasets import mutagenicity, tu_collection
from tests.datasets.file_server import serving
from tests.datasets.real_files import find, needs

# A path of three nodes, and two nodes that are joined; a repeated edge and a self-loop, which PyG leaves out.
TEXTS = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n1, 2\n4, 5\n5, 4\n5, 5\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "-1\n1\n",
    "node_labels": "3\n4\n3\n5\n5\n",
    "edge_labels": "0\n0\n1\n1\n0\n1\n1\n1\n",
    "node_attributes": "0.5, 1\n0.5, 2\n0.5, 3\n0.5, 4\n0.5, 5\n",
}


def write(root, name="Small", **changes):
    folder = root / name / "raw"
    folder.mkdir(parents=True, exist_ok=True)
    for ending, text in (TEXTS | changes).items():
        if text is not None:
            (folder / f"{name}_{ending}.txt").write_text(text)
    return folder


def assert_same(ours, theirs):
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.num_nodes == other.num_nodes
        for key in ("x", "edge_index", "edge_attr", "y"):
            assert (one.get(key) is None) == (other.get(key) is None), key
            assert one.get(key) is None or torch.equal(one[key], other[key]), key


@pytest.mark.parametrize(
    "left_out", [(), ("node_labels", "node_attributes"), ("edge_labels",), ("node_attributes",)], ids=str
)
def test_same_as_pyg(tmp_path, left_out):
    write(tmp_path, **dict.fromkeys(left_out))
    assert_same(datasets.load("Small", tmp_path), TUDataset(tmp_path, "Small"))


def test_attributes_where_there_are_no_labels(tmp_path):
    write(tmp_path, node_labels=None)
    dataset = datasets.load("Small", tmp_path)
    assert_same(dataset, TUDataset(tmp_path, "Small", use_node_attr=True))
    assert dataset.feature_names == ()


@needs(mutagenicity.ARCHIVE.relative)
def test_real_collection_same_as_pyg(tmp_path):
    with zipfile.ZipFile(find(mutagenicity.ARCHIVE.relative)) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "Mutagenicity").rename(tmp_path / "Mine")
    for path in list((tmp_path / "Mine" / "raw").iterdir()):
        path.rename(path.with_name(path.name.replace("Mutagenicity", "Mine")))
    dataset = datasets.load("Mine", tmp_path)
    assert_same(dataset, TUDataset(tmp_path, "Mine"))
    # Names from the collection's own readme.
    assert dataset.feature_names == mutagenicity.ATOM_NAMES
    assert dataset.class_names == mutagenicity.CLASS_NAMES
    assert len(dataset.colors) == 14


def test_names_without_a_readme(tmp_path):
    write(tmp_path)
    dataset = datasets.load("Small", tmp_path)
    assert dataset.class_names == ("-1", "1")
    assert dataset.feature_names == ("label 3", "label 4", "label 5")
    assert dataset.colors == ()
    assert dataset.edge_names == ("label 0", "label 1")


def test_fewer_graphs_are_the_first(tmp_path):
    write(tmp_path)
    (graph,) = datasets.load("Small", tmp_path, num_graphs=1)
    assert graph.num_nodes == 3


def test_changed_content_is_not_taken_from_the_cache(tmp_path):
    write(tmp_path)
    assert datasets.load("Small", tmp_path).labels.tolist() == [0, 1]
    write(tmp_path, graph_labels="1\n-1\n")
    assert datasets.load("Small", tmp_path).labels.tolist() == [1, 0]


def test_archive_of_the_collection(tmp_path):
    path = tmp_path / "tu" / "PROTEINS.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for ending, text in TEXTS.items():
            archive.writestr(f"PROTEINS/PROTEINS_{ending}.txt", text)
    write(tmp_path)
    assert_same(datasets.load("proteins", tmp_path), datasets.load("Small", tmp_path))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} cannot be read .* damaged"):
        datasets.load("PROTEINS", tmp_path)


def test_downloaded_where_no_folder_is_named(tmp_path, monkeypatch, no_data_folder):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
        for ending, text in TEXTS.items():
            archive.writestr(f"ENZYMES/ENZYMES_{ending}.txt", text)
    with serving((tmp_path / "made.zip").read_bytes()) as server:
        monkeypatch.setattr(TUDataset, "url", server.url)
        assert datasets.load("ENZYMES").labels.tolist() == [0, 1]
        assert datasets.load("ENZYMES").labels.tolist() == [0, 1]
        assert len(server.requests) == 1


def test_missing_in_the_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^tu/PROTEINS.zip was looked for in .*datasets fetch"):
        datasets.load("PROTEINS", tmp_path)


@pytest.mark.parametrize("last", ["", "5, 5\n"], ids=["no edge", "only a self-loop"])
def test_last_graph_without_an_edge(tmp_path, last):
    texts = {
        "A": f"1, 2\n2, 1\n3, 4\n4, 3\n{last}",
        "graph_indicator": "1\n1\n2\n2\n3\n\n",  # and a blank line at the end
        "graph_labels": "0\n1\n1\n",
        "node_labels": "0\n1\n0\n1\n0\n",
    }
    write(tmp_path, **(dict.fromkeys(TEXTS) | texts))
    dataset = datasets.load("Small", tmp_path)
    assert [graph.num_edges for graph in dataset] == [2, 2, 0]
    assert [graph.num_nodes for graph in dataset] == [2, 2, 1]


def test_spelling():
    assert tu_collection.find("imdb_binary").name == "IMDB-BINARY"
    assert tu_collection.find("small") is None
    assert len(set(map(str.lower, tu_collection.NAMES))) == len(tu_collection.NAMES)
