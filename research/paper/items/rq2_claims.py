"""What the paper's text says of Table 2, sentence by sentence, held against ours seed by seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Literal

from protograph.baselines.random_subgraph import RandomSubgraph
from research.paper.claims import above_zero
from research.paper.findings import Estimate, Verdict
from research.paper.item import Results
from research.paper.items.rq2_values import by_seed
from research.paper.paper import paper
from research.paper.sets import SETS
from research.paper.sheet import Sheet

SYNTHETIC = ("ba-house", "ba-grid")
OUTCOMES: dict[Verdict, str] = {"agrees": "holds on", "differs": "fails on", "undecided": "undecided on"}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence on all data sets.

    Attributes:
        words: What is claimed.
        metric: A part of Table 2.
        larger: Whose number is claimed to be the larger, or above 0.
        other: Whose is the smaller; 0 is the number 0.
    """

    words: str
    metric: str
    larger: Literal["PAGE", "XGNN", "0"]
    other: Literal["PAGE", "XGNN", "0"]


CLAIMS = (
    Claim(words="PAGE is more accurate than XGNN", metric="accuracy", larger="PAGE", other="XGNN"),
    Claim(words="PAGE's prototypes are less dense than XGNN's", metric="density", larger="XGNN", other="PAGE"),
    Claim(words="PAGE is steadier over widths than XGNN", metric="consistency", larger="XGNN", other="PAGE"),
    Claim(words="PAGE's probability goes with accuracy (tau > 0)", metric="faithfulness", larger="PAGE", other="0"),
    Claim(words="PAGE is more faithful than XGNN", metric="faithfulness", larger="PAGE", other="XGNN"),
    Claim(words="XGNN has a negative tau", metric="faithfulness", larger="0", other="XGNN"),
)


def write_claims(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    """A line a claim: on how many data sets it holds beyond chance, with ours and in the paper's own table."""
    for method, title in (("walk", "walk"), ("page", "default")):
        for claim in CLAIMS:
            if "PAGE" in (claim.larger, claim.other) or method == "walk":
                _write_claim(claim, f"{claim.words} ({title})", method, results, names, sheet)
    _write_synthetic(results, names, sheet)


def differences(results: Results, claim: Claim, name: str, method: str) -> list[float]:
    """What is claimed to be above 0, on each seed that has both numbers."""
    of = {"PAGE": by_seed(results, claim.metric, name, method), "XGNN": by_seed(results, claim.metric, name, "xgnn")}
    of["0"] = dict.fromkeys(of[claim.other if claim.larger == "0" else claim.larger], 0.0)
    return [value - of[claim.other][seed] for seed, value in of[claim.larger].items() if seed in of[claim.other]]


def _theirs(claim: Claim, name: str) -> float | None:
    """The same of the paper's table."""
    of = {who: paper("table2", claim.metric, who, name) for who in ("PAGE", "XGNN")} | {"0": 0.0}
    larger, other = of[claim.larger], of[claim.other]
    return None if larger is None or other is None else larger - other


def _write_claim(claim: Claim, words: str, method: str, results: Results, names: Sequence[str], sheet: Sheet) -> None:
    theirs = {name: gap for name in names if (gap := _theirs(claim, name)) is not None}
    gaps = {name: found for name in theirs if (found := differences(results, claim, name, method))}
    if not gaps:
        return
    outcomes = {name: above_zero(Estimate.of(found)) for name, found in gaps.items()}
    wanted: dict[str, Verdict] = {name: "agrees" if theirs[name] > 0 else "differs" for name in gaps}
    open_ = [name for name in gaps if outcomes[name] == "undecided"]
    others = [name for name in gaps if name not in open_ and outcomes[name] != wanted[name]]
    told = ", ".join(
        f"{word} {count}" for outcome, word in OUTCOMES.items() if (count := list(outcomes.values()).count(outcome))
    )
    sheet.finding(
        words,
        f"{told} of {len(gaps)} sets",
        f"holds on {list(wanted.values()).count('agrees')} of {len(gaps)} sets",
        "differs" if others else "undecided" if open_ else "agrees",
        "; ".join(filter(None, [_named("not as in the paper", others), _named("undecided", open_)])),
    )


def _named(what: str, names: Sequence[str]) -> str:
    return f"{what}: {', '.join(SETS[name].title for name in names)}" if names else ""


def _write_synthetic(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    """Whether PAGE and XGNN lie further apart in faithfulness on synthetic data."""
    claim = CLAIMS[4]
    theirs = {name: gap for name in names if (gap := _theirs(claim, name)) is not None}
    gaps = {name: found for name in theirs if (found := differences(results, claim, name, "walk"))}
    ours = _split({name: mean(found) for name, found in gaps.items()})
    both = _split({name: theirs[name] for name in gaps})
    if ours is None or both is None:
        return
    # Sweeps have their first seeds in common; where one has a single seed, the interval is not known.
    num = min(map(len, gaps.values()))
    each = [_split({name: found[number] for name, found in gaps.items()}) for number in range(num)]
    leads = [one[0] - one[1] for one in each if one is not None]
    sheet.finding(
        "PAGE's lead over XGNN in faithfulness is larger on synthetic sets (walk)",
        f"{ours[0]:.3f} and {ours[1]:.3f} on the others",
        f"{both[0]:.3f} and {both[1]:.3f}",
        above_zero(Estimate.of(leads)),
        f"the mean of the differences; decided by the seeds that all sets have: {num}",
    )


def _split(values: dict[str, float]) -> tuple[float, float] | None:
    synthetic = [value for name, value in values.items() if name in SYNTHETIC]
    real = [value for name, value in values.items() if name not in SYNTHETIC]
    return (mean(synthetic), mean(real)) if synthetic and real else None


def write_random(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    """Where the walk is no more accurate than parts that are cut at random, seed by seed."""
    no_better = []
    for name in names:
        walk, random = (by_seed(results, "accuracy", name, method) for method in ("walk", "random"))
        gaps = [value - random[seed] for seed, value in walk.items() if seed in random]
        if gaps and above_zero(Estimate.of(gaps)) != "agrees":
            no_better.append(SETS[name].title)
    where = f"on {', '.join(no_better)}" if no_better else "on no data set"
    size, num = RandomSubgraph.max_nodes, RandomSubgraph.num_candidates
    sheet.note(
        f"Random subgraphs (the likeliest of {num} of at most {size} nodes) are as accurate as the walk, to chance or "
        f"beyond, {where}. All that a prototype has besides the truth counts against it, so that accuracy rewards "
        "small parts, whoever cuts them: a walk that goes as far as its graphs are alike takes backbone and rings "
        "along."
    )
