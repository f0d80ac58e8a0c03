"""(k) How the cost of ``fit`` and ``explain_all`` grows: with the graphs, their nodes, their degree, k, the clusters.

Every stage is timed, and an exponent fitted to its times: 1 is twice the time for twice as much, 0 none.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import protograph as pg
from research.speed.hard_cases import Case, dense, small
from research.speed.timing import Part, calibration, stages_of

SEED = 0
# Times below this are other things than work.
LEAST_SECONDS = 1e-3


def scale_free(num_graphs: int, size: int = 15) -> Case:
    rng = np.random.default_rng(SEED)
    return Case([small(rng, number % 2, size=size) for number in range(num_graphs)])


def of_degree(degree: int) -> Case:
    return dense(np.random.default_rng(SEED), size=40, degree=degree, num_graphs=200)


# For each quantity its values, and the graphs and options for one of them.
QUANTITIES: dict[str, tuple[tuple[int, ...], Callable[[int], tuple[Case, dict[str, Any]]]]] = {
    "graphs": ((1_000, 10_000, 100_000), lambda value: (scale_free(value), {})),
    "nodes": ((15, 30, 60, 120, 240), lambda value: (scale_free(400, value), {})),
    "degree": ((2, 4, 8, 16), lambda value: (of_degree(value), {})),
    "k": ((2, 4, 8, 16), lambda value: (scale_free(1_000), {"num_graphs": value})),
    "clusters": ((1, 2, 4, 8), lambda value: (scale_free(1_000), {"num_clusters": value})),
}


def times_for(case: Case, options: dict[str, Any], repeats: int) -> dict[str, float]:
    """Seconds of each stage, the lowest of some runs, and of all stages together."""
    model, runs = case.model(), []
    for _ in range(repeats):
        runs.append(stages_of(pg.PAGE(**options).fit(model, case.graphs).explain_all()))
    lowest = {stage: min(run[stage] for run in runs) for stage in runs[0]}
    return {**lowest, "all": sum(lowest.values())}


def exponent(values: list[int], times: list[float]) -> float | None:
    """The slope of the line through logarithms of values and times; ``None`` where there is hardly any time."""
    if max(times) < LEAST_SECONDS:
        return None
    return float(np.polyfit(np.log(values), np.log(np.maximum(times, LEAST_SECONDS)), 1)[0])


def measure(repeats: int) -> dict[str, Any]:
    times_for(scale_free(60), {}, 1)  # what is compiled
    grown: dict[str, Any] = {}
    for quantity, (values, make) in QUANTITIES.items():
        times: dict[str, list[float]] = {}
        for value in values:
            case, options = make(value)
            for stage, taken in times_for(case, options, 1 if value >= 100_000 else 3).items():
                times.setdefault(stage, []).append(taken)
        exponents = {stage: exponent(list(values), taken) for stage, taken in times.items()}
        grown[quantity] = {"values": list(values), "seconds": times, "exponents": exponents}
    return {"loop_seconds": calibration(), "quantities": grown}


def show(content: dict[str, Any]) -> None:
    print("(k) seconds by stage, and the exponent of their growth", flush=True)
    for quantity, one in content["quantities"].items():
        print(f"    {quantity:<14}" + "".join(f"{value:>10,}" for value in one["values"]) + "  exponent", flush=True)
        for stage, times in one["seconds"].items():
            grows = one["exponents"][stage]
            power = "-" if grows is None else f"{grows:.2f}"
            print(f"      {stage:<12}" + "".join(f"{taken:>10.3f}" for taken in times) + f"  {power:>8}", flush=True)


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    """None: `docs/method.md` says how it grows."""
    return []


PART = Part("growth", measure, show, limits)
