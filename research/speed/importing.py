"""(d) How long the import of protograph takes after that of PyG."""

import statistics
from typing import Any

from research import certificate
from research.speed.memory import in_fresh_process
from research.speed.timing import Part, median_and_spread, row

MOST_MILLISECONDS = 150.0
CODE = (
    "import torch_geometric, time; s = time.perf_counter(); import protograph; print(1e3 * (time.perf_counter() - s))"
)


def measure(repeats: int) -> list[float]:
    return sorted(in_fresh_process(CODE)[0] for _ in range(5))


def show(times: list[float]) -> None:
    holds = statistics.median(times) <= MOST_MILLISECONDS
    row("(d) milliseconds of import protograph", median_and_spread(times, 0), "at most 150", holds)


def limits(times: list[float]) -> list[dict[str, Any]]:
    return [certificate.limit("(d) milliseconds of an import", statistics.median(times), at_most=MOST_MILLISECONDS)]


PART = Part("import_milliseconds", measure, show, limits)
