"""RQ7: how long explainers take, as multiples of PAGE's time, and how that grows."""

import time
import warnings
from collections.abc import Mapping
from functools import partial
from itertools import product
from statistics import median
from typing import Any

import networkx as nx
import numpy as np
import torch
from matplotlib.figure import Figure
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

import protograph as pg
from research.paper.drawings import COLOURS, SERIES, new_figure
from research.paper.estimates import above, bootstrap
from research.paper.lab import TITLES, Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import paper

NAMES = ("ba-house", "benzene")
GENERATORS = ("xgnn", "gnninterpreter")
LEAST_TIMES = 20.0  # what we want of the walk: a generator takes as many times as long
NUM_RUNS = 3  # of what takes less than a second: the median counts
ALL_TITLES = {
    "walk": TITLES["walk"],
    "page": "PAGE (default, prototypes)",
    "page with reasons": "PAGE (default, with reasons)",
    "xgnn": TITLES["xgnn"],
    "gnninterpreter": TITLES["gnninterpreter"],
}
IN_PAPER = {"walk": "PAGE", "page": "PAGE", "page with reasons": "PAGE", "xgnn": "XGNN"}
PAGES: Mapping[str, Mapping[str, Any]] = {
    "walk": {"search": "walk", "num_clusters": 2},
    "page": {"max_reasons": 0},
    "page with reasons": {},
}
HOUSE = ((0, 1), (1, 2), (2, 3), (0, 3), (0, 4), (1, 4))
# What grows, and what it is called.
AXES = {"graphs": "number of graphs", "k": "k, graphs that are matched", "nodes": "nodes of a graph"}
GROWN = {"graphs": (250, 500, 1000, 2000, 4000, 8000), "k": (2, 3, 4, 5, 6), "nodes": (15, 30, 60, 120, 240)}


def cells(settings: Settings) -> list[Cell]:
    """A trial a seed, in which all explainers explain the same model; and times for ever larger tasks."""
    grown = {"graphs": (60, 120)} if settings.is_quick else GROWN
    return [
        *(
            Cell(
                key=("trial", name, f"seed {seed}"),
                compute=partial(time_all, name, seed),
                needs=[ModelSpec(name, seed)],
            )
            for name, seed in product(settings.sets(NAMES), settings.fewer(settings.seeds))
        ),
        *(
            Cell(key=("cost", method, quantity, str(value)), compute=partial(time_growth, method, quantity, value))
            for method in settings.fewer(("walk", "page"))
            for quantity, values in grown.items()
            for value in values
        ),
    ]


def time_all(name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """Seconds of fitting and of explaining the class with the motif, and how many prototypes it has."""
    graphs, target = lab.train_graphs(name, seed), next(iter(lab.data(name, seed).ground_truths))
    model, found = lab.model(ModelSpec(name, seed)).model, {}
    for method, options in PAGES.items():
        found[method] = time_page({"random_state": seed, **options}, model, graphs, target)
    for method in GENERATORS:
        # Made once for all items, of the class with the motif too; a generator takes about as long for any prototype.
        one = lab.explained(name, method, seed)
        count = sum(len(explanation.prototypes) for explanation in one.explanations.values())
        found[method] = {"fit": one.fit_seconds, "explain": one.seconds, "prototypes": max(1, count)}
    return found


def time_page(options: Mapping[str, Any], model: Any, graphs: Any, target: int) -> dict[str, Any]:
    """Median seconds of some runs; a further first one loads what is compiled."""
    fits, explains, count = [], [], 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        for _ in range(NUM_RUNS + 1):
            started = time.perf_counter()
            explainer = pg.PAGE(**options).fit(model, graphs)
            begun = time.perf_counter()
            is_predicted = (explainer.predictions_ == target).any()  # not so by a hurried model of a quick run
            explanation = explainer.explain(target if is_predicted else int(explainer.predictions_[0]))
            fits.append(begun - started)
            explains.append(time.perf_counter() - begun)
            count = max(1, len(explanation.prototypes))
    return {"fit": median(fits[1:]), "explain": median(explains[1:]), "prototypes": count}


def house_graphs(num_graphs: int, num_nodes: int) -> list[Data]:
    """Trees of preferential attachment with a house on them, which lacks an edge in every other one.

    >>> [(graph.num_nodes, graph.num_edges, int(graph.y)) for graph in house_graphs(2, 12)]
    [(12, 24, 0), (12, 26, 1)]
    """
    graphs = []
    for number in range(num_graphs):
        size, label = num_nodes - 5, number % 2
        graph = nx.barabasi_albert_graph(size, 1, seed=number)
        graph.add_edges_from((u + size, v + size) for u, v in HOUSE[: 5 + label])
        graph.add_edge(number % size, size + 2)
        x = torch.eye(3)[[0] * size + [1, 1, 1, 1, 2]]
        ends = to_undirected(torch.tensor(list(graph.edges)).T)
        graphs.append(Data(x=x, edge_index=ends, y=torch.tensor([label])))
    return graphs


def time_growth(method: str, quantity: str, value: int, lab: Lab) -> dict[str, Any]:
    """Seconds of explaining one class; the model after two epochs, as its cost does not depend on how good it is."""
    options = {"num_clusters": 2, **PAGES[method]} | ({"num_graphs": value} if quantity == "k" else {})
    num_graphs = {"graphs": value, "nodes": 400, "k": 1000}[quantity]
    graphs = house_graphs(num_graphs, value if quantity == "nodes" else 15)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        model = pg.train(graphs[:400], hidden=(32, 32), max_epochs=2).model
    return time_page(options, model, graphs, 1)


def exponent(values: list[int], seconds: list[float]) -> float:
    """Slope of the line through logarithms of values and times.

    >>> round(exponent([1, 2, 4], [1.0, 4.0, 16.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(values), np.log(np.maximum(seconds, 1e-4)), 1)[0])


def each(found: dict[str, Any]) -> float:
    """Seconds a prototype, after fit."""
    return found["explain"] / found["prototypes"]


def write(results: Results, sheet: Sheet) -> None:
    """The table of times, our relation of PAGE and XGNN beside the paper's, and how times grow."""
    for name in results.names("trial"):
        write_times(name, results.seeds("trial", name), sheet)
    sheet.note(
        "Explaining is counted by the prototype, after fit, in which every explainer lets the model see all graphs. "
        "The paper does not say what its times hold; its XGNN has options that its authors tuned, ours is our own "
        "implementation with its defaults. Times of PAGE are medians of three runs, after one that loads compiled "
        "loops. Reasons are found for all classes at once, whichever class is asked for."
    )
    write_growth(results, sheet)


def write_times(name: str, trials: list[Any], sheet: Sheet) -> None:
    """Seconds of each explainer, and as multiples of the walk's."""
    theirs, title = paper("rq7", "seconds", name), title_of(name)
    rows: list[list[Any]] = []
    for method, shown in ALL_TITLES.items():
        ratio = bootstrap([each(one[method]) / each(one["walk"]) for one in trials])
        whole = bootstrap([one[method]["fit"] + one[method]["explain"] for one in trials])
        their_seconds = theirs[IN_PAPER[method]][0] if method in IN_PAPER else None
        their_ratio = their_seconds / theirs["PAGE"][0] if their_seconds else None
        seconds = bootstrap([each(one[method]) for one in trials])
        rows.append([shown, seconds, ratio, whole, their_seconds, their_ratio])
        if method in GENERATORS:
            sheet.limit(f"{title}: {shown}'s time as a multiple of the walk's, a prototype", ratio, LEAST_TIMES)
        else:
            ours = bootstrap([each(one["xgnn"]) / each(one[method]) for one in trials])
            claim = f"{title}: XGNN takes longer than {shown}, so many times"
            claimed = theirs["XGNN"][0] / theirs["PAGE"][0]
            sheet.finding(claim, ours, claimed, above(ours, 1.0), "the order is compared")
    columns = ("explainer", "seconds a prototype", "times the walk", "seconds in all", "seconds, paper", "times, paper")
    sheet.table(
        f"time-{name}",
        columns,
        rows,
        f"{title}: time of explaining, median over trials with its bootstrap interval. In all: fit, and every "
        "prototype of the class with the motif; reasons are of all classes.",
    )
    figure, ((axis,),) = new_figure(6.6, 2.8)
    for height, method in enumerate(ALL_TITLES):
        seconds = [each(one[method]) for one in trials]
        axis.scatter(seconds, [height] * len(seconds), s=26, alpha=0.55, color=COLOURS[method])
        axis.plot([median(seconds)] * 2, [height - 0.28, height + 0.28], color="black")
    axis.set(xscale="log", xlabel="seconds a prototype")
    axis.set_yticks(range(len(ALL_TITLES)), ALL_TITLES.values())
    caption = f"{title}: seconds to explain, a prototype, each trial a dot and the median a line."
    sheet.figure(f"time-of-{name}", figure, caption)


def write_growth(results: Results, sheet: Sheet) -> None:
    """How fit and explain grow."""
    rows: list[list[Any]] = []
    grown = {
        (method, quantity): {int(key[0]): one for key, one in results.under("cost", method, quantity).items()}
        for method in results.names("cost")
        for quantity in results.names("cost", method)
    }
    for (method, quantity), found in grown.items():
        values, wholes = list(found), [one["fit"] + one["explain"] for one in found.values()]
        powers = [exponent(values, [one[stage] for one in found.values()]) for stage in ("fit", "explain")]
        ends = f"{values[0]:,} to {values[-1]:,}"
        rows.append([ALL_TITLES[method], AXES[quantity], ends, wholes[0], wholes[-1], *powers])
    sheet.table(
        "growth",
        ("explainer", "grows", "from", "seconds, first", "seconds, last", "fit, exponent", "explain, exponent"),
        rows,
        "How time grows: the slope of its logarithm against that of what grows; 1 is twice the time for twice as much. "
        "Graphs are random ones with houses.",
    )
    caption = "Seconds of fit and explain against what grows; both axes logarithmic."
    sheet.figure("growth", draw_growth(grown), caption)
    sheet.note(
        "The paper's analysis has Phase 1 grow as n k (b^3 + log n) for n graphs and embeddings of b numbers, Phase 2 "
        "as N_max N_nnz log N_nnz, N_nnz being the tuples that the mask leaves, some n^k of graphs with n nodes."
    )


def draw_growth(grown: dict[tuple[str, str], dict[int, Any]]) -> Figure:
    """A panel for each thing that grows."""
    figure, axes = new_figure(9.6, 2.8, columns=len(AXES), sharey=True)
    for (method, quantity), found in grown.items():
        axis = axes[0, list(AXES).index(quantity)]
        for stage, line, colour in (("fit", "--", SERIES[6]), ("explain", "-", COLOURS[method])):
            seconds = [one[stage] for one in found.values()]
            axis.plot(list(found), seconds, line, marker="o", color=colour, label=f"{method}, {stage}")
        axis.set(xscale="log", yscale="log", xlabel=AXES[quantity])
    axes[0, 0].set(ylabel="seconds")
    axes[0, 0].legend(frameon=False, fontsize=7)
    return figure


ITEM = Item(
    name="rq7",
    title="Run time",
    question="How long does PAGE take beside explainers that generate their prototypes, and how does its cost grow?",
    cells=cells,
    write=write,
)
