"""The arena: every explainer on every data set with a truth and on the planted worlds, with the same models."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from statistics import mean
from typing import Any

import pandas as pd
from torch_geometric.data import Data

import protograph as pg
from research.paper.estimates import Estimate, mean_of
from research.paper.items.fidelity import worlds_of
from research.paper.lab import WITH_RULES, Explained, Lab, ModelSpec, explain_model, explainer_of
from research.paper.runs import Cell, Item, Results
from research.paper.settings import WITH_TRUTH, Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import accuracy_of
from research.worlds.catalogue import WORLDS
from research.worlds.nets import predicted
from research.worlds.scores import is_found, is_found_graph, prototype_accuracy

# The data sets in which it is known what decides.
NAMES = (*WITH_TRUTH, "ba-2motifs")
# The two kinds of fields, as keys of cells begin, and both together.
SET, WORLD, ALL = "set", "world", "all"
KINDS = {ALL: "all fields", SET: "data sets", WORLD: "planted worlds"}
OURS = "rules"
METRICS = {
    "accuracy": "accuracy",
    "found": "reasons found",
    "fidelity": "fidelity",
    "coverage": "coverage",
    "seconds": "seconds",  # less is better
}
# A model of two classes that is right for fewer of the graphs kept apart has not learned what decides.
LEAST_ACCURACY = 0.6
LEADERBOARD = (
    "Mean over the fields of a kind, with the 95% interval over seeds; over all fields every data set and every world "
    "counts alike, on the seeds that both kinds have. Accuracy: on data sets as in rq2, on worlds the share of "
    "prototypes that are a planted motif. Reasons found: of what decides the class, the share that a reason or a "
    "prototype is, to the node. Fidelity and coverage on graphs kept apart; where an explainer gives no rule, the rule "
    "is to contain one of its prototypes. Seconds: fit, and finding the explanations of the classes that are explained "
    "(on data sets those that the paper explains, of BA-2motifs and on worlds all), timed once, on a machine that may "
    "have been busy with other cells. A class without an explanation counts with 0. Models of data sets that are right "
    f"for less than {LEAST_ACCURACY:.0%} of the graphs kept apart are left out."
)


def cells(settings: Settings) -> list[Cell]:
    """A cell a data set, explainer and seed; of a world one a seed, which trains the model and explains it by all."""
    world_seeds = settings.seeds[: settings.num_world_seeds]
    return [
        *(
            Cell(
                key=(SET, name, method, f"seed {seed}"),
                compute=partial(measure_set, name, method, seed),
                needs=[ModelSpec(name, seed)],
            )
            for name in settings.sets(NAMES)
            for seed in settings.fewer(settings.seeds)
            for method in WITH_RULES
        ),
        *(
            Cell(key=(WORLD, name, f"seed {seed}"), compute=partial(measure_world, name, seed))
            for name in worlds_of(settings)
            for seed in settings.fewer(world_seeds)
        ),
    ]


def measure_set(name: str, method: str, seed: int, lab: Lab) -> dict[str, Any]:
    """An explainer on a data set with a truth."""
    explained, data, trained = lab.explained(name, method, seed), lab.data(name, seed), lab.model(ModelSpec(name, seed))
    graphs, outside = lab.train_graphs(name, seed), lab.rest(name, seed)
    predictions, classes = predicted(trained.model, outside), {}
    for target, truths in sorted(data.ground_truths.items()):
        one = explained.explanations.get(target)
        if one is None or not one.prototypes:
            classes[str(target)] = nothing(len(truths), has_motif=True)
            continue
        accuracy = mean(accuracy_of(prototype, one, graphs, truths).value for prototype in one.prototypes)
        found = [is_found_graph(truth, one) for truth in truths]
        classes[str(target)] = {"accuracy": accuracy, "found": found} | held_out_scores(one, outside, predictions)
    return run_record(explained, classes) | {"test_accuracy": trained.test_accuracy}


def measure_world(name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """All explainers for the model of a world; one that cannot read such graphs has found nothing."""
    world, model = WORLDS[name], lab.world_model(name, seed)
    if model is None:
        return {}
    inside, outside = ([model.graphs[i] for i in part] for part in (model.train, model.test))
    predictions, runs = predicted(model.model, outside), {}
    for method in WITH_RULES:
        try:
            explained = explain_model(explainer_of(method, seed, lab.settings.is_quick), model.model, inside, None)
        except (ValueError, TypeError) as error:
            explained = Explained(pg.Explanations({}, not_explained={0: str(error)}), 0.0, 0.0)
        classes = {}
        for target, of_class in enumerate(world.classes):
            one = explained.explanations.get(target)
            if one is None or not one.prototypes:
                has_motif = any(reason.has for reason in of_class.reasons)
                classes[str(target)] = nothing(len(of_class.reasons), has_motif=has_motif)
                continue
            found = [is_found(reason, one) for reason in of_class.reasons]
            accuracy = prototype_accuracy(world, {target: one})
            classes[str(target)] = {"accuracy": accuracy, "found": found} | held_out_scores(one, outside, predictions)
        runs[method] = run_record(explained, classes)
    return runs


def held_out_scores(explanation: pg.Explanation, graphs: Sequence[Data], predictions: Any) -> dict[str, float | None]:
    """Fidelity and coverage on graphs that were kept apart; ``None`` where no graph is of the class."""
    parts = [one.graph for one in explanation.prototypes]
    ways: Any = {"match_features": explanation.node_rule, "match_edges": explanation.edge_rule}
    is_there = bool((predictions == explanation.target).any())
    covered = pg.metrics.coverage(parts, list(graphs), predictions, explanation.target, **ways)
    fidelity = float(pg.metrics.fidelity(explanation, graphs, predictions))
    return {"fidelity": fidelity if is_there else None, "coverage": covered.value if is_there else None}


def run_record(explained: Explained, classes: dict[str, Any]) -> dict[str, Any]:
    """A run of an explainer."""
    failed = [f"class {target}: {reason}" for target, reason in sorted(explained.explanations.not_explained.items())]
    return {"seconds": explained.fit_seconds + explained.seconds, "classes": classes, "failed": failed}


def nothing(num_reasons: int, *, has_motif: bool) -> dict[str, Any]:
    """A class without an explanation: the worst result, not one to leave out of the mean."""
    accuracy = 0.0 if has_motif else None
    return {"accuracy": accuracy, "found": [False] * num_reasons, "fidelity": 0.0, "coverage": 0.0}


def runs_of(results: Results) -> Iterator[tuple[str, str, str, str, Any]]:
    """Kind, field, explainer and seed of every run of a model that has learned what decides, with its result."""
    for (name, method, seed), run in results.under(SET).items():
        if run["test_accuracy"] >= LEAST_ACCURACY:
            yield SET, name, method, seed, run
    for (name, seed), runs in results.under(WORLD).items():
        for method, run in runs.items():
            yield WORLD, name, method, seed, run


def values_of(results: Results) -> pd.DataFrame:
    """A row a run: kind, field, explainer, seed, and every metric: the mean over the classes."""
    rows = []
    for kind, name, method, seed, run in runs_of(results):
        row: dict[str, Any] = {"kind": kind, "field": name, "method": method, "seed": seed, "seconds": run["seconds"]}
        for metric in METRICS:
            values = [one[metric] for one in run["classes"].values() if metric in one and one[metric] is not None]
            if metric == "found":
                values = [float(found) for own in values for found in own]
            if metric != "seconds":
                row[metric] = mean(values) if values else None
        rows.append(row)
    return pd.DataFrame(rows, columns=["kind", "field", "method", "seed", *METRICS]).astype(
        dict.fromkeys(METRICS, float)
    )


def of_kind(values: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The runs of a kind of fields; of both those on the seeds that both have."""
    if kind != ALL:
        return values[values.kind == kind]
    shared = set(values[values.kind == SET].seed) & set(values[values.kind == WORLD].seed)
    return values[values.seed.isin(shared)]


def over_seeds(values: pd.DataFrame, method: str, metric: str) -> Estimate | None:
    """Of each seed the mean over fields, and of these the mean; the interval ends where the metric does."""
    means = values[values.method == method].groupby("seed")[metric].mean().dropna()
    return mean_of(means.tolist(), least=0.0, most=inf if metric == "seconds" else 1.0)


def write(results: Results, sheet: Sheet) -> None:
    """The leaderboard first, then what it is made of."""
    values = values_of(results)
    kinds = [kind for kind in KINDS if len(of_kind(values, kind))]
    rows = [
        [
            KINDS[kind],
            of_kind(values, kind).seed.nunique(),
            title,
            *(over_seeds(of_kind(values, kind), method, m) for m in METRICS),
        ]
        for kind in kinds
        for method, title in WITH_RULES.items()
    ]
    sheet.table("leaderboard", ("on", "seeds", "explainer", *METRICS.values()), rows, LEADERBOARD)
    write_differences({KINDS[kind]: of_kind(values, kind) for kind in kinds}, sheet)
    for metric, title in METRICS.items():
        fields = [
            [KINDS[kind], title_of(name), *(over_seeds(own, method, metric) for method in WITH_RULES)]
            for (kind, name), own in values.groupby(["kind", "field"], sort=False)
        ]
        caption = f"{title.capitalize()} on each field, mean over seeds with the 95% interval."
        sheet.table(f"{metric}-by-field", ("on", "field", *WITH_RULES.values()), fields, caption)
    write_missing(results, sheet)


def write_differences(by_kind: dict[str, pd.DataFrame], sheet: Sheet) -> None:
    """Our default beside the best of the others, and the fields on which another is ahead."""
    rows: list[list[Any]] = []
    for title, values in by_kind.items():
        for metric, name in METRICS.items():
            by_seed = values.groupby(["method", "seed"])[metric].mean().unstack(0)
            others = by_seed.drop(columns=OURS, errors="ignore").mean()
            if OURS not in by_seed or others.dropna().empty:
                continue
            best = others.idxmin() if metric == "seconds" else others.idxmax()
            gaps = (by_seed[OURS] - by_seed[best]).dropna().tolist()
            fields = values.groupby(["field", "method"])[metric].mean().unstack(1)
            rest = fields.drop(columns=OURS)
            behind = rest.min(axis=1) < fields[OURS] if metric == "seconds" else rest.max(axis=1) > fields[OURS]
            lost = [f"{title_of(field)} ({fields[OURS][field]:.2f})" for field in fields.index[behind]]
            rows.append(
                [title, name, WITH_RULES[best], mean_of(gaps), f"{len(lost)} of {len(fields)}", "; ".join(lost)]
            )
    sheet.table(
        "differences",
        ("on", "metric", "best other", "PAGE (default) beyond it", "fields with another ahead", "which (ours)"),
        rows,
        "Our default beside the best of the others, paired over seeds: an interval above 0 is a lead, one below 0 a "
        "loss; of seconds the other way round.",
    )


def write_missing(results: Results, sheet: Sheet) -> None:
    """Models that have not learned what decides, and what explainers could not explain."""
    unlearned = [f"{title_of(key[0])}, {key[-1]}" for key, runs in results.under(WORLD).items() if not runs]
    unlearned += [
        f"{title_of(name)}, {seed} ({run['test_accuracy']:.2f})"
        for (name, method, seed), run in results.under(SET).items()
        if method == OURS and run["test_accuracy"] < LEAST_ACCURACY
    ]
    if unlearned:
        sheet.note(f"Models that have not learned what decides, and are left out: {'; '.join(unlearned)}.")
    failed = Counter((method, reason) for *_, method, _, run in runs_of(results) for reason in run["failed"])
    for (method, reason), times in failed.items():
        sheet.note(f"{WITH_RULES[method]}, {times} times: {reason}")


ITEM = Item(
    name="arena",
    title="Leaderboard of all explainers",
    question="Which explainer says best what a model has learned, where it is known what there was to learn?",
    cells=cells,
    write=write,
)
