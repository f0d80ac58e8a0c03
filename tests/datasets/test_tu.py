import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.datasets import TUDataset

from protograph import datasets
from protograph.datasets import mutagenicity, tu
from protograph.datasets.tu import parse, read_texts
from tests.datasets.file_server import serving
from tests.datasets.real_files import find, needs

# A path of three nodes, and two nodes that are joined.
TEXTS = {
    "A": b"1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": b"1\n1\n1\n2\n2\n",
    "graph_labels": b"-1\n1\n",
    "node_labels": b"3\n4\n3\n5\n5\n",
    "edge_labels": b"0\n0\n1\n1\n0\n1\n",
    "edge_gt": b"0\n0\n1\n1\n1\n1\n",
    "node_attributes": b"0.5, 1\n0.5, 2\n0.5, 3\n0.5, 4\n0.5, 5\n",
}
PATH = Path("data/Small.zip")


def test_tables_have_a_row_a_line_and_count_from_0():
    tables = parse(TEXTS | {"label_readme": b"no table"}, PATH)
    assert set(tables) == set(TEXTS)
    assert tables["A"].tolist() == [[0, 1], [1, 0], [1, 2], [2, 1], [3, 4], [4, 3]]
    assert tables["graph_indicator"].tolist() == [[0], [0], [0], [1], [1]]
    assert tables["graph_labels"].tolist() == [[-1], [1]]
    assert tables["edge_gt"].tolist() == [[0], [0], [1], [1], [1], [1]]
    assert tables["node_attributes"].dtype == np.float32
    assert tables["node_attributes"].tolist() == [[0.5, number] for number in range(1, 6)]


def test_blank_lines_do_not_matter():
    assert parse(TEXTS | {"graph_labels": b"-1\n\n1\n\n"}, PATH)["graph_labels"].tolist() == [[-1], [1]]


def test_only_texts_that_are_read_are_unpacked(tmp_path):
    path = tmp_path / "Small.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for ending, text in (TEXTS | {"bomb": bytes(3 << 20)}).items():
            archive.writestr(f"Small/Small_{ending}.txt", text)
    assert read_texts(path, "Small") == TEXTS
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "Small_label_readme.txt").write_bytes(b" " * ((1 << 20) + 1))
    message = (
        "label_readme must have at most 1,048,576 bytes, which is enough for a name of every label, got 1,048,577; "
        "get the data set again"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(f'{folder}: {message}')}$"):
        read_texts(folder, "Small")


def test_labels_that_would_take_too_many_columns(tmp_path):
    folder = tmp_path / "Small" / "raw"
    folder.mkdir(parents=True)
    for ending, text in (TEXTS | {"node_labels": b"0\n1\n2\n3\n1000000000\n"}).items():
        (folder / f"Small_{ending}.txt").write_bytes(text)
    message = (
        "node_labels must be few enough for a column of features each, got 1,000,000,001 from the lowest to the "
        "highest for 5 lines; at most 268,435,456 entries in all are made"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(f'{folder}: {message}')}$"):
        datasets.load("Small", tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"node_labels": b"3\n4\n"}, "node_labels must have as many lines as graph_indicator, 5, got 2"),
        ({"edge_labels": b"0\n"}, "edge_labels must have as many lines as A, 6, got 1"),
        ({"edge_gt": b"0\n" * 7}, "edge_gt must have as many lines as A, 6, got 7"),
        ({"node_attributes": b"1\n" * 6}, "node_attributes must have as many lines as graph_indicator, 5, got 6"),
        (
            {"graph_labels": b"0\n1\n0\n"},
            "graph_indicator must name the 3 graphs of graph_labels in order, got 2 from 1 to 2",
        ),
        (
            {"graph_indicator": b"0\n1\n1\n2\n2\n"},
            "graph_indicator must name the 2 graphs of graph_labels in order, got 3 from 0 to 2",
        ),
        (
            {"graph_indicator": b"1\n1\n2\n1\n2\n"},
            "graph_indicator must name the 2 graphs of graph_labels in order, got 2 from 1 to 2",
        ),
        ({"A": TEXTS["A"].replace(b"5", b"6")}, "A must have two nodes from 1 to 5 a line, got 2 from 1 to 6"),
        ({"A": TEXTS["A"].replace(b"3", b"0")}, "A must have two nodes from 1 to 5 a line, got 2 from 0 to 5"),
        ({"A": b"1\n" * 6}, "A must have two nodes from 1 to 5 a line, got 1 from 1 to 1"),
        ({"A": TEXTS["A"].replace(b"4, 5", b"3, 5")}, "A must join nodes of one graph, got two graphs in line 5"),
        ({"A": TEXTS["A"].replace(b"4, 5", b"4, x")}, "A must have integers divided by commas: "),
        ({"graph_labels": b"0.5\n1.5\n"}, "graph_labels must have integers divided by commas: "),
        ({"node_attributes": b"x\n" * 5}, "node_attributes must have numbers divided by commas: "),
        ({"node_labels": b" \n"}, "node_labels must have a line for each entry, got an empty text"),
        (
            {"graph_labels": None},
            "there are no graph_labels, so no classes to explain; take a classification set",
        ),
        ({"graph_indicator": None}, "the text graph_indicator is missing; get the data set again"),
    ],
)
def test_texts_that_do_not_fit(changes, message):
    texts = {ending: text for ending, text in (TEXTS | changes).items() if text is not None}
    with pytest.raises(ValueError, match=f"^{re.escape(f'{PATH}: {message}')}"):
        parse(texts, PATH)


def test_a_text_that_this_data_set_needs():
    texts = {ending: text for ending, text in TEXTS.items() if ending != "edge_gt"}
    with pytest.raises(ValueError, match=r"^data/Small.zip: the text edge_gt is missing; get the data set again$"):
        parse(texts, PATH, needed=("A", "edge_gt"))


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "Small.zip"
    with zipfile.ZipFile(path, "w") as file:
        for ending, text in TEXTS.items():
            file.writestr(f"Small/raw/Small_{ending}.txt", text)
        file.writestr("Small/raw/Other_A.txt", b"1, 1")
    return path


def test_texts_of_an_archive_and_of_a_folder(archive, tmp_path):
    assert read_texts(archive, "Small") == TEXTS
    with zipfile.ZipFile(archive) as file:
        file.extractall(tmp_path)
    assert read_texts(tmp_path / "Small" / "raw", "Small") == TEXTS


@pytest.mark.parametrize("share", [0, 0.5, 0.95])
def test_an_archive_cut_short(archive, share):
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(
        ValueError, match=f"^{re.escape(str(archive))} cannot be read .*; it is damaged or another file"
    ):
        read_texts(archive, "Small")


def test_an_archive_with_a_changed_byte(archive):
    archive.write_bytes(archive.read_bytes().replace(b"4, 5\n5, 4", b"4, 5\n5, 5"))
    with pytest.raises(ValueError, match=f"^{re.escape(str(archive))} cannot be read .*CRC"):
        read_texts(archive, "Small")


# A path of three nodes, and two nodes that are joined; a repeated edge and a self-loop, which PyG leaves out.
SMALL_SET = {
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
    for ending, text in (SMALL_SET | changes).items():
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
        for ending, text in SMALL_SET.items():
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
        for ending, text in SMALL_SET.items():
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
    write(tmp_path, **(dict.fromkeys(SMALL_SET) | texts))
    dataset = datasets.load("Small", tmp_path)
    assert [graph.num_edges for graph in dataset] == [2, 2, 0]
    assert [graph.num_nodes for graph in dataset] == [2, 2, 1]


def test_spelling():
    assert tu.find("imdb_binary").name == "IMDB-BINARY"
    assert tu.find("small") is None
    assert len(set(map(str.lower, tu.NAMES))) == len(tu.NAMES)
