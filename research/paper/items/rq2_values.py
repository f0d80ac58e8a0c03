"""The numbers of Table 2 from the cells: means over classes, then over seeds, with their intervals."""

from statistics import mean
from typing import Any

import numpy as np

from research.paper.findings import Estimate
from research.paper.item import Results


def estimate(results: Results, metric: str, name: str, method: str) -> Estimate | None:
    """A cell of Table 2; ``None`` where there is no number."""
    seeds = [one["classes"] for one in results.under(name, method).values()]
    if metric in ("accuracy", "density"):
        values = [value for classes in seeds if (value := of_seed(classes, metric)) is not None]
        return Estimate.of_shares(values) if values else None
    swept = [classes for classes in seeds if any(metric in one for one in classes.values())]
    values = [value for classes in swept if (value := of_seed(classes, metric)) is not None]
    if len(values) == 1 and len(swept) == 1:
        return _of_one_sweep(swept[0], metric, values[0])
    return Estimate.of(values, least=-1.0 if metric == "faithfulness" else 0.0, most=1.0) if values else None


def of_seed(classes: dict[str, Any], metric: str) -> float | None:
    """Mean over the classes; one without a prototype has no density, and accuracy 0."""
    found = [
        0.0 if "failed" in one and metric == "accuracy" and one["has_truth"] else one.get(metric)
        for one in classes.values()
    ]
    numbers = [value for value in found if value is not None]
    return mean(numbers) if numbers else None


def _of_one_sweep(classes: dict[str, Any], metric: str, value: float) -> Estimate:
    """The interval over the models of a sweep; of several classes together it is not known."""
    lists = [one[f"{metric}_probabilities"] for one in classes.values() if f"{metric}_probabilities" in one]
    if len(lists) != 1:
        return Estimate(value, None, None, 1)
    if metric == "faithfulness":
        return Estimate.tau(value, len(lists[0]))
    return Estimate.bootstrap(lists[0], np.std)


def by_seed(results: Results, metric: str, name: str, method: str) -> dict[str, float]:
    """The number of every seed that has one."""
    found = {seed: of_seed(one["classes"], metric) for (seed,), one in results.under(name, method).items()}
    return {seed: value for seed, value in found.items() if value is not None}
