"""RQ7: how long explainers take, as multiples of PAGE's time, and how that grows."""

import time
import warnings
from collections.abc import Mapping
from functools import partial
from itertools import product
from statistics import median
from typing import TYPE_CHECKING, Any

from torch import nn

from protograph._base.errors import ProtographWarning
from protograph.datasets import GraphDataset
from protograph.page.explainer import PAGE
from research.paper import charts
from research.paper.costs import STAGES, exponent, stage_seconds
from research.paper.findings import Estimate
from research.paper.item import JSON, Cell, Item, Need, Results
from research.paper.lab import Lab
from research.paper.methods import TITLES
from research.paper.paper import paper
from research.paper.sets import SETS
from research.paper.settings import Settings
from research.paper.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = ("ba-house", "benzene")
GENERATORS = ("xgnn", "gnninterpreter")
# What we want of the walk: a generator takes as many times as long.
LEAST_TIMES = 20.0
NUM_RUNS = 3  # of what takes less than a second: the median counts
ALL_TITLES = {
    "walk": TITLES["walk"],
    "page": "PAGE (default, prototypes)",
    "page with reasons": "PAGE (default, with reasons)",
    "xgnn": TITLES["xgnn"],
    "gnninterpreter": TITLES["gnninterpreter"],
}
PAGES: Mapping[str, Mapping[str, Any]] = {
    "walk": {"search": "walk", "num_clusters": 2},
    "page": {"max_reasons": 0},
    "page with reasons": {},
}
COLUMNS = (
    "explainer",
    "seconds a prototype",
    "times the walk",
    "seconds in all",
    "times the walk, in all",
    "seconds, paper",
    "times PAGE, paper",
)
QUANTITIES = ("graphs", "k", "nodes")
AXES = {"graphs": "number of graphs", "k": "k, graphs that are matched", "nodes": "nodes of a graph"}


def cells(settings: Settings) -> list[Cell]:
    """A trial a seed, in which all explainers explain the same model; and times for ever larger tasks."""
    grown = {
        "graphs": (60, 120) if settings.is_quick else (250, 500, 1000, 2000, 4000, 8000),
        "k": (2, 3, 4, 5, 6),
        "nodes": (15, 30, 60, 120, 240),
    }
    num_runs = 1 if settings.is_quick else NUM_RUNS
    trials = product(settings.sets(NAMES), settings.fewer(settings.seeds))
    return [
        *(
            Cell(
                key=("trial", name, f"seed {seed}"),
                compute=partial(_trial, name, seed),
                needs=(Need("model", name, seed),),
                seconds=60.0,
            )
            for name, seed in trials
        ),
        *(
            Cell(
                key=("cost", method, quantity, str(value)),
                compute=partial(_cost, method, quantity, value, num_runs),
                seconds=4.0,
            )
            for method in settings.fewer(("walk", "page"))
            for quantity, values in list(grown.items())[: 1 if settings.is_quick else None]
            for value in values
        ),
    ]


def _trial(name: str, seed: int, lab: Lab) -> JSON:
    """Seconds of fitting and of explaining, a prototype, of the class with the motif."""
    data, kept = lab.data(name, seed), lab.model(name, seed)
    graphs, target = data[kept.train], next(iter(data.ground_truths))
    found: dict[str, Any] = {}
    is_quick = lab.settings.is_quick
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        for method, options in list(PAGES.items())[: 2 if is_quick else None]:
            explainer = PAGE(random_state=seed, **options)
            found[method] = _page_seconds(explainer, kept.model, graphs, target, 1 if is_quick else NUM_RUNS)
    for method in GENERATORS:
        # Made once for all items, of the class with the motif too; a generator takes about as long for any prototype.
        one = lab.explained(name, method, seed)
        count = sum(len(explanation.prototypes) for explanation in one.explanations.values())
        found[method] = {"fit": one.fit_seconds, "explain": one.seconds, "prototypes": count}
    return found


def _page_seconds(
    explainer: PAGE, model: nn.Module, graphs: GraphDataset, target: int, num_runs: int
) -> dict[str, Any]:
    """Median seconds of some runs; where there are several, a further first one loads what is compiled."""
    fits, explains, count = [], [], 1
    warming_up = int(num_runs > 1)
    for run in range(num_runs + warming_up):
        started = time.perf_counter()
        explainer.fit(model, graphs)
        begun = time.perf_counter()
        if not (explainer.predictions_ == target).any():  # a hurried model of a quick run
            target = int(explainer.predictions_[0])
        explanation = explainer.explain(target)
        if run >= warming_up:
            fits.append(begun - started)
            explains.append(time.perf_counter() - begun)
            count = max(1, len(explanation.prototypes))
    return {"fit": median(fits), "explain": median(explains), "prototypes": count}


def _cost(method: str, quantity: str, value: int, num_runs: int, lab: Lab) -> JSON:
    options = {"num_clusters": 2, **PAGES[method]} | ({"num_graphs": value} if quantity == "k" else {})
    num_graphs = value if quantity == "graphs" else 400 if quantity == "nodes" else 1000
    return stage_seconds(num_graphs, value if quantity == "nodes" else 15, options, num_runs)


def write(results: Results, sheet: Sheet) -> None:
    """The table of times, our relation of PAGE and XGNN beside the paper's, and how times grow."""
    for name in dict.fromkeys(key[1] for key in results if key[0] == "trial"):
        _write_times(name, list(results.under("trial", name).values()), sheet)
    sheet.note(
        "Explaining is counted by the prototype, after fit, in which every explainer lets the model see all graphs. "
        "The paper does not say what its times hold; its XGNN has options that its authors tuned, ours is our own "
        "implementation with its defaults. Times of PAGE are medians of three runs, after one that loads compiled "
        "loops. Reasons are found for all classes at once, whichever class is asked for."
    )
    _write_growth(results, sheet)


def _each(found: dict[str, Any]) -> float:
    seconds: float = found["explain"] / found["prototypes"]
    return seconds


def _in_all(found: dict[str, Any]) -> float:
    seconds: float = found["fit"] + found["explain"]
    return seconds


def _write_times(name: str, trials: list[Any], sheet: Sheet) -> None:
    theirs = paper("rq7", "seconds", name)
    in_paper = {"walk": "PAGE", "page": "PAGE", "page with reasons": "PAGE", "xgnn": "XGNN"}
    methods = [method for method in ALL_TITLES if method in trials[0]]
    rows: list[list[Any]] = []
    for method in methods:
        ratio = Estimate.bootstrap([_each(one[method]) / _each(one["walk"]) for one in trials])
        whole = Estimate.bootstrap([_in_all(one[method]) for one in trials])
        whole_ratio = Estimate.bootstrap([_in_all(one[method]) / _in_all(one["walk"]) for one in trials])
        each = Estimate.bootstrap([_each(one[method]) for one in trials])
        paper_seconds = theirs[in_paper[method]][0] if method in in_paper else None
        paper_ratio = paper_seconds / theirs["PAGE"][0] if paper_seconds else None
        rows.append([ALL_TITLES[method], each, ratio, whole, whole_ratio, paper_seconds, paper_ratio])
    title = SETS[name].title
    sheet.table(
        f"time-{name}",
        COLUMNS,
        rows,
        f"{title}: time of explaining, median over trials with its bootstrap interval. In all: fit, and every "
        "prototype of the class with the motif, for all explainers; reasons are of all classes.",
    )
    claimed = theirs["XGNN"][0] / theirs["PAGE"][0]
    for method in [method for method in methods if method in PAGES]:
        ours = Estimate.bootstrap([_each(one["xgnn"]) / _each(one[method]) for one in trials])
        is_faster = ours.low is not None and ours.low > 1
        is_slower = ours.high is not None and ours.high < 1
        sheet.finding(
            f"{title}: XGNN takes longer than {ALL_TITLES[method]}, so many times",
            ours,
            claimed,
            "agrees" if is_faster else "differs" if is_slower else "undecided",
            "the order is compared; how many times depends on the implementations",
        )
    for method in GENERATORS:
        ratio = Estimate.bootstrap([_each(one[method]) / _each(one["walk"]) for one in trials])
        sheet.limit(f"{title}: {TITLES[method]}'s time as a multiple of the walk's, a prototype", ratio, LEAST_TIMES)
    sheet.figure(
        f"time-of-{name}",
        draw_times(trials),
        f"{title}: seconds to explain, a prototype, each trial a dot and the median a line; mind the logarithmic axis.",
    )


def _write_growth(results: Results, sheet: Sheet) -> None:
    grown: dict[tuple[str, str], dict[int, Any]] = {}
    for (method, quantity, value), found in results.under("cost").items():
        grown.setdefault((method, quantity), {})[int(value)] = found
    rows: list[list[Any]] = []
    for (method, quantity), found in grown.items():
        values = sorted(found)
        powers = [exponent(values, [found[value][stage] for value in values]) for stage in (*STAGES, "all")]
        whole = [found[value]["all"] for value in (values[0], values[-1])]
        rows.append([ALL_TITLES[method], AXES[quantity], f"{values[0]:,} to {values[-1]:,}", *whole, *powers])
    sheet.table(
        "growth",
        (
            "explainer",
            "grows",
            "",
            "seconds, first",
            "seconds, last",
            *(f"{stage}, exponent" for stage in (*STAGES, "all")),
        ),
        rows,
        "How time grows: the slope of its logarithm against that of what grows; 1 is twice the time for twice as much. "
        "Stages that take less than a millisecond have no exponent. Graphs are random ones with houses.",
    )
    sheet.figure(
        "growth-by-stage",
        draw_growth(grown),
        "Seconds of fit and explain against the number of graphs, k and the size of graphs; both axes logarithmic.",
    )
    sheet.note(
        "The paper's analysis has Phase 1 grow as n k (b^3 + log n) for n graphs and embeddings of b numbers, Phase 2 "
        "as N_max N_nnz log N_nnz, N_nnz being the tuples that the mask leaves, some n^k of graphs with n nodes. "
        "Up to two million tuples the walk has them all in memory; beyond, only what it needs (docs/method.md), so "
        "that its time does not grow as the tensor does."
    )


def draw_times(trials: list[Any]) -> "Figure":
    """A line of dots for each explainer."""
    figure, axes = charts.new_figure(6.6, 2.8)
    order = [method for method in reversed(ALL_TITLES) if method in trials[0]]
    for height, method in enumerate(order):
        seconds = [_each(one[method]) for one in trials]
        axes.scatter(seconds, [height] * len(seconds), s=26, alpha=0.55, linewidths=0, color=charts.COLOURS[method])
        middle = median(seconds)
        axes.plot([middle, middle], [height - 0.28, height + 0.28], color=charts.INK, linewidth=1.6)
        axes.annotate(_clock(middle), (middle, height + 0.34), ha="center", va="bottom", fontsize=8.5, color=charts.INK)
    axes.set(xscale="log", xlabel="seconds a prototype", ylim=(-0.5, len(order) - 0.1))
    axes.set_yticks(range(len(order)), [ALL_TITLES[method] for method in order])
    axes.grid(visible=False, axis="y")
    return figure


def _clock(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def draw_growth(grown: dict[tuple[str, str], dict[int, Any]]) -> "Figure":
    """A panel for each thing that grows; stages thin, all of them together thick."""
    from matplotlib.ticker import NullLocator, ScalarFormatter

    colours = {"fit": "#7F7F7F", "selection": "#009E73", "search": "#0072B2", "evidence": "#CC79A7", "all": "#1b1f24"}
    methods = list(dict.fromkeys(method for method, _ in grown))
    height = 0.4 + 2.4 * len(methods)
    figure, axes = charts.new_figure(9.6, height, columns=3, rows=len(methods), sharey=True, squeeze=False)
    for (method, quantity), found in grown.items():
        one = axes[methods.index(method), QUANTITIES.index(quantity)]
        values = sorted(found)
        for stage, colour in colours.items():
            seconds = [max(found[value][stage], 1e-4) for value in values]
            width = 2.2 if stage == "all" else 1.4
            one.plot(values, seconds, color=colour, linewidth=width, marker="o", markersize=3, label=stage)
        one.set(xscale="log", yscale="log")
        one.set_xticks(values, [f"{value:,}" for value in values])
        one.xaxis.set_minor_locator(NullLocator())
        one.xaxis.set_major_formatter(ScalarFormatter())
        if method == methods[-1]:
            one.set(xlabel=AXES[quantity])
    for row, method in zip(axes, methods, strict=True):
        row[0].set(ylabel=f"{ALL_TITLES[method]}\nseconds")
    charts.legend(axes[0, 0], loc="upper left", ncols=2)
    return figure


ITEM = Item(
    name="rq7",
    title="Run time",
    question="How long does PAGE take beside explainers that generate their prototypes, and how does its cost grow?",
    cells=cells,
    write=write,
)
