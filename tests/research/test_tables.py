import json

import pytest

from research.paper.findings import Estimate
from research.paper.tables import Table, as_csv, as_json, as_latex, as_markdown, shown

TABLE = Table(
    "scores",
    ("set", "ours", "paper"),
    (("BA_house", Estimate(0.5, 0.25, 0.75, 4), 0.5238), ("none", None, None)),
    "Ours & 100%.",
)


def test_csv_has_the_ends_of_intervals_in_columns_of_their_own():
    assert as_csv(TABLE) == ("set,ours,ours low,ours high,ours n,paper\nBA_house,0.5,0.25,0.75,4,0.5238\nnone,,,,,\n")


def test_json_has_everything():
    assert json.loads(as_json(TABLE)) == {
        "caption": "Ours & 100%.",
        "columns": ["set", "ours", "paper"],
        "rows": [["BA_house", {"mean": 0.5, "low": 0.25, "high": 0.75, "num": 4}, 0.5238], ["none", None, None]],
    }


def test_latex_is_escaped():
    assert as_latex(TABLE).splitlines() == [
        r"\begin{table}[t]",
        r"\centering",
        r"\begin{tabular}{lcc}",
        r"\toprule",
        r"set & ours & paper \\",
        r"\midrule",
        r"BA\_house & 0.500 [0.250, 0.750] & 0.5238 \\",
        r"none &  &  \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\caption{Ours \& 100\%.}",
        r"\label{table:scores}",
        r"\end{table}",
    ]


def test_markdown_is_one_line_a_row():
    assert as_markdown(("a", "b"), [["x|y\nz", 1234.5], ["", True]]) == (
        "| a | b |\n|---|---|\n| x\\|y z | 1,234.50 |\n|  | yes |"
    )


def test_an_estimate_without_interval_says_of_how_many_values_it_is():
    assert shown(Estimate(0.25, None, None, 1)) == "0.250 (n = 1)"


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"every row of t must have 2 cells, got 1$"):
        Table("t", ("a", "b"), (("x",),), "")
