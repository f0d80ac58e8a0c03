"""What the paper's text says of attributions in RQ4: their signs, and which method agrees more, by seeds."""

from collections.abc import Sequence

from protograph.metrics.attribution import Method
from research.paper.claims import above_zero, mostly
from research.paper.findings import Estimate
from research.paper.item import Results
from research.paper.paper import paper
from research.paper.sets import SETS
from research.paper.sheet import Sheet

METHODS: dict[Method, str] = {"InputXGradient": "Input x Gradient", "GNNExplainer": "GNNExplainer"}
FIGURES = {"alpha": "alpha", "beta": "beta", "auroc": "AUROC"}
# Which of the two sets with numbers a set is held against, of which the paper says "a tendency similar" alone: graphs
# that are generated against BA-house, molecules against Benzene. It is our reading.
LIKE = {"ba-grid": "ba-house", "solubility": "benzene", "mutagenicity": "benzene"}


def of_seeds(results: Results, name: str, target: int, method: str, figure: str) -> dict[str, float]:
    """The mean of a figure over each seed's prototypes, of the seeds where it is defined."""
    found: dict[str, float] = {}
    for (seed,), cell in results.under(name).items():
        known = [record["figures"][method][figure] for record in cell["classes"].get(str(target), [])]
        defined = [value for value in known if value is not None]
        if defined:
            found[seed] = sum(defined) / len(defined)
    return found


def write_signs(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    """Whether training moves the attribution towards the truth, as the sign of the paper's gain says."""
    for name in names:
        like = LIKE.get(name, name)
        for target in SETS[name].targets:
            for method, title in METHODS.items():
                gains = of_seeds(results, name, target, method, "beta").values()
                if not gains:
                    continue
                is_positive = paper("rq4", like, title, "beta") > 0
                share = Estimate.share(sum(gain > 0 if is_positive else gain < 0 for gain in gains), len(gains))
                sheet.finding(
                    f"{_title(name, target)}: beta of {title} is {'positive' if is_positive else 'negative'}, share of "
                    f"seeds",
                    share,
                    "yes" if like == name else "similar, not shown",
                    mostly(share),
                    "" if like == name else f"read as: the sign that it has on {SETS[like].title}",
                )


def _title(name: str, target: int) -> str:
    several = len(SETS[name].targets) > 1
    return f"{SETS[name].title}{f', class {target}' if several else ''}"


def write_pairs(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    """GNNExplainer agrees more with PAGE on Benzene, where Input x Gradient agrees less than on BA-house."""
    gradient, explainer = METHODS
    if "benzene" in names:
        for figure in ("alpha", "auroc"):
            more = of_seeds(results, "benzene", 1, explainer, figure)
            less = of_seeds(results, "benzene", 1, gradient, figure)
            theirs = [paper("rq4", "benzene", METHODS[one], figure) for one in (explainer, gradient)]
            claim = f"Benzene: {FIGURES[figure]} of {METHODS[explainer]} less that of {METHODS[gradient]}"
            _write_pair(claim, more, less, theirs[0] - theirs[1], sheet)
    if {"ba-house", "benzene"} <= set(names):
        more = of_seeds(results, "ba-house", 1, gradient, "alpha")
        less = of_seeds(results, "benzene", 1, gradient, "alpha")
        theirs = [paper("rq4", name, METHODS[gradient], "alpha") for name in ("ba-house", "benzene")]
        claim = f"alpha of {METHODS[gradient]} on BA-house less that on Benzene"
        _write_pair(claim, more, less, theirs[0] - theirs[1], sheet)


def _write_pair(claim: str, more: dict[str, float], less: dict[str, float], theirs: float, sheet: Sheet) -> None:
    """A difference by seeds; the paper claims that it is above 0."""
    gaps = [value - less[seed] for seed, value in more.items() if seed in less]
    if gaps:
        ours = Estimate.of(gaps)
        sheet.finding(claim, ours, theirs, above_zero(ours), "the order is compared, seed by seed")
