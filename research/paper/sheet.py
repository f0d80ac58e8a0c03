"""What one item shows: tables, figures, findings and notes, in the order in which they are given."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from research.paper.findings import LIMIT_VERDICTS, VERDICTS, Estimate, Verdict
from research.paper.tables import Table, Value, as_csv, as_json, as_latex

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
# What makes the same figure the same file: no date, and names of parts that are drawn from this.
_SALT = "protograph"


@dataclass(frozen=True)
class Finding:
    """Our number beside the paper's, or beside a limit of ours.

    Attributes:
        claim: What is compared.
        ours: Our number, or what came out in words.
        paper: The paper's, or what we want.
        verdict: What can be said of the two.
        note: What to know of it.
    """

    claim: str
    ours: Value
    paper: Value
    verdict: Verdict
    note: str = ""

    @property
    def is_limit(self) -> bool:
        """Whether it is beside a limit of ours."""
        return self.verdict in LIMIT_VERDICTS


@dataclass(frozen=True)
class Picture:
    """A figure as text of an SVG file."""

    name: str
    svg: str
    caption: str


Part = Table | Picture | Finding | str


class Sheet:
    """Collects what an item shows."""

    def __init__(self) -> None:
        self.parts: list[Part] = []

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[Value]], caption: str) -> None:
        """Add a table, which becomes ``name.csv``, ``name.json`` and ``name.tex``; names are in small letters."""
        self._check_name(name)
        self.parts.append(Table(name, tuple(columns), tuple(map(tuple, rows)), caption))

    def figure(self, name: str, figure: Any, caption: str) -> None:
        """Add a figure of matplotlib, or the text of an SVG file; it becomes ``name.svg``."""
        self._check_name(name)
        self.parts.append(Picture(name, figure if isinstance(figure, str) else _as_svg(figure), caption))

    def finding(self, claim: str, ours: Value, paper: Value, verdict: Verdict, note: str = "") -> None:
        """Add a line of our number beside the paper's."""
        if verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, got {verdict!r}")
        self.parts.append(Finding(claim, ours, paper, verdict, note))

    def limit(self, claim: str, ours: Estimate | float, least: float, note: str = "") -> None:
        """Add a line of our number beside what we want of it; of an estimate its mean counts."""
        value = ours.mean if isinstance(ours, Estimate) else ours
        self.finding(claim, ours, f"at least {least:.4g}", "holds" if value >= least else "missed", note)

    def note(self, text: str) -> None:
        """Add a paragraph."""
        self.parts.append(text)

    def files(self) -> dict[str, str]:
        """Text of each file, by name."""
        files: dict[str, str] = {}
        for part in self.parts:
            if isinstance(part, Table):
                texts = {"csv": as_csv(part), "json": as_json(part), "tex": as_latex(part)}
                files |= {f"{part.name}.{ending}": text for ending, text in texts.items()}
            elif isinstance(part, Picture):
                files[f"{part.name}.svg"] = part.svg
        return files

    def as_json(self) -> list[dict[str, Any]]:
        """The parts as plain data, as :func:`read_parts` reads them; figures without their drawings."""
        return [_plain_part(part) for part in self.parts]

    def _check_name(self, name: str) -> None:
        if not NAME.fullmatch(name):
            raise ValueError(f"name must be small letters, digits and hyphens, got {name!r}")
        if any(isinstance(part, Table | Picture) and part.name == name for part in self.parts):
            raise ValueError(f"name must be one that no other part has, got {name!r} again")


def read_parts(content: Sequence[Mapping[str, Any]], svgs: Mapping[str, str]) -> list[Part]:
    """The parts of a sheet again; ``svgs`` has the text of each figure, by its name."""
    parts: list[Part] = []
    for one in content:
        fields = {key: _value(value) for key, value in one.items() if key != "part"}
        if one["part"] == "table":
            rows = tuple(tuple(map(_value, row)) for row in one["rows"])
            parts.append(Table(**fields | {"columns": tuple(one["columns"]), "rows": rows}))
        elif one["part"] == "figure":
            parts.append(Picture(svg=svgs[one["name"]], **fields))
        elif one["part"] == "finding":
            parts.append(Finding(**fields))
        else:
            parts.append(one["text"])
    return parts


def _plain_part(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"part": "note", "text": part}
    if isinstance(part, Picture):
        return {"part": "figure", "name": part.name, "caption": part.caption}
    return {"part": "table" if isinstance(part, Table) else "finding", **asdict(part)}


def _value(value: Any) -> Any:
    return Estimate(**value) if isinstance(value, dict) else value


def _as_svg(figure: Any) -> str:
    """The same text for the same figure."""
    import matplotlib

    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": _SALT, "svg.fonttype": "path"}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    return file.getvalue()
