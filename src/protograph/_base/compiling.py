"""How loops are compiled by Numba: kept on disk, without Python's lock, and with as little to compile as can be."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import njit
from numba.core import event

from protograph._base.interrupts import HeldInterrupts

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls."""
    return njit(**_OPTIONS)(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled ones call: what takes arguments out of Python's objects is left out.

    Python must not call it, which would end the process.
    """
    return njit(**_OPTIONS, no_cpython_wrapper=True)(function)


@contextmanager
def compiling_told(tell: Callable[[int], object]) -> Iterator[None]:
    """Call ``tell`` whenever one of our loops begins to be compiled, with how many have been before it.

    What is found compiled on disk is not told of. Ctrl-C is heard between two loops: inside of one, the compiler may
    take it for an error of its own.
    """
    with event.install_listener("numba:compile", _Compilations(tell)):
        yield


class _Compilations(event.Listener):  # type: ignore[misc]  # Numba has no types
    def __init__(self, tell: Callable[[int], object]) -> None:
        self._tell, self._count = tell, 0
        self._interrupts = HeldInterrupts()

    def on_start(self, event: Any) -> None:
        self._interrupts.hold()
        if event.data["dispatcher"].py_func.__module__.startswith("protograph."):
            self._count, earlier = self._count + 1, self._count
            self._tell(earlier)

    def on_end(self, event: Any) -> None:
        self._interrupts.release()
