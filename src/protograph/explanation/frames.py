"""Tables of an explanation as data frames of pandas, which is needed for nothing else."""

from importlib import import_module
from typing import Any

from protograph.explanation.tables import TABLES, Classes


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
    return pandas.DataFrame(table.rows, columns=list(table.columns)).convert_dtypes()
