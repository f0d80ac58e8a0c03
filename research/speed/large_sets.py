"""(o) Sets as large as those on which rules are known to take hours: time and peak memory, reasons included.

The sizes are those of reddit_threads, twitch_egos and github_stargazers, on which LogicXGNN's authors print 4,000 to
12,000 s and 36 to 85 GB; the graphs are made here, with sizes and degrees of heavy tails. Each set is explained
five times, in turn with the others, each time in a process of its own that is given its model.
"""

import json
import statistics
import subprocess
import sys
import time
import warnings
from typing import Any

import protograph as pg
from research import certificate
from research.large_graphs import Networks, Size
from research.speed.hard_cases import Case
from research.speed.streaming import in_double, peak_mebibytes
from research.speed.timing import Part, median_and_spread, row

SETS = {
    "reddit_threads": Size(203_088, 24, 25),
    "twitch_egos": Size(127_094, 30, 87),
    "github_stargazers": Size(12_725, 114, 235),
}
ROUNDS = 5
MOST_SECONDS, MOST_MEBIBYTES = 600.0, 4_000 * 1e6 / 2**20
# The head of the model is solved for on so many graphs, of another seed.
_NUM_SOLVED, _OTHER_SEED = 2_000, 1


def measure_set(name: str) -> dict[str, Any]:
    """In this process: what explaining a set takes, without making it and its model."""
    size = SETS[name]
    few = Networks(Size(_NUM_SOLVED, size.nodes, size.edges), _OTHER_SEED)
    model = Case([in_double(graph) for graph in few]).model().float()
    pg.PAGE().fit(model, few[:200]).explain_all()  # compiles
    graphs = Networks(size)
    before = peak_mebibytes()
    started, used = time.perf_counter(), time.process_time()
    explanations = pg.PAGE().fit(model, graphs).explain_all()
    return {
        "num_graphs": size.num_graphs,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - used,
        "mebibytes_before": before,
        "peak_mebibytes": peak_mebibytes(),
        "fidelity": float(explanations.fidelity) if explanations.fidelity is not None else None,
        "num_prototypes": [len(one.prototypes) for one in explanations.values()],
        "num_reasons": [len(one.reasons) for one in explanations.values()],
        "stages": {name: round(taken, 2) for name, taken in next(iter(explanations.values())).timings.items()},
    }


def main() -> None:
    warnings.simplefilter("ignore", pg.ProtographWarning)
    print(json.dumps(measure_set(sys.argv[1])))


def in_process(name: str) -> dict[str, Any]:
    command = [sys.executable, "-c", "from research.speed import large_sets; large_sets.main()", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=certificate.ROOT)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure(repeats: int) -> dict[str, Any]:
    rounds = [{name: in_process(name) for name in SETS} for _ in range(ROUNDS)]
    return {name: [one[name] for one in rounds] for name in SETS}


def medians(runs: list[dict[str, Any]]) -> tuple[float, float]:
    """Seconds, and peak memory in MiB."""
    return statistics.median(one["seconds"] for one in runs), statistics.median(one["peak_mebibytes"] for one in runs)


def show(content: dict[str, Any]) -> None:
    for name, runs in content.items():
        seconds, peak = medians(runs)
        figure = f"{median_and_spread([one['seconds'] for one in runs], 0)} s, {peak:.0f} MiB"
        holds = seconds <= MOST_SECONDS and peak <= MOST_MEBIBYTES
        row(f"(o) {runs[0]['num_graphs']:,} graphs of the size of {name}", figure, "10 min, 4 GB", holds)


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        limit
        for name, runs in content.items()
        for limit in (
            certificate.limit(f"(o) seconds of {name}'s size", medians(runs)[0], at_most=MOST_SECONDS),
            certificate.limit(f"(o) peak MiB of {name}'s size", medians(runs)[1], at_most=MOST_MEBIBYTES),
        )
    ]


PART = Part("large_sets", measure, show, limits)
