"""Checks of options that several explainers make."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from protograph._utils.randomness import checked_seed


def check_options(options: Any, *, least: Mapping[str, int] | None = None) -> None:
    """Raise unless each field is the count, number or seed that it must be, or ``None`` where that is its default.

    Args:
        options: A dataclass of counts (``int``), numbers (``float``) and ``random_state``.
        least: The least that counts may be, where that is not 1.
    """
    for option in fields(options):
        name, value = option.name, getattr(options, option.name)
        if name == "random_state":
            checked_seed(value)
        elif option.type is float:
            check_number(name, value)
        elif value is not None or option.default is not None:
            check_count(name, value, (least or {}).get(name, 1))


def check_count(name: str, value: Any, least: int = 1) -> None:
    """Raise unless ``value`` is a whole number of at least ``least``.

    >>> check_count("max_nodes", 1, least=2)
    Traceback (most recent call last):
    ...
    ValueError: max_nodes must be at least 2, got 1
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")


def check_number(name: str, value: Any, *, above: float | None = None) -> None:
    """Raise unless ``value`` is a finite number of at least 0, or greater than ``above`` where that is given.

    >>> check_number("learning_rate", 0, above=0)
    Traceback (most recent call last):
    ...
    ValueError: learning_rate must be a finite number above 0, got 0
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number, got {value!r}")
    is_large_enough = value >= 0 if above is None else value > above
    if not is_large_enough or not math.isfinite(value):
        wanted = "of at least 0" if above is None else f"above {above:g}"
        raise ValueError(f"{name} must be a finite number {wanted}, got {value}")
