"""Table 1: statistics of the six data sets, and the test performance of the GCN trained on each."""

from functools import partial
from statistics import mean, stdev
from typing import Any

from research.paper.estimates import mean_of, share_mean, verdict
from research.paper.lab import Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import SETS, Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import paper

NUM_SEEDS = 5
# Here the paper counts every edge once, elsewhere in both directions.
ONE_WAY = ("solubility", "mnist-sp")
WHY_WORSE = {"benzene": "why: docs/datasets.md"}
COLUMNS = (
    *("data set", "", "graphs", "nodes", "nodes a graph", "edges", "edges a graph"),
    *("test accuracy", "spread", "each seed"),
)


def cells(settings: Settings) -> list[Cell]:
    """Statistics of a set, and the test accuracy of each seed's model."""
    return [
        Cell(
            key=(name, f"seed {seed}"),
            compute=partial(measure, name, seed),
            options={"stride": settings.stride(name)},
            needs=[ModelSpec(name, seed)],
        )
        for name in settings.sets(SETS)
        for seed in settings.fewer(tuple(range(NUM_SEEDS)), 2)
    ]


def measure(name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """Sizes of the data set, and how right the model is."""
    data = lab.data(name, seed)
    return {
        "num_graphs": len(data),
        "num_nodes": sum(int(graph.num_nodes) for graph in data),
        "num_edges": sum(int(graph.num_edges) for graph in data),
        "test_accuracy": lab.model(ModelSpec(name, seed)).test_accuracy,
    }


def write(results: Results, sheet: Sheet) -> None:
    """The table, and lines a set on sizes and test performance."""
    rows: list[list[Any]] = []
    for name in results.names():
        found, theirs = results.seeds(name), paper("table1", name) or {}
        first, accuracies = found[0], [one["test_accuracy"] for one in found]
        graphs, nodes, edges = (first[key] for key in ("num_graphs", "num_nodes", "num_edges"))
        spread = stdev(accuracies) if len(accuracies) > 1 else None
        each = " ".join(f"{accuracy:.4f}" for accuracy in accuracies)
        sizes = [graphs, nodes, nodes / graphs, edges, edges / graphs]
        rows.append([title_of(name), "ours", *sizes, mean(accuracies), spread, each])
        keys = ("num_graphs", "num_nodes", "mean_nodes", "num_edges", "mean_edges", "test_performance")
        rows.append([title_of(name), "paper", *(theirs.get(key) for key in keys), None, None])
        write_findings(name, found, results.settings, sheet)
    sheet.table(
        "statistics",
        COLUMNS,
        rows,
        "Statistics of the data sets, and test accuracy of the GCN: mean and standard deviation over seeds, and each "
        "seed. Ours are of the first seed where a set is generated. Edges are counted in both directions; the paper "
        "counts Solubility's and MNIST-sp's once, and MNIST-sp's only in the 60,000 training graphs.",
    )


def write_findings(name: str, found: list[Any], settings: Settings, sheet: Sheet) -> None:
    """Test accuracy, and sizes where all graphs are taken; a set that is generated is another with every seed."""
    cut = settings.what_is_cut(name)
    accuracy, theirs = share_mean([one["test_accuracy"] for one in found]), paper("table1", name, "test_performance")
    decided = verdict(accuracy, theirs, larger_is_better=True)
    note = "; ".join(filter(None, [cut, WHY_WORSE.get(name, "") if decided == "worse" else ""]))
    sheet.finding(f"{title_of(name)}: test accuracy of the GCN", accuracy, theirs, decided, note)
    if settings.is_quick or cut:
        return
    times = 2 if name in ONE_WAY else 1
    for key, whole, divisor in (("mean_nodes", "num_nodes", 1), ("mean_edges", "num_edges", times)):
        sizes = [round(one[whole] / one["num_graphs"] / divisor, 2) for one in found]
        ours, theirs = mean_of(sizes, is_of_one_draw=True), paper("table1", name, key)
        note = "edges counted once, as the paper does here" if divisor == 2 else ""
        claim = f"{title_of(name)}: {whole.removeprefix('num_')} a graph"
        sheet.finding(claim, ours, theirs, verdict(ours, theirs, larger_is_better=None), note)


ITEM = Item(
    name="table1",
    title="Data sets and the GCN's test performance",
    question="How large are the data sets, and how well does the paper's GCN classify graphs that it was not trained "
    "on?",
    cells=cells,
    write=write,
)
