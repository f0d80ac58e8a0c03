"""Table 1: statistics of the six data sets, and the test performance of the GCN trained on each."""

from functools import partial
from statistics import mean, stdev
from typing import Any

from protograph.reproduce.findings import Estimate, verdict
from protograph.reproduce.item import JSON, Cell, Item, Need, Results
from protograph.reproduce.lab import Lab
from protograph.reproduce.paper import paper
from protograph.reproduce.sets import SETS
from protograph.reproduce.settings import Settings
from protograph.reproduce.sheet import Sheet


def cells(settings: Settings) -> list[Cell]:
    """Statistics of a set, and the test accuracy of each seed's model."""
    names = settings.fewer(tuple(SETS))
    return [
        Cell(
            key=(name, f"seed {seed}"),
            compute=partial(_measure, name, seed),
            needs=(Need("model", name, seed),),
            made_from={"stride": SETS[name].cpu_stride if settings.device == "cpu" else 1},
        )
        for name in names
        for seed in settings.table1_seeds
    ]


def _measure(name: str, seed: int, lab: Lab) -> JSON:
    data = lab.data(name, seed)
    model = lab.model(name, seed)
    return {
        "num_graphs": len(data),
        "num_nodes": sum(int(graph.num_nodes) for graph in data),
        "num_edges": sum(int(graph.num_edges) for graph in data),
        "test_accuracy": model.test_accuracy,
        "num_rest": len(model.rest),
    }


def write(results: Results, sheet: Sheet) -> None:
    """The table, and a line a set on the test performance."""
    names = list(dict.fromkeys(key[0] for key in results))
    by_set = {name: list(results.under(name).values()) for name in names}
    rows: list[list[Any]] = []
    for name, found in by_set.items():
        rows.append([SETS[name].title, "ours", *_statistics(found)])
        theirs = paper("table1", name) or {}
        keys = ("num_graphs", "num_nodes", "mean_nodes", "num_edges", "mean_edges", "test_performance")
        rows.append(["", "paper", *(theirs.get(key) for key in keys), None])
    sheet.table(
        "statistics",
        ("data set", "", "graphs", "nodes", "nodes a graph", "edges", "edges a graph", "test accuracy", "spread"),
        rows,
        "Statistics of the data sets, and test accuracy of the GCN: mean and standard deviation over seeds. Ours are "
        "of the first seed where a set is generated. Edges are counted in both directions.",
    )
    for name, found in by_set.items():
        accuracy = Estimate.of([one["test_accuracy"] for one in found])
        theirs = paper("table1", name, "test_performance")
        note = f"only every {SETS[name].cpu_stride}th graph, on a CPU" if _is_partial(name, results) else ""
        claim = f"{SETS[name].title}: test accuracy of the GCN"
        sheet.finding(claim, accuracy, theirs, verdict(accuracy, theirs, larger_is_better=True), note)


def _statistics(found: list[Any]) -> list[Any]:
    first, accuracies = found[0], [one["test_accuracy"] for one in found]
    graphs, nodes, edges = (first[key] for key in ("num_graphs", "num_nodes", "num_edges"))
    spread = stdev(accuracies) if len(accuracies) > 1 else None
    return [graphs, nodes, nodes / graphs, edges, edges / graphs, mean(accuracies), spread]


def _is_partial(name: str, results: Results) -> bool:
    settings = results.settings
    return SETS[name].cpu_stride > 1 and settings.device == "cpu" and not settings.is_quick


ITEM = Item(
    name="table1",
    title="Data sets and the GCN's test performance",
    question="How large are the data sets, and how well does the paper's GCN classify graphs that it was not trained "
    "on?",
    cells=cells,
    write=write,
)
