"""(m) Very many graphs from a generator: peak memory, and whether a graph among a million takes longer than among few.

Each number of graphs is explained in a process of its own, reasons included. Three other numbers are measured by
``PROTOGRAPH_BENCH_GRAPHS=1000,10000,50000``.
"""

import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

import protograph as pg
from benchmarks import certificate
from benchmarks.speed.hard_cases import Case
from benchmarks.speed.timing import Part, row

SIZES = (10_000, 100_000, 1_000_000)
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
    return {
        "num_graphs": number,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - used,
        "fit_seconds": fitted,
        "fit_cpu_seconds": fitted_used,
        "mebibytes_before": at_first,
        "peak_mebibytes": peak_mebibytes(),
        "num_reasons": [len(one.reasons) for one in explanations.values()],
        "fidelity": float(explanations.fidelity) if explanations.fidelity is not None else None,
        "stages": {name: round(taken, 2) for name, taken in next(iter(explanations.values())).timings.items()},
    }


def in_double(graph: Data) -> Data:
    graph.x = graph.x.double()
    return graph


def peak_mebibytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    warnings.simplefilter("ignore", pg.ProtographWarning)
    print(json.dumps(measure_size(int(sys.argv[1]))))


def in_process(number: int) -> dict[str, Any]:
    command = [sys.executable, "-c", "from benchmarks.speed import streaming; streaming.main()", str(number)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=certificate.ROOT)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure(repeats: int) -> dict[str, Any]:
    """Each number once: what takes minutes varies little."""
    asked = os.environ.get("PROTOGRAPH_BENCH_GRAPHS", "")
    sizes = [int(text) for text in asked.split(",")] if asked else SIZES
    return {"num_nodes": NUM_NODES, "runs": [in_process(size) for size in sizes]}


def growth(content: dict[str, Any], key: str = "seconds") -> float:
    """Seconds of a further graph beyond the middle number, those of one below it being 1."""
    low, middle, high = content["runs"][-3:]

    def each(one: dict[str, Any], other: dict[str, Any]) -> float:
        return float((other[key] - one[key]) / (other["num_graphs"] - one["num_graphs"]))

    return each(middle, high) / each(low, middle)


def show(content: dict[str, Any]) -> None:
    for one in content["runs"]:
        each = 1e6 * one["seconds"] / one["num_graphs"]
        figure = f"{one['seconds']:.0f} s, {each:.0f} us a graph; peak {one['peak_mebibytes']:.0f} MiB"
        holds = one["peak_mebibytes"] <= MOST_MEBIBYTES
        row(f"(m) {one['num_graphs']:,} graphs from a generator", figure, "under 2 GB", holds)
    row(
        "    a further graph, late against early",
        f"{growth(content):.2f}",
        "at most 1.2",
        growth(content) <= MOST_TIMES,
    )


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    last = content["runs"][-1]
    return [
        certificate.limit(
            f"(m) peak MiB of {last['num_graphs']:,} graphs from a generator",
            last["peak_mebibytes"],
            at_most=MOST_MEBIBYTES,
        ),
        certificate.limit("(m) seconds of a further graph, late against early", growth(content), at_most=MOST_TIMES),
    ]


PART = Part("streaming", measure, show, limits)
