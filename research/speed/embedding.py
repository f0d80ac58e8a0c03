"""(l) How much of the bare model's speed embedding reaches, from a list, an InMemoryDataset and our shards.

The bare model is the user's own, in single precision and evaluation mode, on batches of 256 graphs that were collated
beforehand. Embedding reads the graphs, checks and joins them, and runs the model, in single precision as there are more
than 5,000 of them; beside it is what the bare model takes in double precision. Each round measures all of them in turn,
by the clock, three times, and takes the shortest time of each: whatever else the machine does only adds to it. All of
it is done with one thread and with as many as PyTorch uses: these help the model, and hardly what reads a list.

The models are GCNs, whose layers share what they work out of the edges when they are embedded (`models/gcn_norms.py`),
which the bare model's do not. So a GIN of as many layers, which takes two thirds of the time, is measured on Benzene
too, without a limit: of a quicker model, what is done beside it is the larger share.
"""

import copy
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data, InMemoryDataset
from torch_geometric.nn import GINConv, global_add_pool

import protograph as pg
from protograph.models.predictions import embed_all
from research import certificate
from research.speed.data import trained
from research.speed.hard_cases import Case, small
from research.speed.timing import Part, median_and_spread, row

ROUNDS, TRIES, BATCH, SEED = 5, 3, 256, 0
NUM_LARGE, LARGE, NUM_BENZENE = 24_000, 75, 12_000
WITHOUT_LIMIT = "benzene, GIN"
LEAST = {"list": 0.65, "InMemoryDataset": 0.8, "shards": 0.8}


class Collated(InMemoryDataset):
    """Graphs as PyG keeps them in memory."""

    def __init__(self, graphs: list[Data]) -> None:
        super().__init__()
        self.data, self.slices = self.collate(graphs)


class GIN(nn.Module):
    """Three layers that share nothing, not trained."""

    def __init__(self, num_features: int, width: int = 32) -> None:
        super().__init__()
        widths = (num_features, width, width)
        self.convs = nn.ModuleList(
            GINConv(nn.Sequential(nn.Linear(own, width), nn.ReLU(), nn.Linear(width, width))) for own in widths
        )
        self.head = nn.Linear(width, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        """Scores of two classes."""
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        scores: Tensor = self.head(global_add_pool(x, batch))
        return scores


def large() -> tuple[torch.nn.Module, list[Data]]:
    """Graphs of 75 nodes, and a model for them."""
    rng = np.random.default_rng(SEED)
    graphs = [small(rng, number % 2, size=LARGE) for number in range(NUM_LARGE)]
    model = Case(graphs, (32, 32, 32)).model().float()
    for graph in graphs:
        graph.x = graph.x.float()
    return model, graphs


def benzene() -> tuple[torch.nn.Module, list[Data]]:
    """The first graphs of Benzene, without what no model reads, and a model that was trained on it."""
    model, graphs = trained("benzene")
    return model, [Data(x=one.x, edge_index=one.edge_index, y=one.y) for one in graphs[:NUM_BENZENE]]


def gin(graphs: list[Data]) -> torch.nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(SEED)
        return GIN(graphs[0].x.size(1))


@contextmanager
def threads(number: int) -> Iterator[None]:
    """PyTorch with so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


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
    cases: dict[str, tuple[nn.Module, list[Data]]] = {"75 nodes": large()}
    found: dict[str, Any] = {}
    try:
        cases["benzene"] = benzene()
        cases[WITHOUT_LIMIT] = gin(cases["benzene"][1]), cases["benzene"][1]
    except OSError as error:
        found["benzene"] = {"skipped": f"the data set is not there: {error}"}
    for data, case in cases.items():
        for number in sorted({1, torch.get_num_threads()}):
            with threads(number):
                found[f"{data}, {number} thread{'s' * (number > 1)}"] = {**shares(*case), "threads": number}
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
            bound, holds = (f"at least {least}", statistics.median(own) >= least) if has_limit(data) else ("", None)
            row(f"(l) {data}, {name}: share of the bare model", figure, bound, holds)


def has_limit(data: str) -> bool:
    return not data.startswith(WITHOUT_LIMIT)


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        certificate.limit(
            f"(l) {data}, {name}: share of the bare model's speed", statistics.median(ratios(one, name)), at_least=least
        )
        for data, one in content.items()
        if "skipped" not in one and has_limit(data)
        for name, least in LEAST.items()
    ]


PART = Part("embedding", measure, show, limits)
