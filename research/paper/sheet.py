"""What one item shows: tables, figures, findings and notes, as files and as a section of the page."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import inf
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from research.paper.estimates import VERDICTS, Estimate

COLUMNS = ("", "ours", "paper, or wanted", "verdict", "note")


class Sheet:
    """Collects what an item shows, in the order in which it is given."""

    def __init__(self, item: str) -> None:
        self.item = item
        self.findings: list[dict[str, Any]] = []
        self.files: dict[str, str] = {}
        self._texts: list[str] = []

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> pd.DataFrame:
        """Add a table, which becomes ``name.csv``."""
        frame = pd.DataFrame([list(row) for row in rows], columns=list(columns), dtype=object)
        self._keep(f"{name}.csv", in_columns(frame).to_csv(index=False, lineterminator="\n"))
        self._texts.append(f"{caption} ([csv]({self.item}/{name}.csv))\n\n{as_markdown(frame)}")
        return frame

    def figure(self, name: str, figure: Figure, caption: str) -> None:
        """Add a figure, which becomes ``name.svg``; the same figure gives the same file."""
        file = io.StringIO()
        with rc_context({"svg.hashsalt": "protograph", "svg.fonttype": "path"}):
            figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
        self._keep(f"{name}.svg", file.getvalue())
        self._texts.append(f"![{caption}]({self.item}/{name}.svg)\n\n{caption}")

    def finding(self, claim: str, ours: Any, paper: Any, verdict: str, note: str = "") -> None:
        """Add a line of our number beside the paper's."""
        if verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, got {verdict!r}")
        self.findings.append({"claim": claim, "ours": ours, "paper": paper, "verdict": verdict, "note": note})

    def limit(self, claim: str, ours: Estimate | float | None, least: float, note: str = "") -> None:
        """Add a line of our number beside what we want of it; of an estimate its mean counts."""
        if ours is not None:
            value = ours.mean if isinstance(ours, Estimate) else ours
            self.finding(claim, ours, f"at least {least:.4g}", "holds" if value >= least else "missed", note)

    def note(self, text: str) -> None:
        """Add a paragraph."""
        self._texts.append(text)

    def text(self) -> str:
        """The section of the page: findings first."""
        rows = [list(one.values()) for one in self.findings]
        findings = [as_markdown(pd.DataFrame(rows, columns=COLUMNS, dtype=object))] if rows else []
        return "\n\n".join([*findings, *self._texts])

    def plain_findings(self) -> list[dict[str, Any]]:
        """The findings without objects, for JSON."""
        return [{key: plain(value) for key, value in one.items()} | {"part": "finding"} for one in self.findings]

    def _keep(self, name: str, text: str) -> None:
        if name in self.files:
            raise ValueError(f"name must be one that nothing else of {self.item} has, got {name!r} again")
        self.files[name] = text


def plain(value: Any) -> Any:
    """A value for JSON; ends of intervals that are not known are ``None``."""
    if isinstance(value, Estimate):
        return {key: None if number in (inf, -inf) else number for key, number in asdict(value).items()}
    return value


def in_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """The numbers as they are; an estimate has columns of its own for the ends of its interval and the count."""
    parts: dict[str, list[Any]] = {}
    for place, column in enumerate(frame.columns):
        values = [plain(value) for value in frame.iloc[:, place]]
        parts[column] = [value["mean"] if isinstance(value, dict) else value for value in values]
        if any(isinstance(value, dict) for value in values):
            for key, end in (("low", "low"), ("high", "high"), ("num", "n")):
                parts[f"{column} {end}"] = [value[key] if isinstance(value, dict) else None for value in values]
    return pd.DataFrame(parts, dtype=object)


def shown(value: Any) -> str:
    """A value as people read it.

    >>> shown(0.12345), shown(21029), shown(None), shown(Estimate(0.5, 0.4, 0.6, 10))
    ('0.1235', '21,029', '', '0.500 [0.400, 0.600]')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) >= 10 else f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def as_markdown(frame: pd.DataFrame) -> str:
    r"""A table for the page.

    >>> print(as_markdown(pd.DataFrame([["BA|house", 2000]], columns=["set", "n"], dtype=object)))
    | set | n |
    |---|---|
    | BA\|house | 2,000 |
    """
    lines = [frame.columns, *([shown(value) for value in row] for row in frame.itertuples(index=False))]
    text = ["| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in line) + " |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(frame.columns), *text[1:]])
