"""Linear algebra on one thread, for matrices so small that more threads only wait for each other."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_LOCK = threading.Lock()
# An entry for everyone inside: what the last of them undoes.
_INSIDE: list[Any] = []


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold the linear algebra of NumPy and SciPy to one thread inside; on small matrices more are many times slower.

    The limit is the whole process's. So it is counted who is inside: the first sets it, and the last takes it back,
    whichever threads they are.
    """
    with _LOCK:
        _INSIDE.append(_INSIDE[-1] if _INSIDE else _limited())
    try:
        yield
    finally:
        with _LOCK:
            limit = _INSIDE.pop()
            if not _INSIDE:
                _take_control()
                limit.restore_original_limits()
                _take_control()


def _limited() -> Any:
    _take_control()
    return _thread_pools().limit(limits=1, user_api="blas")


def _take_control() -> None:
    """Let this thread set the limit: since 3.8, threadpoolctl listens only to the first that ever did."""
    from threadpoolctl import OpenBLASController

    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


@lru_cache(maxsize=1)
def _thread_pools() -> Any:
    import scipy.linalg  # noqa: F401  (has a library of its own, which is not limited unless it is loaded by now)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
