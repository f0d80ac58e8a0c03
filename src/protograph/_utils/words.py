"""Numbers, names and lists as sentences say them, and as tables in CSV have them."""

import csv
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TextIO

NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
MAX_NAME = 40
# What spreadsheets take for the beginning of a formula, full-width forms included.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001
# What a name without a letter to be seen is called.
UNNAMED = "unnamed"


def number_word(number: int) -> str:
    """A number as a word up to twelve, beyond that in figures.

    >>> number_word(0), number_word(12), number_word(13), number_word(1200)
    ('no', 'twelve', '13', '1,200')
    """
    return NUMBERS[number] if 0 <= number < len(NUMBERS) else f"{number:,}"


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """A number in figures with its noun.

    >>> count_of(1, "node"), count_of(1200, "edge"), count_of(2, "leaf", "leaves")
    ('1 node', '1,200 edges', '2 leaves')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number in words with its noun.

    >>> counted(1, "edge"), counted(6, "carbon"), counted(13, "other atom")
    ('one edge', 'six carbons', '13 other atoms')
    """
    return f"{number_word(number)} {noun if number == 1 else plural or noun + 's'}"


def with_article(noun: str) -> str:
    """A noun with "a" or "an" before it.

    >>> with_article("house"), with_article("edge"), with_article("user node"), with_article("unnamed node")
    ('a house', 'an edge', 'a user node', 'an unnamed node')
    >>> with_article("NH2 group"), with_article("CH2 group"), with_article("sp2 carbon")
    ('an NH2 group', 'a CH2 group', 'an sp2 carbon')
    """
    # A u that is spoken as in "you" is no vowel; formulas are spelt.
    is_vowel = noun[:1].lower() in tuple("aeiou") and not noun.lower().startswith(("uni", "us"))
    is_vowel |= re.match(r"([NSF]H|sp)\d? ", noun) is not None
    return f"{'an' if is_vowel else 'a'} {noun}"


def listed(items: Sequence[str]) -> str:
    """Items as a list in a sentence.

    >>> listed(["a roof"]), listed(["a roof", "a wall"]), listed(["a roof", "a wall", "a door"])
    ('a roof', 'a roof and a wall', 'a roof, a wall and a door')
    """
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def one_line(text: object) -> str:
    r"""A text from the data on one line: what cannot be seen becomes a blank.

    >>> one_line("wing\nspan\x1b"), one_line("\u202e")
    ('wing span', '')
    """
    # Categories C* (control, format such as a change of direction, surrogates) and the separators of lines and blanks.
    return " ".join("".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in str(text)).split())


def cut(text: str, length: int) -> str:
    """The text, with three dots for the rest where it is longer.

    >>> cut("explainer", 8), cut("page", 8)
    ('expla...', 'page')
    """
    return text if len(text) <= length else f"{text[: length - 3]}..."


def class_label(number: int, class_names: Sequence[str] = ()) -> str:
    """Number and name of a class in a sentence.

    >>> class_label(1), class_label(1, ("0", "1")), class_label(1, ("no", "yes"))
    ('class 1', 'class 1', 'class 1 (yes)')
    """
    name = class_names[number] if 0 <= number < len(class_names) else str(number)
    return f"class {number}" if name == str(number) else f"class {number} ({clean_name(name)})"


def clean_name(name: object) -> str:
    r"""A name from the data on one line, as of :func:`one_line`; what is too long is cut.

    >>> clean_name("wing\nspan\x1b"), clean_name("\u202e"), clean_name("a" * 1000)[-5:]
    ('wing span', 'unnamed', 'aa...')
    """
    # Beyond a few times the limit nothing can be shown, so that a name of a gigabyte costs nothing.
    shown = one_line(str(name)[: 4 * MAX_NAME])
    return cut(shown, MAX_NAME) or UNNAMED


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    r"""Write a table with a header; numbers in full, truth values as true and false, what is unknown as nothing.

    A text gets an apostrophe in front where a spreadsheet would take it for a formula.

    >>> import io
    >>> file = io.StringIO(newline="")
    >>> write_csv(file, ["name", "p"], [["=1+1", -0.5], ["a, b", None], [True, float("nan")]])
    >>> file.getvalue()
    'name,p\r\n\'=1+1,-0.5\r\n"a, b",\r\ntrue,\r\n'
    """
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: object) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return value
    text = str(value)
    is_formula = text.startswith(FORMULA) or one_line(text).startswith(FORMULA)  # also where blanks stand before it
    return f"'{text}" if is_formula else text
