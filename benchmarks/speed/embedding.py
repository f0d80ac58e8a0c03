"""(l) How much of the bare model's speed embedding reaches, from a list, an InMemoryDataset and our shards.

The bare model is the user's own, in single precision and evaluation mode, on batches of 256 graphs that were collated
beforehand. Embedding reads the graphs, checks and joins them, and runs the model, in single precision as there are more
than 5,000 of them; beside it is what the bare model takes in double precision. Each round measures all of them in turn,
by the clock, three times, and takes the shortest time of each: whatever else the machine does only adds to it. To start
a model takes some 20 ms, as long as 1,500 graphs of Benzene, which counts less the more graphs there are: what it comes
to for Benzene four times over is given too, without a limit.
"""

import copy
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Batch, Data, InMemoryDataset

import protograph as pg
from benchmarks import certificate
from benchmarks.speed.data import trained
from benchmarks.speed.hard_cases import Case, small
from benchmarks.speed.timing import Part, median_and_spread, row
from protograph.models.embedding import embed_all

ROUNDS, TRIES, BATCH, SEED = 5, 3, 256, 0
NUM_LARGE, LARGE, NUM_BENZENE = 24_000, 75, 12_000
FOUR_TIMES = "benzene, four times over"
LEAST = {"list": 0.65, "InMemoryDataset": 0.8, "shards": 0.8}


class Collated(InMemoryDataset):
    """Graphs as PyG keeps them in memory."""

    def __init__(self, graphs: list[Data]) -> None:
        super().__init__()
        self.data, self.slices = self.collate(graphs)


def large() -> tuple[torch.nn.Module, list[Data]]:
    """Graphs of 75 nodes, and a model for them."""
    rng = np.random.default_rng(SEED)
    graphs = [small(rng, number % 2, size=LARGE) for number in range(NUM_LARGE)]
    model = Case(graphs, (32, 32, 32)).model().float()
    for graph in graphs:
        graph.x = graph.x.float()
    return model, graphs


def benzene(times: int) -> tuple[torch.nn.Module, list[Data]]:
    """The first graphs of Benzene so many times, without what no model reads, and a model that was trained on it."""
    model, graphs = trained("benzene")
    return model, [Data(x=one.x, edge_index=one.edge_index, y=one.y) for one in graphs[:NUM_BENZENE]] * times


def shares(model: torch.nn.Module, graphs: list[Data]) -> dict[str, Any]:
    """Seconds a graph, by what was run."""
    model = model.eval()
    batches = [Batch.from_data_list(graphs[first : first + BATCH]) for first in range(0, len(graphs), BATCH)]
    twin, twins = copy.deepcopy(model).double(), [batch.clone() for batch in batches]
    for batch in twins:
        batch.x = batch.x.double()

    def bare(one: torch.nn.Module, some: list[Batch]) -> None:
        with torch.no_grad():
            for batch in some:
                one(batch.x, batch.edge_index, batch.batch)

    with tempfile.TemporaryDirectory() as folder:
        pg.write_shards(graphs, folder)
        collated = Collated(graphs)
        runs: dict[str, Callable[[], Any]] = {
            "bare": lambda: bare(model, batches),
            "bare_in_double": lambda: bare(twin, twins),
            "list": lambda: embed_all(model, graphs),
            "InMemoryDataset": lambda: embed_all(model, collated),
            "shards": lambda: embed_all(model, Path(folder)),
        }
        for run in runs.values():
            run()
        times = _in_turn(runs, len(graphs))
    return {"num_graphs": len(graphs), "seconds": times}


def _in_turn(runs: dict[str, Callable[[], Any]], number: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        tries = [{name: _seconds(run) for name, run in runs.items()} for _ in range(TRIES)]
        for name in runs:
            times[name].append(min(one[name] for one in tries) / number)
    return times


def _seconds(run: Callable[[], Any]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def measure(repeats: int) -> dict[str, Any]:
    found = {"75 nodes": shares(*large())}
    try:
        found["benzene"] = shares(*benzene(1))
        found[FOUR_TIMES] = shares(*benzene(4))
    except OSError as error:
        found["benzene"] = {"skipped": f"the data set is not there: {error}"}
    return found


def ratios(one: dict[str, Any], name: str, to: str = "bare") -> list[float]:
    """Speed of one kind of source, that of the bare model being 1."""
    times = one["seconds"]
    return [bare / own for bare, own in zip(times[to], times[name], strict=True)]


def show(content: dict[str, Any]) -> None:
    for data, one in content.items():
        if "skipped" in one:
            row(f"(l) embedding, {data}", f"skipped: {one['skipped']}")
            continue
        for name, least in LEAST.items():
            own = ratios(one, name)
            double = statistics.median(ratios(one, name, "bare_in_double"))
            figure = f"{median_and_spread(own)}; of the model in double precision {double:.2f}"
            if data == FOUR_TIMES:
                row(f"(l) {data}, {name}: share of the bare model", figure)
                continue
            holds = statistics.median(own) >= least
            row(f"(l) {data}, {name}: share of the bare model", figure, f"at least {least}", holds)


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        certificate.limit(
            f"(l) {data}, {name}: share of the bare model's speed", statistics.median(ratios(one, name)), at_least=least
        )
        for data, one in content.items()
        if "skipped" not in one and data != FOUR_TIMES
        for name, least in LEAST.items()
    ]


PART = Part("embedding", measure, show, limits)
