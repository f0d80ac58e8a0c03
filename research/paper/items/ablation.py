"""What each option of the walk and each step of our own search is for; other models; random weights."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from statistics import mean
from typing import Any
from unittest.mock import patch

import numpy as np
from matplotlib.figure import Figure

import protograph as pg
from protograph.page.trimming import close
from protograph.patterns.pattern import Subgraph
from research.paper.drawings import INK, SERIES, new_figure
from research.paper.estimates import Estimate, below, mean_of, share_mean
from research.paper.lab import Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import WITH_TRUTH, Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import accuracy_of, paper
from research.worlds.nets import QUICK_RECIPE, REAL_RECIPES, train_on_real

BASE = "as it is"
NETS = ("gin", "gat")
NUM_SEEDS = 3  # of what takes minutes a seed: training other models, and explaining random ones
NUM_GRAPHS = 1000  # that random models are explained with: what they find does not get better with more
HARDLY = 0.05  # accuracy by which an option may change the outcome and still be said not to matter

# For each option of the walk its values; None stands for the paper's setting, which is not measured twice.
WALK: Mapping[str, Mapping[str, Mapping[str, Any] | None]] = {
    "L": {"1": {"num_clusters": 1}, "2": None, "3": {"num_clusters": 3}, "auto": {"num_clusters": "auto"}},
    "k": {"1": {"num_graphs": 1}, "2": {"num_graphs": 2}, "3": None, "4": {"num_graphs": 4}, "5": {"num_graphs": 5}},
    "budget": {"1": {"budget": 1}, "3": {"budget": 3}, "5": None, "10": {"budget": 10}, "20": {"budget": 20}},
    "decay": {"10": None} | {str(one): {"search": pg.Walk(decay=one)} for one in (1, 2, 100)},
    "max_nodes": {str(size): {"max_nodes": size} for size in (5, 7, 9, 13, 20)} | {"auto": None},
    "scoring": {"product": None} | {str(one): {"search": pg.Walk(scoring=one)} for one in ("arithmetic", "geometric")},
    "match_features": {"yes": None, "no": {"match_features": False}},
    "distinct_starts": {"yes": None, "no": {"search": pg.Walk(distinct_starts=False)}},
}


def edges_alone(pattern: Subgraph, kinds: Sequence[int]) -> list[frozenset[int]]:
    """A pattern divided into edges, as if nothing belonged together."""
    return [frozenset(ends) for ends in sorted(pattern.edges)]


@dataclass(kw_only=True, eq=False)
class AblatedPAGE(pg.PAGE):
    """PAGE with something of ``protograph.page`` replaced by its name: to measure what it is for."""

    replaced: Mapping[str, Any] = field(default_factory=dict)

    def explain(self, target: int | str, *, representatives: Sequence[int] | None = None) -> pg.Explanation:
        """As PAGE, with what is replaced."""
        with ExitStack() as stack:
            for name, value in self.replaced.items():
                stack.enter_context(patch(f"protograph.page.{name}", value))
            return super().explain(target, representatives=representatives)

    def _options(self) -> Mapping[str, Any]:
        return {**super()._options(), "replaced": sorted(self.replaced)}


def _next_nearest(fitted: Any, cluster: Any, count: int) -> list[tuple[int, ...]]:
    """The k graphs nearest the mean, the k next nearest, and so on."""
    k, near = len(cluster.representatives), cluster.nearest
    return [near[first : first + k] for first in range(0, max(min(len(near) - k + 1, count * k), 1), k)]


def _closed_to_its_end(*args: Any) -> list[Any]:
    """All that closing adds, which the model is then not asked about."""
    return close(*args)[-1:]


# The rows of the table in docs/method.md, by their names there.
STEPS: Mapping[str, Mapping[str, Any]] = {
    BASE: {},
    "what a node adds to the margin": {"replaced": {"consensus.node_contributions": lambda *args: None}},
    "information": {
        "replaced": {
            "counting.Occurrence.information": property(lambda occurrence: 1.0),
            "trimming.information": lambda inside, outside: 1.0,
        }
    },
    "wholes": {"replaced": {"consensus.wholes_of": edges_alone}},
    "closing": {"replaced": {"trimming.MAX_STEPS": 0}},
    "closing held by the model": {"replaced": {"consensus.close": _closed_to_its_end}},
    "several groups": {"budget": 1},
    "groups of graphs that the model sees alike": {"replaced": {"consensus.chosen_graphs": _next_nearest}},
    "z squared between sessions": {"replaced": {"consensus.CARRIED_POWER": 1}},
    "one cluster where nothing more is confirmed": {"num_clusters": 2},
    "the smallest of the parts that weigh nearly the most": {"replaced": {"trimming.SLACK": 0.0}},
}

Explainers = Mapping[str, Callable[[], pg.PAGE]]
# Of each data set the outcomes of its seeds.
Seeds = Mapping[str, Sequence[Any]]


def variant_at(option: str, value: str) -> str:
    """Name of the variant in which an option of the walk has a value.

    >>> variant_at("budget", "10"), variant_at("budget", "5")
    ('budget = 10', 'as it is')
    """
    return BASE if WALK[option][value] is None else f"{option} = {value}"


def explainers_of(search: str, seed: int, settings: Settings) -> dict[str, Callable[[], pg.PAGE]]:
    """The variants of a search, each an explainer to be made; in a quick run two."""
    if search == "walk":
        variants = {variant_at(o, v): options or {} for o, values in WALK.items() for v, options in values.items()}
        variants = {BASE: {}} | variants
        base: dict[str, Any] = {"search": "walk", "num_clusters": 2}
    else:
        variants, base = dict(STEPS), {"max_reasons": 0}
    chosen = settings.fewer(tuple(variants), 2)
    return {name: partial(AblatedPAGE, **{"random_state": seed, **base, **variants[name]}) for name in chosen}


def cells(settings: Settings) -> list[Cell]:
    """All variants of a search on a model; models with other convolutions; models whose weights are randomised."""
    names, seeds = settings.sets(WITH_TRUTH), settings.fewer(settings.seeds)
    few = settings.fewer(settings.seeds[:NUM_SEEDS])
    return [
        *(
            Cell(
                key=(search, name, f"seed {seed}"),
                compute=partial(measure_variants, search, name, seed),
                options={"variants": list(explainers_of(search, seed, settings))},
                needs=[ModelSpec(name, seed)],
            )
            for search, name, seed in product(("walk", "default"), names, seeds)
        ),
        *(
            Cell(key=("net", conv, name, f"seed {seed}"), compute=partial(measure_net, conv, name, seed))
            for conv, name, seed in product(settings.fewer(NETS), names, few)
        ),
        *(
            Cell(
                key=("weights", search, name, f"seed {seed}"),
                compute=partial(randomise_weights, search, name, seed),
                needs=[ModelSpec(name, seed)],
            )
            for search, name, seed in product(settings.fewer(("walk", "default")), names, few)
        ),
    ]


def outcomes(
    explainers: Explainers, model: Any, graphs: Any, data: pg.datasets.GraphDataset
) -> dict[str, dict[str, Any]]:
    """Accuracy of the prototypes of each variant on the classes with a ground truth, and seconds of the search.

    A class without any prototype has accuracy 0: nothing was found of what is there. Where the model predicts no graph
    as a class there is nothing to find, and the class does not count.
    """
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        for name, make in explainers.items():
            explainer, accuracies, seconds = make().fit(model, graphs), [], 0.0
            for target, truths in data.ground_truths.items():
                if not (explainer.predictions_ == target).any():
                    continue
                explanation = explainer.explain(target)
                right = [accuracy_of(one, explanation, graphs, truths).value for one in explanation.prototypes]
                accuracies.append(mean(right) if right else 0.0)
                seconds += explanation.timings["search"]
            found[name] = {"accuracy": mean(accuracies) if accuracies else None, "seconds": seconds}
    return found


def measure_variants(search: str, name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """The variants for the paper's GCN on the graphs that it was trained on."""
    explainers, model = explainers_of(search, seed, lab.settings), lab.model(ModelSpec(name, seed)).model
    return outcomes(explainers, model, lab.train_graphs(name, seed), lab.data(name, seed))


def measure_net(conv: str, name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """Both searches for a model with other convolutions."""
    data, settings = lab.data(name, seed), lab.settings
    recipe = QUICK_RECIPE if settings.is_quick else REAL_RECIPES[0]
    trained = train_on_real(data, seed, conv, recipe, 0, settings.device)
    explainers = {search: explainers_of(search, seed, settings)[BASE] for search in ("walk", "default")}
    return {"test_accuracy": trained.accuracy, **outcomes(explainers, trained.model, data[trained.train], data)}


def randomise_weights(search: str, name: str, seed: int, lab: Lab) -> list[float | None]:
    """Similarity of the explanation to the model's own, as module after module is randomised from the output down."""
    graphs, model = lab.train_graphs(name, seed)[:NUM_GRAPHS], lab.model(ModelSpec(name, seed)).model
    target, explainer = (
        next(iter(lab.data(name, seed).ground_truths)),
        explainers_of(search, seed, lab.settings)[BASE](),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        if not (explainer.fit(model, graphs).predictions_ == target).any():
            return []
        found = pg.metrics.sanity(explainer, model, graphs, target, random_state=seed)
    return [None if np.isnan(step.similarity) else step.similarity for step in found.steps]


def accuracies(seeds: Sequence[Any], variant: str) -> list[float]:
    """Accuracy on each seed on which there is something to find."""
    return [one[variant]["accuracy"] for one in seeds if one[variant]["accuracy"] is not None]


def differences(seeds: Sequence[Any], variant: str) -> list[float]:
    """What a variant changes on each seed."""
    both = [(one[variant]["accuracy"], one[BASE]["accuracy"]) for one in seeds]
    return [value - base for value, base in both if value is not None and base is not None]


def changes(found: Seeds, variant: str) -> str:
    """Where a variant is better or worse than the base beyond chance: the paired interval leaves out 0."""
    gains = {name: mean_of(differences(seeds, variant)) for name, seeds in found.items()}
    told = {name: gain for name, gain in gains.items() if gain and not gain.low <= 0 <= gain.high}
    return ", ".join(f"{title_of(name)} {gain.mean:+.2f}" for name, gain in told.items())


def write(results: Results, sheet: Sheet) -> None:
    """A table and a figure for each part."""
    for search, title, what in (
        ("walk", "the walk", "one option changed"),
        ("default", "without", "one step left out"),
    ):
        found: Seeds = {name: results.seeds(search, name) for name in results.names(search)}
        rows: list[list[Any]] = []
        for variant in next(iter(found.values()))[0]:
            own = [accuracies(seeds, variant) for seeds in found.values()]
            means = [mean(values) for values in own if values]
            whole = mean(means) if means else None
            rows.append([variant, *map(share_mean, own), whole, changes(found, variant)])
        columns = (title, *map(title_of, found), "mean", "changes beyond chance")
        caption = f"Accuracy with {what}: mean over seeds with its 95% interval."
        sheet.table(search, columns, rows, caption)
        if search == "walk":
            caption = "Accuracy of the walk against each of its options; a ring marks what the paper sets."
            sheet.figure("walk-by-option", draw_walk(found), caption)
            write_sentences(found, sheet)
            write_highest(found, sheet)
        else:
            caption = "What is lost (orange) or gained (purple) in accuracy without each step; mean over seeds."
            sheet.figure("default-by-step", draw_default(found), caption)
    write_nets(results, sheet)
    write_weights(results, sheet)


def write_sentences(found: Seeds, sheet: Sheet) -> None:
    """The paper's sentences on the walk's settings."""
    for claim, variant, names, note in (
        ("the number of sessions is not critical: accuracy with 1 less that with 5", "budget = 1", tuple(found), "RQ3"),
        (
            "decay makes the search more stable: accuracy without less that with",
            "decay = 1",
            tuple(found),
            "a footnote",
        ),
        ("BA-house is explained precisely due to clustering: L = 1 less L = 2", "L = 1", ("ba-house",), "RQ1"),
    ):
        present = [name for name in names if name in found and variant in found[name][0]]
        ours = mean_of([gain for name in present for gain in differences(found[name], variant)])
        if ours:
            is_free = variant == "budget = 1"
            decided = about_zero(ours) if is_free else below(ours)
            sheet.finding(claim, ours, "about 0" if is_free else "lower", decided, note)


def about_zero(ours: Estimate) -> str:
    """Whether a difference is small for sure, or large for sure."""
    if ours.low >= -HARDLY and ours.high <= HARDLY:
        return "agrees"
    return "differs" if ours.low > HARDLY or ours.high < -HARDLY else "undecided"


def write_highest(found: Seeds, sheet: Sheet) -> None:
    """How far single options raise the walk's accuracy, and which does most."""
    rows: list[list[Any]] = []
    for name, seeds in found.items():
        means = {variant: mean(values) for variant in seeds[0] if (values := accuracies(seeds, variant))}
        kinds = [[v for v in means if v != BASE and v.startswith("max_nodes") == is_size] for is_size in (True, False)]
        if BASE in means and all(kinds):
            best = [max(own, key=means.__getitem__) for own in kinds]
            cells_of_row = [cell for one in best for cell in (one, means[one])]
            rows.append([title_of(name), paper("table2", "accuracy", "PAGE", name), means[BASE], *cells_of_row])
    sheet.table(
        "highest",
        ("data set", "paper", BASE, "best size", "its accuracy", "best other option", "accuracy of that"),
        rows,
        "How far one option raises the walk's accuracy: the best limit of nodes, and the best value of any other "
        "option; means over seeds. The best of several is chosen after seeing them, and so is flattered. A session "
        "ends where the subgraph is as large as a pre-defined value, which the paper does not state; ours takes as "
        "many nodes as its graphs have in common.",
    )


def write_nets(results: Results, sheet: Sheet) -> None:
    """Models with other convolutions beside the GCN."""
    rows: list[list[Any]] = []
    for conv in results.names("net"):
        for name in results.names("net", conv):
            seeds = results.seeds("net", conv, name)
            row = [conv.upper(), title_of(name), share_mean([one["test_accuracy"] for one in seeds])]
            for search in ("walk", "default"):
                row += [share_mean(accuracies(seeds, search))]
                row += [share_mean(accuracies(results.seeds(search, name), BASE))]
            rows.append(row)
    sheet.table(
        "nets",
        ("model", "data set", "test accuracy", "walk", "walk on GCN", "default", "default on GCN"),
        rows,
        "Accuracy of prototypes for models with other convolutions and a mean over nodes, on a few seeds, "
        "beside those of the GCN with all seeds.",
    )


def write_weights(results: Results, sheet: Sheet) -> None:
    """Explanations of models whose weights were randomised."""
    rows: list[list[Any]] = []
    for search in results.names("weights"):
        for name in results.names("weights", search):
            steps = [one for one in results.seeds("weights", search, name) if one]
            ends = [[one[end] for one in steps if one[end] is not None] for end in (0, -1)]
            nothing = sum(one[-1] is None for one in steps)
            rows.append([search, title_of(name), *map(share_mean, ends), nothing])
    sheet.table(
        "random-weights",
        ("search", "data set", "head random", "all random", "seeds without explanation"),
        rows,
        "Similarity of the prototypes to those of the trained model, as weights are randomised from the output down "
        "(1: the same graphs). An explanation that stays the same does not come of what the model has learned.",
    )


def draw_walk(found: Seeds) -> Figure:
    """A panel for each option, a line for each data set."""
    present = next(iter(found.values()))[0]
    figure, axes = new_figure(10.5, 4.6, 2, 4, sharey=True)
    for axis, (option, values) in zip(axes.flat, WALK.items(), strict=True):
        shown = [value for value in values if variant_at(option, value) in present]
        for colour, (name, seeds) in zip(SERIES, found.items(), strict=False):
            means = [np.mean(accuracies(seeds, variant_at(option, value)) or [np.nan]) for value in shown]
            axis.plot(shown, means, "o-", color=colour, markersize=3.5, label=title_of(name))
            at = [number for number, value in enumerate(shown) if values[value] is None]
            axis.plot(at, [means[number] for number in at], "o", markersize=8, color=colour, markerfacecolor="none")
        axis.set(title=option, ylim=(0, 1))
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.supylabel("accuracy")
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    return figure


def draw_default(found: Seeds) -> Figure:
    """A table of coloured differences: steps by data sets."""
    variants = [name for name in next(iter(found.values()))[0] if name != BASE]
    gains = np.array([[np.mean(differences(seeds, one) or [0.0]) for seeds in found.values()] for one in variants])
    figure, ((axis,),) = new_figure(7.6, 0.8 + 0.34 * len(variants))
    axis.imshow(gains, cmap="PuOr", vmin=-0.6, vmax=0.6, aspect="auto")
    for row, column in np.ndindex(gains.shape):
        axis.text(column, row, f"{gains[row, column]:+.2f}", ha="center", va="center", fontsize=9, color=INK)
    axis.set_xticks(range(len(found)), map(title_of, found))
    axis.set_yticks(range(len(variants)), variants)
    axis.grid(visible=False)
    return figure


ITEM = Item(
    name="ablation",
    title="What each option and each step is for",
    question="How do the walk's options and the steps of our own search change what is found? Does it depend on the "
    "paper's kind of model, and does it come of what the model has learned?",
    cells=cells,
    write=write,
)
