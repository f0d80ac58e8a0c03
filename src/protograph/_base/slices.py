"""Long lists gone through slice by slice, so that Python hears of Ctrl-C between calls of a compiled loop."""

import time
from collections.abc import Callable, Iterator

# Seconds that a slice should take: short enough to be interrupted, long enough that calls do not count.
SECONDS = 0.25


def timed_slices(size: int, first: int, clock: Callable[[], float] = time.monotonic) -> Iterator[slice]:
    """Give slices of a list of ``size``: each as long as the last, twice as long if that was quick, half if slow.

    Args:
        size: Length of the list.
        first: Length of the first slice.
        clock: Seconds that have passed, from any beginning.

    >>> times = iter([0.0, 0.1, 0.1, 0.2, 0.2, 0.9, 0.9])
    >>> [(one.start, one.stop) for one in timed_slices(12, 2, lambda: next(times))]
    [(0, 2), (2, 6), (6, 12)]
    """
    start, length = 0, max(1, first)
    while start + length < size:
        began = clock()
        yield slice(start, start + length)
        took = clock() - began
        start += length
        if took < SECONDS / 2:
            length *= 2
        elif took > SECONDS:
            length = max(1, length // 2)
    yield slice(start, size)
