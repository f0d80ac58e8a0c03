"""Several explainers on the same models and data, judged by the same metrics, over several seeds."""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from protograph._base.progress import Progress
from protograph.datasets import GraphDataset
from protograph.evaluation.evaluation import HeldOut, evaluate, held_out
from protograph.evaluation.keeping import (
    KeptFigures,
    KeptModel,
    check_ours,
    fingerprint,
    keep_model,
    kept_model,
    versions,
)
from protograph.evaluation.sweeps import wrong_label_specs
from protograph.explainer import Explainer
from protograph.explanation import Explanation, Explanations
from protograph.metrics.robustness import consistency, faithfulness
from protograph.training import GCN, Trained, train
from protograph.training.ensemble import ModelSpec, train_many

# A seed has succeeded where the model gives the class at least this probability.
SUCCESS = 0.9
# What takes fewer seconds is timed twice.
SHORT = 5.0
# A few of the paper's, which are in ``sweeps``: it takes every combination of widths, and eleven shares.
WIDTHS = (4, 8, 16, 32)
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
Rows = dict[str, Any]


@dataclass(frozen=True, eq=False)
class OtherModels:
    """Models of the same task.

    Attributes:
        widths: Trained alike, of other widths.
        corrupted: Trained with a share of wrong labels each; their test accuracy is on right labels.
    """

    widths: Sequence[Trained]
    corrupted: Sequence[Trained]


@dataclass(frozen=True, eq=False)
class TrainedCase:
    """A trained model with the graphs to explain it by, and those to judge the explanations by."""

    model: GCN
    graphs: GraphDataset
    held_out: HeldOut
    test_accuracy: float | None
    others: OtherModels | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """What to compare, and where results are kept; a run that was broken off goes on where it ended.

    What is kept is taken only where all is as it was: every graph and name of the data, the explainer's class and
    options, the model's weights and split, and the versions of this package and those that it computes with.

    Attributes:
        load: Gives the data set of a seed.
        explainers: Makes each explainer of a seed, by name; the first is what times are compared with.
        seeds: Seeds of data, model and explainer.
        folder: Keeps a model a seed, and a file of figures and one of prototypes an explainer and seed.
        with_robustness: Whether to train ten more models a seed, for consistency and faithfulness.
    """

    load: Callable[[int], GraphDataset]
    explainers: Mapping[str, Callable[[int], Explainer]]
    seeds: Sequence[int]
    folder: Path
    with_robustness: bool = False

    def run(self, progress: Progress) -> list[Rows]:
        """Rows of figures, one for each explainer, seed and class.

        Raises:
            FileExistsError: If the folder has a file of another origin under a name that will be written.
        """
        check_ours(map(self._model_path, self.seeds), [self._kept(name, seed) for seed, name in self._cases()])
        rows: list[Rows] = []
        total, done = len(self.seeds) * len(self.explainers), 0
        for seed in self.seeds:
            data, case = self.load(seed), None
            model = self._trained(data, seed, progress)
            for name, make in self.explainers.items():
                explainer, kept = make(seed), self._kept(name, seed)
                made_from = kept.made_from(explainer, model, self.with_robustness)
                figures = kept.read(made_from)
                if figures is None:
                    case = case or self._case(data, model, seed, progress)
                    figures, explanations = self._measure(name, explainer, case, seed)
                    kept.write(made_from, figures, explanations)
                rows += figures
                done += 1
                progress("comparing", done, total)
        return rows

    def explanations(self, name: str, seed: int) -> Explanations:
        """The prototypes that an explainer gave for a seed."""
        return self._kept(name, seed).explanations()

    def _cases(self) -> Iterator[tuple[int, str]]:
        return product(self.seeds, self.explainers)

    def _kept(self, name: str, seed: int) -> KeptFigures:
        return KeptFigures(self.folder, name, seed)

    def _model_path(self, seed: int) -> Path:
        return self.folder / f"model-seed{seed}.pt"

    def _trained(self, data: GraphDataset, seed: int, progress: Progress) -> KeptModel:
        path, made_from = self._model_path(seed), {"data": fingerprint(data), "seed": seed, "versions": versions()}
        kept = kept_model(path, made_from)
        if kept is None:
            keep_model(path, train(data, hidden=None, random_state=seed, progress=progress), made_from)
            kept = kept_model(path, made_from)
        assert kept is not None
        return kept

    def _case(self, data: GraphDataset, kept: KeptModel, seed: int, progress: Progress) -> TrainedCase:
        others = None
        if self.with_robustness:
            others = train_others(data, train_indices=kept.train, random_state=seed, progress=progress)
        judged_by = held_out(kept.model, data[kept.rest])
        return TrainedCase(kept.model, data[kept.train], judged_by, kept.test_accuracy, others)

    def _measure(
        self, name: str, explainer: Explainer, case: TrainedCase, seed: int
    ) -> tuple[list[Rows], Explanations]:
        explainer.fit(case.model, case.graphs)
        explanations, rows = {}, []
        # All classes where none has a ground truth.
        for target in sorted(case.graphs.ground_truths) or range(len(case.graphs.class_names)):
            row = {"explainer": name, "seed": seed, "test_accuracy": case.test_accuracy, "target": target}
            truths = case.graphs.ground_truths.get(target, ())
            try:
                explanation, seconds = _timed(explainer, target)
            except ValueError as error:  # such as a model that predicts no graph as the class
                rows.append(row | _failure(str(error), has_truth=bool(truths)))
                continue
            explanations[target] = explanation
            row |= {"seconds": seconds, "model_calls": explanation.model_calls}
            scores = evaluate(explanation, graphs=case.graphs, truths=truths, held_out=case.held_out, model=case.model)
            rows.append(row | scores.as_json() | ({} if case.others is None else robustness(explanation, case.others)))
        return rows, Explanations(explanations)


def train_others(
    data: GraphDataset,
    *,
    train_indices: Sequence[int],
    random_state: int,
    progress: Progress,
    max_epochs: int = 1000,
) -> OtherModels:
    """Train the other models, each with the split of the explained one; only training labels are made wrong."""
    depth = len(data.hidden)
    widths = [ModelSpec(hidden=(width,) * depth, random_state=random_state) for width in WIDTHS]
    wrong = wrong_label_specs(data, train_indices, random_state, SHARES)

    def tell(_: str, done: int, total: int | None) -> None:
        progress("training other models", done, total)

    trained = train_many(data, [*widths, *wrong], max_epochs=max_epochs, progress=tell)
    return OtherModels(trained[: len(widths)], trained[len(widths) :])


def robustness(explanation: Explanation, others: OtherModels) -> dict[str, float | None]:
    """Consistency and faithfulness of an explanation; ``None`` where one is not defined."""
    if not explanation.prototypes:
        return {"consistency": None, "faithfulness": None}
    options: Any = {
        "target": explanation.target,
        "return_type": "raw",
        "reference_graphs": list(explanation.source_graphs.values()) or None,
    }
    steady = consistency(explanation, [one.model for one in others.widths], **options).value
    accuracies = [math.nan if one.test_accuracy is None else one.test_accuracy for one in others.corrupted]
    faithful = faithfulness(explanation, [one.model for one in others.corrupted], accuracies, **options).value
    return {"consistency": steady, "faithfulness": faithful if math.isfinite(faithful) else None}


def _timed(explainer: Explainer, target: int) -> tuple[Explanation, float]:
    """An explanation, and the seconds that it took after ``fit``, which is the same pass for every explainer."""
    times: list[float] = []
    while not times or (len(times) == 1 and times[0] < SHORT):  # the first time, compiled code is loaded
        started = time.perf_counter()
        explanation = explainer.explain(target)
        times.append(time.perf_counter() - started)
        if explanation.is_interrupted:  # half a search must not be kept as a whole one
            raise KeyboardInterrupt
    return explanation, min(times)


def _failure(reason: str, *, has_truth: bool) -> Rows:
    """A seed without a result: the worst result, not one to leave out of the mean."""
    return {
        "seconds": None,
        "model_calls": None,
        "prototypes": [],
        "coverage": [0.0, 0.0, 0.0],
        "fidelity": [0.0, 0.0, 0.0],
        "accuracy": 0.0 if has_truth else None,
        "failed": reason,
    }


@dataclass(frozen=True)
class Figure:
    """Mean and sample standard deviation over seeds; ``None`` where a metric, or a spread, does not apply."""

    mean: float | None
    spread: float | None
    num_seeds: int


def summarised(rows: Sequence[Rows], reference: str) -> dict[str, dict[str, Figure]]:
    """Figures of each explainer: of each seed the mean over its classes and prototypes, then over the seeds.

    ``success`` is the share of seeds whose best prototype of every class reaches p = 0.9; ``slower`` how many times
    as long as the ``reference`` explainer took on the same seed.
    """
    seeds: dict[str, dict[int, list[Rows]]] = {}
    for row in rows:
        seeds.setdefault(row["explainer"], {}).setdefault(row["seed"], []).append(row)
    times = {seed: _of_seed(of, "seconds", None) for seed, of in seeds.get(reference, {}).items()}
    return {
        name: {
            key: _figure([_of_seed(of, key, times.get(seed)) for seed, of in by_seed.items()])
            for key in (*CLASS_KEYS, "success", *PROTOTYPE_KEYS, "slower")
        }
        for name, by_seed in seeds.items()
    }


CLASS_KEYS = (
    *("accuracy", "coverage", "fidelity", "num_reasons", "num_patterns"),
    *("consistency", "faithfulness", "model_calls"),
)
# Those that have an interval beside their value.
WITH_INTERVAL = ("coverage", "fidelity")
PROTOTYPE_KEYS = ("probability", "density", "support", "support_elsewhere", "margin_share")


def _of_seed(rows: Sequence[Rows], key: str, reference: float | None) -> float | None:
    if key == "success":
        best = [max((p["probability"] or 0.0 for p in row["prototypes"]), default=0.0) for row in rows]
        return float(min(best) >= SUCCESS)
    if key == "slower":
        seconds = _of_seed(rows, "seconds", None)
        return None if not reference or seconds is None else seconds / reference
    if key in PROTOTYPE_KEYS:
        return _figure([prototype[key] for row in rows for prototype in row["prototypes"]]).mean
    return _figure([row[key][0] if key in WITH_INTERVAL else row.get(key) for row in rows]).mean


def _figure(values: Sequence[float | None]) -> Figure:
    numbers = [value for value in values if value is not None]
    mean = statistics.mean(numbers) if numbers else None
    return Figure(mean, statistics.stdev(numbers) if len(numbers) > 1 else None, len(numbers))
