"""How loops are compiled by Numba: kept on disk, and without Python's lock; and how it is told that they are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import njit
from numba.core import event


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls."""
    return njit(nogil=True, error_model="numpy", cache=True)(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled ones call.

    It is not kept on disk, which takes a fifth of compiling: what is kept of the functions that call it has it inside.
    """
    return njit(nogil=True, error_model="numpy")(function)


@contextmanager
def compiling_told(tell: Callable[[int], object]) -> Iterator[None]:
    """Call ``tell`` whenever one of our loops begins to be compiled, with how many have been before it.

    What is found compiled on disk is not told of.
    """
    with event.install_listener("numba:compile", _Compilations(tell)):
        yield


class _Compilations(event.Listener):  # type: ignore[misc]  # Numba has no types
    def __init__(self, tell: Callable[[int], object]) -> None:
        self._tell, self._count = tell, 0

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("protograph."):
            self._tell(self._count)
            self._count += 1

    def on_end(self, event: Any) -> None:
        """Nothing is told at the end."""
