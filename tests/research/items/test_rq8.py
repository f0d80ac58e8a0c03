from pathlib import Path

import pytest

from research.paper.item import Results
from research.paper.items.rq8 import ITEM
from research.paper.settings import Settings
from research.paper.sheet import Finding, Picture, Sheet
from research.paper.tables import Table


def cluster(target, sentences, pairs=(), correlation=0.3, label=1):
    return {
        "target": target,
        "size": 1200,
        "median_length": 8,
        "sentences": [
            {"words": text.split(), "edges": edges, "label": label, "probability": 0.9, "no_longer": 0.1}
            for text, edges in sentences
        ],
        "shared_words": ["film"] if pairs else [],
        "shared_pairs": list(pairs),
        "length_and_distance": correlation,
    }


def parts_of(clusters):
    seed = {"test_accuracy": 0.8, "class_names": ["negative", "positive"], "num_sentences": 60000, "median_length": 7}
    seed |= {"clusters": clusters, "seconds": {"fit": 2.0, "phase 1": 1.0}}
    sheet = Sheet()
    ITEM.write(Results({("seed 0",): seed}, Settings(seeds=(0,)), {}), sheet)
    return sheet.parts


def test_sentences_and_what_the_paper_says_of_them():
    short = [("good", []), ("a film", [[0, 1]]), ("dull", [])]
    parts = parts_of(
        [cluster(0, short), cluster(0, short, correlation=0.31), cluster(1, short, correlation=0.32, label=0)]
    )
    table = next(part for part in parts if isinstance(part, Table))
    assert table.rows[:2] == (
        ("0 (negative)", 0, "good", "positive", 0.9),
        ("0 (negative)", 0, "a film", "positive", 0.9),
    )
    assert [(row[0], row[1]) for row in table.rows[::3]] == [
        ("0 (negative)", 0),
        ("0 (negative)", 1),
        ("1 (positive)", 0),
    ]
    findings = [part for part in parts if isinstance(part, Finding)]
    assert [one.verdict for one in findings] == ["agrees", "agrees", "agrees", "differs", "agrees"]
    assert (findings[3].claim, findings[3].ours.mean) == (
        "representatives stand for the class's sentiment: share whose label is the class",
        0.0,
    )
    assert findings[0].ours.mean == 1.0
    assert findings[1].ours == "6 of 9"
    assert findings[2].ours == "two joined words in 0 of 3 clusters, a word in 0"
    assert any(isinstance(part, Picture) for part in parts)


def test_what_speaks_against_the_paper_is_said():
    long = [("a b c d e f g h i", [[0, 1]])] * 3
    parts = parts_of([cluster(0, long, [["a", "b"]], -0.3), cluster(1, long, correlation=-0.31, label=0)])
    findings = [part for part in parts if isinstance(part, Finding)]
    assert [one.verdict for one in findings] == ["differs"] * 5
    assert findings[2].ours == "two joined words in 1 of 2 clusters, a word in 1"


def test_where_the_files_are_not_at_hand_a_quick_run_shows_nothing(tmp_path: Path):
    settings = Settings(is_quick=True, data_root=tmp_path)
    assert ITEM.cells(settings) == []
    assert len(ITEM.cells(Settings(data_root=tmp_path))) == 3  # asked for in earnest, that is an error
    sheet = Sheet()
    ITEM.write(Results({}, settings, {}), sheet)
    (note,) = sheet.parts
    assert note.startswith("The files of Graph-SST2 are not at hand")


@pytest.mark.parametrize("num", [1, 3])
def test_a_cell_a_seed_and_no_more_than_three(num):
    assert len(ITEM.cells(Settings(seeds=tuple(range(num)), without=()))) == num
