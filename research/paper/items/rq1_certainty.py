"""How sure the model is of each explainer's prototypes: generators look for nothing else, and must get there."""

from collections.abc import Sequence
from typing import Any

from research.paper.findings import Estimate
from research.paper.item import Results
from research.paper.methods import TITLES
from research.paper.motifs import TRUTHS
from research.paper.sets import SETS
from research.paper.sheet import Sheet

# A generator is at its best where a prototype of it reaches this probability, on this share of seeds of these sets.
SURE, LEAST_SHARE = 0.9, 0.8
LIMITED, GENERATORS = ("ba-house", "mutagenicity"), ("xgnn", "gnninterpreter")


def write_certainty(results: Results, names: Sequence[str], methods: Sequence[str], sheet: Sheet) -> None:
    """The share of seeds with a prototype that the model is sure of, and what we want of the generators."""
    shares = {
        (name, target, method): reached(results, name, target, method)
        for name, target in TRUTHS
        if name in names
        for method in methods
    }
    cases = list(dict.fromkeys((name, target) for name, target, _ in shares))
    sheet.table(
        "certainty",
        ("data set", "class", *(TITLES[method] for method in methods)),
        [
            [SETS[name].title, str(target), *(shares[name, target, method] for method in methods)]
            for name, target in cases
        ],
        f"Share of seeds with a prototype of which the model says p >= {SURE}. It says nothing of whether it is right: "
        "generated graphs that look like no graph of the class get there too.",
    )
    for name, target in cases:
        for method in GENERATORS if name in LIMITED else ():
            claim = f"{SETS[name].title}, class {target}: share of seeds with p >= {SURE}, {TITLES[method]}"
            sheet.limit(claim, shares[name, target, method], LEAST_SHARE, "else our implementation is not at its best")


def reached(results: Results, name: str, target: int, method: str) -> Estimate:
    """Share of seeds in which a prototype reaches the probability."""
    seeds: list[Any] = [one["classes"][str(target)]["prototypes"] for one in results.under(name, method).values()]
    is_sure = [any(prototype["probability"] >= SURE for prototype in prototypes) for prototypes in seeds]
    return Estimate.share(sum(is_sure), len(is_sure))
