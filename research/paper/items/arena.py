"""The arena: every explainer on every data set with a truth and on the planted worlds, with the same models."""

import time
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph.evaluation.evaluation import HeldOut, evaluate, held_out
from protograph.explanation import Explanation
from research.paper.item import JSON, Cell, Item, Need
from research.paper.items.arena_scores import SET, WORLD
from research.paper.items.arena_writing import write
from research.paper.lab import Lab, explain_each
from research.paper.methods import WITH_RULES, explainer_of
from research.paper.sets import SETS, stride_of
from research.paper.settings import Settings
from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.keeping import worlds_of
from research.paper.worlds.models import WorldModel
from research.paper.worlds.scores import is_found, is_found_graph, prototype_accuracy
from research.paper.worlds.world import World

# The data sets in which it is known what decides.
NAMES = ("ba-house", "ba-grid", "solubility", "mutagenicity", "benzene", "ba-2motifs")
# About how long explaining a class takes on one core, and all that is done in a world.
SECONDS = {"walk": 2.0, "rules": 15.0, "xgnn": 15.0, "gnninterpreter": 12.0, "random": 1.0}
WORLD_SECONDS = 65.0


def cells(settings: Settings) -> list[Cell]:
    """A cell a data set, explainer and seed; of a world one a seed, which trains the model and explains it by all."""
    return [
        *(
            Cell(
                key=(SET, name, method, f"seed {seed}"),
                compute=partial(_in_set, name, method, seed),
                made_from={"stride": stride_of(name, settings)},
                needs=(Need("model", name, seed),),
                seconds=SECONDS[method] * len(SETS[name].targets if name in SETS else (0, 1)),
            )
            for name in settings.sets(NAMES)
            for seed in settings.fewer(settings.seeds)
            for method in WITH_RULES
        ),
        *(
            Cell(key=(WORLD, name, f"seed {seed}"), compute=partial(_in_world, name, seed), seconds=WORLD_SECONDS)
            for name in worlds_of(settings)
            for seed in settings.fewer(settings.world_seeds)
        ),
    ]


def _in_set(name: str, method: str, seed: int, lab: Lab) -> JSON:
    explained = lab.explained(name, method, seed)
    data, kept = lab.data(name, seed), lab.model(name, seed)
    graphs, judged_by = data[kept.train], held_out(kept.model, data[kept.rest])
    classes = {}
    for target, truths in sorted(data.ground_truths.items()):
        explanation = explained.explanations.get(target)
        if explanation is None or not explanation.prototypes:
            classes[str(target)] = _nothing(len(truths), has_motif=True)
            continue
        found = [is_found_graph(truth, explanation) for truth in truths]
        classes[str(target)] = _scores(explanation, graphs, truths, judged_by, kept.model, found)
    return {
        "test_accuracy": kept.test_accuracy,
        "seconds": explained.fit_seconds + explained.seconds,
        "classes": classes,
        "failed": _reasons(explained.explanations.not_explained),
    }


def _in_world(name: str, seed: int, lab: Lab) -> JSON:
    world = WORLDS[name]
    one = lab.world_model(name, seed)
    if one is None:
        return {"test_accuracy": None, "methods": {}}
    methods = {}
    for number, method in enumerate(WITH_RULES):
        lab.progress(f"{name}, {method}", number, len(WITH_RULES))
        methods[method] = _explained(world, one, method, seed, lab)
    return {"test_accuracy": one.accuracy, "methods": methods}


def _explained(world: World, one: WorldModel, method: str, seed: int, lab: Lab) -> JSON:
    """What an explainer gives for the model of a world; one that cannot read such graphs has found nothing."""
    inside, outside = ([one.graphs[i] for i in part] for part in (one.train, one.test))
    judged_by = held_out(one.model, outside)
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        try:
            explanations = explain_each(explainer_of(method, seed, lab.settings).fit(one.model, inside), None)
            explained, failed = dict(explanations), _reasons(explanations.not_explained)
        except (ValueError, TypeError) as error:
            explained, failed = {}, [str(error)]
    seconds = time.perf_counter() - begun
    classes = {}
    for target, of_class in enumerate(world.classes):
        explanation = explained.get(target)
        if explanation is None or not explanation.prototypes:
            has_motif = any(reason.has for reason in of_class.reasons)
            classes[str(target)] = _nothing(len(of_class.reasons), has_motif=has_motif)
            continue
        found = [is_found(world, reason, explanation) for reason in of_class.reasons]
        scores = _scores(explanation, inside, (), judged_by, one.model, found)
        classes[str(target)] = scores | {"accuracy": prototype_accuracy(world, {target: explanation})}
    return {"seconds": seconds, "classes": classes, "failed": failed}


def _scores(
    explanation: Explanation, graphs: Any, truths: Sequence[Data], judged_by: HeldOut, model: Any, found: list[bool]
) -> dict[str, Any]:
    """The figures of a class, on graphs that were kept apart."""
    scores = evaluate(explanation, graphs=graphs, truths=truths, held_out=judged_by, model=model).as_json()
    return {
        "accuracy": scores["accuracy"],
        "found": found,
        "fidelity": scores["fidelity"][0],
        "coverage": scores["coverage"][0],
    }


def _nothing(num_reasons: int, *, has_motif: bool) -> dict[str, Any]:
    """A class without an explanation: the worst result, not one to leave out of the mean."""
    accuracy = 0.0 if has_motif else None
    return {"accuracy": accuracy, "found": [False] * num_reasons, "fidelity": 0.0, "coverage": 0.0}


def _reasons(not_explained: Mapping[int, str]) -> list[str]:
    return [f"class {target}: {reason}" for target, reason in sorted(not_explained.items())]


ITEM = Item(
    name="arena",
    title="Leaderboard of all explainers",
    question="Which explainer says best what a model has learned, where it is known what there was to learn?",
    cells=cells,
    write=write,
)
