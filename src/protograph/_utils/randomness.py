"""Leaving the global random generators as they were found."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def preserved_random_state() -> Iterator[None]:
    """Restore Python's, NumPy's and PyTorch's global generators on the way out, also on error.

    We draw from none of them, but others do while we call them: PyTorch Geometric names its
    generated modules by ``random.randrange`` even when a layer is only copied.

    >>> before = random.getstate()
    >>> with preserved_random_state():
    ...     _ = random.random(), torch.rand(3)
    >>> random.getstate() == before
    True
    """
    python_state, numpy_state = random.getstate(), np.random.get_state()
    has_cuda = bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]
    with torch.random.fork_rng(range(torch.cuda.device_count()) if has_cuda else ()):
        try:
            yield
        finally:
            random.setstate(python_state)
            np.random.set_state(numpy_state)


def checked_seed(random_state: int) -> int:
    """Return ``random_state`` if it can seed every generator we use.

    >>> checked_seed(7)
    7
    """
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise TypeError(f"random_state must be a whole number, got {type(random_state).__name__}")
    if not 0 <= random_state < 2**32:
        raise ValueError(f"random_state must be in [0, 2**32), got {random_state}")
    return int(random_state)


def seed_generators(seed: int) -> None:
    """Start the global generators from a seed; to be called where :func:`preserved_random_state` restores them."""
    random.seed(seed)
    np.random.seed(seed)
    # Not torch.manual_seed: that would start the CUDA generators too.
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed_all(seed)
