"""What wrong labels do to the models of the faithfulness sweep; and what XGNN's prototypes are worth on MNIST-sp."""

from collections.abc import Sequence
from statistics import mean

from research.paper.claims import mostly
from research.paper.findings import Estimate, Verdict
from research.paper.item import Results
from research.paper.methods import TITLES
from research.paper.sets import SETS, wrong_percent_of
from research.paper.sheet import Sheet

# The sets of which the paper says that test accuracy is quite low where labels are wrong.
SAID_TO_BE_LOW = ("solubility", "mutagenicity")
# Below it, a probability is near zero.
NEAR_ZERO = 0.1


def accuracies(results: Results, name: str) -> dict[int, list[float]]:
    """Test accuracy of each seed's model at each level of wrong labels, in percent; empty without a sweep."""
    levels = wrong_percent_of(name, results.settings)
    sweeps: dict[str, list[float]] = {}
    for method in TITLES:
        for (seed,), one in results.under(name, method).items():
            # The models are the same for all explainers and classes.
            for scores in one["classes"].values():
                if "faithfulness_accuracies" in scores:
                    sweeps.setdefault(seed, scores["faithfulness_accuracies"])
    if not sweeps:
        return {}
    return {level: list(values) for level, values in zip(levels, zip(*sweeps.values(), strict=True), strict=True)}


def write_wrong_labels(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    """A row a level, and whether Solubility and MUTAG are lower than the others."""
    found = {name: of_set for name in names if (of_set := accuracies(results, name))}
    levels = sorted({level for of_set in found.values() for level in of_set})
    if not found:
        return

    def cell(of_set: dict[int, list[float]], level: int) -> Estimate | None:
        return Estimate.of_shares(of_set[level]) if level in of_set else None

    sheet.table(
        "wrong-labels",
        ("wrong labels", *(SETS[name].title for name in found)),
        [[f"{level}%", *(cell(of_set, level) for of_set in found.values())] for level in levels],
        "Test accuracy of the models of the faithfulness sweep by how many training labels are wrong: mean over the "
        "seeds of the sweep.",
    )
    others = [name for name in found if name not in SAID_TO_BE_LOW]
    for name in SAID_TO_BE_LOW:
        if name in found and others:
            _write_low(name, others, found, sheet)


def _write_low(name: str, others: Sequence[str], found: dict[str, dict[int, list[float]]], sheet: Sheet) -> None:
    """The difference to the mean of other sets, level by level."""
    levels = [level for level in found[name] if level and all(level in found[other] for other in others)]
    gaps = [mean(found[name][level]) - mean(mean(found[other][level]) for other in others) for level in levels]
    if not gaps:
        return
    ours = Estimate.of(gaps)
    titles = ", ".join(SETS[other].title for other in others)
    sheet.finding(
        f"{SETS[name].title}: test accuracy with wrong labels, less the mean of {titles}",
        ours,
        "quite low",
        _below_zero(ours),
        f"the interval is over {len(gaps)} levels of wrong labels",
    )


def _below_zero(difference: Estimate) -> Verdict:
    if difference.low is None or difference.high is None or difference.low <= 0 <= difference.high:
        return "undecided"
    return "agrees" if difference.high < 0 else "differs"


def write_near_zero(results: Results, sheet: Sheet) -> None:
    """Whether XGNN is steady on MNIST-sp only since the models of the sweep believe nothing of it."""
    classes = [of for one in results.under("mnist-sp", "xgnn").values() for of in one["classes"].values()]
    probabilities = [value for of in classes for value in of.get("consistency_probabilities", ())]
    if probabilities:
        share = Estimate.share(sum(value < NEAR_ZERO for value in probabilities), len(probabilities))
        claim = f"MNIST-sp: share of the models of other widths that give XGNN's prototypes p < {NEAR_ZERO}"
        sheet.finding(claim, share, "almost all", mostly(share), "the paper's reason for XGNN's low deviation there")
