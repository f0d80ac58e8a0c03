import csv
import io

import pytest

from protograph._utils.words import (
    FORMULA,
    clean_name,
    count_of,
    counted,
    listed,
    number_word,
    one_line,
    write_csv,
)


@pytest.mark.parametrize(
    ("number", "word"), [(0, "no"), (1, "one"), (6, "six"), (12, "twelve"), (13, "13"), (3120, "3,120"), (-1, "-1")]
)
def test_numbers_are_words_up_to_twelve(number, word):
    assert number_word(number) == word


def test_one_is_singular():
    assert [counted(number, "node") for number in (0, 1, 2)] == ["no nodes", "one node", "two nodes"]
    assert counted(2, "leaf", "leaves") == "two leaves"


def test_one_is_singular_in_figures():
    assert [count_of(number, "node") for number in (0, 1, 2, 1200)] == ["0 nodes", "1 node", "2 nodes", "1,200 nodes"]
    assert count_of(2, "leaf", "leaves") == "2 leaves"


def test_a_text_stays_whole_and_on_one_line():
    assert one_line("a\n\x1b b" + "c" * 50) == "a b" + "c" * 50
    assert one_line("\u202e") == ""


def test_lists():
    assert [listed(items) for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


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
