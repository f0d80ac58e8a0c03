"""How loops are compiled by Numba: kept on disk, without Python's lock, and with as little to compile as can be."""

from collections.abc import Callable
from typing import Any

from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls."""
    return njit(**_OPTIONS)(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled ones call: what takes arguments out of Python's objects is left out.

    Python must not call it, which would end the process.
    """
    return njit(**_OPTIONS, no_cpython_wrapper=True)(function)
