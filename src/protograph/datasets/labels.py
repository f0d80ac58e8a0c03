"""Labels given as texts: which of them are numbers of classes, and which are names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

# A column with more values than this is a measurement or a name of each molecule, unless most rows share theirs.
MANY = 20

Key = TypeVar("Key", float, str)

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
BOOLEANS = {"false": 0.0, "true": 1.0}


@dataclass(frozen=True)
class Labels:
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
    if None in values:
        return _classes(list(texts), what, is_measured=False)
    numbers = [value for value in values if value is not None]
    found = _classes(numbers, what, is_measured=not all(value.is_integer() for value in numbers))
    is_boolean = {text.lower() for text in texts} == set(BOOLEANS)
    return replace(found, names=("False", "True")) if is_boolean else found


def _classes(keys: list[Key], what: str, *, is_measured: bool) -> Labels:
    kinds = sorted(set(keys))
    names = tuple(_name(kind) for kind in kinds)
    _check(names, what, len(keys), is_measured=is_measured)
    place = {kind: number for number, kind in enumerate(kinds)}
    return Labels([place[key] for key in keys], names)


def _check(names: Sequence[str], what: str, num_rows: int, *, is_measured: bool) -> None:
    if len(names) == 1:
        raise ValueError(f"{what} must have two classes or more, got {names[0]!r} in all {num_rows} rows")
    if len(names) > MANY and (is_measured or len(names) > num_rows / 2):
        kind = "numbers" if is_measured else "values"
        raise ValueError(
            f"{what} must name a class for each molecule, got {len(names)} different {kind}, such as {names[0]!r}; "
            f"give a column of classes, such as one that says whether the number is above a threshold"
        )


def _number(text: str) -> float | None:
    if text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    # Not all that float() takes: 1_2 and inf are names. Past 2**53 different whole numbers become one float.
    if NUMBER.fullmatch(text) is None or abs(float(text)) >= 2**53:
        return None
    return float(text)


def _name(kind: float | str) -> str:
    return str(int(kind)) if isinstance(kind, float) and kind.is_integer() else str(kind)
