"""(r) Two Ray workers of one thread each beside one such worker, embedding the same folder of shards.

A cluster of this machine is started with one processor, and one with two. Start-up is left out: the model waits for
all workers at its first call, and the time is that from the first few shards to the last. Rounds with one worker and
with two take turns, so that a busy machine falls on both.
"""

import os
import statistics
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from protograph.engines.ray_session import QUIET
from torch import Tensor, nn

import protograph as pg
from research import certificate
from research.speed.hard_cases import Case
from research.speed.streaming import random_trees
from research.speed.timing import Part, median_and_spread, row

ROUNDS, NUM_GRAPHS, SEED = 5, 80_000, 0
LEAST_TIMES = 1.6
# Shards at the beginning that are not timed.
_WARM_SHARDS = 4


class Gate(nn.Module):
    """A model that begins when so many processes have it.

    Args:
        model: The model.
        folder: Each process leaves a file here.
        count: How many processes.
    """

    def __init__(self, model: nn.Module, folder: Path, count: int) -> None:
        super().__init__()
        self.model, self._folder, self._count, self._open_in = model, folder, count, os.getpid()

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        """What the model gives, once all have it."""
        if self._open_in != os.getpid():
            (self._folder / str(os.getpid())).touch()
            while len(list(self._folder.iterdir())) < self._count:
                time.sleep(0.005)
            self._open_in = os.getpid()
        scores: Tensor = self.model(x, edge_index, batch)
        return scores


def model() -> nn.Module:
    graphs = list(random_trees(400))
    for graph in graphs:
        graph.x = graph.x.double()
    return Case(graphs, (64, 64, 64)).model().float()


class Watch:
    """Takes the time from the first few shards to the last."""

    def __init__(self) -> None:
        self._times: list[tuple[float, int]] = []

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Take note of a shard that is done."""
        if stage.startswith("embedding ("):
            self._times.append((time.perf_counter(), done))

    @property
    def graphs_a_second(self) -> float:
        """Without the first few shards."""
        (begun, first), (ended, last) = self._times[_WARM_SHARDS], self._times[-1]
        return (last - first) / (ended - begun)


def graphs_a_second(one: nn.Module, folder: Path, workers: int) -> float:
    """In a cluster of so many processors, which is gone afterwards."""
    import ray

    options = {"num_cpus": workers, "include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init("local", **options)
    try:
        watch = Watch()
        with tempfile.TemporaryDirectory() as gate:
            pg.baselines.RandomSubgraph().fit(Gate(one, Path(gate), workers), folder, engine="ray", progress=watch)
        return watch.graphs_a_second
    finally:
        ray.shutdown()


def measure(repeats: int) -> dict[str, Any]:
    try:
        import ray  # noqa: F401
    except ImportError:
        return {"skipped": "Ray is not installed"}
    # Workers as urgent as what else this machine does; Ray would have them wait for it.
    os.environ.update(QUIET, RAY_worker_niceness="0")
    load = os.getloadavg()[0]
    rates: dict[str, list[float]] = {"one": [], "two": []}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pg.write_shards(random_trees(NUM_GRAPHS, SEED), folder)
        trained = model()
        for _ in range(ROUNDS):
            for name, workers in (("one", 1), ("two", 2)):
                rates[name].append(graphs_a_second(trained, Path(folder), workers))
    return {"num_graphs": NUM_GRAPHS, "load_before": load, "graphs_a_second": rates}


def times_faster(content: dict[str, Any]) -> list[float]:
    """Graphs a second of two workers, those of one being 1, round by round."""
    rates = content["graphs_a_second"]
    return [two / one for one, two in zip(rates["one"], rates["two"], strict=True)]


def show(content: dict[str, Any]) -> None:
    if "skipped" in content:
        row("(r) two Ray workers beside one", f"skipped: {content['skipped']}")
        return
    faster, rates = times_faster(content), content["graphs_a_second"]
    one, two = (statistics.median(rates[name]) for name in ("one", "two"))
    figure = f"{median_and_spread(faster)}; {one:,.0f} and {two:,.0f} graphs a second"
    holds = statistics.median(faster) >= LEAST_TIMES
    row("(r) two Ray workers beside one, times faster", figure, f"at least {LEAST_TIMES}", holds)


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    if "skipped" in content:
        return []
    times = statistics.median(times_faster(content))
    return [certificate.limit("(r) two Ray workers beside one, times faster", times, at_least=LEAST_TIMES)]


PART = Part("ray", measure, show, limits)
