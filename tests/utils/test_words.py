import csv
import io

import pytest

from protograph._utils.words import (
    FORMULA,
    clean_name,
    write_csv,
)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("body", "body"),
        ("two words", "two words"),
        ("Köpfe 頭", "Köpfe 頭"),
        ("a\nb\r\tc", "a b c"),
        ("\x1b[31mred\x1b[0m", "[31mred [0m"),
        ("a\u2028b\u2029c\x85d\u00a0e", "a b c d e"),
        ("\u202eevil\u200b", "evil"),
        ("\ud800", "unnamed"),
        ("", "unnamed"),
        (" \n ", "unnamed"),
        ("{0.__class__} %s", "{0.__class__} %s"),
        (7, "7"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 37 + "..."),
        ("x" * 10_000_000, "x" * 37 + "..."),
    ],
)
def test_names_stay_on_one_short_line(name, shown):
    assert clean_name(name) == shown


def csv_text(columns, rows):
    file = io.StringIO(newline="")
    write_csv(file, columns, rows)
    return file.getvalue()


@pytest.mark.parametrize("text", [*(f"{mark}1+1" for mark in FORMULA), "  =cmd()", "\u200b@x"])
def test_no_text_is_a_formula(text):
    header, (cell,) = csv.reader(io.StringIO(csv_text(["a"], [[text]]), newline=""))
    assert (header, cell) == (["a"], f"'{text}")


def test_numbers_are_numbers_what_is_unknown_is_empty_and_a_text_stays_in_its_cell():
    rows = [[-1, -0.25, True], [None, float("nan"), False], ['x, "y"', "C=O", "two\nlines"]]
    text = csv_text(["a", "b", "c"], rows)
    assert text.startswith("a,b,c\r\n-1,-0.25,true\r\n,,false\r\n")
    assert list(csv.reader(io.StringIO(text, newline="")))[3] == rows[2]
