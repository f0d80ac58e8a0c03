"""What the user names as ``module:attribute``: a model, an explainer or a metric of one's own, whose code runs."""

import importlib
import os
import sys
from pathlib import Path
from typing import Any


def is_attribute(spec: str) -> bool:
    """Whether a text has the form ``module:attribute``.

    >>> is_attribute("mine:build"), is_attribute("page"), is_attribute("mine:")
    (True, False, False)
    """
    module, _, attribute = spec.partition(":")
    return bool(module) and bool(attribute)


def imported(option: str, spec: str) -> Any:
    """What ``module:attribute`` names, looked for among what is installed and then in the working directory.

    Args:
        option: The option that names it, for messages.
        spec: Its name.

    Raises:
        ValueError: If there is no such thing, or its module fails.
    """
    module_name, _, attribute = spec.partition(":")
    _look_here_last()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        way_out = f"; give {module_name[:-3]}:{attribute}" if module_name.endswith(".py") else ""
        raise ValueError(f"{option} {spec!r}: there is no module {error.name!r}{way_out}") from None
    except (Exception, SystemExit) as error:
        raise ValueError(f"{option} {spec!r}: importing {module_name!r} failed with {error_text(error)}") from error
    value = getattr(module, attribute, None)
    if value is None:
        file = Path(getattr(module, "__file__", None) or "built in")
        # One that is installed comes before one of the same name that is here.
        origin = "" if file.is_relative_to(os.getcwd()) else f" ({file})"
        raise ValueError(f"{option} {spec!r}: module {module_name!r}{origin} has no {attribute!r}")
    return value


def _look_here_last() -> None:
    """Let modules of the working directory be imported, after all others: none of its files takes their place."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
        importlib.invalidate_caches()


def error_text(error: BaseException) -> str:
    """An error of the user's code, with its type."""
    return f"{type(error).__name__}: {error}"
