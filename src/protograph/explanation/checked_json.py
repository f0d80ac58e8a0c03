"""JSON documents from outside: each value is asked for by its kind, and says where it is if it is another."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

# JSON has no such numbers; they are written as text.
NON_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

T = TypeVar("T")
Json = Any


class UnfitError(Exception):
    """A value of a document is not what it must be; the text says which, what was wanted and what came."""


@dataclass(frozen=True)
class Field:
    """A value of a document, and where in the document it is.

    >>> Field({"size": "big"}, "graph")["size"].integer()
    Traceback (most recent call last):
    protograph.explanation.checked_json.UnfitError: graph.size must be a whole number, got "big"
    """

    value: Json
    where: str = ""

    def unfit(self, wanted: str) -> UnfitError:
        """The error that says what the value must be, and what it is."""
        return UnfitError(f"{self.where or 'its content'} must be {wanted}, got {_describe(self.value)}")

    def __getitem__(self, name: str) -> "Field":
        entries = self.of(dict, "an object")
        if name not in entries:
            raise UnfitError(f"{self.where or 'its content'} must have {name}, got an object without it")
        return Field(entries[name], f"{self.where}.{name}" if self.where else name)

    def of(self, kind: type[T], wanted: str) -> T:
        """The value, if it is of this very type; a bool is an int for Python, but not here."""
        if type(self.value) is not kind:
            raise self.unfit(wanted)
        return self.value

    def text(self) -> str:
        """The value, if it is text."""
        return self.of(str, "text")

    def integer(self) -> int:
        """The value, if it is a whole number."""
        return self.of(int, "a whole number")

    def number(self) -> float:
        """The value, if it is a number as :func:`pack_number` writes it."""
        if type(self.value) is str and self.value in NON_FINITE:
            return NON_FINITE[self.value]
        if type(self.value) not in (int, float):
            raise self.unfit("a number")
        try:
            return float(self.value)
        except OverflowError:
            raise self.unfit("a number of 64 bits") from None

    def items(self) -> list["Field"]:
        """The values of a list."""
        return [Field(value, f"{self.where}[{i}]") for i, value in enumerate(self.of(list, "a list"))]

    def entries(self) -> dict[str, "Field"]:
        """The values of an object, by name."""
        return {name: self[name] for name in self.of(dict, "an object")}

    def texts(self) -> tuple[str, ...]:
        """The values of a list of texts."""
        return tuple(item.text() for item in self.items())

    def integers(self) -> tuple[int, ...]:
        """The values of a list of whole numbers."""
        return tuple(item.integer() for item in self.items())

    def optional(self, read: "Callable[[Field], T]") -> T | None:
        """What ``read`` makes of the value, ``None`` where it is null."""
        return None if self.value is None else read(self)


def pack_number(value: float) -> Json:
    """A number as JSON has it, or the name of one that JSON lacks.

    >>> pack_number(0.5), pack_number(-math.inf)
    (0.5, '-inf')
    """
    number = float(value)
    return number if math.isfinite(number) else str(number)


def _describe(value: Json) -> str:
    if isinstance(value, list):
        short = json.dumps(value[:8])
        return short if len(value) <= 8 and len(short) <= 40 else f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
