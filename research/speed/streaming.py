"""(m) Very many graphs from a generator: peak memory, and whether a graph among a million takes longer than among few.

Each number of graphs is explained in a process of its own, reasons included, and what came out is saved as JSON, report
and table of graphs. All numbers are gone through several times in turn. Others are measured by
``PROTOGRAPH_BENCH_GRAPHS=1000,10000,50000`` and ``PROTOGRAPH_BENCH_ROUNDS=1``.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.explanation.table_files import write_tables
from research import certificate
from research.speed.hard_cases import Case
from research.speed.timing import Part, median_and_spread, row

SIZES, ROUNDS = (1_000, 10_000, 100_000, 1_000_000), 5
NUM_NODES, NUM_KINDS, SEED = 20, 3, 0
MOST_MEBIBYTES, MOST_TIMES = 2_000 * 1e6 / 2**20, 1.2
_BLOCK = 512


def random_trees(number: int, seed: int = SEED) -> Iterator[Data]:
    """Random trees with kinds of nodes; in every other one four nodes of one kind are all joined."""
    rng = np.random.default_rng(seed)
    features = torch.eye(NUM_KINDS)
    later = np.arange(1, NUM_NODES)
    clique = np.array([(u, v) for u in range(4) for v in range(u)]).T
    for first in range(0, number, _BLOCK):
        parents = (rng.random((_BLOCK, NUM_NODES - 1)) * later).astype(np.int64)
        kinds = rng.integers(0, NUM_KINDS, (_BLOCK, NUM_NODES))
        for place in range(min(_BLOCK, number - first)):
            label = place % 2
            tree = np.stack([later, parents[place]])
            edges = np.concatenate([clique, tree[:, 3:]], axis=1) if label else tree
            kinds[place, :4] = 0 if label else kinds[place, :4]
            ends = torch.from_numpy(np.concatenate([edges, edges[::-1]], axis=1))
            yield Data(x=features[torch.from_numpy(kinds[place])], edge_index=ends, y=torch.tensor([label]))


def measure_size(number: int) -> dict[str, Any]:
    """In this process: what so many graphs take."""
    model = Case([in_double(graph) for graph in random_trees(400)]).model().float()
    pg.PAGE().fit(model, random_trees(300)).explain_all()  # compiles
    at_first = peak_mebibytes()
    started, used = time.perf_counter(), time.process_time()
    explainer = pg.PAGE().fit(model, random_trees(number))
    fitted, fitted_used = time.perf_counter() - started, time.process_time() - used
    explanations = explainer.explain_all()
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - used
    saved = save_all(explanations)
    return {
        "num_graphs": number,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "fit_seconds": fitted,
        "fit_cpu_seconds": fitted_used,
        "mebibytes_before": at_first,
        "peak_mebibytes": peak_mebibytes(),
        "saved": saved,
        "num_reasons": [len(one.reasons) for one in explanations.values()],
        "fidelity": float(explanations.fidelity) if explanations.fidelity is not None else None,
        "stages": {name: round(taken, 2) for name, taken in next(iter(explanations.values())).timings.items()},
    }


def save_all(explanations: pg.Explanations) -> dict[str, dict[str, float]]:
    """Bytes and seconds of what is written of them."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, write in {
            "explanation.json": explanations.save,
            "report.html": explanations.report,
            "graphs.csv": lambda path: write_tables(list(explanations.values()), path.parent),
        }.items():
            path, started = Path(folder) / name, time.perf_counter()
            write(path)
            found[name] = {"bytes": path.stat().st_size, "seconds": round(time.perf_counter() - started, 2)}
    return found


def in_double(graph: Data) -> Data:
    graph.x = graph.x.double()
    return graph


def peak_mebibytes() -> float:
    """Most memory that this process has had; what ``resource`` tells counts in that of the process that started it."""
    status = Path("/proc/self/status")
    if not status.exists():  # elsewhere than on Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    peaks = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0]) / 1024


def main() -> None:
    warnings.simplefilter("ignore", pg.ProtographWarning)
    print(json.dumps(measure_size(int(sys.argv[1]))))


def in_process(number: int) -> dict[str, Any]:
    command = [sys.executable, "-c", "from research.speed import streaming; streaming.main()", str(number)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=certificate.ROOT)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure(repeats: int) -> dict[str, Any]:
    asked = os.environ.get("PROTOGRAPH_BENCH_GRAPHS", "")
    sizes = [int(text) for text in asked.split(",")] if asked else SIZES
    rounds = int(os.environ.get("PROTOGRAPH_BENCH_ROUNDS", ROUNDS))
    return {"num_nodes": NUM_NODES, "rounds": [[in_process(size) for size in sizes] for _ in range(rounds)]}


def growths(content: dict[str, Any], key: str = "seconds") -> list[float]:
    """Of each round, seconds of a further graph beyond the middle number, those of one below it being 1."""

    def each(one: dict[str, Any], other: dict[str, Any]) -> float:
        return float((other[key] - one[key]) / (other["num_graphs"] - one["num_graphs"]))

    return [each(*runs[-2:]) / each(*runs[-3:-1]) for runs in content["rounds"]]


def peak_of_largest(content: dict[str, Any]) -> float:
    return max(float(runs[-1]["peak_mebibytes"]) for runs in content["rounds"])


def further_graph(content: dict[str, Any]) -> dict[str, float]:
    """Microseconds of a further graph by stage, beyond the last but one number: medians over the rounds."""
    found: dict[str, list[float]] = {}
    for runs in content["rounds"]:
        one, other = runs[-2:]
        for stage, taken in other["stages"].items():
            grown = 1e6 * (taken - one["stages"].get(stage, 0.0)) / (other["num_graphs"] - one["num_graphs"])
            found.setdefault(stage, []).append(grown)
    return {stage: round(statistics.median(own), 1) for stage, own in found.items()}


def hours(content: dict[str, Any], number: int) -> float:
    """By the line through the last two numbers of graphs: hours of one such machine for so many."""
    seconds = []
    for runs in content["rounds"]:
        one, other = runs[-2:]
        each = (other["seconds"] - one["seconds"]) / (other["num_graphs"] - one["num_graphs"])
        seconds.append(other["seconds"] + each * (number - other["num_graphs"]))
    return statistics.median(seconds) / 3600


def show(content: dict[str, Any]) -> None:
    for runs in zip(*content["rounds"], strict=True):
        seconds, peak = [one["seconds"] for one in runs], max(one["peak_mebibytes"] for one in runs)
        saved = ", ".join(f"{name} {one['bytes'] / 2**20:.1f} MiB" for name, one in runs[0]["saved"].items())
        figure = f"{median_and_spread(seconds, 0)} s; peak {peak:.0f} MiB; {saved}"
        row(f"(m) {runs[0]['num_graphs']:,} graphs from a generator", figure, "under 2 GB", peak <= MOST_MEBIBYTES)
    own = growths(content)
    holds = statistics.median(own) <= MOST_TIMES
    row("    a further graph, late against early", median_and_spread(own), "at most 1.2", holds)
    row("    microseconds of a further graph by stage", str(further_graph(content)))
    row("    hours of 10^7, 10^8, 10^9 graphs", ", ".join(f"{hours(content, 10**n):.1f}" for n in (7, 8, 9)))


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    last = content["rounds"][0][-1]["num_graphs"]
    return [
        certificate.limit(
            f"(m) peak MiB of {last:,} graphs from a generator", peak_of_largest(content), at_most=MOST_MEBIBYTES
        ),
        certificate.limit(
            "(m) seconds of a further graph, late against early",
            statistics.median(growths(content)),
            at_most=MOST_TIMES,
        ),
    ]


PART = Part("streaming", measure, show, limits)
