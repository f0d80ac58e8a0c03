"""How times are taken, and how a row of the table is written."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch_geometric.loader import DataLoader


@dataclass(frozen=True)
class Part:
    """A part of the benchmark.

    Attributes:
        name: Its key in the results.
        measure: Takes the number of repeats, gives what was measured.
        show: Prints that as rows of the table.
        limits: What of it was measured against which limit.
    """

    name: str
    measure: Callable[[int], Any]
    show: Callable[[Any], None]
    limits: Callable[[Any], list[dict[str, Any]]]


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def forward_pass(model: torch.nn.Module, graphs: list) -> None:
    with torch.no_grad():
        for batch in DataLoader(graphs, batch_size=256):
            # Graphs without features are given ones, as the library does.
            x = torch.ones(batch.num_nodes, 1) if batch.x is None else batch.x
            model(x, batch.edge_index, batch.batch)


def calibrating_loop() -> float:
    """Plain Python, NumPy and small torch operations, of each about as much; a tenth of a second on a quiet machine."""
    words: dict[int, int] = {}
    for number in range(200_000):
        words[number % 997] = words.get(number % 997, 0) + number
    rows = np.random.default_rng(0).normal(size=(600, 600))
    for _ in range(4):
        rows = np.sort(rows @ rows.T / 600, axis=1)
    tensor = torch.ones(256, 32)
    for _ in range(1500):
        tensor = (tensor @ torch.eye(32)).relu()
    return sum(words.values()) + float(rows[0, 0]) + float(tensor[0, 0])


def calibration() -> float:
    """Seconds of the calibrating loop, the median of five after one that warms up."""
    calibrating_loop()
    return statistics.median(seconds(calibrating_loop) for _ in range(5))


def median_and_spread(values: Sequence[float], digits: int = 2) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def row(name: str, figure: str, limit: str = "", holds: bool | None = None) -> None:
    verdict = "" if holds is None else "holds" if holds else "DOES NOT HOLD"
    print(f"{name:<62} {figure:<44} {limit:<20} {verdict}".rstrip(), flush=True)


def stages_of(explanations: Any) -> dict[str, float]:
    """Seconds of each stage over all classes; ``fit`` and ``reasons`` were once for all of them."""
    stages: dict[str, float] = {}
    for explanation in explanations.values():
        for stage, taken in explanation.timings.items():
            stages[stage] = taken if stage in ("fit", "reasons") else stages.get(stage, 0.0) + taken
    return stages


def median_stages(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    return {stage: statistics.median(run.get(stage, 0.0) for run in runs) for stage in runs[0]}


def show_stages(stages: dict[str, float]) -> None:
    print("    " + ", ".join(f"{stage} {taken:.2f} s" for stage, taken in stages.items()), flush=True)
