"""Several explainers on the same models and data, judged by the same metrics, over several seeds."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from protograph._base.processes import in_processes
from protograph._base.progress import Progress
from protograph.datasets import GraphDataset
from protograph.evaluation.cost import OTHER_MODELS, TRAINING, Step, TimeLeft, expected_seconds
from protograph.evaluation.evaluation import HeldOut, evaluate, held_out
from protograph.evaluation.given import ExplainedModel, given_model
from protograph.evaluation.keeping import (
    HasKey,
    KeptFigures,
    KeptModel,
    check_ours,
    fingerprint,
    keep_model,
    kept_model,
    versions,
)
from protograph.evaluation.own_metrics import MetricCase, OwnMetric, measured
from protograph.evaluation.summary import Rows
from protograph.evaluation.sweeps import robustness_of, wrong_label_specs
from protograph.explainer import Explainer
from protograph.explanation import Explanation, Explanations
from protograph.metrics.stability import stability
from protograph.models.classifier import GraphClassifier
from protograph.training import Trained, train
from protograph.training.ensemble import ModelSpec, train_many
from protograph.training.gcn import load_facts

# What takes fewer seconds is timed twice.
SHORT = 5.0
# A few of the paper's, which are in ``sweeps``: it takes every combination of widths, and eleven shares.
WIDTHS = (4, 8, 16, 32)
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
Tell = Callable[[Step], None]


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
class ExplainedCase:
    """A model with the graphs to explain it by, and those to judge the explanations by."""

    model: Any
    graphs: GraphDataset
    held_out: HeldOut
    test_accuracy: float | None
    others: OtherModels | None = None

    @property
    def targets(self) -> Sequence[int]:
        """The classes to explain: those with a ground truth, or else all."""
        return sorted(self.graphs.ground_truths) or range(self.held_out.num_classes)


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """What to compare, and where results are kept; a run that was broken off goes on where it ended.

    What is kept is taken only where all is as it was: every graph and name of the data, the explainer's class, code and
    options, the model's weights, split and outputs, and the versions of this package and those that it computes with.

    Attributes:
        load: Gives the data set of a seed.
        explainers: Makes each explainer of a seed, by name; the first is what others are compared with.
        seeds: Seeds of data, model and explainer.
        folder: Keeps a model a seed, and a file of figures and one of prototypes an explainer and seed.
        with_robustness: Whether to train ten more models a seed, for consistency and faithfulness.
        model: Gives the model to explain; where ``None`` one is trained a seed.
        training: Options of the training of models.
        metrics: Metrics of one's own, by name.
        is_quick: Whether explainers are timed once only, and at most two classes are explained.
        device: Where explainers run the model; its own device where ``None``.
    """

    load: Callable[[int], GraphDataset]
    explainers: Mapping[str, Callable[[int], Explainer]]
    seeds: Sequence[int]
    folder: Path
    with_robustness: bool = False
    model: Callable[[], GraphClassifier] | None = None
    training: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, OwnMetric] = field(default_factory=dict)
    is_quick: bool = False
    device: str | None = None

    def run(self, progress: Progress, *, jobs: int = 1, size: tuple[int, int] = (0, 1)) -> list[Rows]:
        """Rows of figures, one for each explainer, seed and class.

        Args:
            progress: Told how far it is, with seed, explainer and the time left.
            jobs: How many seeds run side by side, each in a process of its own; they give what they give one by one,
                but for the seconds.
            size: How many graphs and classes there are, for the time left.

        Raises:
            FileExistsError: If the folder has a file of another origin under a name that will be written.
        """
        check_ours(map(self._model_path, self.seeds), [self._kept(name, seed) for seed, name in self._cases()])
        left, total = TimeLeft(self.expected(*size), progress, jobs), len(self.seeds) * len(self.explainers)
        progress("comparing", 0, total)
        rows = in_processes(self.of_seed, self.seeds, jobs, left.told)
        progress("comparing", total, total)
        return [row for of_seed in rows for row in of_seed]

    def expected(self, num_graphs: int, num_classes: int) -> dict[tuple[int, str], float]:
        """Seconds that each step will take by the rule, by seed and name; 0 of what an earlier run seems to have left.

        Whether it can be taken is known only once data and model are there, which may take long by itself.
        """
        trained = [*([TRAINING] if self.model is None else []), *([OTHER_MODELS] if self.with_robustness else [])]
        by_rule = expected_seconds(
            [*trained, *self.explainers], self.seeds, num_graphs, num_classes, is_quick=self.is_quick
        )
        kept = {key for seed in self.seeds for key in self._seem_kept(seed)}
        return {key: 0.0 if key in kept else seconds for key, seconds in by_rule.items()}

    def _seem_kept(self, seed: int) -> list[tuple[int, str]]:
        """Steps of a seed whose files are there and were made alike, whatever data and model they are of."""
        names = []
        for name, make in self.explainers.items():
            kept = self._kept(name, seed)
            if kept.figures.is_file() and kept.read(self._made_from(kept, make(seed), kept.model)) is not None:
                names.append(name)
        if len(names) == len(self.explainers):
            names.append(OTHER_MODELS)
        path = self._model_path(seed)
        made_from = (load_facts(path) or {}).get("made_from") if path.is_file() else None
        if isinstance(made_from, dict) and made_from | {"data": None} == self._model_made_from(None, seed):
            names.append(TRAINING)
        return [(seed, name) for name in names]

    def of_seed(self, seed: int, tell: Tell) -> list[Rows]:
        """Rows of one seed."""
        rows: list[Rows] = []
        data, case = self.load(seed), None
        model = self._model(data, seed, tell)
        for name, make in self.explainers.items():
            tell(Step(seed, name))
            explainer, kept, took = make(seed), self._kept(name, seed), 0.0
            made_from = self._made_from(kept, explainer, model)
            figures = kept.read(made_from)
            if figures is None:
                case = case or self._case(data, model, seed, tell)
                started = time.perf_counter()
                figures, explanations = self._measure(name, explainer, case, seed, tell)
                kept.write(made_from, figures, explanations)
                took = time.perf_counter() - started
            rows += figures
            tell(Step(seed, name, seconds=took))
        return rows

    def _made_from(self, kept: KeptFigures, explainer: Explainer, model: HasKey) -> dict[str, Any]:
        return kept.made_from(
            explainer, model, self.with_robustness, self.metrics, is_quick=self.is_quick, device=self.device
        )

    def _model_made_from(self, data: str | None, seed: int) -> dict[str, Any]:
        training = {"training": dict(self.training)} if self.training else {}
        return {"data": data, "seed": seed, "versions": versions(), **training}

    def explanations(self, name: str, seed: int) -> Explanations:
        """The prototypes that an explainer gave for a seed."""
        return self._kept(name, seed).explanations()

    def stability(self, name: str) -> float | None:
        """How much the explanations of an explainer agree over the seeds, the mean over classes; ``None`` of one."""
        each = [self.explanations(name, seed) for seed in self.seeds]
        targets = sorted({target for one in each for target in one})
        values = [stability([one[target] for one in each if target in one]).value for target in targets]
        known = [value for value in values if math.isfinite(value)]
        return float(np.mean(known)) if known else None

    def _cases(self) -> Iterator[tuple[int, str]]:
        return product(self.seeds, self.explainers)

    def _kept(self, name: str, seed: int) -> KeptFigures:
        return KeptFigures(self.folder, name, seed)

    def _model_path(self, seed: int) -> Path:
        return self.folder / f"model-seed{seed}.pt"

    def _model(self, data: GraphDataset, seed: int, tell: Tell) -> KeptModel | ExplainedModel:
        """The model that was given with graphs kept apart by chance, or one that is trained."""
        if self.model is not None:
            return given_model(self.model(), data, seed, device=self.device)
        started, progress = time.perf_counter(), _told_as(seed, TRAINING, tell)
        path, made_from = self._model_path(seed), self._model_made_from(fingerprint(data), seed)
        kept = kept_model(path, made_from)
        was_kept = kept is not None
        if kept is None:
            trained = train(data, hidden=None, random_state=seed, progress=progress, **self.training)
            keep_model(path, trained, made_from)
            kept = kept_model(path, made_from)
        assert kept is not None
        tell(Step(seed, TRAINING, seconds=0.0 if was_kept else time.perf_counter() - started))
        return kept

    def _case(self, data: GraphDataset, kept: KeptModel | ExplainedModel, seed: int, tell: Tell) -> ExplainedCase:
        others = None
        if self.with_robustness:
            started, progress = time.perf_counter(), _told_as(seed, OTHER_MODELS, tell)
            epochs = {key: self.training[key] for key in ("max_epochs",) if key in self.training}
            others = train_others(data, train_indices=kept.train, random_state=seed, progress=progress, **epochs)
            tell(Step(seed, OTHER_MODELS, seconds=time.perf_counter() - started))
        judged_by = held_out(kept.model, data[kept.rest])
        return ExplainedCase(kept.model, data[kept.train], judged_by, kept.test_accuracy, others)

    def _measure(
        self, name: str, explainer: Explainer, case: ExplainedCase, seed: int, tell: Tell
    ) -> tuple[list[Rows], Explanations]:
        # One of the user's own need not take a device.
        where: dict[str, Any] = {} if self.device is None else {"device": self.device}
        explainer.fit(case.model, case.graphs, progress=_told_as(seed, name, tell), **where)
        explanations, rows = {}, []
        for target in self._targets(case, explainer):
            row = {"explainer": name, "seed": seed, "test_accuracy": case.test_accuracy, "target": target}
            truths = case.graphs.ground_truths.get(target, ())
            if not truths and not (explainer.predictions_ == target).any():
                rows.append(row | {"left_out": f"no graph is predicted as class {target}", "prototypes": []})
                continue
            try:
                explanation, seconds = _timed(explainer, target, is_once=self.is_quick)
            except ValueError as error:  # such as a model that predicts no graph as the class
                rows.append(row | _failure(str(error), has_truth=bool(truths)))
                continue
            except Exception as error:
                error.add_note(f"this happened while {name} explained class {target} of seed {seed}")
                raise
            explanations[target] = explanation
            row |= {"seconds": seconds, "model_calls": explanation.model_calls}
            scores = evaluate(explanation, graphs=case.graphs, truths=truths, held_out=case.held_out, model=case.model)
            row |= scores.as_json() | ({} if case.others is None else robustness(explanation, case.others))
            rows.append(row | self._own(explanation, case, truths, seed))
        return rows, Explanations(explanations)

    def _targets(self, case: ExplainedCase, explainer: Explainer) -> Sequence[int]:
        """The classes to explain; of a quick run the two that most graphs are predicted as."""
        if not self.is_quick:
            return case.targets
        counts = np.bincount(explainer.predictions_, minlength=explainer.num_classes_)
        return sorted(sorted(case.targets, key=lambda target: (-counts[target], target))[:QUICK_CLASSES])

    def _own(self, explanation: Explanation, case: ExplainedCase, truths: Sequence[Any], seed: int) -> dict[str, Any]:
        if not self.metrics:
            return {}
        beside = MetricCase(
            model=case.model,
            graphs=case.graphs,
            held_out=case.held_out.graphs,
            predictions=case.held_out.predictions,
            truths=truths,
            seed=seed,
        )
        return {"own": {name: measured(name, metric, explanation, beside) for name, metric in self.metrics.items()}}


# Classes of a quick run.
QUICK_CLASSES = 2


def _told_as(seed: int, name: str, tell: Tell) -> Progress:
    """Progress of a stage, told as what is done of a step."""

    def progress(stage: str, done: int, total: int | None) -> None:
        own = "" if stage == name else f"{stage} "
        tell(Step(seed, name, f"{own}{done:,}" + ("" if total is None else f" of {total:,}")))

    return progress


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
        progress(OTHER_MODELS, done, total)

    trained = train_many(data, [*widths, *wrong], max_epochs=max_epochs, progress=tell)
    return OtherModels(trained[: len(widths)], trained[len(widths) :])


def robustness(explanation: Explanation, others: OtherModels) -> dict[str, float | None]:
    """Consistency and faithfulness of an explanation; ``None`` where one is not defined."""
    if not explanation.prototypes:
        return {"consistency": None, "faithfulness": None}
    steady, faithful = robustness_of(explanation, others.widths, others.corrupted)
    value = faithful.value if math.isfinite(faithful.value) else None
    return {"consistency": steady.value, "faithfulness": value}


def _timed(explainer: Explainer, target: int, *, is_once: bool) -> tuple[Explanation, float]:
    """An explanation, and the seconds that it took after ``fit``, which is the same pass for every explainer."""
    times: list[float] = []
    # The first time, compiled code is loaded.
    while not times or (len(times) == 1 and times[0] < SHORT and not is_once):
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
