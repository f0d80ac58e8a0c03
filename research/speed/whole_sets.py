"""Explaining the whole of a data set: seconds, beside those of forward passes of the model before and after each run.

(e) is the paper's search, (f) the default without reasons, (i) the paper's search with two clusters on Benzene, (m) the
default with reasons.
"""

import statistics
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import protograph as pg
from research import certificate
from research.speed.data import SEEDS, trained
from research.speed.timing import (
    Part,
    calibration,
    forward_pass,
    median_and_spread,
    median_stages,
    row,
    seconds,
    show_stages,
    stages_of,
)

SETS = ("ba-house", "ba-grid", "bbbp", "solubility", "mutagenicity", "benzene", "IMDB-BINARY")
MOST_PASSES = 3
# Seconds beside the passes: of the paper's search in all, of the default a class.
WALK_ALLOWANCE, CLASS_ALLOWANCE = 1.0, 0.25
WALK_PASSES = 1.5
# With reasons: passes, and seconds beside them.
REASON_PASSES, REASON_ALLOWANCES = 10, {"ba-house": 2.0, "mutagenicity": 6.0}
Explain = Callable[[Any, list], Any]


def by_default(model: Any, graphs: list) -> Any:
    return pg.PAGE(max_reasons=0).fit(model, graphs).explain_all()


def with_reasons(model: Any, graphs: list) -> Any:
    return pg.PAGE().fit(model, graphs).explain_all()


def by_walk(model: Any, graphs: list) -> Any:
    walk = {"search": "walk", "num_clusters": 2, "num_graphs": 3, "budget": 5, "max_iterations": 1000, "max_nodes": 13}
    return pg.PAGE(**walk).fit(model, graphs).explain_all()


def two_clusters(model: Any, graphs: list) -> Any:
    return pg.PAGE(search="walk", num_clusters=2).fit(model, graphs).explain_all()


def whole_set(
    name: str, repeats: int, explain: Explain, allowance: float | None = None, most_passes: int = MOST_PASSES
) -> dict[str, Any]:
    """Times of several runs, each between two forward passes, with the limit of each.

    Args:
        name: The data set.
        repeats: Number of runs.
        explain: What is timed.
        allowance: Seconds beside the passes; by default so many a class.
        most_passes: Passes that the limit allows.
    """
    model, graphs = trained(name)
    forward_pass(model, graphs)
    num_classes = len(explain(model, graphs))
    seconds_allowed = CLASS_ALLOWANCE * num_classes if allowance is None else allowance
    passes, taken, stages = [seconds(lambda: forward_pass(model, graphs))], [], []
    for _ in range(repeats):
        taken.append(seconds(lambda: stages.append(stages_of(explain(model, graphs)))))
        passes.append(seconds(lambda: forward_pass(model, graphs)))
    limits = [seconds_allowed + most_passes * (before + after) / 2 for before, after in pairwise(passes)]
    loop = calibration()
    return {
        "seed": SEEDS.get(name, 0),
        "num_graphs": len(graphs),
        "num_classes": num_classes,
        "seconds": taken,
        "limits": limits,
        "most_passes": most_passes,
        "passes": passes,
        "stages": median_stages(stages),
        "loop_seconds": loop,
        "loops": statistics.median(taken) / loop,
    }


def shares_of(one: dict[str, Any]) -> list[float]:
    """What each run took of its limit, lowest first."""
    return sorted(taken / limit for taken, limit in zip(one["seconds"], one["limits"], strict=True))


def in_passes(one: dict[str, Any]) -> list[float]:
    """What each run took, in forward passes of the model as they were before and after it, lowest first."""
    around = [(before + after) / 2 for before, after in pairwise(one["passes"])]
    return sorted(taken / single for taken, single in zip(one["seconds"], around, strict=True))


def allowance_of(one: dict[str, Any]) -> float:
    """Seconds that the limit allows beside the passes."""
    before, after = one["passes"][:2]
    return round(one["limits"][0] - passes_of(one) * (before + after) / 2, 6)


def passes_of(one: dict[str, Any]) -> int:
    """Passes that the limit allows; figures of old do not say."""
    return one.get("most_passes", MOST_PASSES)


def measure(names: tuple[str, ...], explain: Explain, allowance: float | None, repeats: int) -> dict[str, Any]:
    """Each data set; those whose files are not there are left out, and that is said."""
    sets = {}
    for name in names:
        try:
            trained(name)
        except OSError as error:
            row(f"    {name}", f"skipped: {error}")
            continue
        sets[name] = whole_set(name, max(3, repeats // 3), explain, allowance)
    return sets


def measure_reasons(repeats: int) -> dict[str, Any]:
    return {
        name: whole_set(name, max(3, repeats // 3), with_reasons, allowance, REASON_PASSES)
        for name, allowance in REASON_ALLOWANCES.items()
    }


def show(letter: str, sets: dict[str, Any]) -> None:
    for name, one in sets.items():
        shares = shares_of(one)
        taken, limit = statistics.median(one["seconds"]), statistics.median(one["limits"])
        figure = f"{taken:.2f} s of {limit:.2f} s, {median_and_spread(shares)}"
        allowed = f"{passes_of(one)} passes + {allowance_of(one):g} s"
        row(f"({letter}) {name}, all graphs: fit + explain_all", figure, allowed, statistics.median(shares) <= 1)
        row(
            "    in forward passes, in calibrating loops", f"{median_and_spread(in_passes(one), 1)}, {one['loops']:.1f}"
        )
        show_stages(one["stages"])


def limits(letter: str, sets: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        certificate.limit(
            f"({letter}) {name}: time as a share of {passes_of(one)} passes and {allowance_of(one):g} s",
            statistics.median(shares_of(one)),
            at_most=1.0,
        )
        for name, one in sets.items()
    ]


def show_walk(sets: dict[str, Any]) -> None:
    for name, one in sets.items():
        passes = in_passes(one)
        holds = statistics.median(passes) <= WALK_PASSES
        row(f"(i) {name}: walk with two clusters, in forward passes", median_and_spread(passes), "at most 1.5", holds)
        show_stages(one["stages"])


def walk_limits(sets: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        certificate.limit(
            f"(i) {name}: walk with two clusters, in forward passes",
            statistics.median(in_passes(one)),
            at_most=WALK_PASSES,
        )
        for name, one in sets.items()
    ]


WALK = Part(
    "real",
    partial(measure, ("benzene", "mutagenicity"), by_walk, WALK_ALLOWANCE),
    partial(show, "e"),
    partial(limits, "e"),
)
CONSENSUS = Part("consensus", partial(measure, SETS, by_default, None), partial(show, "f"), partial(limits, "f"))
WALK_BENZENE = Part("walk", partial(measure, ("benzene",), two_clusters, None), show_walk, walk_limits)
REASONS = Part("reasons", measure_reasons, partial(show, "m"), partial(limits, "m"))
