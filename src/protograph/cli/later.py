"""Commands that are promised and come with a later version: until then, one clear line."""

from collections.abc import Callable
from typing import Any

import typer

COMMANDS = ("reproduce",)
ANY_ARGUMENTS: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True}


def command(name: str) -> Callable[[typer.Context], None]:
    """Make the command ``name``, which says that it is not there yet."""

    def unavailable(context: typer.Context) -> None:
        raise ValueError(
            f"protograph {name} is not available in this version; "
            f"there are explain, train, evaluate, compare, report and datasets"
        )

    unavailable.__doc__ = "Not available in this version."
    return unavailable
