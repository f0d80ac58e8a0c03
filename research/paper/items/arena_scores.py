"""The figures of the arena: of every explainer and field a value a seed, and their means."""

from collections.abc import Mapping, Sequence
from math import inf
from statistics import mean
from typing import Any

from research.paper.findings import Estimate
from research.paper.item import Results

# The two kinds of fields, as keys of cells begin, and both together.
SET, WORLD, ALL = "set", "world", "all"
KINDS = {ALL: "all fields", SET: "data sets", WORLD: "planted worlds"}
OURS = "rules"
METRICS = {
    "accuracy": "accuracy",
    "found": "reasons found",
    "fidelity": "fidelity",
    "coverage": "coverage",
    "seconds": "seconds",
}
# Where less is better.
LESS_IS_BETTER = ("seconds",)
# A model of two classes that is right for fewer of the graphs kept apart has not learned what decides.
LEAST_ACCURACY = 0.6
# Of a kind of field: explainer and metric, then the field, then the seed.
Values = Mapping[tuple[str, str], Mapping[str, Mapping[str, float]]]


def seeds_of(results: Results, kind: str) -> list[str]:
    """The seeds that a kind of field was measured with; of both kinds those that both have."""
    if kind == ALL:
        sets, worlds = seeds_of(results, SET), seeds_of(results, WORLD)
        return [seed for seed in sets if seed in worlds]
    return list(dict.fromkeys(key[-1] for key in results.under(kind)))


def values_of(results: Results, kind: str, *, with_all_models: bool = False) -> Values:
    """Every figure of a kind of field.

    Args:
        results: What the cells gave.
        kind: The kind; for both, fields stand side by side, on the seeds that both kinds have.
        with_all_models: Whether models count that have not learned what decides.
    """
    kinds, seeds = ((SET, WORLD) if kind == ALL else (kind,)), seeds_of(results, kind)
    values: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for field, method, seed, result in (run for one in kinds for run in runs_of(results, one)):
        if seed not in seeds or not (with_all_models or has_learned(result)):
            continue
        for metric in METRICS:
            value = result["seconds"] if metric == "seconds" else of_classes(result["classes"].values(), metric)
            if value is not None:
                values.setdefault((method, metric), {}).setdefault(field, {})[seed] = value
    return values


def runs_of(results: Results, kind: str) -> list[tuple[str, str, str, Any]]:
    """Field, explainer and seed of every run, with its result; a world that no model has learned has none."""
    if kind == SET:
        return [(*key, result) for key, result in results.under(SET).items()]
    return [
        (field, method, seed, result)
        for (field, seed), one in results.under(WORLD).items()
        for method, result in one["methods"].items()
    ]


def has_learned(result: Any) -> bool:
    """Whether the model of a run has learned what decides; that of a world was only explained if it has."""
    return bool(result.get("test_accuracy", 1.0) >= LEAST_ACCURACY)


def of_classes(classes: Any, metric: str) -> float | None:
    """A figure of a run: the mean over its classes; of reasons, how many of all are found."""
    if metric == "found":
        each = [float(one) for scores in classes for one in scores["found"]]
    else:
        each = [scores[metric] for scores in classes if scores[metric] is not None]
    return mean(each) if each else None


def by_seed(values: Values, method: str, metric: str) -> dict[str, float]:
    """Of each seed the mean over fields."""
    of: dict[str, list[float]] = {}
    for seeds in values.get((method, metric), {}).values():
        for seed, value in seeds.items():
            of.setdefault(seed, []).append(value)
    return {seed: mean(each) for seed, each in of.items()}


def over_seeds(values: Values, method: str, metric: str) -> Estimate | None:
    """A cell of the leaderboard."""
    return estimate_of(list(by_seed(values, method, metric).values()), metric)


def of_field(values: Values, method: str, metric: str, field: str) -> Estimate | None:
    """A cell of the table of a metric by fields."""
    return estimate_of(list(values.get((method, metric), {}).get(field, {}).values()), metric)


def estimate_of(each: Sequence[float], metric: str) -> Estimate | None:
    """The mean with its interval, which ends where the metric does; ``None`` of no values."""
    return Estimate.of(each, least=0.0, most=inf if metric == "seconds" else 1.0) if each else None
