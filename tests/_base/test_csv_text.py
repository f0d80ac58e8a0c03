import csv
import io

import pytest

from protograph._base.csv_text import FORMULA, csv_text, plain_text


@pytest.mark.parametrize("mark", FORMULA)
def test_no_text_is_a_formula(mark):
    header, (cell,) = csv.reader(io.StringIO(csv_text(["a"], [[f"{mark}1+1"]]), newline=""))
    assert (header, cell) == (["a"], f"'{mark}1+1")


def test_blanks_before_a_formula_do_not_hide_it():
    assert plain_text("  =cmd()") == "'  =cmd()"
    assert plain_text("\u200b@x") == "'\u200b@x"


def test_numbers_are_numbers_and_what_is_unknown_is_empty():
    rows = [[-1, -0.25, True], [None, float("nan"), False]]
    assert csv_text(["a", "b", "c"], rows) == "a,b,c\r\n-1,-0.25,true\r\n,,false\r\n"


def test_a_text_stays_in_its_cell():
    text = csv_text(["a", "b"], [['x, "y"', "two\nlines"]])
    assert list(csv.reader(io.StringIO(text, newline="")))[1] == ['x, "y"', "two\nlines"]
