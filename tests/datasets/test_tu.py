import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from protograph.datasets.tu import parse, read_texts

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
