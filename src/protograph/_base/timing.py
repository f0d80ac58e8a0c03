"""How long stages take."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def timed(timings: dict[str, float], stage: str) -> Iterator[None]:
    """Add the seconds that the block took to ``timings[stage]``."""
    started = time.perf_counter()
    try:
        yield
    finally:
        timings[stage] = timings.get(stage, 0.0) + time.perf_counter() - started


def summed(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Seconds of each stage, over all parts."""
    total: Counter[str] = Counter()
    for seconds in parts:
        total.update(seconds)
    return dict(total)
