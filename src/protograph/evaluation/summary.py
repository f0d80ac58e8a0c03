"""From the rows of a comparison to its figures: means and spreads over seeds, and whether differences are chance."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protograph.evaluation.significance import LEVEL, holm, paired_p_value

# A seed has succeeded where the model gives the class at least this probability.
SUCCESS = 0.9
Rows = dict[str, Any]
# Of each explainer and figure, the value of each seed; ``None`` where there is none.
Values = Mapping[str, Mapping[str, Mapping[int, float | None]]]

CLASS_KEYS = (
    *("accuracy", "coverage", "fidelity", "num_reasons", "num_patterns"),
    *("consistency", "faithfulness", "seconds", "model_calls"),
)
# Those that have an interval beside their value.
WITH_INTERVAL = ("coverage", "fidelity")
PROTOTYPE_KEYS = (
    *("probability", "num_nodes", "num_edges", "density", "is_valid"),
    *("support", "support_elsewhere", "margin_share"),
)


@dataclass(frozen=True)
class Figure:
    """Mean and sample standard deviation over seeds; ``None`` where a metric, or a spread, does not apply.

    Attributes:
        mean: The mean.
        spread: The standard deviation.
        num_seeds: How many seeds have a value.
        p_value: Of the difference to the first explainer, paired over seeds and not corrected; ``None`` without a test.
        corrected: The same after Holm's correction for all tests of the comparison.
    """

    mean: float | None
    spread: float | None
    num_seeds: int
    p_value: float | None = None
    corrected: float | None = None

    @property
    def is_significant(self) -> bool:
        """Whether the difference to the first explainer is, after the correction."""
        return self.corrected is not None and self.corrected < LEVEL


def values_by_seed(rows: Sequence[Rows], reference: str) -> Values:
    """Of each explainer, metric and seed the mean over classes and prototypes.

    ``success`` is 1 where the best prototype of every class reaches p = 0.9, else 0; ``slower`` how many times as
    long as the ``reference`` explainer it took on the same seed. A metric of one's own goes by its own name.
    """
    seeds: dict[str, dict[int, list[Rows]]] = {}
    for row in rows:
        if "left_out" not in row:
            seeds.setdefault(row["explainer"], {}).setdefault(row["seed"], []).append(row)
    times = {seed: _of_seed(of, "seconds", None) for seed, of in seeds.get(reference, {}).items()}
    own = dict.fromkeys(name for row in rows for name in row.get("own", {}))
    keys = (*CLASS_KEYS, "success", *PROTOTYPE_KEYS, "slower", *own)
    return {
        name: {key: {seed: _of_seed(of, key, times.get(seed)) for seed, of in by_seed.items()} for key in keys}
        for name, by_seed in seeds.items()
    }


def summarised(values: Values, reference: str, tested: Sequence[str] | None = None) -> dict[str, dict[str, Figure]]:
    """Mean and spread of each explainer's values, and whether they differ from the reference's.

    Args:
        values: As :func:`values_by_seed` gives them.
        reference: The explainer that others are compared with.
        tested: The metrics that are tested, and corrected for; all by default.
    """
    figures = {name: {key: _figure(list(by.values())) for key, by in of.items()} for name, of in values.items()}
    tests = {
        (name, key): p_value
        for name, of in values.items()
        for key, by_seed in of.items()
        if name != reference and (tested is None or key in tested) and key != "slower"
        if (p_value := _tested(by_seed, values[reference][key])) is not None
    }
    for (name, key), corrected in zip(tests, holm(list(tests.values())), strict=True):
        plain = figures[name][key]
        figures[name][key] = Figure(plain.mean, plain.spread, plain.num_seeds, tests[name, key], corrected)
    return figures


def _tested(values: Mapping[int, float | None], others: Mapping[int, float | None]) -> float | None:
    pairs = [(value, others.get(seed)) for seed, value in values.items()]
    both = [(value, other) for value, other in pairs if value is not None and other is not None]
    return paired_p_value([value for value, _ in both], [other for _, other in both])


def _of_seed(rows: Sequence[Rows], key: str, reference: float | None) -> float | None:
    if key == "success":
        best = [max((p["probability"] or 0.0 for p in row["prototypes"]), default=0.0) for row in rows]
        return float(min(best) >= SUCCESS)
    if key == "slower":
        seconds = _of_seed(rows, "seconds", None)
        return None if not reference or seconds is None else seconds / reference
    if key in PROTOTYPE_KEYS:
        return _figure([prototype.get(key) for row in rows for prototype in row["prototypes"]]).mean
    if key in CLASS_KEYS:
        return _figure([row[key][0] if key in WITH_INTERVAL else row.get(key) for row in rows]).mean
    return _figure([row.get("own", {}).get(key) for row in rows]).mean


def _figure(values: Sequence[float | None]) -> Figure:
    numbers = [float(value) for value in values if value is not None]
    mean = statistics.mean(numbers) if numbers else None
    return Figure(mean, statistics.stdev(numbers) if len(numbers) > 1 else None, len(numbers))
