"""What the user calls things on the command line: names of columns and classes in a file, and the class to explain."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from protograph._base.words import clean_name

KEYS = ("feature_names", "edge_names", "class_names")


def read_names_file(path: Path) -> dict[str, Any]:
    """The names in a JSON file, as ``fit`` and :class:`~protograph.datasets.GraphDataset` take them.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is not JSON, or holds something else.
    """
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}; --names wants a JSON file with {_listed(KEYS)}") from None
    except IsADirectoryError:
        raise ValueError(f"--names must be a JSON file with {_listed(KEYS)}, got the folder {path}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"--names must be a JSON file with {_listed(KEYS)}, got {path}: {error}") from None
    if not isinstance(content, dict) or not set(content) <= set(KEYS):
        others = sorted(set(content) - set(KEYS)) if isinstance(content, dict) else []
        came = f"the entry {others[0]!r}" if others else f"no object but {type(content).__name__}"
        raise ValueError(f"--names must be a JSON object with entries of {_listed(KEYS)}, got {came} in {path}")
    return content


def target_of(text: str, class_names: Sequence[str]) -> int:
    """The index of a class that is told by its number or its name.

    A number is the index, counted from 0, wherever there is such a class; a class that is called by another's number
    is meant only where no class has it as its index, and otherwise a line on standard error says which one is taken.

    Args:
        text: What the user gave.
        class_names: Names of the classes; empty where they are not known.

    Raises:
        ValueError: If no class is called so.

    >>> target_of("1", ("no", "yes")), target_of("yes", ("no", "yes")), target_of("2", ("1", "2"))
    (1, 1, 1)
    """
    is_index = text.isdecimal() and (not class_names or int(text) < len(class_names))
    if is_index:
        number = int(text)
        if text in class_names and class_names.index(text) != number:
            taken, named = f"class {number} ({clean_name(class_names[number])})", class_names.index(text)
            typer.echo(f"--target {text} is {taken}; the class that is called {text} is --target {named}", err=True)
        return number
    if class_names.count(text) == 1:
        return class_names.index(text)
    if text.lstrip("+-").isdecimal() and not class_names:
        return int(text)
    classes = ", ".join(f"{number}: {name}" for number, name in enumerate(class_names))
    wanted = (
        f"the number or the name of a class ({classes})" if classes else "the number of a class, which have no names"
    )
    way_out = "" if classes else "; give names in a file with --names"
    raise ValueError(f"--target must be {wanted}, got {text!r}{way_out}")


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(keys)
