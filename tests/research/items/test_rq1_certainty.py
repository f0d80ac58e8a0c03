from research.paper.findings import Estimate
from research.paper.item import Results
from research.paper.items.rq1_certainty import reached, write_certainty
from research.paper.settings import Settings
from research.paper.sheet import Finding, Sheet

METHODS = ("walk", "xgnn", "gnninterpreter")


def results(of):
    """``of`` has, by data set and explainer, the probabilities of each seed's prototypes."""
    values = {
        (name, method, f"seed {seed}"): {"classes": {target: {"prototypes": [{"probability": p} for p in found]}}}
        for (name, target, method), seeds in of.items()
        for seed, found in enumerate(seeds)
    }
    return Results(values, Settings(), {})


def test_one_sure_prototype_is_enough_and_none_is_not():
    found = results({("ba-house", "1", "xgnn"): [[0.2, 0.9], [0.89, 0.5], []]})
    assert reached(found, "ba-house", 1, "xgnn") == Estimate.share(1, 3)


def test_generators_must_be_sure_on_most_seeds():
    sure, unsure = [[0.95]] * 8 + [[0.1]] * 2, [[0.95]] * 7 + [[0.1]] * 3
    of = {("ba-house", "1", method): sure if method == "xgnn" else unsure for method in METHODS}
    of |= {("benzene", "1", method): unsure for method in METHODS}
    sheet = Sheet()
    write_certainty(results(of), ["ba-house", "benzene"], METHODS, sheet)
    table, *limits = sheet.parts
    assert table.columns == ("data set", "class", "PAGE (walk)", "XGNN", "GNNInterpreter")
    low, high = Estimate.share(7, 10), Estimate.share(8, 10)
    assert table.rows == (("BA-house", "1", low, high, low), ("Benzene", "1", low, low, low))
    wanted, why = "at least 0.8", "else our implementation is not at its best"
    assert limits == [
        Finding("BA-house, class 1: share of seeds with p >= 0.9, XGNN", high, wanted, "holds", why),
        Finding("BA-house, class 1: share of seeds with p >= 0.9, GNNInterpreter", low, wanted, "missed", why),
    ]
