"""Table 1: statistics of the six data sets, and the test performance of the GCN trained on each."""

from functools import partial
from statistics import mean, stdev
from typing import Any

from research.paper.findings import Estimate, verdict
from research.paper.item import JSON, Cell, Item, Need, Results
from research.paper.lab import Lab
from research.paper.paper import paper
from research.paper.sets import SETS, stride_of, what_is_cut
from research.paper.settings import Settings
from research.paper.sheet import Sheet

# Here the paper counts every edge once, elsewhere in both directions; and MNIST-sp's only of its training graphs.
ONE_WAY = ("solubility", "mnist-sp")
NUM_TRAINING = {"mnist-sp": 60_000}
WHY_WORSE = {"benzene": "why: docs/datasets.md, measured by make benzene"}

SIZES = ("graphs", "nodes", "nodes a graph", "edges", "edges a graph")
COLUMNS = ("data set", "", *SIZES, "test accuracy", "spread", "each seed")


def cells(settings: Settings) -> list[Cell]:
    """Statistics of a set, and the test accuracy of each seed's model."""
    return [
        Cell(
            key=(name, f"seed {seed}"),
            compute=partial(_measure, name, seed),
            needs=(Need("model", name, seed),),
            made_from={"stride": stride_of(name, settings)},
        )
        for name in settings.sets(SETS)
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
        rows.append(["", "paper", *(theirs.get(key) for key in keys), None, None])
    sheet.table(
        "statistics",
        COLUMNS,
        rows,
        "Statistics of the data sets, and test accuracy of the GCN: mean and standard deviation over seeds, and each "
        "seed. Ours are of the first seed where a set is generated. Edges are counted in both directions; the paper "
        "counts Solubility's and MNIST-sp's once, and MNIST-sp's only in the 60,000 training graphs.",
    )
    for name, found in by_set.items():
        _write_sizes(name, found, results, sheet)
    for name, found in by_set.items():
        accuracy = Estimate.of_shares([one["test_accuracy"] for one in found])
        theirs = paper("table1", name, "test_performance")
        decided = verdict(accuracy, theirs, larger_is_better=True)
        why = WHY_WORSE.get(name, "") if decided == "worse" else ""
        note = "; ".join(filter(None, [what_is_cut(name, results.settings), why]))
        sheet.finding(f"{SETS[name].title}: test accuracy of the GCN", accuracy, theirs, decided, note)


def _write_sizes(name: str, found: list[Any], results: Results, sheet: Sheet) -> None:
    """Nodes and edges a graph, where all graphs are taken; a set that is generated is another with every seed."""
    if results.settings.is_quick or what_is_cut(name, results.settings):
        return
    times = 2 if name in ONE_WAY else 1
    for key, whole, divisor in (("mean_nodes", "num_nodes", 1), ("mean_edges", "num_edges", times)):
        means = [round(one[whole] / one["num_graphs"] / divisor, 2) for one in found]
        ours, theirs = Estimate.of(means, is_of_one_draw=True), paper("table1", name, key)
        claim = f"{SETS[name].title}: {whole.removeprefix('num_')} a graph"
        note = _note(name) if divisor == 2 else ""
        sheet.finding(claim, ours, theirs, verdict(ours, theirs, larger_is_better=None), note)


def _note(name: str) -> str:
    """How the paper counts edges where it is not as elsewhere."""
    graphs, total = NUM_TRAINING.get(name), paper("table1", name, "num_edges")
    of_training = f"; its total of {total:,} is of the {graphs:,} training graphs, ours of all" if graphs else ""
    return f"edges counted once, as the paper does here{of_training}"


def _statistics(found: list[Any]) -> list[Any]:
    first, accuracies = found[0], [one["test_accuracy"] for one in found]
    graphs, nodes, edges = (first[key] for key in ("num_graphs", "num_nodes", "num_edges"))
    spread = stdev(accuracies) if len(accuracies) > 1 else None
    each = " ".join(f"{accuracy:.4f}" for accuracy in accuracies)
    return [graphs, nodes, nodes / graphs, edges, edges / graphs, mean(accuracies), spread, each]


ITEM = Item(
    name="table1",
    title="Data sets and the GCN's test performance",
    question="How large are the data sets, and how well does the paper's GCN classify graphs that it was not trained "
    "on?",
    cells=cells,
    write=write,
    seeds=lambda settings: settings.table1_seeds,
)
