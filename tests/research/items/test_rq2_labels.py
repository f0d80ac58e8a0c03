import pytest

from research.paper.findings import Estimate
from research.paper.item import Results
from research.paper.items.rq2_labels import accuracies, write_near_zero, write_wrong_labels
from research.paper.settings import Settings
from research.paper.sheet import Sheet
from tests.research.items.rq2_by_hand import results, scores, swept


def of_levels(by_set):
    """Test accuracies with 0, 25 and 50% wrong labels, on the first two seeds."""
    return results(
        lambda name, method, seed: {
            "1": scores(**(swept(0.5, [0.1] * 3) | {"faithfulness_accuracies": by_set[name]} if seed < 2 else {}))
        },
        tuple(by_set),
    )


def test_a_sweep_is_counted_once_for_all_explainers():
    found = of_levels({"ba-house": [1.0, 0.9, 0.5]})
    assert accuracies(found, "ba-house") == {0: [1.0, 1.0], 25: [0.9, 0.9], 50: [0.5, 0.5]}
    assert accuracies(found, "ba-grid") == {}


def test_low_is_below_the_other_sets_level_by_level():
    sets = {"ba-house": [1.0, 0.9, 0.8], "solubility": [0.9, 0.6, 0.49], "mutagenicity": [0.9, 1.0, 0.5]}
    sheet = Sheet()
    write_wrong_labels(of_levels(sets), list(sets), sheet)
    table, *findings = sheet.parts
    assert table.columns == ("wrong labels", "BA-house", "Solubility", "MUTAG")
    assert table.rows[1] == ("25%", *(Estimate.of_shares([one] * 2) for one in (0.9, 0.6, 1.0)))
    assert [(one.claim, one.ours.mean, one.paper, one.verdict, one.note) for one in findings] == [
        (
            f"{title}: test accuracy with wrong labels, less the mean of BA-house",
            pytest.approx(gap),
            "quite low",
            verdict,
            "the interval is over 2 levels of wrong labels",
        )
        for title, gap, verdict in (("Solubility", -0.305, "agrees"), ("MUTAG", -0.1, "undecided"))
    ]


def test_without_a_sweep_there_is_no_table():
    sheet = Sheet()
    write_wrong_labels(results(lambda name, method, seed: {"1": scores()}), ["ba-house"], sheet)
    assert sheet.parts == []


@pytest.mark.parametrize(("low", "verdict"), [(10, "agrees"), (5, "undecided"), (0, "differs")])
def test_near_zero_is_counted_over_the_models_of_the_sweep(low, verdict):
    classes = {"0": {"consistency_probabilities": [0.01] * low + [0.4] * (10 - low)}}
    sheet = Sheet()
    write_near_zero(Results({("mnist-sp", "xgnn", "seed 0"): {"classes": classes}}, Settings(), {}), sheet)
    (finding,) = sheet.parts
    assert (finding.ours.mean, finding.paper, finding.verdict) == (low / 10, "almost all", verdict)
    assert finding.claim == "MNIST-sp: share of the models of other widths that give XGNN's prototypes p < 0.1"


def test_without_mnist_sp_nothing_is_said_of_it():
    sheet = Sheet()
    write_near_zero(Results({}, Settings(), {}), sheet)
    assert sheet.parts == []
