import csv
from pathlib import Path

import pytest

from protograph.cli.bad_rows import bad_rows_in, beside, tell_left_out, write_rows
from protograph.datasets import BadRowsError, LeftOut

ROW = LeftOut(3, "C1C", "not valid SMILES")


def test_rows_that_were_left_out_are_told(capsys, tmp_path):
    assert tell_left_out([], tmp_path) == {}
    assert capsys.readouterr().err == ""
    assert tell_left_out([ROW], "run/left-out.csv") == {
        "left_out": ["line 3: C1C: not valid SMILES"],
        "left_out_file": "run/left-out.csv",
    }
    assert capsys.readouterr().err == (
        "left out 1 row:\n  line 3: C1C: not valid SMILES\n  all of them: run/left-out.csv\n"
    )
    tell_left_out([LeftOut(number, "x", "bad") for number in range(1200)], "all.csv")
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0], len(lines)) == ("left out 1,200 rows:", 13)
    assert lines[-3:] == ["  line 9: x: bad", "  and 1,190 more", "  all of them: all.csv"]


def test_all_rows_are_in_a_table_and_none_is_a_formula(tmp_path):
    smiles = ["C1C", "=cmd|' /C calc'!A1", "+1", "-2", "@SUM(A1)", 'a,"b"\nc', "C\ud800", ""]
    rows = [LeftOut(line, text, "not valid SMILES") for line, text in enumerate(smiles, start=2)]
    write_rows(rows, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        header, *read = csv.reader(file)
    assert header == ["line", "smiles", "reason"]
    assert [row[0] for row in read] == [str(row.line) for row in rows]
    assert [row[1] for row in read] == [
        "C1C", "'=cmd|' /C calc'!A1", "'+1", "'-2", "'@SUM(A1)", "a,\"b\"\nc", "C?", "",
    ]  # fmt: skip


def refuse(path):
    with bad_rows_in(path):
        raise BadRowsError("mine.csv has 1 of 2 rows that are not valid:\n  line 3", [ROW])


def test_rows_of_a_refused_table_are_kept_beside_the_results(tmp_path):
    path = tmp_path / "runs" / "mine-bad-rows.csv"
    with pytest.raises(BadRowsError) as caught:
        refuse(path)
    assert str(caught.value).splitlines()[1:] == ["  line 3", f"  all of them: {path}"]
    assert path.read_text() == "line,smiles,reason\n3,C1C,not valid SMILES\n"


def test_a_file_that_is_there_is_never_replaced(tmp_path):
    """Not even one that looks like ours: it may be the very table, or have notes in it."""
    path, ours = tmp_path / "mine-bad-rows.csv", "line,smiles,reason\n3,C1C,not valid SMILES\n"
    path.write_text("line,smiles,reason\n1,CCO,my notes\n")
    (tmp_path / "mine-bad-rows~2.csv").symlink_to(path)
    for _ in range(2):  # the second time, the same rows are there already
        with pytest.raises(BadRowsError) as caught:
            refuse(path)
        assert str(caught.value).splitlines()[-1] == f"  all of them: {tmp_path / 'mine-bad-rows~3.csv'}"
    assert path.read_text() == "line,smiles,reason\n1,CCO,my notes\n"
    assert (tmp_path / "mine-bad-rows~3.csv").read_text() == ours
    assert len(list(tmp_path.iterdir())) == 3


def test_a_file_beside_a_folder_without_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert beside(Path("."), "x.csv") == tmp_path.parent / f"{tmp_path.name}-x.csv"
    assert beside(Path("/"), "x.csv") == Path("/protograph-x.csv")


def test_a_file_that_cannot_be_written_changes_nothing(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(BadRowsError, match=r"\n  they could not be written to a file: "):
        refuse(tmp_path / "taken" / "rows.csv")
