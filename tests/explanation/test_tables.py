"""Tables of prototypes, reasons and graphs: as rows, as frames, and as files."""

import csv
import sys

import pytest
import torch

from protograph._utils.intervals import wilson
from protograph.explanation import Prototype
from protograph.explanation.tables import COLUMNS, prototypes_sdf, reasons_by_graph, table_rows, write_tables
from tests.explanation.told import told
from tests.made import made_explanation
from tests.metrics.small_graphs import graph_of


def rows(of, explanations):
    return [dict(zip(COLUMNS[of], row, strict=True)) for row in table_rows(of, [*explanations.values()])]


def test_a_row_a_graph():
    first, second, *_, last = rows("graphs", told())
    assert first == {
        "graph": 10,
        "id": "a",
        "line": 2,
        "file": None,
        "smiles": None,
        "label": "<b>three</b>",
        "prediction": "<b>three</b>",
        "p": 0.9,
        "part": "searched",
        "cluster": 1,
        "reasons": "class1-reason1",
        "covered": True,
        "rule_agrees": True,
    }
    assert [second[key] for key in ("id", "label", "reasons", "cluster")] == ["=b", "plain", "class0-reason1", None]
    # A path that the model takes for a triangle: only the other class's reason holds.
    assert (last["label"], last["prediction"], last["reasons"]) == ("plain", "<b>three</b>", "class0-reason1")
    assert (last["part"], last["cluster"], last["covered"], last["rule_agrees"]) == ("kept apart", None, False, False)
    first, *_ = rows("graphs", told({1: ()}))
    assert (first["reasons"], first["covered"], first["p"]) == ("", False, 0.9)
    assert reasons_by_graph(told()[0]) == {1: [1], 3: [2], 4: [1]}


def test_a_row_a_prototype():
    (row,) = rows("prototypes", told())
    low, high = wilson(2, 3)
    assert row["description"] == "a ring of three nodes"
    assert [row[key] for key in ("class", "prototype", "cluster", "taken_for")] == [
        *(1, "class1-prototype1", 1, "<b>three</b>")
    ]
    assert (row["num_in_class"], row["num_class"], row["support"]) == (2, 3, 2 / 3)
    assert (row["support_low"], row["support_high"], row["support_elsewhere"]) == (low, high, 0.0)
    assert (row["source"], row["source_id"], row["sources"]) == (10, "a", "10 12")
    assert (row["smiles"], row["smarts"]) == (None, None)


def test_a_row_a_reason():
    first, second, third = rows("reasons", told())
    assert [one["reason"] for one in (first, second, third)] == ["class0-reason1", "class0-reason2", "class1-reason1"]
    assert third["description"] == "a triangle"
    assert (third["num_in_class"], third["num_class"], third["share"], third["share_elsewhere"]) == (2, 3, 2 / 3, 0.0)
    assert (third["kept_apart_share"], third["example"]) == (0.0, None)
    assert (first["num_elsewhere"], first["num_others"]) == (1, 3)


def test_frames_have_a_type_a_column_whatever_it_holds():
    pytest.importorskip("pandas")
    for explanations in (told(), told({1: ()})):
        kinds = explanations.to_frame("graphs").dtypes.astype(str).to_dict()
        assert (kinds["p"], kinds["graph"], kinds["line"], kinds["cluster"]) == ("Float64", "Int64", "Int64", "Int64")
        assert (kinds["covered"], kinds["file"].partition("[")[0]) == ("boolean", "string")
    graphs, reasons = told().to_frame("graphs"), told().to_frame("reasons")
    assert graphs["id"].tolist() == ["a", "=b", "c", "d", "<e>"]  # as it is: no spreadsheet opens a frame
    assert graphs["covered"].tolist() == [True, True, True, True, False]
    assert reasons["share"].tolist() == [0.5, 0.5, 2 / 3]
    assert reasons["share_elsewhere"].dtype == "Float64"  # though its values may all be whole
    assert reasons["example"].isna().all()
    assert told()[1].to_frame()["prototype"].tolist() == ["class1-prototype1"]
    assert told()[0].to_frame().empty


def test_other_tables_and_a_missing_pandas_are_refused(monkeypatch):
    with pytest.raises(ValueError, match=r"^of must be one of 'prototypes', 'reasons', 'graphs', got 'nodes'$"):
        told().to_frame("nodes")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'protograph\[tables\]'$"):
        told()[1].to_frame()


def test_every_table_is_a_file(tmp_path):
    write_tables([*told().values()], tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["graphs.csv", "prototypes.csv", "reasons.csv"]
    with (tmp_path / "graphs.csv").open(newline="") as file:
        names = [row["id"] for row in csv.DictReader(file)]
    assert names == ["a", "'=b", "c", "d", "<e>"]


def test_molecules_are_written_too(tmp_path):
    chem = pytest.importorskip("rdkit.Chem")
    graph = graph_of(3, [(0, 1), (0, 2)])
    graph.x = torch.eye(2)[[1, 0, 0]]
    one = Prototype(graph=graph, probability=0.9, margin=2.0, feature_names=("O", "N"))
    names = {"class_names": ("0", "$$$$\nyes"), "feature_names": ("O", "N")}
    write_tables([made_explanation(prototypes=[one], **names)], tmp_path)
    (molecule,) = chem.SDMolSupplier(str(tmp_path / "prototypes.sdf"), sanitize=False)
    assert [atom.GetSymbol() for atom in molecule.GetAtoms()] == ["N", "O", "O"]
    assert molecule.GetProp("_Name") == "class1-prototype1"
    assert (molecule.GetProp("class"), molecule.GetProp("p")) == ("1 ($$$$ yes)", "0.9")
    assert molecule.GetProp("bonds") == "those of the molecule it was cut from; they were not counted"
    assert prototypes_sdf([*told().values()]) == ""
