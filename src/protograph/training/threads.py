"""One thread for work too small to share."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch use one thread inside, and as many as before afterwards, also on error.

    A mini-batch of small graphs gains nothing from a second thread, and where another process holds the
    cores, waiting for it makes a step up to a hundred times slower.

    >>> before = torch.get_num_threads()
    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
