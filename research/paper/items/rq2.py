"""RQ2 and Table 2: accuracy, density, consistency and faithfulness of the explainers, on every data set."""

import math
from collections.abc import Sequence
from functools import partial
from statistics import mean
from typing import Any

from protograph.evaluation.evaluation import accuracy_of
from protograph.evaluation.sweeps import robustness_of
from protograph.explanation import Explanation
from protograph.metrics.density import density
from research.paper.item import JSON, Cell, Item, Need
from research.paper.items.rq2_writing import write
from research.paper.lab import Lab
from research.paper.methods import TITLES
from research.paper.sets import SETS, seeds_of, stride_of, sweep_seeds_of, widths_of, wrong_percent_of
from research.paper.settings import Settings
from research.paper.sweeps import WIDTHS, WRONG_LABELS

# About how long explaining one class takes on one core, in seconds; the generators are slow.
SECONDS = {"walk": 1.0, "page": 3.0, "xgnn": 15.0, "gnninterpreter": 12.0, "random": 0.5}
# A quick run has one seed of these.
SLOW = ("xgnn", "gnninterpreter")


def cells(settings: Settings) -> list[Cell]:
    """A cell a data set, explainer and seed; the first seeds also judge by the models of the sweeps."""
    return [
        _cell(name, method, seed, settings)
        for name in settings.sets(SETS)
        for seed in seeds_of(name, settings)
        for method in TITLES
        if method not in SLOW or seed in settings.fewer(settings.seeds)
    ]


def _cell(name: str, method: str, seed: int, settings: Settings) -> Cell:
    is_swept = seed in sweep_seeds_of(name, settings)
    sweeps = (Need(WIDTHS, name, seed), Need(WRONG_LABELS, name, seed)) if is_swept else ()
    swept = {"widths": list(widths_of(name, settings)), "wrong": list(wrong_percent_of(name, settings))}
    return Cell(
        key=(name, method, f"seed {seed}"),
        compute=partial(_measure, name, method, seed, is_swept),
        made_from={"stride": stride_of(name, settings), "swept": swept if is_swept else None},
        needs=(Need("model", name, seed), *sweeps),
        seconds=SECONDS[method] * len(SETS[name].targets),
    )


def _measure(name: str, method: str, seed: int, is_swept: bool, lab: Lab) -> JSON:
    explained = lab.explained(name, method, seed)
    data, model = lab.data(name, seed), lab.model(name, seed)
    graphs = data[model.train]
    classes: dict[str, Any] = {}
    for target in SETS[name].targets:
        explanation = explained.explanations.get(target)
        if explanation is None or not explanation.prototypes:
            reason = explained.explanations.not_explained.get(target, "no prototype was found")
            classes[str(target)] = {"failed": reason, "has_truth": target in data.ground_truths}
        else:
            classes[str(target)] = _scores(explanation, graphs, data.ground_truths.get(target, ()))
            if is_swept:
                classes[str(target)] |= _robustness(explanation, lab, name, seed)
    return {"test_accuracy": model.test_accuracy, "seconds": explained.seconds, "classes": classes}


def _scores(explanation: Explanation, graphs: Any, truths: Sequence[Any]) -> dict[str, Any]:
    """Of a class: the mean over its prototypes; each is held against the truth that counts for it."""
    prototypes = explanation.prototypes
    right = [accuracy_of(prototype, explanation, graphs, truths) for prototype in prototypes] if truths else []
    return {
        "accuracy": mean(one.value for one in right) if right else None,
        "density": mean(density(prototype.graph) for prototype in prototypes),
        "truth_density": mean(density(truths[one.truth]) for one in right) if right else None,
        "probability": mean(prototype.probability for prototype in prototypes),
        "num_nodes": [prototype.num_nodes for prototype in prototypes],
        "num_edges": [prototype.num_edges for prototype in prototypes],
    }


def _robustness(explanation: Explanation, lab: Lab, name: str, seed: int) -> dict[str, Any]:
    """What the models of the sweeps say of the prototypes."""
    steady, faithful = robustness_of(explanation, lab.sweep(name, WIDTHS, seed), lab.sweep(name, WRONG_LABELS, seed))
    return {
        "consistency": steady.value,
        "consistency_probabilities": list(steady.probabilities),
        "faithfulness": faithful.value if math.isfinite(faithful.value) else None,
        "faithfulness_note": faithful.note,
        "faithfulness_probabilities": list(faithful.probabilities),
        "faithfulness_accuracies": list(faithful.test_accuracies),
    }


ITEM = Item(
    name="rq2",
    title="Quantitative comparison (Table 2)",
    question="How right, simple, steady and faithful are the prototypes, beside those of other explainers?",
    cells=cells,
    write=write,
)
