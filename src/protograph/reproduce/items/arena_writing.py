"""What the arena shows: the leaderboard, our distance to the best other, and every field by itself."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from statistics import mean
from typing import Any

from protograph._base.words import count_of
from protograph.reproduce.findings import Estimate
from protograph.reproduce.item import Results
from protograph.reproduce.methods import WITH_RULES
from protograph.reproduce.sets import title_of
from protograph.reproduce.sheet import Sheet

# The two kinds of fields, as keys of cells begin.
SET, WORLD = "set", "world"
KINDS = {SET: "data sets", WORLD: "planted worlds"}
OURS = "rules"
METRICS = {
    "accuracy": "accuracy",
    "found": "reasons found",
    "fidelity": "fidelity",
    "coverage": "coverage",
    "seconds": "seconds",
}
# A model of two classes that is right for fewer of the graphs kept apart has not learned what decides.
LEAST_ACCURACY = 0.6
# Where more is better.
JUDGED = ("accuracy", "found", "fidelity", "coverage")
# Of a kind of field: explainer and metric, then the field, then the seed.
Values = Mapping[tuple[str, str], Mapping[str, Mapping[str, float]]]


def write(results: Results, sheet: Sheet) -> None:
    """The leaderboard first, then what it is made of."""
    by_kind = {kind: values_of(results, kind) for kind in KINDS if results.under(kind)}
    sheet.table(
        "leaderboard",
        ("on", "explainer", *METRICS.values()),
        [
            [KINDS[kind], WITH_RULES[method], *(over_seeds(values, method, metric) for metric in METRICS)]
            for kind, values in by_kind.items()
            for method in WITH_RULES
        ],
        "Mean over the fields of a kind, with the 95% interval over seeds. Accuracy: on data sets as in rq2, on worlds "
        "the share of prototypes that are a planted motif. Reasons found: of what decides the class, the share that a "
        "reason or a prototype is, to the node. Fidelity and coverage on graphs kept apart; where an explainer gives "
        "no rule, the rule is to contain one of its prototypes. Seconds: fit and all classes, once. A class "
        "without an explanation counts with 0.",
    )
    sheet.table(
        "differences",
        ("on", "metric", "best other", "PAGE (default) beyond it"),
        [row for kind, values in by_kind.items() for row in _differences(kind, values)],
        "Our default beside the best of the others, paired over seeds: an interval above 0 is a lead, one below 0 a "
        "loss.",
    )
    for kind, values in by_kind.items():
        _write_losses(kind, values, sheet)
    for metric in ("accuracy", "found", "fidelity"):
        sheet.table(
            f"{metric}-by-field",
            ("on", "field", *WITH_RULES.values()),
            [
                [KINDS[kind], title_of(field), *(_of_field(values, method, metric, field) for method in WITH_RULES)]
                for kind, values in by_kind.items()
                for field in dict.fromkeys(field for one in values.values() for field in one)
            ],
            f"{METRICS[metric].capitalize()} on each field, mean over seeds with the 95% interval.",
        )
    _write_missing(results, sheet)
    for kind in KINDS.keys() - by_kind.keys():
        sheet.note(f"The {KINDS[kind]} were left out of this run.")


def values_of(results: Results, kind: str) -> Values:
    """Every figure of a kind of field."""
    found: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for field, method, seed, result in _runs(results, kind):
        for metric in METRICS:
            value = result["seconds"] if metric == "seconds" else of_classes(result["classes"].values(), metric)
            if value is not None:
                found.setdefault((method, metric), {}).setdefault(field, {})[seed] = value
    return found


def _runs(results: Results, kind: str) -> list[tuple[str, str, str, Any]]:
    """Field, explainer and seed of every run of a model that has learned, with its result."""
    if kind == SET:
        return [(*key, result) for key, result in results.under(SET).items() if _has_learned(result)]
    return [
        (field, method, seed, result)
        for (field, seed), one in results.under(WORLD).items()
        for method, result in one["methods"].items()
    ]


def _has_learned(result: Any) -> bool:
    return bool(result["test_accuracy"] >= LEAST_ACCURACY)


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
    return _estimate(list(by_seed(values, method, metric).values()), metric)


def _of_field(values: Values, method: str, metric: str, field: str) -> Estimate | None:
    return _estimate(list(values.get((method, metric), {}).get(field, {}).values()), metric)


def _estimate(each: Sequence[float], metric: str) -> Estimate | None:
    return Estimate.of(each, least=0.0, most=inf if metric == "seconds" else 1.0) if each else None


def _differences(kind: str, values: Values) -> list[list[Any]]:
    """Ours less the best other, on the seeds that both have."""
    rows: list[list[Any]] = []
    for metric in JUDGED:
        ours = by_seed(values, OURS, metric)
        others = {method: by_seed(values, method, metric) for method in WITH_RULES if method != OURS}
        means = {method: mean(one.values()) for method, one in others.items() if one}
        if not ours or not means:
            continue
        best = max(means, key=means.__getitem__)
        gaps = [ours[seed] - others[best][seed] for seed in ours if seed in others[best]]
        rows.append([KINDS[kind], METRICS[metric], WITH_RULES[best], Estimate.of(gaps) if gaps else None])
    return rows


def _write_losses(kind: str, values: Values, sheet: Sheet) -> None:
    """Where another explainer is ahead of ours, by the mean over seeds."""
    for metric in JUDGED:
        lost = [
            f"{title_of(field)} ({WITH_RULES[best]} {top:.2f}, ours {mean(ours.values()):.2f})"
            for field, ours in values.get((OURS, metric), {}).items()
            for best, top in [_best_other(values, metric, field)]
            if top > mean(ours.values())
        ]
        fields = count_of(len(values.get((OURS, metric), {})), "field")
        said = f"behind on {len(lost)} of {fields}: {'; '.join(lost)}" if lost else f"behind on none of {fields}"
        sheet.note(f"{KINDS[kind].capitalize()}, {METRICS[metric]}: PAGE (default) is {said}.")


def _best_other(values: Values, metric: str, field: str) -> tuple[str, float]:
    means = {
        method: mean(seeds.values())
        for method in WITH_RULES
        if method != OURS and (seeds := values.get((method, metric), {}).get(field))
    }
    best = max(means, key=means.__getitem__, default=OURS)
    return best, means.get(best, 0.0)


def _write_missing(results: Results, sheet: Sheet) -> None:
    """Worlds that no model has learned, and what explainers could not explain."""
    unlearned = [f"{field}, {seed}" for (field, seed), one in results.under(WORLD).items() if not one["methods"]]
    if unlearned:
        sheet.note(f"No model learned these worlds, which are left out: {'; '.join(unlearned)}.")
    guessing = {
        f"{title_of(field)}, {seed}": result["test_accuracy"]
        for (field, _, seed), result in results.under(SET).items()
        if not _has_learned(result)
    }
    if guessing:
        told = "; ".join(f"{name} ({accuracy:.2f})" for name, accuracy in guessing.items())
        sheet.note(
            f"Models that are right for less than {LEAST_ACCURACY} of the graphs kept apart have not learned what "
            f"decides, and are left out: {told}."
        )
    failed = Counter(
        (method, reason)
        for kind in KINDS
        for _, method, _, result in _runs(results, kind)
        for reason in result["failed"]
    )
    for (method, reason), times in failed.items():
        sheet.note(f"{WITH_RULES[method]}, {count_of(times, 'time')}: {reason}")
