"""The numbers that sentences on prototypes say, read back from the text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
SHARE = r"none|all|less than 0\.1%|more than 99\.9%|[\d.]+%|[\d,]+"
FOUND = re.compile(
    rf"\bin (?P<share>{SHARE}) of (?:the )?(?:(?P<total>[\d,]+) )?(?P<noun>graph|other)s?(?P<which> predicted as| not)?"
    r"[^;]*?(?: \(95%: (?P<low>\d+)% to (?P<high>\d+)%\))?(?= and in |, so that|;|$)"
)
SIZES = re.compile(
    r"(?P<nodes>[\w,]+) nodes?, (?P<edges>[\w,]+) edges?(?:, of which (?P<closing>[\w,]+) closes? (?:a ring|rings))?"
)
ELEMENTS = {
    **{"C": "carbon", "O": "oxygen", "N": "nitrogen", "H": "hydrogen", "S": "sulfur", "P": "phosphorus"},
    **{"F": "fluorine", "Cl": "chlorine", "Br": "bromine", "I": "iodine", "Na": "sodium", "K": "potassium"},
    **{"Li": "lithium", "Ca": "calcium", "B": "boron", "Si": "silicon", "Se": "selenium"},
}


@dataclass(frozen=True)
class Share:
    """A share as it is said, of the graphs of the class or of the others."""

    text: str
    is_class: bool
    total: int | None
    interval: tuple[int, int] | None

    def fits(self, number: int, total: int) -> bool:
        """Whether so many of so many may be said like that."""
        if self.total is not None and self.total != total:
            return False
        if self.text in ("none", "all"):
            return number == (0 if self.text == "none" else total)
        if not self.text.endswith("%"):
            return whole(self.text) == number
        percent = 100 * number / total
        if self.text.startswith("less") or self.text.startswith("more"):
            return 0 < percent < 0.1 if self.text.startswith("less") else 99.9 < percent < 100
        digits = len(self.text.rstrip("%").partition(".")[2])
        return 0 < number < total and abs(float(self.text.rstrip("%")) - percent) <= 0.5 * 10**-digits + 1e-9


def shares(text: str) -> list[Share]:
    """Every share of graphs that a sentence says."""
    found = []
    for match in FOUND.finditer(text):
        interval = None if match["low"] is None else (int(match["low"]), int(match["high"]))
        total = None if match["total"] is None else whole(match["total"])
        found.append(Share(match["share"], match["which"] == " predicted as", total, interval))
    return found


def whole(text: str) -> int | None:
    """A whole number in figures or in words; ``None`` where a text is none."""
    plain = text.replace(",", "")
    return int(plain) if plain.isdigit() else NUMBERS.index(text) if text in NUMBERS else None


def sizes(text: str) -> Iterator[tuple[int, int, int | None]]:
    """Nodes, edges, and edges that close rings, wherever a name says them."""
    for match in SIZES.finditer(text):
        closing = None if match["closing"] is None else whole(match["closing"])
        yield whole(match["nodes"]), whole(match["edges"]), closing


def said_kinds(text: str, names: Sequence[str]) -> Counter:
    """How many nodes of each kind a name says that there are."""
    counts: Counter = Counter()
    for name in names:
        noun = ELEMENTS.get(name)
        words = rf"(?:joined |further )?{re.escape(noun)}s?" if noun else rf"(?:joined )?{re.escape(name)}(?: nodes?)?"
        for match in re.finditer(rf"\b([\w,]+) {words}(?=$|[ ,;)])", text):
            number = whole(match[1])
            counts[name] += number or 0
    return counts


def chance(text: str) -> tuple[float, float] | None:
    """Between which numbers a probability lies that a sentence says; ``None`` where it says none."""
    for pattern, bounds in ((r"p more than 0\.999", (0.999, 1.0)), (r"p less than 0\.001", (0.0, 0.001))):
        if re.search(pattern, text):
            return bounds
    match = re.search(r"p = (\d\.\d+)", text)
    if match is None:
        return None
    half = 0.5 * 10 ** -len(match[1].partition(".")[2])
    return float(match[1]) - half, float(match[1]) + half
