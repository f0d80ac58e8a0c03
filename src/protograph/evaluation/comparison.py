"""Several explainers on the same models and data, judged by the same metrics, over several seeds."""

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from protograph._utils.progress import Progress
from protograph._utils.randomness import preserved_random_state
from protograph.datasets import GraphDataset
from protograph.evaluation.evaluation import HeldOut, evaluate, held_out
from protograph.explainer import Explainer
from protograph.explanation import Explanation, Explanations
from protograph.metrics.sanity import stability
from protograph.models.classifier import GraphClassifier
from protograph.models.predictions import embed_all
from protograph.training import train

# What takes fewer seconds is timed twice: the first time, compiled code is loaded.
SHORT = 5.0
# Share of the graphs that is kept apart from the explainers of a model that was given; there is no telling which graphs
# it was trained on.
KEPT_APART = 0.2
# A seed has succeeded where the model gives the class at least this probability.
SUCCESS = 0.9
# A difference is called significant below it, after the correction.
LEVEL = 0.05
CLASS_KEYS = ("accuracy", "coverage", "fidelity", "num_reasons", "num_patterns", "seconds", "model_calls")
# Those that have an interval beside their value.
WITH_INTERVAL = ("coverage", "fidelity")
PROTOTYPE_KEYS = (
    *("probability", "num_nodes", "num_edges", "density", "is_valid"),
    *("support", "support_elsewhere", "margin_share"),
)
KEYS = (*CLASS_KEYS, "success", *PROTOTYPE_KEYS, "slower")

# The figures of an explainer, a seed and a class.
Rows = dict[str, Any]
# Of each explainer and figure, the value of each seed; ``None`` where there is none.
Values = Mapping[str, Mapping[str, Mapping[int, float | None]]]


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


@dataclass(frozen=True, eq=False)
class ExplainedModel:
    """A model with the graphs to explain it by, and those to judge the explanations by.

    Attributes:
        model: The model.
        graphs: The graphs that explainers are fitted to.
        held_out: The others.
        test_accuracy: Of the model; ``None`` where there are no labels.
    """

    model: Any
    graphs: GraphDataset
    held_out: HeldOut
    test_accuracy: float | None

    @property
    def targets(self) -> Sequence[int]:
        """The classes to explain: those with a ground truth, or else all."""
        return sorted(self.graphs.ground_truths) or range(self.held_out.num_classes)


def trained_model(data: GraphDataset, seed: int, progress: Progress) -> ExplainedModel:
    """A model that is trained, explained by its training graphs."""
    trained = train(data, hidden=None, random_state=seed, progress=progress)
    rest = sorted([*trained.split.validation.tolist(), *trained.split.test.tolist()])
    judged_by = held_out(trained.model, data[rest])
    return ExplainedModel(trained.model, data[trained.split.train], judged_by, trained.test_accuracy)


def given_model(model: GraphClassifier, data: GraphDataset, seed: int, *, device: str | None = None) -> ExplainedModel:
    """A model with a fifth of the graphs kept apart by chance, others for each seed.

    Raises:
        ValueError: If there are fewer than two graphs.
    """
    if len(data) < 2:
        raise ValueError(f"graphs must be at least 2, to keep some apart, got {len(data)}")
    rest, explained = kept_apart(len(data), seed)
    with preserved_random_state():
        embedded = embed_all(model, data[rest], device=device)[2]
    accuracy = None if embedded.labels is None else float((embedded.labels == embedded.predictions).mean())
    return ExplainedModel(model, data[explained], held_out(model, data[rest]), accuracy)


def kept_apart(num_graphs: int, seed: int) -> tuple[list[int], list[int]]:
    """Positions of the graphs that are kept apart, and of the others, each in order.

    >>> kept_apart(10, 0)
    ([1, 4], [0, 2, 3, 5, 6, 7, 8, 9])
    """
    count = min(num_graphs - 1, max(1, round(KEPT_APART * num_graphs)))
    order = np.random.default_rng([seed, num_graphs]).permutation(num_graphs).tolist()
    return sorted(order[:count]), sorted(order[count:])


def measured(
    name: str, explainer: Explainer, case: ExplainedModel, seed: int, progress: Progress, device: str | None = None
) -> tuple[list[Rows], Explanations]:
    """Figures of each class by one explainer, and what it found.

    A class that no graph is predicted as is left out; one that the explainer fails on has the worst result, not one to
    leave out of a mean.
    """
    # One of the user's own need not take a device.
    where: dict[str, Any] = {} if device is None else {"device": device}
    explainer.fit(case.model, case.graphs, progress=progress, **where)
    explanations, rows = {}, list[Rows]()
    for target in case.targets:
        row = {"explainer": name, "seed": seed, "test_accuracy": case.test_accuracy, "target": target}
        truths = case.graphs.ground_truths.get(target, ())
        if not truths and not (explainer.predictions_ == target).any():
            rows.append(row | {"left_out": f"no graph is predicted as class {target}", "prototypes": []})
            continue
        try:
            explanation, seconds = _timed(explainer, target)
        except ValueError as error:  # such as a model that predicts no graph as the class
            worst = {"coverage": [0.0] * 3, "fidelity": [0.0] * 3, "accuracy": 0.0 if truths else None}
            rows.append(row | worst | {"prototypes": [], "failed": str(error)})
            continue
        except Exception as error:
            error.add_note(f"this happened while {name} explained class {target} of seed {seed}")
            raise
        explanations[target] = explanation
        scores = evaluate(explanation, graphs=case.graphs, truths=truths, held_out=case.held_out, model=case.model)
        rows.append(row | {"seconds": seconds, "model_calls": explanation.provenance.model_calls} | scores.as_json())
    return rows, Explanations(explanations)


def _timed(explainer: Explainer, target: int) -> tuple[Explanation, float]:
    """An explanation, and the seconds that it took after ``fit``, which is the same pass for every explainer."""
    times: list[float] = []
    while not times or (len(times) == 1 and times[0] < SHORT):
        started = time.perf_counter()
        explanation = explainer.explain(target)
        times.append(time.perf_counter() - started)
        if explanation.is_interrupted:  # half a search must not be taken for a whole one
            raise KeyboardInterrupt
    return explanation, min(times)


def compared(
    models: Callable[[int, Progress], ExplainedModel],
    explainers: Mapping[str, Callable[[int], Explainer]],
    seeds: Sequence[int],
    *,
    device: str | None = None,
    progress: Progress,
) -> tuple[list[Rows], dict[str, dict[int, Explanations]]]:
    """Figures of each explainer, seed and class, and the explanations of each explainer and seed.

    Args:
        models: Gives the model of a seed with its graphs.
        explainers: Makes each explainer of a seed, by name.
        seeds: Seeds of data, model and explainer.
        device: Where explainers run the model; its own device where ``None``.
        progress: Told how far it is.
    """
    rows: list[Rows] = []
    explanations: dict[str, dict[int, Explanations]] = {name: {} for name in explainers}
    total = len(seeds) * len(explainers)
    for place, seed in enumerate(seeds):
        case = models(seed, progress)
        for number, (name, make) in enumerate(explainers.items(), start=1):
            found, explanations[name][seed] = measured(name, make(seed), case, seed, progress, device)
            rows += found
            progress("comparing", place * len(explainers) + number, total)
    return rows, explanations


def values_by_seed(rows: Sequence[Rows], reference: str) -> Values:
    """Of each explainer, metric and seed the mean over classes and prototypes.

    ``success`` is 1 where the best prototype of every class reaches p = 0.9, else 0; ``slower`` how many times as
    long as the ``reference`` explainer it took on the same seed.
    """
    seeds: dict[str, dict[int, list[Rows]]] = {}
    for row in rows:
        if "left_out" not in row:
            seeds.setdefault(row["explainer"], {}).setdefault(row["seed"], []).append(row)
    times = {seed: _of_seed(of, "seconds", None) for seed, of in seeds.get(reference, {}).items()}
    return {
        name: {key: {seed: _of_seed(of, key, times.get(seed)) for seed, of in by_seed.items()} for key in KEYS}
        for name, by_seed in seeds.items()
    }


def _of_seed(rows: Sequence[Rows], key: str, reference: float | None) -> float | None:
    if key == "success":
        best = [max((p["probability"] or 0.0 for p in row["prototypes"]), default=0.0) for row in rows]
        return float(min(best) >= SUCCESS)
    if key == "slower":
        seconds = _of_seed(rows, "seconds", None)
        return None if not reference or seconds is None else seconds / reference
    if key in PROTOTYPE_KEYS:
        return _figure(prototype.get(key) for row in rows for prototype in row["prototypes"]).mean
    return _figure(row[key][0] if key in WITH_INTERVAL else row.get(key) for row in rows).mean


def _figure(values: Iterable[float | None]) -> Figure:
    numbers = [float(value) for value in values if value is not None]
    mean = statistics.mean(numbers) if numbers else None
    return Figure(mean, statistics.stdev(numbers) if len(numbers) > 1 else None, len(numbers))


def summarised(values: Values, reference: str) -> dict[str, dict[str, Figure]]:
    """Mean and spread of each explainer's values, and whether they differ from the reference's by more than chance.

    Args:
        values: As :func:`values_by_seed` gives them.
        reference: The explainer that others are compared with.
    """
    figures = {name: {key: _figure(by.values()) for key, by in of.items()} for name, of in values.items()}
    shown = [key for key in KEYS if any(row[key].mean is not None for row in figures.values())]
    tests = {
        (name, key): p_value
        for name in figures
        for key in shown
        if name != reference and key != "slower"
        if (p_value := _paired_p_value(values[name][key], values[reference][key])) is not None
    }
    for (name, key), corrected in zip(tests, holm(list(tests.values())), strict=True):
        figures[name][key] = replace(figures[name][key], p_value=tests[name, key], corrected=corrected)
    return figures


def _paired_p_value(values: Mapping[int, float | None], others: Mapping[int, float | None]) -> float | None:
    """How likely so large a mean difference would be, were there none: the two-sided paired t-test over seeds.

    Where all differences are the same and not 0, they have no spread, and the sign test takes its place; where all are
    0 it is 1. ``None`` with fewer than two pairs.
    """
    from scipy.stats import ttest_1samp

    pairs = [(value, others.get(seed)) for seed, value in values.items()]
    differences = np.array([value - other for value, other in pairs if value is not None and other is not None])
    if differences.size < 2:
        return None
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if spread <= 1e-12 * max(1.0, abs(mean)):
        return 1.0 if abs(mean) <= 1e-12 else float(2.0 ** (1 - differences.size))
    return float(ttest_1samp(differences, 0).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrected for how many there are, by Holm's method: the chance of any false alarm stays below the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty(len(order))
    corrected[order] = np.maximum.accumulate(np.asarray(p_values)[order] * np.arange(len(order), 0, -1))
    return [min(1.0, float(value)) for value in corrected]


def stability_over(explanations: Mapping[int, Explanations]) -> float | None:
    """How much the explanations of the seeds agree, the mean over classes; ``None`` where that cannot be told."""
    targets = sorted({target for one in explanations.values() for target in one})
    found = ([one[target] for one in explanations.values() if target in one] for target in targets)
    known = [value for one in found if math.isfinite(value := stability(one).value)]
    return float(np.mean(known)) if known else None
