import json
from dataclasses import replace

import pytest

from protograph._base.publishing import open_folder
from research.paper.item import Results
from research.paper.page import MARK
from research.paper.publishing import KIND, check_readme, publish_item, publish_page
from research.paper.settings import Settings
from tests.research.small import squares


def results(num):
    return Results({(str(n),): {"square": n * n} for n in range(num)}, Settings(), {("0",): 1.26}, 3.0)


def test_an_item_is_replaced_whole_and_the_page_is_over_what_is_there(tmp_path):
    item = squares([])
    for num in (2, 3):
        with open_folder(tmp_path, KIND, way_out="") as opened:
            publish_item(tmp_path, item, results(num), Settings())
            sections = publish_page(opened, tmp_path, [item])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["README.md", "index.html", "run.json", "squares"]
    names = ["cells.json", "item.json", "squares.csv", "squares.json", "squares.tex"]
    assert sorted(p.name for p in (tmp_path / "squares").iterdir()) == names
    assert (tmp_path / "squares" / "squares.csv").read_text() == "n,square\n0,0\n1,1\n2,4\n"
    facts = json.loads((tmp_path / "run.json").read_text())["items"]["squares"]
    assert (facts["num_cells"], facts["seconds"], facts["training_seconds"]) == (3, 1.3, 3.0)
    assert facts["seeds"] == list(range(10))
    assert [one.name for one in sections] == ["squares"]
    cells = json.loads((tmp_path / "squares" / "cells.json").read_text())
    assert cells[:2] == [
        {"key": ["0"], "seconds": 1.26, "result": {"square": 0}},
        {"key": ["1"], "seconds": None, "result": {"square": 1}},
    ]
    assert "| 2 | 4 |" in (tmp_path / "README.md").read_text()


def test_an_item_may_take_fewer_seeds_than_are_asked_for(tmp_path):
    item = replace(squares([]), seeds=lambda settings: settings.seeds[:2])
    publish_item(tmp_path, item, results(1), Settings(seeds=(4, 5, 6)))
    assert json.loads((tmp_path / "squares" / "item.json").read_text())["seeds"] == [4, 5]


def test_a_readme_of_others_is_not_replaced(tmp_path):
    check_readme(tmp_path)
    (tmp_path / "README.md").write_text(f"{MARK}\n")
    check_readme(tmp_path)
    (tmp_path / "README.md").write_text("# Mine\n")
    with pytest.raises(FileExistsError, match=r"README.md is not what protograph wrote; move it away, or choose anoth"):
        check_readme(tmp_path)
