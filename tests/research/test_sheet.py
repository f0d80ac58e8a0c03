import pytest
from matplotlib.figure import Figure

from research.paper.findings import Estimate
from research.paper.sheet import Finding, Picture, Sheet, read_parts
from research.paper.tables import Table


def drawn():
    figure = Figure(figsize=(2, 2))
    axis = figure.subplots()
    axis.plot([0, 1], [0, 1])
    axis.fill_between([0, 1], [0, 1], hatch="/")  # its pattern has an identifier that matplotlib makes up
    return figure


def filled():
    sheet = Sheet()
    sheet.table("numbers", ("a", "b"), [["x", Estimate(1.0, 0.5, 1.5, 3)]], "Numbers.")
    sheet.figure("line", "<svg/>", "A line.")
    sheet.finding("right", Estimate(0.5, None, None, 1), 0.4, "undecided", "one seed")
    sheet.note("That is all.")
    return sheet


def test_parts_become_files():
    assert sorted(filled().files()) == ["line.svg", "numbers.csv", "numbers.json", "numbers.tex"]
    assert filled().files()["line.svg"] == "<svg/>"


def test_parts_come_back_from_plain_data():
    assert read_parts(filled().as_json(), {"line": "<svg/>"}) == [
        Table("numbers", ("a", "b"), (("x", Estimate(1.0, 0.5, 1.5, 3)),), "Numbers."),
        Picture("line", "<svg/>", "A line."),
        Finding("right", Estimate(0.5, None, None, 1), 0.4, "undecided", "one seed"),
        "That is all.",
    ]


def test_the_same_figure_gives_the_same_file():
    texts = []
    for _ in range(2):
        sheet = Sheet()
        sheet.figure("line", drawn(), "A line.")
        texts.append(sheet.files()["line.svg"])
    assert texts[0] == texts[1]
    assert "<dc:date>" not in texts[0]


def test_names_are_checked():
    sheet = filled()
    with pytest.raises(ValueError, match=r"name must be small letters, digits and hyphens, got 'A b'$"):
        sheet.table("A b", (), [], "")
    with pytest.raises(ValueError, match=r"name must be one that no other part has, got 'line' again$"):
        sheet.table("line", (), [], "")


def test_a_verdict_is_one_of_the_words():
    words = "better, worse, undecided, agrees, differs, not comparable, holds, missed"
    with pytest.raises(ValueError, match=rf"verdict must be one of {words}, got 'fine'$"):
        Sheet().finding("right", 1.0, 1.0, "fine")


def test_a_limit_holds_where_the_mean_reaches_it():
    sheet = Sheet()
    for ours in (Estimate(0.8, 0.7, 0.9, 5), Estimate(0.79, 0.7, 0.9, 5), 0.8):
        sheet.limit("right", ours, 0.8, "by us")
    assert [(one.paper, one.verdict, one.note, one.is_limit) for one in sheet.parts] == [
        ("at least 0.8", verdict, "by us", True) for verdict in ("holds", "missed", "holds")
    ]
    assert not filled().parts[2].is_limit
