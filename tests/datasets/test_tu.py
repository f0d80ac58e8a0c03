"""Data sets of TU Dortmund's collection: the graphs of PyG's ``TUDataset``, and clear words for damaged texts."""

import hashlib
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch_geometric.datasets import TUDataset

from protograph import datasets
from protograph.datasets import tu
from protograph.datasets.tu import MUTAGENICITY_ATOMS, parse, read_texts
from tests.datasets.file_server import serving
from tests.datasets.real_files import find, needs

# A path of three nodes, and two nodes that are joined; a repeated edge and a self-loop, which PyG leaves out.
SMALL = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n1, 2\n4, 5\n5, 4\n5, 5\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "-1\n1\n",
    "node_labels": "3\n4\n3\n5\n5\n",
    "edge_labels": "0\n0\n1\n1\n0\n1\n1\n1\n",
    "node_attributes": "0.5, 1\n0.5, 2\n0.5, 3\n0.5, 4\n0.5, 5\n",
}
MUTAGENICITY = "mutagenicity/Mutagenicity_tu_raw.zip"


def write(root, name="Small", **changes):
    folder = root / name / "raw"
    folder.mkdir(parents=True, exist_ok=True)
    for ending, text in (SMALL | changes).items():
        if text is not None:
            (folder / f"{name}_{ending}.txt").write_text(text)
    return folder


def archive(path, name="Small", **changes):
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for ending, text in (SMALL | changes).items():
            file.writestr(f"{name}/raw/{name}_{ending}.txt", text)
        file.writestr(f"{name}/raw/{name}_other.txt", bytes(3 << 20))  # what is not read is not unpacked
    return path


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


def first_graphs(count):
    """The texts of Mutagenicity by their endings, of so many graphs; the first node is of the last kind of atom."""
    texts = read_texts(find(MUTAGENICITY), "Mutagenicity")
    texts["node_labels"] = b"13" + texts["node_labels"][1:]
    graph_of = texts["graph_indicator"].split()
    nodes = sum(int(number) <= count for number in graph_of)
    edges = sum(int(line.partition(b",")[0]) <= nodes for line in texts["A"].splitlines())
    lines = {"graph_labels": count, **dict.fromkeys(("node_labels", "graph_indicator"), nodes)}
    return {
        ending: text if ending == tu.README else b"".join(text.splitlines(keepends=True)[: lines.get(ending, edges)])
        for ending, text in texts.items()
    }


@needs(MUTAGENICITY)
def test_real_collection_same_as_pyg(tmp_path):
    (tmp_path / "Mine" / "raw").mkdir(parents=True)
    for ending, text in first_graphs(300).items():
        (tmp_path / "Mine" / "raw" / f"Mine_{ending}.txt").write_bytes(text)
    dataset = datasets.load("Mine", tmp_path)
    assert_same(dataset, TUDataset(tmp_path, "Mine"))
    # Names from the collection's own readme.
    assert dataset.feature_names == MUTAGENICITY_ATOMS
    assert dataset.class_names == ("mutagen", "nonmutagen")
    assert len(dataset.colors) == 14


def test_names_without_a_readme_and_the_first_graphs(tmp_path):
    write(tmp_path)
    dataset = datasets.load("Small", tmp_path)
    assert dataset.class_names == ("-1", "1")
    assert dataset.feature_names == ("label 3", "label 4", "label 5")
    assert dataset.colors == ()
    assert dataset.edge_names == ("label 0", "label 1")
    (graph,) = datasets.load("Small", tmp_path, num_graphs=1)
    assert graph.num_nodes == 3
    write(tmp_path, graph_labels="1\n-1\n")
    assert datasets.load("Small", tmp_path).labels.tolist() == [1, 0]


@pytest.mark.parametrize("last", ["", "5, 5\n"], ids=["no edge", "only a self-loop"])
def test_last_graph_without_an_edge(tmp_path, last):
    texts = {
        "A": f"1, 2\n2, 1\n\n3, 4\n4, 3\n{last}",  # and a blank line
        "graph_indicator": "1\n1\n2\n2\n3\n\n",
        "graph_labels": "0\n1\n1",
        "node_labels": "0\n1\n0\n1\n0\n",
    }
    write(tmp_path, **(dict.fromkeys(SMALL) | texts))
    dataset = datasets.load("Small", tmp_path)
    assert [graph.num_edges for graph in dataset] == [2, 2, 0]
    assert [graph.num_nodes for graph in dataset] == [2, 2, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"node_labels": "3\n4\n"}, "node_labels must have as many lines as graph_indicator, 5, got 2"),
        ({"edge_labels": "0\n"}, "edge_labels must have as many lines as A, 8, got 1"),
        ({"graph_labels": "0\n1\n0\n"}, "graph_indicator must name the 3 graphs .* in order, got 2 from 1 to 2"),
        ({"graph_indicator": "1\n1\n2\n1\n2\n"}, "graph_indicator must name the 2 graphs .* got 2 from 1 to 2"),
        ({"A": SMALL["A"].replace("5", "6")}, "A must have two nodes from 1 to 5 a line, got 2 from 1 to 6"),
        ({"A": SMALL["A"].replace("3", "0")}, "A must have two nodes from 1 to 5 a line, got 2 from 0 to 5"),
        ({"A": SMALL["A"].replace("4, 5", "3, 5")}, "A must join nodes of one graph, got two graphs in line 6"),
        ({"A": SMALL["A"].replace("4, 5", "4, x")}, "A must have integers divided by commas"),
        ({"node_attributes": "x\n" * 5}, "node_attributes must have numbers divided by commas"),
        ({"node_labels": " \n"}, "node_labels must have a line for each entry, got an empty text"),
        ({"node_labels": "0\n1\n2\n3\n1000000000\n"}, "node_labels must be few enough .* got 1,000,000,001 "),
        ({"graph_labels": None}, "there are no graph_labels, .*; take a classification set"),
        ({"graph_indicator": None}, "the text graph_indicator is missing; get the data set again"),
    ],
)
def test_texts_that_do_not_fit(changes, message):
    texts = {ending: text.encode() for ending, text in (SMALL | changes).items() if text is not None}
    with pytest.raises(ValueError, match=f"^data/Small.zip: {message}"):
        parse("Small", texts, Path("data/Small.zip"))


def test_archives_are_read_as_folders_are(tmp_path):
    path = archive(tmp_path / "tu" / "PROTEINS.zip", "PROTEINS")
    folder = write(tmp_path)
    assert read_texts(path, "PROTEINS") == read_texts(folder, "Small")
    assert_same(datasets.load("proteins", tmp_path), datasets.load("Small", tmp_path))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} cannot be read .* damaged"):
        datasets.load("PROTEINS", tmp_path)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"^tu/PROTEINS.zip was looked for in .*datasets fetch"):
        datasets.load("PROTEINS", tmp_path)


def test_downloaded_where_no_folder_is_named(tmp_path, monkeypatch, no_data_folder):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    with serving(archive(tmp_path / "made.zip", "ENZYMES").read_bytes()) as server:
        monkeypatch.setattr(TUDataset, "url", server.url)
        assert datasets.load("ENZYMES").labels.tolist() == [0, 1]
        assert datasets.load("ENZYMES").labels.tolist() == [0, 1]
        assert len(server.requests) == 1


@pytest.mark.parametrize("name", ["mutagenicity", "nci1"])
def test_known_archives_must_have_the_known_texts(name, tmp_path):
    spelled = {"mutagenicity": "Mutagenicity", "nci1": "NCI1"}[name]
    path = archive(tmp_path / name / f"{spelled}_tu_raw.zip", spelled)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: A must have the SHA-256 checksum .* get the file"):
        datasets.load(name, tmp_path)


@needs(MUTAGENICITY)
def test_texts_beside_each_other_and_a_text_that_is_missing(tmp_path, monkeypatch):
    path = tmp_path / MUTAGENICITY
    path.parent.mkdir()
    texts = first_graphs(300)
    files = {
        ending: replace(file, sha256=hashlib.sha256(texts[ending]).hexdigest())
        for ending, file in tu.MUTAGENICITY_TEXTS.items()
    }
    monkeypatch.setattr(tu, "MUTAGENICITY_TEXTS", files)
    for ending, file in files.items():
        (tmp_path / file.relative).write_bytes(texts[ending])
    (first, *_) = datasets.load("mutagenicity", tmp_path, num_graphs=9)
    assert first.edge_index[:, :4].tolist() == [[0, 1, 0, 2], [1, 0, 2, 0]]  # in the order of the file
    with zipfile.ZipFile(path, "w") as file:
        for ending, text in texts.items():
            if ending != "edge_gt":
                file.writestr(f"Mutagenicity_{ending}.txt", text)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: the text edge_gt is missing"):
        datasets.load("mutagenicity", tmp_path)


def test_spelling():
    assert tu.find("imdb_binary").name == "IMDB-BINARY"
    assert tu.find("small") is None
    assert len(set(map(str.lower, tu.NAMES))) == len(tu.NAMES)
