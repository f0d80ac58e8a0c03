"""How loops are compiled by Numba: kept on disk, without Python's lock, and with as little to compile as can be."""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import njit
from numba.core import event

from protograph._base.interrupts import HeldInterrupts

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
# Numba counts who holds an array, at every call that hands one on; small loops then take ten times as long. Where no
# array is made there are no expressions of whole arrays either, which Numba would look for to rewrite them.
_WITHOUT_MEMORY = {"_nrt": False, "no_rewrites": True}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls and that makes no arrays."""
    return njit(**_OPTIONS, **_WITHOUT_MEMORY, cache=True)(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that makes no arrays and that only compiled ones call.

    What takes arguments out of Python's objects is left out. Python must not call it, which would end the process.
    It is not kept on disk, which takes a fifth of compiling: what is kept of the functions that call it has it inside.
    """
    return njit(**_OPTIONS, **_WITHOUT_MEMORY, no_cpython_wrapper=True)(function)


def allocating(function: Callable[..., Any]) -> Any:
    """Compile a function that makes arrays."""
    return njit(**_OPTIONS, cache=True)(function)


@contextmanager
def compiling_told(tell: Callable[[int], object]) -> Iterator[None]:
    """Call ``tell`` whenever one of our loops begins to be compiled, with how many have been before it.

    What is found compiled on disk is not told of. Ctrl-C is heard between two loops: inside of one, the compiler may
    take it for an error of its own. Nor is memory collected inside of one: the compiler makes very many objects, of
    which few are free again, and going through all there are takes a tenth of compiling.
    """
    with event.install_listener("numba:compile", _Compilations(tell)):
        yield


class _Compilations(event.Listener):  # type: ignore[misc]  # Numba has no types
    def __init__(self, tell: Callable[[int], object]) -> None:
        self._tell, self._count = tell, 0
        self._interrupts, self._collection = HeldInterrupts(), _PausedCollection()

    def on_start(self, event: Any) -> None:
        self._collection.pause()
        self._interrupts.hold()
        if event.data["dispatcher"].py_func.__module__.startswith("protograph."):
            self._count, earlier = self._count + 1, self._count
            self._tell(earlier)

    def on_end(self, event: Any) -> None:
        self._collection.resume()
        self._interrupts.release()


class _PausedCollection:
    """Pauses the collection of memory while this thread compiles, one loop inside another.

    Other threads compile at any time, also beyond the end of what this one does; for these nothing is paused.
    """

    def __init__(self) -> None:
        self._thread, self._depth, self._was_on = threading.get_ident(), 0, False

    def pause(self) -> None:
        if threading.get_ident() == self._thread:
            self._depth += 1
            if self._depth == 1:
                self._was_on = gc.isenabled()
                gc.disable()

    def resume(self) -> None:
        if threading.get_ident() == self._thread:
            self._depth -= 1
            if self._depth == 0 and self._was_on:
                gc.enable()
