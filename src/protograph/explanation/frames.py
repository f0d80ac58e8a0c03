"""Tables of an explanation as data frames of pandas, which is needed for nothing else."""

from importlib import import_module
from typing import Any

from protograph.explanation.tables import TABLES, Classes

WHOLE = ("class", "cluster", "cluster_size", "nodes", "edges", "source", "example", "graph", "line")
AMOUNTS = ("p", "margin", "example_p", "fidelity_up_to_here")
FLAGS = ("covered", "rule_agrees")


def frame_of(of: str, classes: Classes) -> Any:
    """One of the tables as a :class:`pandas.DataFrame`.

    Args:
        of: ``"prototypes"``, ``"reasons"`` or ``"graphs"``: what has a row.
        classes: The explanations, one a class.

    Raises:
        ValueError: If there is no such table.
        ImportError: If pandas is not installed.
    """
    if of not in TABLES:
        raise ValueError(f"of must be one of {', '.join(map(repr, TABLES))}, got {of!r}")
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError("to_frame needs pandas; pip install 'protograph[tables]'") from error
    table = TABLES[of](classes)
    # From objects: pandas would make numbers of what is unknown, and whole numbers of shares that happen to be 0 or 1.
    frame = pandas.DataFrame(table.rows, columns=list(table.columns), dtype=object)
    return frame.astype({column: _kind_of(column) for column in table.columns})


def _kind_of(column: str) -> str:
    """The type of a column in pandas, such that what is unknown is missing in each of them.

    >>> [_kind_of(column) for column in ("nodes", "num_in_class", "share_low", "covered", "smiles")]
    ['Int64', 'Int64', 'Float64', 'boolean', 'string']
    """
    if column in WHOLE or column.startswith("num_"):
        return "Int64"
    if column in FLAGS:
        return "boolean"
    return "Float64" if column in AMOUNTS or "share" in column or column.startswith("support") else "string"
