"""The map of BA-house's graph embeddings, and which share of PAGE's time Phase 1 takes."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from protograph._base.arrays import Floats
from protograph.models.predictions import embed_all
from protograph.report.palette import COLORS
from research.paper.findings import Estimate
from research.paper.item import JSON, Cell, Item, Need, Results
from research.paper.lab import Lab
from research.paper.sets import SETS, seeds_of
from research.paper.settings import Settings
from research.paper.sheet import Sheet

MAPPED = "ba-house"
TIMED = ("ba-house", "ba-grid", "solubility", "mutagenicity", "benzene")
# Neighbours that are asked whether they are alike.
NUM_NEIGHBOURS = 10
# Graphs on the map; more would only lie upon each other.
NUM_MAPPED = 1000
PERPLEXITY = 30.0


def cells(settings: Settings) -> list[Cell]:
    """The map of the first seed, and the times of all."""
    first = settings.seeds[0]
    mapped = [
        Cell(
            key=(MAPPED, "map"),
            compute=partial(_map, first),
            made_from={"num_mapped": NUM_MAPPED, "perplexity": PERPLEXITY, "seed": first},
            needs=(Need("model", MAPPED, first),),
            seconds=8,
        )
    ]
    timed = [
        Cell(
            key=(name, "time", f"seed {seed}"),
            compute=partial(_time, name, seed),
            needs=(Need("model", name, seed),),
        )
        for name in settings.sets(TIMED)
        for seed in seeds_of(name, settings)
    ]
    return [*(mapped if MAPPED in settings.sets(TIMED) else ()), *timed]


def _map(seed: int, lab: Lab) -> JSON:
    """Places by t-SNE, and of each graph its class, its houses, and how many of its neighbours have as many."""
    from sklearn.manifold import TSNE

    data, model = lab.data(MAPPED, seed), lab.model(MAPPED, seed)
    graphs = data[model.train[:NUM_MAPPED]]
    embeddings = embed_all(model.model, graphs)[2].graph_embeddings
    num_steps = 250 if lab.settings.is_quick else 1000
    places = TSNE(perplexity=PERPLEXITY, init="pca", random_state=seed, max_iter=num_steps).fit_transform(embeddings)
    houses = [num_houses(graph, data.ground_truths[1]) for graph in graphs]
    return {
        "places": np.round(places.astype(float), 2).tolist(),
        "labels": [int(graph.y) for graph in graphs],
        "houses": houses,
        "alike": alike_neighbours(embeddings, houses, NUM_NEIGHBOURS),
    }


def num_houses(graph: Any, truths: Sequence[Any]) -> int:
    """How many houses were planted in a graph: the number of the truth that its motif is, from 1, or 0."""
    sizes = [int(truth.num_nodes) for truth in truths]
    size = int(graph.motif.num_nodes)
    return sizes.index(size) + 1 if int(graph.y) == 1 and size in sizes else 0


def alike_neighbours(embeddings: Floats, kinds: Sequence[int], num: int) -> float:
    """Of each row's nearest others, the share that is of its kind; the mean over the rows.

    >>> alike_neighbours(np.array([[0.0], [0.1], [5.0], [5.1]]), [0, 0, 1, 0], num=1)
    0.5
    """
    from sklearn.neighbors import NearestNeighbors

    num = min(num, len(kinds) - 1)
    found = NearestNeighbors(n_neighbors=num).fit(embeddings).kneighbors(return_distance=False)
    of = np.asarray(kinds)
    return float((of[found] == of[:, None]).mean())


def _time(name: str, seed: int, lab: Lab) -> JSON:
    explanations = lab.explained(name, "walk", seed).explanations
    timings = [dict(one.timings) for one in explanations.values()]
    return {"selection": sum(t["selection"] for t in timings), "search": sum(t["search"] for t in timings)}


def write(results: Results, sheet: Sheet) -> None:
    """The map with its finding, and the times."""
    mapped = results.under(MAPPED, "map").get(())
    if mapped is not None:
        chance = sum((mapped["houses"].count(kind) / len(mapped["houses"])) ** 2 for kind in set(mapped["houses"]))
        sheet.finding(
            "BA-house: graphs with none, one and two houses are embedded apart",
            f"{mapped['alike']:.3f} of the {NUM_NEIGHBOURS} nearest graphs have as many houses",
            "apart, by eye",
            "agrees" if mapped["alike"] >= 0.9 else "differs",
            f"{chance:.3f} would by chance; the model was never told the number of houses",
        )
        sheet.figure(
            "embeddings",
            _drawn(mapped),
            "Graph embeddings of BA-house by t-SNE: by class, and by the number of houses.",
        )
    _write_times(results, sheet)


def _write_times(results: Results, sheet: Sheet) -> None:
    names = list(dict.fromkeys(key[0] for key in results if key[1] == "time"))
    rows: list[list[Any]] = []
    for name in names:
        times = [one for one in results.under(name, "time").values() if one["search"]]
        if not times:  # no model predicts a class that is explained
            continue
        shares = Estimate.of_shares([one["selection"] / (one["selection"] + one["search"]) for one in times])
        seconds = [Estimate.of([one[key] for one in times], least=0) for key in ("selection", "search")]
        rows.append([SETS[name].title, *seconds, shares])
    sheet.table(
        "phases",
        ("data set", "Phase 1, s", "Phase 2, s", "share of Phase 1"),
        rows,
        "Seconds of PAGE's walk: clustering by EM and choosing graphs (Phase 1), and the search (Phase 2).",
    )
    if not rows:
        return
    most = max(row[1].mean for row in rows)
    sheet.finding(
        "The EM algorithm of Phase 1 is no bottleneck",
        f"at most {most:.2f} s a set; {min(row[3].mean for row in rows):.0%} to "
        f"{max(row[3].mean for row in rows):.0%} of the time",
        "no bottleneck",
        "agrees" if most < 1.0 else "differs",
        "our search is compiled, so that the time is short and Phase 1's share of it large",
    )


def _drawn(mapped: Any) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.9), layout="constrained")
    places = np.array(mapped["places"])
    panels = (
        ("class", mapped["labels"], {0: "incomplete house", 1: "house"}),
        ("number of houses", mapped["houses"], {0: "none", 1: "one", 2: "two"}),
    )
    for axis, (title, kinds, names) in zip(figure.subplots(1, 2), panels, strict=True):
        for number, (kind, name) in enumerate(names.items()):
            own = places[np.asarray(kinds) == kind]
            axis.scatter(own[:, 0], own[:, 1], s=7, color=COLORS[number], label=name, linewidths=0)
        axis.set_title(f"by {title}", fontsize=10)
        axis.set_xticks([])
        axis.set_yticks([])
        axis.legend(fontsize=8, markerscale=2, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3)
    return figure


ITEM = Item(
    name="clusters",
    title="Clusters of graph embeddings",
    question="Do graphs of one class with different prototypes lie apart, so that clustering can find them, and is "
    "clustering cheap?",
    cells=cells,
    write=write,
)
