"""What the paper says of prototypes in RQ1, sentence by sentence, as figures that are counted over seeds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from research.paper.claims import above_zero, mostly, occasionally
from research.paper.findings import Estimate, verdict
from research.paper.item import Results
from research.paper.methods import TITLES
from research.paper.motifs import RING, TRUTHS, has_whole
from research.paper.paper import paper
from research.paper.sets import SETS
from research.paper.sheet import Sheet

Prototypes = Sequence[dict[str, Any]]
# Whose numbers the paper's pictures are beside, by our name: it knows no others.
IN_PAPER = {"walk": "PAGE", "page": "PAGE", "xgnn": "XGNN"}


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence of the paper on the prototypes of a class.

    Attributes:
        name: The data set.
        target: The class.
        words: What is counted or measured.
        measure: Of the prototypes of one seed, and the names of kinds.
        pictured: What the paper's picture shows of each explainer, or of the one that it speaks of; empty where it says
            "more" or "less".
        is_yes_or_no: Whether it either holds or does not.
        is_share: Whether it lies between 0 and 1.
        note: What to know of it.
    """

    name: str
    target: int
    words: str
    measure: Callable[[Prototypes, Sequence[str]], float]
    pictured: dict[str, bool] = field(default_factory=dict)
    is_yes_or_no: bool = True
    is_share: bool = True
    note: str = "share of seeds"


def has(motif: str) -> Callable[[Prototypes, Sequence[str]], float]:
    """1 where some prototype has the whole motif."""
    return lambda prototypes, kinds: float(has_whole(prototypes, motif))


def all_have(motif: str) -> Callable[[Prototypes, Sequence[str]], float]:
    """1 where every prototype has the whole motif, and there is one."""
    return lambda prototypes, kinds: float(bool(prototypes) and all(has_whole([one], motif) for one in prototypes))


def tells_apart(prototypes: Prototypes, kinds: Sequence[str]) -> float:
    """1 where one prototype has two houses and another one house alone."""
    doubles = [has_whole([one], "two houses") for one in prototypes]
    singles = [has_whole([one], "house") for one in prototypes]
    return float(any(doubles) and any(one and not two for one, two in zip(singles, doubles, strict=True)))


def found_share(motif: str) -> Callable[[Prototypes, Sequence[str]], float]:
    """Share of the motif's nodes and edges that a prototype has, the mean over prototypes."""
    return lambda prototypes, kinds: _mean([one["motifs"][motif] for one in prototypes])


def has_edges(num: int) -> Callable[[Prototypes, Sequence[str]], float]:
    """1 where some prototype has so many edges of the ground truth that it is held against."""
    return lambda prototypes, kinds: float(any(len(one["part"]["edges"]) >= num for one in prototypes))


def carbon_share(prototypes: Prototypes, kinds: Sequence[str]) -> float:
    """Share of carbons among the atoms of a prototype, the mean over prototypes."""
    carbon = list(kinds).index("C")
    return _mean([one["graph"]["kinds"].count(carbon) / len(one["graph"]["kinds"]) for one in prototypes])


def is_mostly_carbon(prototypes: Prototypes, kinds: Sequence[str]) -> float:
    """1 where more than half of the atoms are carbons, in the mean over prototypes."""
    return float(carbon_share(prototypes, kinds) > 0.5)


def has_open_carbons(prototypes: Prototypes, kinds: Sequence[str]) -> float:
    """1 where some prototype has six carbons, or more, and no ring of six."""
    carbon = list(kinds).index("C")
    return float(any(one["graph"]["kinds"].count(carbon) >= 6 and one["motifs"][RING] < 1 for one in prototypes))


def house_nodes_share(prototypes: Prototypes, kinds: Sequence[str]) -> float:
    """Share of the nodes of the house, or of the two, that it is held against, the mean over prototypes."""
    of_house = paper("rq1", "house_nodes")
    return _mean([len(one["part"]["nodes"]) / (of_house * (1 + one["truth"])) for one in prototypes])


def num_nodes(prototypes: Prototypes, kinds: Sequence[str]) -> float:
    """Nodes of a prototype, the mean over prototypes."""
    return _mean([len(one["graph"]["kinds"]) for one in prototypes])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


ONLY_PAGE = {"PAGE": True, "XGNN": False}
# Of which the paper has a number for XGNN alone.
HOUSE_NODES = Claim("ba-house", 1, "share of the house's nodes that is found", house_nodes_share, is_yes_or_no=False)
CLAIMS = (
    Claim("ba-house", 1, "a prototype has a whole house", has("house"), ONLY_PAGE),
    Claim("ba-house", 1, "one prototype has one house, another two", tells_apart, ONLY_PAGE),
    HOUSE_NODES,
    Claim("ba-grid", 1, "share of the grid that is found", found_share("grid"), is_yes_or_no=False),
    Claim("ba-grid", 1, "a prototype has at least 8 of the grid's 12 edges", has_edges(8), ONLY_PAGE),
    Claim("benzene", 1, "a prototype has a six-carbon ring", has(RING), ONLY_PAGE),
    Claim("benzene", 1, "a prototype has six carbons that close no ring", has_open_carbons, {"XGNN": True}),
    Claim("mutagenicity", 0, "a prototype has a six-carbon ring", has(RING), ONLY_PAGE),
    Claim("mutagenicity", 0, "a prototype has NO2", has("NO2"), {"PAGE": True, "XGNN": True}),
    Claim("mutagenicity", 0, "nodes of a prototype", num_nodes, is_yes_or_no=False, is_share=False),
    Claim("solubility", 0, "share of carbons among the atoms", carbon_share, is_yes_or_no=False),
    Claim(
        "solubility",
        0,
        "most atoms are carbons",
        is_mostly_carbon,
        {"PAGE": True, "XGNN": True},
        note="share of seeds; a generator takes whatever atoms raise p",
    ),
    Claim("solubility", 0, "a prototype has a six-carbon ring", has(RING), ONLY_PAGE),
    Claim("solubility", 1, "every prototype has R-OH (C-O)", all_have("R-OH"), ONLY_PAGE),
)


def write_claims(results: Results, names: Sequence[str], methods: Sequence[str], sheet: Sheet) -> None:
    """A table of all claims and explainers, and a finding for each that the paper states."""
    claims = [claim for claim in CLAIMS if claim.name in names]
    values = {(claim, method): _values(results, claim, method) for claim in claims for method in methods}
    rows = [
        [_words(claim), *(_pictured(claim, one) for one in ("PAGE", "XGNN"))]
        + [_estimate(values[claim, method], claim) for method in methods]
        for claim in claims
    ]
    columns = ["claim", "paper: PAGE", "paper: XGNN", *(TITLES[method] for method in methods)]
    caption = "What the prototypes of each explainer have, as a share of seeds; other shares, and sizes, are means. "
    sheet.table("claims", columns, rows, caption + "Of the paper: what its one picture shows.")
    for claim in claims:
        _write_claim(claim, {method: values[claim, method] for method in methods}, sheet)
    _write_whole_truths(results, names, methods, sheet)
    if "solubility" in names:
        _write_hydrogens(results, sheet)
    if "ba-house" in names:
        sheet.note(
            "That one house and two are told apart is, the paper says, due to clustering: ablation has the walk with a "
            "single cluster."
        )


def _words(claim: Claim) -> str:
    several = sum(name == claim.name for name, _ in TRUTHS) > 1
    return f"{SETS[claim.name].title}{f', class {claim.target}' if several else ''}: {claim.words}"


def _pictured(claim: Claim, who: str) -> str | None:
    return None if who not in claim.pictured else "yes" if claim.pictured[who] else "no"


def _values(results: Results, claim: Claim, method: str) -> list[float]:
    """One a seed."""
    cells = results.under(claim.name, method).values()
    return [claim.measure(cell["classes"][str(claim.target)]["prototypes"], cell["kinds"]["names"]) for cell in cells]


def _estimate(values: Sequence[float], claim: Claim) -> Estimate:
    if claim.is_yes_or_no:
        return Estimate.share(int(sum(values)), len(values))
    return Estimate.of_shares(values) if claim.is_share else Estimate.of(values, least=0.0)


def _write_claim(claim: Claim, values: dict[str, list[float]], sheet: Sheet) -> None:
    if claim is HOUSE_NODES:
        ours = _estimate(values["xgnn"], claim)
        theirs, of_nodes = (paper("rq1", key) for key in ("xgnn_house_nodes", "house_nodes"))
        decided = verdict(ours, theirs / of_nodes, larger_is_better=True)
        note = f"{theirs} of {of_nodes} nodes in the paper's picture; of two houses where it is nearer to these"
        sheet.finding(f"{_words(claim)}: {TITLES['xgnn']}", ours, theirs / of_nodes, decided, note)
        return
    if not claim.pictured:
        gaps = [ours - theirs for ours, theirs in zip(values["walk"], values["xgnn"], strict=True)]
        ours = Estimate.of(gaps)
        sheet.finding(f"{_words(claim)}: PAGE (walk) less XGNN", ours, "above 0", above_zero(ours))
        return
    for method, who in IN_PAPER.items():
        if who not in claim.pictured:
            continue
        ours, is_shown = _estimate(values[method], claim), claim.pictured[who]
        claimed = f"{_words(claim)}: {TITLES[method]}"
        sheet.finding(claimed, ours, "yes" if is_shown else "no", mostly(ours, is_shown), claim.note)


def _write_whole_truths(results: Results, names: Sequence[str], methods: Sequence[str], sheet: Sheet) -> None:
    """The paper's summary: PAGE's are highly similar to the truths, XGNN's mostly do not contain an entire one."""
    for method in methods:
        cases = [
            any(has_whole(of_class["prototypes"], motif) for motif in TRUTHS[name, int(target)])
            for name in names
            for cell in results.under(name, method).values()
            for target, of_class in cell["classes"].items()
        ]
        ours = Estimate.share(sum(cases), len(cases))
        who = IN_PAPER.get(method)
        sheet.finding(
            f"all data sets: a prototype has an entire ground truth, {TITLES[method]}",
            ours,
            {"PAGE": "a high similarity", "XGNN": "mostly not"}[who] if who else None,
            mostly(ours, is_claimed=who == "PAGE") if who else "not comparable",
            "share of classes and seeds",
        )


def _write_hydrogens(results: Results, sheet: Sheet) -> None:
    """PAGE occasionally adds hydrogens to its carbons, where graphs have any."""
    cells = list(results.under("solubility", "walk").values())
    names = list(cells[0]["kinds"]["names"])
    if "H" not in names:
        sheet.note(
            "That PAGE occasionally adds hydrogens on Solubility is not measured: our molecules, as many atoms as the "
            "paper's, are of the heavier elements alone."
        )
        return
    found = [one["graph"]["kinds"] for cell in cells for one in cell["classes"]["0"]["prototypes"]]
    ours = Estimate.share(sum(names.index("H") in kinds for kinds in found), len(found))
    claim = f"Solubility, class 0: share of prototypes with hydrogens: {TITLES['walk']}"
    sheet.finding(claim, ours, "occasionally", occasionally(ours))


def write_digits(digits: dict[str, Any], sheet: Sheet) -> None:
    """How many nodes prototypes of a digit have: the paper's XGNN makes too few to show it."""
    sizes = {method: [len(one["kinds"]) for one in of_method["prototypes"]] for method, of_method in digits.items()}
    words = "; ".join(f"{TITLES[method]}: {', '.join(map(str, found)) or 'none'}" for method, found in sizes.items())
    more = bool(sizes.get("walk") and sizes.get("xgnn") and min(sizes["walk"]) > max(sizes["xgnn"]))
    sheet.finding(
        "MNIST-sp, class 0: nodes of the prototypes, PAGE's more than XGNN's",
        words,
        "PAGE shows the digit, XGNN has too few nodes",
        "agrees" if more else "differs",
        "XGNN is given at most 13 nodes here",
    )
    sheet.note(
        "A superpixel's features hold its grey level and its cell of 14 x 14, and nodes match only where features are "
        "equal: a walk takes along what lies in the same cells of all k images, which is less than the whole digit."
    )
