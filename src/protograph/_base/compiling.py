"""How loops are compiled by Numba: kept on disk, without Python's lock, and with as little to compile as can be."""

from collections.abc import Callable
from typing import Any

from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
# Numba counts who holds an array, at every call that hands one on; small loops then take ten times as long.
_WITHOUT_MEMORY = {"_nrt": False}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls and that makes no arrays."""
    return njit(**_OPTIONS, **_WITHOUT_MEMORY)(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that makes no arrays and that only compiled ones call.

    What takes arguments out of Python's objects is left out. Python must not call it, which would end the process.
    """
    return njit(**_OPTIONS, **_WITHOUT_MEMORY, no_cpython_wrapper=True)(function)


def allocating(function: Callable[..., Any]) -> Any:
    """Compile a function that makes arrays."""
    return njit(**_OPTIONS)(function)
