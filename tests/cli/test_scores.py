import math

from protograph.cli.scores import scores_text
from protograph.evaluation.evaluation import ClassScores, PrototypeScores
from protograph.explanation import Fidelity

PLAIN = {
    "num_nodes": 3,
    "num_edges": 2,
    "probability": 0.5,
    "margin": 1.25,
    "accuracy": None,
    "is_exact": None,
    "truth": None,
    "accuracies": (),
    "density": 0.5,
    "truth_density": None,
    "support": 0.75,
    "support_elsewhere": 0.25,
    "lift": 3.0,
    "margin_share": 0.625,
    "truth_probability": None,
    "truth_margin": None,
    "sources_probability": None,
    "sources_margin": None,
    "is_valid": None,
    "missing": {},
}
FULL = PLAIN | {
    "accuracy": 1.0,
    "is_exact": False,
    "truth": 1,
    "accuracies": (0.5, 1.0),
    "truth_density": 0.25,
    "truth_probability": 0.9,
    "truth_margin": 2.0,
    "sources_probability": 0.8,
    "sources_margin": 1.5,
    "is_valid": False,
}
HALF = (0.5, 0.25, 0.75)


def of_class(*prototypes, **changes):
    facts = {"target": 1, "accuracy": None, "coverage": HALF, "overlap": HALF, "gain_area": HALF, "missing": {}}
    facts |= {"fidelity": HALF, "num_reasons": None, "num_patterns": 0}
    return ClassScores(**facts | changes, prototypes=tuple(PrototypeScores(**one) for one in prototypes))


def text(*scores, names=("0", "house"), where="the 7 graphs that no prototype was found in", doubts=()):
    return scores_text(scores, names, where, doubts).splitlines()


def test_figures_stand_below_each_other_and_columns_without_any_are_left_out():
    assert text(of_class(PLAIN, PLAIN | {"margin": -12.5})) == [
        "class 1 (house)",
        "  coverage 0.500 [0.250, 0.750], overlap 0.500 [0.250, 0.750], gain area 0.500 [0.250, 0.750]",
        "  fidelity 0.500 [0.250, 0.750]; rule: contains one of the prototypes",
        "prototype       p  margin  density  support  elsewhere  lift  margin share",
        "1          0.5000    1.25    0.500    0.750      0.250   3.0          0.62",
        "2          0.5000  -12.50    0.500    0.750      0.250   3.0          0.62",
        "",
        "support, elsewhere, lift, coverage, overlap, gain area and fidelity are of the 7 graphs that no",
        "prototype was found in",
        "fidelity: the share of graphs of which the rules say what the model predicts, every class weighing",
        "the same",
    ]


def test_truth_and_sources_stand_below_a_prototype():
    assert text(of_class(FULL, accuracy=1.0)) == [
        "class 1 (house): accuracy 1.000",
        "  coverage 0.500 [0.250, 0.750], overlap 0.500 [0.250, 0.750], gain area 0.500 [0.250, 0.750]",
        "  fidelity 0.500 [0.250, 0.750]; rule: contains one of the prototypes",
        "prototype            p  margin  accuracy  density  support  elsewhere  lift  margin share   molecule",
        "1               0.5000    1.25    1.000?    0.500    0.750      0.250   3.0          0.62  not valid",
        "  truth 2 of 2  0.9000    2.00              0.250",
        "  sources       0.8000    1.50",
        "",
        "accuracy of the data set, the mean over its classes with a ground truth: 1.000",
        "",
        "support, elsewhere, lift, coverage, overlap, gain area and fidelity are of the 7 graphs that no",
        "prototype was found in",
        "fidelity: the share of graphs of which the rules say what the model predicts, every class weighing",
        "the same",
        "truth: the ground truth that counts, given to the model by itself",
        "sources: the mean over the graphs that the prototype was cut from or matched with",
        "accuracy with ?: the best that was found, not proven to be the best there is",
    ]


def test_what_is_missing_has_its_reason():
    nowhere = PLAIN | {"lift": None, "margin_share": None}
    none = {"margin_share": "its nodes and the graph's others cancel out"}
    scores = of_class(
        PLAIN | {"lift": math.inf, "missing": {"lift": "it is in none of the others"}},
        nowhere | {"missing": none | {"lift": "it is in none of the graphs"}},
        nowhere | {"missing": none | {"lift": "it is in none of the graphs"}},
        coverage=(math.nan, 0.0, 1.0),
        missing={"coverage": "none of the graphs is predicted as the class"},
    )
    lines = text(scores)
    assert lines[1].startswith("  coverage -, overlap 0.500")
    assert lines[4:12] == [
        "1          0.5000    1.25    0.500    0.750      0.250   inf          0.62",
        "2          0.5000    1.25    0.500    0.750      0.250     -             -",
        "3          0.5000    1.25    0.500    0.750      0.250     -             -",
        "  no coverage: none of the graphs is predicted as the class",
        "  lift inf of 1: it is in none of the others",
        "  no margin share of 2, 3: its nodes and the graph's others cancel out",
        "  no lift of 2, 3: it is in none of the graphs",
        "",
    ]
    assert "nan" not in "\n".join(lines)


def test_no_line_is_longer_than_100_columns():
    huge = FULL | {
        "margin": -1000.0,
        "truth_margin": -1000.0,
        "lift": 987654.3,
        "margin_share": -1.99,
        "accuracies": (0.5,) * 12,
        "truth": 11,
        "missing": {"margin_share": "a reason " * 30},
    }
    lines = text(
        of_class(*[huge] * 12),
        of_class(),
        names=("0", "a very long name " * 20),
        where="graphs " * 40,
        doubts=["no " * 90],
    )
    assert lines[0] == "!! The model may have learned nothing:"
    assert max(map(len, lines)) == 100
    assert "no prototype was found" in lines


def test_a_lift_beyond_measure_stays_short():
    (row,) = (line for line in text(of_class(PLAIN | {"lift": 12345678.9})) if line.startswith("1 "))
    assert row.split()[-2] == "1e+07"


def test_rules_are_told_with_their_fidelity():
    both = [of_class(PLAIN, num_reasons=2, num_patterns=3), of_class(PLAIN, target=0, num_reasons=0)]
    lines = scores_text(both, ("0", "1"), "some", (), Fidelity([3, 1], [4, 1])).splitlines()
    assert [line for line in lines if "rule: " in line] == [
        "  fidelity 0.500 [0.250, 0.750]; rule: 2 reasons of 3 patterns",
        "  fidelity 0.500 [0.250, 0.750]; rule: 0 reasons of 0 patterns",
    ]
    assert "fidelity of all rules together: 0.875 [0.419, 0.977]" in lines
