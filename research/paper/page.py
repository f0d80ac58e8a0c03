"""The page of all items: our numbers beside the paper's, as Markdown and as one HTML file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protograph._base.words import count_of
from protograph.report import html
from research.paper.findings import VERDICTS, Estimate
from research.paper.sheet import Finding, Part, Picture
from research.paper.tables import Table, Value, as_markdown, shown

# The first line tells a README that was written here from any other.
MARK = "<!-- written by protograph reproduce -->"
QUICK = "Quick run: few seeds, graphs, models and epochs. It shows that everything works; its numbers mean nothing."
COLUMNS = ("", "ours", "paper", "verdict", "note")
LIMIT_COLUMNS = ("", "ours", "wanted", "verdict", "note")
VERDICT_NOTE = (
    "Ours is a mean with its 95% interval. Better and worse: the paper's value lies outside of it. "
    "Undecided: it lies inside, or nothing is known of the spread; that is no success. "
    "Holds and missed: whether our mean reaches what we set ourselves."
)


@dataclass(frozen=True)
class Section:
    """An item on the page.

    Attributes:
        name: Of the item.
        title: Its headline.
        question: What the paper asks.
        parts: What it shows.
        facts: Its settings and where it comes from.
    """

    name: str
    title: str
    question: str
    parts: Sequence[Part]
    facts: Mapping[str, Any]

    @property
    def is_quick(self) -> bool:
        """Whether it was measured by a quick run."""
        return bool(self.facts["is_quick"])

    @property
    def findings(self) -> list[Finding]:
        """Our numbers beside the paper's, and beside limits of ours, which a quick run is not held against."""
        found = [part for part in self.parts if isinstance(part, Finding)]
        return [one for one in found if not (self.is_quick and one.is_limit)]

    @property
    def finding_tables(self) -> list[tuple[tuple[str, ...], list[Finding]]]:
        """What the page has of the findings: columns and lines of those beside the paper's numbers and the limits."""
        beside_paper = [one for one in self.findings if not one.is_limit]
        limits = [one for one in self.findings if one.is_limit]
        return [(head, lines) for head, lines in ((COLUMNS, beside_paper), (LIMIT_COLUMNS, limits)) if lines]

    @property
    def others(self) -> list[Part]:
        """All else."""
        return [part for part in self.parts if not isinstance(part, Finding)]

    @property
    def origin(self) -> str:
        """One line on where it comes from."""
        cells, seconds = count_of(self.facts["num_cells"], "cell"), self.facts["seconds"]
        training, measured = self.facts["training_seconds"], self.facts["measured"]
        kind = "quick run, " if self.is_quick else ""
        return (
            f"{kind}seeds {', '.join(map(str, self.facts['seeds']))}; "
            f"{seconds:.0f} s in {cells} and {training:.0f} s of training, on one core each; "
            + "; ".join(map(_origin, measured or [self.facts["provenance"]]))
        )


def _origin(made: Mapping[str, Any]) -> str:
    """Where cells were measured, or where an item of before was written."""
    versions, hardware = made["versions"], made["hardware"]
    cells = f"{count_of(made['num_cells'], 'cell')} by " if "num_cells" in made else ""
    commit = f" at {made['commit']}" if made["commit"] else ""
    jobs = f", {hardware['jobs']} processes at once" if hardware.get("jobs", 1) > 1 else ""
    first, last = made.get("first", made.get("date")), made.get("last", made.get("date"))
    return (
        f"{cells}protograph {versions['protograph']}{commit}, torch {versions['torch']}, on "
        f"{hardware['cpu']}, {hardware['cores']} cores, {hardware['device']}{jobs}, "
        f"{first if first == last else f'{first} to {last}'}"
    )


def verdict_counts(sections: Iterable[Section]) -> list[tuple[str, ...]]:
    """A row an item: how many findings have each verdict."""
    rows = []
    for one in sections:
        verdicts: list[str] = [finding.verdict for finding in one.findings]
        rows.append((f"{one.name}: {one.title}", *(str(verdicts.count(word) or "") for word in VERDICTS)))
    return rows


def as_markdown_page(sections: Sequence[Section]) -> str:
    """The page as README.md; figures and data are files beside it."""
    lines = [MARK, "", "# The paper's experiments, measured again", "", VERDICT_NOTE, ""]
    if any(one.is_quick for one in sections):
        lines += [f"**{QUICK}**", ""]
    lines += [as_markdown(("item", *VERDICTS), verdict_counts(sections)), ""]
    for one in sections:
        lines += [f"## {one.name}: {one.title}", "", one.question, ""]
        lines += ["**Quick run.**", ""] if one.is_quick else []
        for columns, findings in one.finding_tables:
            lines += [as_markdown(columns, [_cells(finding) for finding in findings]), ""]
        for part in one.others:
            lines += [*_markdown_part(one, part), ""]
        lines += [f"_{one.origin}_", ""]
    return "\n".join(lines)


def _cells(finding: Finding) -> tuple[str, ...]:
    return (finding.claim, shown(finding.ours), shown(finding.paper), finding.verdict, finding.note)


def _markdown_part(section: Section, part: Part) -> list[str]:
    if isinstance(part, Table):
        files = ", ".join(f"[{end}]({section.name}/{part.name}.{end})" for end in ("csv", "json", "tex"))
        return [f"{part.caption} ({files})", "", as_markdown(part.columns, part.rows)]
    if isinstance(part, Picture):
        return [f"![{part.caption}]({section.name}/{part.name}.svg)", "", part.caption]
    assert isinstance(part, str)
    return [part]


def as_html_page(sections: Sequence[Section]) -> str:
    """The page as one file that needs no other."""
    links = " ".join(f'<a href="#{one.name}">{html.escape(one.name)}</a>' for one in sections)
    quick = f'<p class="quick">{html.escape(QUICK)}</p>' if any(one.is_quick for one in sections) else ""
    body = "".join(map(_html_section, sections))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The paper's experiments, measured again</title><style>{STYLE}</style></head><body>"
        f"<h1>The paper's experiments, measured again</h1><nav>{links}</nav>{quick}"
        f"<p>{html.escape(VERDICT_NOTE)}</p>{_html_table(('item', *VERDICTS), verdict_counts(sections))}{body}"
        "</body></html>\n"
    )


def _html_section(one: Section) -> str:
    quick = ' <span class="quick">quick run</span>' if one.is_quick else ""
    findings = "".join(_findings_table(columns, lines) for columns, lines in one.finding_tables)
    parts = "".join(map(_html_part, one.others))
    return (
        f'<section id="{one.name}"><h2>{html.escape(f"{one.name}: {one.title}")}{quick}</h2>'
        f"<p>{html.escape(one.question)}</p>{findings}{parts}"
        f'<p class="origin">{html.escape(one.origin)}</p></section>'
    )


def _findings_table(columns: Sequence[str], findings: Sequence[Finding]) -> str:
    rows = []
    for finding in findings:
        kind = finding.verdict.replace(" ", "-")
        rows.append(
            f'<tr><th scope="row">{html.escape(finding.claim)}</th>{_html_cell(finding.ours)}'
            f'{_html_cell(finding.paper)}<td class="verdict {kind}">{finding.verdict}</td>'
            f'<td class="note">{html.escape(finding.note)}</td></tr>'
        )
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    return html.table(rows, head=head)


def _html_part(part: Part) -> str:
    if isinstance(part, Table):
        return _html_table(part.columns, part.rows, part.caption)
    if isinstance(part, Picture):
        return html.picture(part.svg.encode(), ".svg", part.caption, caption=part.caption)
    assert isinstance(part, str)
    return f"<p>{html.escape(part)}</p>"


def _html_cell(value: Value) -> str:
    """A number and its interval stay on one line."""
    kind = ' class="estimate"' if isinstance(value, Estimate) else ""
    return f"<td{kind}>{html.escape(shown(value))}</td>"


def _html_table(columns: Sequence[str], rows: Iterable[Sequence[Value]], caption: str = "") -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    lines = (html.row(shown(row[0]), "".join(map(_html_cell, row[1:]))) for row in rows)
    # Not the table's own caption, which is as narrow as the table.
    above = f'<p class="caption">{html.escape(caption)}</p>' if caption else ""
    return above + html.table(lines, head=head)


STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.7rem}h2{font-size:1.3rem;margin:0 0 .5rem;padding-top:1.5rem;border-top:1px solid #d0d7de}
nav a{margin-right:1rem}a{color:#0b5cad}
.wide{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse;font-size:.88rem}
.caption{color:#57606a;font-size:.88rem;margin:1.2rem 0 -.6rem}
th,td{padding:.3rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid #e4e8ec}
td{font-variant-numeric:tabular-nums}
.estimate,.verdict{white-space:nowrap}
thead th{border-bottom:2px solid #8c959f}th[scope=row]{font-weight:500;min-width:8.5rem}
.better{color:#116329;font-weight:600}.worse,.differs{color:#a40e26;font-weight:600}
.agrees,.holds{color:#116329}.missed{color:#a40e26;font-weight:600}.undecided,.not-comparable,.note{color:#57606a}
.quick{background:#fff3c4;padding:.15rem .5rem;border-radius:.3rem}h2 .quick{font-size:.8rem;font-weight:400}
figure{margin:1rem 0}figure img{max-width:100%;height:auto}figcaption{color:#57606a;font-size:.88rem}
.origin{color:#57606a;font-size:.8rem}
"""
