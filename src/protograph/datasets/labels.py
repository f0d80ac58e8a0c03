"""Labels given as texts: which of them are numbers of classes, and which are names."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

# A column with more values than this is a measurement or a name of each molecule, unless most rows share theirs.
MANY = 20

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
BOOLEANS = {"false": 0.0, "true": 1.0}


class Labels(NamedTuple):
    """Labels as numbers of classes.

    Attributes:
        numbers: Class of each row.
        names: Name of each class.
    """

    numbers: list[int]
    names: tuple[str, ...]


def read_labels(texts: Sequence[str], what: str) -> Labels:
    """Turn the labels of a column into classes.

    Whole numbers 0, 1, ... without gaps stay as they are, and so do ``False`` and ``True``. Of other numbers the
    smallest becomes class 0, and so on; of other texts the first by the alphabet.

    Args:
        texts: The labels.
        what: What the column is called in messages.

    Raises:
        ValueError: If all rows are of one class, or the column holds measured numbers rather than classes.

    >>> read_labels(["1.0", "0.0", "1.0"], "label")
    Labels(numbers=[1, 0, 1], names=('0', '1'))
    >>> read_labels(["yes", "no"], "label")
    Labels(numbers=[1, 0], names=('no', 'yes'))
    >>> read_labels(["-1", "1"], "label")
    Labels(numbers=[0, 1], names=('-1', '1'))
    """
    values = [_number(text) for text in texts]
    keys: Sequence[Any] = texts if None in values else values
    kinds = sorted(set(keys))
    names = tuple(str(int(kind) if isinstance(kind, float) and kind.is_integer() else kind) for kind in kinds)
    if len(kinds) == 1:
        raise ValueError(f"{what} must have two classes or more, got {names[0]!r} in all {len(texts)} rows")
    is_measured = None not in values and not all(value.is_integer() for value in kinds)
    if len(kinds) > MANY and (is_measured or len(kinds) > len(texts) / 2):
        raise ValueError(
            f"{what} must name a class for each molecule, got {len(kinds)} different "
            f"{'numbers' if is_measured else 'values'}, such as {names[0]!r}; "
            f"give a column of classes, such as one that says whether the number is above a threshold"
        )
    place = {kind: number for number, kind in enumerate(kinds)}
    is_boolean = {text.lower() for text in texts} == set(BOOLEANS)
    return Labels([place[key] for key in keys], ("False", "True") if is_boolean else names)


def _number(text: str) -> float | None:
    if text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    # Not all that float() takes: 1_2 and inf are names. Past 2**53 different whole numbers become one float.
    if NUMBER.fullmatch(text) is None or abs(float(text)) >= 2**53:
        return None
    return float(text)
