import gzip
import re

import pytest

from protograph.datasets.table import BadRowsError, LeftOut, read_labels, read_table
from protograph.graphs.origins import named


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.csv"):
        path = tmp_path / name
        content = text.encode() if isinstance(text, str) else text
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def message_of(path, **options):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read_table(path, **options)
    return str(caught.value)


def test_a_table(write):
    path = write("name,smiles,label\nethanol, CCO ,yes\nacetate,CC(=O)[O-],no\nmethane,C,no\n")
    table = read_table(path)
    assert table.left_out == ()
    assert repr(table.dataset) == "GraphDataset('mine', 3 graphs: 2 no, 1 yes)"
    assert table.dataset.labels.tolist() == [1, 0, 0]
    assert [graph.smiles for graph in table.dataset] == ["CCO", "CC(=O)[O-]", "C"]
    assert table.dataset.feature_names == ("C", "O")
    assert table.dataset.edge_names == ("single", "double", "triple", "aromatic")
    assert table.dataset[1].charge.tolist() == [0, 0, 0, -1]
    assert table.dataset[2].edge_index.shape == (2, 0)
    assert table.dataset.source == "mine.csv"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.csv.gz", "smiles,label\nC,0\nO,1\n"),
        ("mine.tsv", "smiles\tlabel\nC\t0\nO\t1\n"),
        ("mine.TSV.gz", "smiles\tlabel\nC\t0\nO\t1\n"),
        ("mine.csv", "\ufeffsmiles,label\r\nC,0\r\nO,1\r\n"),
        ("mine.csv", ' smiles , label\n"C",0\n\nO,1\n\n'),
        ("mine.csv", "smiles,label\rC,0\rO,1"),
        ("mine.csv", "smiles,label\nC,0,\nO,1,\n"),  # no more than an empty cell too many
    ],
)
def test_forms_of_tables(write, name, text):
    dataset = read_table(write(text, name)).dataset
    assert dataset.name == "mine"
    assert dataset.labels.tolist() == [0, 1]
    assert [graph.smiles for graph in dataset] == ["C", "O"]


INVALID = (
    'id,smiles,label\n1,CCO,0\n2,"c1cccc1",1\n"3\nwith a second line",,1\n4,C1CC,1\n5,O,\n\n6\n'
    + f"7,{'C' * 70}(,1\n8,N,nan\n9,C,1,x\n10,F,1\n"
)
PROBLEMS = (
    LeftOut(3, "c1cccc1", "Can't kekulize mol. Unkekulized atoms: 0 1 2 3 4"),
    LeftOut(4, "", "the SMILES is empty"),
    LeftOut(6, "C1CC", "not valid SMILES"),
    LeftOut(7, "O", "the label is empty"),
    LeftOut(9, "", "it has 1 columns, the header has 3"),
    LeftOut(10, "C" * 70 + "(", "not valid SMILES"),
    LeftOut(11, "N", "the label is nan"),
    LeftOut(12, "C", "it has 4 columns, the header has 3"),
)


def test_invalid_rows_are_all_told_at_once(write, capfd):
    path = write(INVALID)
    with pytest.raises(BadRowsError) as caught:
        read_table(path)
    assert str(caught.value).splitlines() == [
        f"{path} has 8 of 10 rows that are not valid; "
        "correct them, or leave them out with skip_invalid=True (--skip-invalid):",
        "  line 3: c1cccc1: Can't kekulize mol. Unkekulized atoms: 0 1 2 3 4",
        "  line 4: the SMILES is empty",
        "  line 6: C1CC: not valid SMILES",
        "  line 7: O: the label is empty",
        "  line 9: it has 1 columns, the header has 3",
        f"  line 10: {'C' * 57}...: not valid SMILES",
        "  line 11: N: the label is nan",
        "  line 12: C: it has 4 columns, the header has 3",
    ]
    assert caught.value.rows == PROBLEMS
    assert capfd.readouterr() == ("", "")


def test_invalid_rows_are_left_out_on_demand(write):
    table = read_table(write(INVALID), skip_invalid=True)
    assert table.left_out == PROBLEMS
    assert [graph.smiles for graph in table.dataset] == ["CCO", "F"]
    assert table.dataset.labels.tolist() == [0, 1]


def labels_of(path, **options):
    dataset = read_table(path, **options).dataset
    return [named(dataset.origins[index], graph).label for index, graph in enumerate(dataset)]


def test_molecules_know_their_lines_and_names(write):
    path = write("smiles,ID,label,Name\nCCO,7,0,ethanol\n\n?,8,0,nothing\nCO,9,1,methanol\n")
    by_name = ["graph 0 (line 2, ethanol, CCO)", "graph 1 (line 5, methanol, CO)"]
    assert labels_of(path, skip_invalid=True) == by_name
    by_id = ["graph 0 (line 2, 7, CCO)", "graph 1 (line 5, 9, CO)"]
    assert labels_of(path, skip_invalid=True, id_column="ID") == by_id
    wanted = (
        f"id_column must be the name of one column of {path}, which has 'smiles', 'ID', 'label', 'Name', got 'names'; "
    )
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}did you mean 'Name'\\?$"):
        read_table(path, id_column="names")
    assert labels_of(write("smiles,label\nCCO,0\nCO,1\n")) == ["graph 0 (line 2, CCO)", "graph 1 (line 3, CO)"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "{path} is empty; its first row must name the columns, such as smiles,label"),
        ("smiles,label\n", {}, "{path} has no rows below its header; give a table with at least one molecule a class"),
        (
            "SMILES,activity\nC,1\n",
            {},
            "smiles_column must be the name of one column of {path}, which has 'SMILES', 'activity', got 'smiles'; "
            "did you mean 'SMILES'?",
        ),
        (
            "smiles,label,label\nC,1,2\n",
            {},
            "label_column must be the name of one column of {path}, which has 'smiles', 'label', 'label', got 'label'",
        ),
        (
            "smiles,label\nC,toxic\nO,toxic\n",
            {},
            "label_column 'label' of {path} must have two classes or more, got 'toxic' in all 2 rows",
        ),
    ],
)
def test_tables_that_cannot_be_read(write, text, options, message):
    path = write(text)
    assert message_of(path, **options) == message.format(path=path)


def test_files_of_other_kinds(write, tmp_path):
    with pytest.raises(FileNotFoundError, match=f"^there is no file {re.escape(str(tmp_path / 'none.csv'))}$"):
        read_table(tmp_path / "none.csv")
    path = write("C 0\n", "mine.smi")
    assert message_of(path) == f"path must end in .csv or .tsv, or so with .gz, got {path}"
    path = write(b"smiles,label\nC,0\nO,\xe9\n")
    assert message_of(path) == f"{path} must be text in UTF-8, got another byte on line 3; save it as UTF-8"
    path = tmp_path / "broken.csv.gz"
    path.write_bytes(gzip.compress(b"smiles,label\nC,0\nO,1\n")[:-9])
    assert message_of(path).startswith(f"{path} cannot be read (EOFError: ")
    path.write_bytes(b"smiles,label\nC,0\nO,1\n")  # not packed after all
    assert len(read_table(path).dataset) == 2
    path = write('smiles,label\nC,0\n"' + "C" * 200_000)
    assert message_of(path).startswith(f"{path} cannot be read as a table: line 3: field larger than field limit")


@pytest.mark.parametrize("mark", ["NA", "N/A", "None", "null", "NaN", "<NA>"])
def test_marks_of_missing_labels(write, mark):
    table = read_table(write(f"smiles,label\nC,0\nCC,1\nCCC,{mark}\n"), skip_invalid=True)
    assert table.left_out == (LeftOut(4, "CCC", f"the label is {mark}"),)
    assert table.dataset.class_names == ("0", "1")


@pytest.mark.parametrize(
    ("texts", "numbers", "names"),
    [
        (["0", "1", "1"], [0, 1, 1], ("0", "1")),
        (["1.0", "0.0"], [1, 0], ("0", "1")),
        (["True", "False"], [1, 0], ("False", "True")),
        (["true", "FALSE", "TRUE"], [1, 0, 1], ("False", "True")),
        (["1", "-1"], [1, 0], ("-1", "1")),
        (["10", "9"], [1, 0], ("9", "10")),
        (["0.5", "-1.5", "0.50"], [1, 0, 1], ("-1.5", "0.5")),
        (["toxic", "safe", "toxic"], [1, 0, 1], ("safe", "toxic")),
        (["1", "unknown"], [0, 1], ("1", "unknown")),
    ],
)
def test_labels(texts, numbers, names):
    assert read_labels(texts, "label") == (numbers, names)


def test_measured_numbers_are_no_classes():
    message = r"^label must name a class for each molecule, got 21 different numbers, such as '0.5'; give a column of"
    with pytest.raises(ValueError, match=message):
        read_labels([f"{number}.5" for number in range(21)] * 9, "label")
    assert len(read_labels([f"{number}.5" for number in range(20)], "label")[1]) == 20
