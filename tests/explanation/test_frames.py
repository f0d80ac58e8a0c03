import sys

import pytest

from tests.explanation.told import told


def test_one_frame_each():
    pytest.importorskip("pandas")
    explanations = told()
    graphs = explanations.to_frame("graphs")
    assert graphs.shape == (5, 13)
    assert graphs["id"].tolist() == ["a", "=b", "c", "d", "<e>"]  # as it is: no spreadsheet opens a frame
    assert graphs["covered"].tolist() == [True, True, True, True, False]
    assert explanations.to_frame("reasons")["share"].tolist() == [0.5, 0.5, 2 / 3]
    assert explanations[1].to_frame()["prototype"].tolist() == ["class1-prototype1"]
    assert explanations[0].to_frame().empty


def test_a_column_is_of_one_type_whatever_it_holds():
    pytest.importorskip("pandas")
    for frame in (told().to_frame("graphs"), told({1: ()}).to_frame("graphs")):
        kinds = frame.dtypes.astype(str).to_dict()
        assert (kinds["p"], kinds["graph"], kinds["line"], kinds["cluster"]) == ("Float64", "Int64", "Int64", "Int64")
        assert (kinds["covered"], kinds["file"].partition("[")[0]) == ("boolean", "string")
    reasons = told().to_frame("reasons")
    assert reasons["share_elsewhere"].dtype == "Float64"  # though its values may all be whole
    assert reasons["example"].isna().all()


def test_other_tables_are_refused():
    with pytest.raises(ValueError, match=r"^of must be one of 'prototypes', 'reasons', 'graphs', got 'nodes'$"):
        told().to_frame("nodes")


def test_without_pandas_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas; pip install 'protograph\[tables\]'$"):
        told()[1].to_frame()
