"""Where our default is behind the other explainers of the arena."""

from statistics import mean
from typing import Any

from protograph._base.words import count_of
from research.paper.findings import Estimate
from research.paper.items.arena_scores import LESS_IS_BETTER, METRICS, OURS, Values, by_seed
from research.paper.methods import WITH_RULES
from research.paper.sets import title_of

OTHERS = [method for method in WITH_RULES if method != OURS]


def differences(values: Values) -> list[list[Any]]:
    """Of each metric the best other, and ours less that one on the seeds that both have."""
    rows: list[list[Any]] = []
    for metric in METRICS:
        ours = by_seed(values, OURS, metric)
        others = {method: by_seed(values, method, metric) for method in OTHERS}
        means = {method: mean(one.values()) for method, one in others.items() if one}
        if not ours or not means:
            continue
        best = _best(means, metric)
        gaps = [ours[seed] - others[best][seed] for seed in ours if seed in others[best]]
        better = " (fewer is better)" if metric in LESS_IS_BETTER else ""
        rows.append([f"{METRICS[metric]}{better}", WITH_RULES[best], Estimate.of(gaps) if gaps else None])
    return rows


def losses(values: Values) -> list[str]:
    """A sentence a metric: on which fields another explainer is ahead of ours, by the mean over seeds."""
    return [
        f"{title}: PAGE (default) is {_slower(values) if metric in LESS_IS_BETTER else _behind(values, metric)}."
        for metric, title in METRICS.items()
    ]


def _behind(values: Values, metric: str) -> str:
    lost = [
        f"{title_of(field)} ({WITH_RULES[best]} {means[best]:.2f}, ours {mean(ours.values()):.2f})"
        for field, ours in values.get((OURS, metric), {}).items()
        if (means := _means_of_others(values, metric, field))
        for best in [_best(means, metric)]
        if means[best] > mean(ours.values())
    ]
    fields = count_of(len(values.get((OURS, metric), {})), "field")
    return f"behind on {len(lost)} of {fields}: {'; '.join(lost)}" if lost else f"behind on none of {fields}"


def _slower(values: Values) -> str:
    """Explainer by explainer: one that does little is the quickest everywhere, and would hide the others."""
    ours = {field: mean(seeds.values()) for field, seeds in values.get((OURS, "seconds"), {}).items()}
    fields, said = count_of(len(ours), "field"), []
    for method in OTHERS:
        theirs = {field: mean(seeds.values()) for field, seeds in values.get((method, "seconds"), {}).items()}
        faster = [field for field in ours if field in theirs and theirs[field] < ours[field]]
        if faster:
            beside = f"{mean(theirs[f] for f in faster):.1f} s there, ours {mean(ours[f] for f in faster):.1f} s"
            said.append(f"{WITH_RULES[method]} on {len(faster)} of {fields} ({beside})")
    return f"slower than {'; '.join(said)}" if said else f"slower than no other on any of {fields}"


def _means_of_others(values: Values, metric: str, field: str) -> dict[str, float]:
    return {method: mean(seeds.values()) for method in OTHERS if (seeds := values.get((method, metric), {}).get(field))}


def _best(means: dict[str, float], metric: str) -> str:
    return (min if metric in LESS_IS_BETTER else max)(means, key=means.__getitem__)
