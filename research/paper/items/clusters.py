"""The map of BA-house's graph embeddings, and which share of PAGE's time Phase 1 takes."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

import protograph as pg
from research.paper.drawings import SERIES, new_figure
from research.paper.estimates import mean_of, share_mean
from research.paper.lab import Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import WITH_TRUTH, Settings, title_of
from research.paper.sheet import Sheet

MAPPED = "ba-house"
NUM_NEIGHBOURS = 10  # that are asked whether they are alike
NUM_MAPPED = 1000  # more graphs would only lie upon each other


def cells(settings: Settings) -> list[Cell]:
    """The map of the first seed, and the times of all."""
    names = settings.sets(WITH_TRUTH)
    mapped = Cell(key=(MAPPED, "map"), compute=map_embeddings, needs=[ModelSpec(MAPPED, 0)])
    timed = [
        Cell(
            key=(name, "time", f"seed {seed}"), compute=partial(time_phases, name, seed), needs=[ModelSpec(name, seed)]
        )
        for name in names
        for seed in settings.seeds
    ]
    return [*([mapped] if MAPPED in names else []), *timed]


def map_embeddings(lab: Lab) -> dict[str, Any]:
    """Places by t-SNE, and of each graph its class, its houses, and how many of its neighbours have as many."""
    data, graphs = lab.data(MAPPED, 0), lab.train_graphs(MAPPED, 0)[:NUM_MAPPED]
    explainer = pg.PAGE(max_reasons=0).fit(lab.model(ModelSpec(MAPPED, 0)).model, graphs)
    embeddings = np.asarray(explainer.embedded_.graph_embeddings)
    num_steps = 250 if lab.settings.is_quick else 1000
    places = TSNE(init="pca", random_state=0, max_iter=num_steps).fit_transform(embeddings)
    houses = [num_houses(graph, data.ground_truths[1]) for graph in graphs]
    return {
        "places": np.round(places.astype(float), 2).tolist(),
        "labels": [int(graph.y) for graph in graphs],
        "houses": houses,
        "alike": alike_neighbours(embeddings, houses),
    }


def num_houses(graph: Any, truths: Sequence[Any]) -> int:
    """How many houses were planted in a graph: the number of the truth that its motif is, from 1, or 0."""
    sizes = [int(truth.num_nodes) for truth in truths]
    size = int(graph.motif.num_nodes)
    return sizes.index(size) + 1 if int(graph.y) == 1 and size in sizes else 0


def alike_neighbours(embeddings: np.ndarray, kinds: Sequence[int], num: int = NUM_NEIGHBOURS) -> float:
    """Of each row's nearest others, the share that is of its kind; the mean over the rows.

    >>> alike_neighbours(np.array([[0.0], [0.1], [5.0], [5.1]]), [0, 0, 1, 0], num=1)
    0.5
    """
    found = NearestNeighbors(n_neighbors=min(num, len(kinds) - 1)).fit(embeddings).kneighbors(return_distance=False)
    of = np.asarray(kinds)
    return float((of[found] == of[:, None]).mean())


def time_phases(name: str, seed: int, lab: Lab) -> dict[str, float]:
    """Seconds of clustering and choosing graphs (Phase 1), and of the search."""
    timings = [one.timings for one in lab.explained(name, "walk", seed).explanations.values()]
    return {key: sum(one[key] for one in timings) for key in ("selection", "search")}


def write(results: Results, sheet: Sheet) -> None:
    """The map with its finding, and the times."""
    mapped = results.get((MAPPED, "map"))
    if mapped is not None:
        chance = sum((mapped["houses"].count(kind) / len(mapped["houses"])) ** 2 for kind in set(mapped["houses"]))
        sheet.finding(
            "BA-house: graphs with none, one and two houses are embedded apart",
            f"{mapped['alike']:.3f} of the {NUM_NEIGHBOURS} nearest graphs have as many houses",
            "apart, by eye",
            "agrees" if mapped["alike"] >= 0.9 else "differs",
            f"{chance:.3f} would by chance; the model was never told the number of houses",
        )
        caption = "Graph embeddings of BA-house by t-SNE: by class, and by the number of houses."
        sheet.figure("embeddings", draw_map(mapped), caption)
    rows: list[list[Any]] = []
    for name in results.names():
        times = [one for one in results.seeds(name, "time") if one["search"]]  # of classes that are predicted
        if times:
            shares = share_mean([one["selection"] / (one["selection"] + one["search"]) for one in times])
            rows.append([title_of(name), *(mean_of([one[key] for one in times], least=0) for key in times[0]), shares])
    sheet.table(
        "phases",
        ("data set", "Phase 1, s", "Phase 2, s", "share of Phase 1"),
        rows,
        "Seconds of PAGE's walk: clustering by EM and choosing graphs (Phase 1), and the search (Phase 2).",
    )
    if rows:
        most = max(row[1].mean for row in rows)
        sheet.finding(
            "The EM algorithm of Phase 1 is no bottleneck",
            f"at most {most:.2f} s a set",
            "no bottleneck",
            "agrees" if most < 1.0 else "differs",
            "our search is compiled, so that the time is short and Phase 1's share of it large",
        )


def draw_map(mapped: Any) -> Figure:
    """The places, coloured by class and by the number of houses."""
    figure, axes = new_figure(8.4, 3.9, columns=2)
    places = np.array(mapped["places"])
    panels = (
        ("class", mapped["labels"], {0: "incomplete house", 1: "house"}),
        ("number of houses", mapped["houses"], {0: "none", 1: "one", 2: "two"}),
    )
    for axis, (title, kinds, names) in zip(axes.flat, panels, strict=True):
        for number, (kind, name) in enumerate(names.items()):
            axis.scatter(*places[np.asarray(kinds) == kind].T, s=7, color=SERIES[number], label=name, linewidths=0)
        axis.set(title=f"by {title}", xticks=[], yticks=[])
        axis.legend(fontsize=8, frameon=False)
    return figure


ITEM = Item(
    name="clusters",
    title="Clusters of graph embeddings",
    question="Do graphs of one class with different prototypes lie apart, so that clustering can find them, and is "
    "clustering cheap?",
    cells=cells,
    write=write,
)
