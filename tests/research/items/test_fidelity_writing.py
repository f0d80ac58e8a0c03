import pytest

from research.paper.items.fidelity import ITEM
from research.paper.settings import Settings
from research.paper.sheet import Finding, Picture
from research.paper.tables import Table
from tests.research.items.fidelity_by_hand import real, truth, unlearned, world
from tests.research.small import written

VALUES = {
    ("real", "bbbp", "gcn", "seed 0"): real(0.9, patterns=["a", "b"]),
    ("real", "bbbp", "gcn", "seed 1"): real(0.89, patterns=["a"], num_tries=3),
    ("real", "bbbp", "gcn", "seed 2"): real(0.91, patterns=["a", "c"]),
    ("real", "bbbp", "sage", "seed 0"): real(0.8, tree_8=None),
    ("truth", "solubility", "seed 0"): truth(0.7, truth=0.4),
    ("truth", "solubility", "seed 1"): truth(0.8, truth=0.5, truths_found=[True, True]),
    ("world", "star-er", "seed 0"): world("colour", num_dropped=1),
    ("world", "no-k4-tree", "seed 0"): world("lack", 0.9, [False]),
    ("world", "no-k4-tree", "seed 1"): unlearned("lack"),
}


@pytest.fixture(scope="module")
def parts():
    return written(ITEM, VALUES, Settings(seeds=(0, 1, 2)))


@pytest.fixture(scope="module")
def tables(parts):
    return {part.name: part for part in parts if isinstance(part, Table)}


def test_logicxgnn_stands_beside_the_gcn(parts):
    findings = [part for part in parts if isinstance(part, Finding) and not part.is_limit]
    assert [(one.claim, one.paper, one.verdict) for one in findings] == [
        ("BBBP: fidelity of rules, beside LogicXGNN's", 0.853, "not comparable"),
        (
            "Patterns of a rule that come out again with another seed of model and split, beside LogicXGNN's",
            "0.60 to 0.67",
            "undecided",
        ),
    ]
    assert findings[1].ours == "0.67 to 0.67"


def test_real_sets_by_model(tables):
    gcn, sage = tables["fidelity"].rows
    assert gcn[:2] + gcn[3:] == ("BBBP", "GCN", "0.900 0.890 0.910", *map(pytest.approx, (0.8, 0.85, 0.5)), 0.853)
    assert (gcn[2].mean, gcn[2].num) == (pytest.approx(0.9), 3)
    assert sage[:2] + sage[3:] == ("BBBP", "GraphSAGE", "0.800", None, 0.85, 0.5, None)


def test_size_and_cost(tables):
    gcn, sage, solubility = tables["rule-size"].rows
    assert gcn == ("BBBP", "GCN", 3, 4, pytest.approx(2 / 3), 3.0, 30.0, pytest.approx(0.82), "1, 3, 1")
    assert sage[4] is None  # of one seed nothing comes out again
    assert solubility == ("Solubility", "the paper's GCN", 3, 4, None, 3.0, 30.0, 0.82, None)


def test_truths(tables):
    (row,) = tables["truths"].rows
    assert (row[0], row[2], *row[3:]) == (*("Solubility", "0.700 0.800", pytest.approx(0.45), 0.8, 0.85, 0.75, 1.0),)


def test_worlds_by_kind(parts, tables):
    assert [(row[0], row[1], row[2].mean, row[3].mean, row[4].mean) for row in tables["worlds"].rows] == [
        ("colour", 1, 1.0, 1.0, 1.0),
        ("lack", 1, 0.9, 0.0, 1.0),
        ("all", 2, 0.95, 0.5, 1.0),
    ]
    note = (
        "Of worlds 5 models had not learned what was planted and were dropped; of 1 world and seed no model was left."
    )
    assert note in parts


def test_rules_of_the_first_seed(tables):
    assert tables["rules"].rows == (
        ("BBBP", "0", "a ring"),
        ("BBBP", "1", "without a ring"),
        ("Solubility", "0", "a ring"),
        ("Solubility", "1", "without a ring"),
    )


def test_every_set_has_its_line_in_the_picture(parts):
    from research.paper.items.fidelity_figure import draw_fidelity

    assert [part.name for part in parts if isinstance(part, Picture)] == ["fidelity-by-seed"]
    of_real = {("bbbp", "gcn"): [real(0.9)], ("bbbp", "gin"): [real(0.8)]}
    (axes,) = draw_fidelity(of_real, {("solubility",): [truth(0.7, truth=0.4)]}).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Solubility (truth known)", "BBBP"]
    places = [collection.get_offsets().tolist() for collection in axes.collections]
    assert places == [[[0.7, 0.0]], [[0.9, 1.0]], [[0.853, 1.0]], [[0.4, 0.0]]]
