"""The difference of two explanations as one HTML file, and as a notebook shows it: static, all text escaped."""

from collections.abc import Iterable, Sequence
from os import PathLike

from protograph._base.files import atomic_path
from protograph._base.words import class_label, count_of
from protograph.explanation.changes import CAME, CHANGED, SAME, WENT, Change, ClassDifference, GraphChange
from protograph.explanation.describing.difference_words import (
    FEW_GRAPHS,
    NO_REASON,
    alike,
    class_facts,
    nearest,
    percent,
)
from protograph.explanation.difference import Difference
from protograph.report.html import escape, table

GENERATOR = "protograph compare-models"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# Graphs that changed in the same way and are listed by a page, and by a notebook.
MOST_GRAPHS, MOST_IN_NOTEBOOK = 1000, 20
# A sign besides the colour, for those who cannot tell colours apart.
SIGNS = {CAME: "+", WENT: "−", CHANGED: "~", SAME: "="}  # noqa: RUF001
COUNTED = {
    CAME: "reasons and prototypes came",
    WENT: "reasons and prototypes went",
    CHANGED: "changed their share",
}
DARK = "@media (prefers-color-scheme: dark) { :root { "
CSS = (
    """
:root { color-scheme: light dark; --ink: #1d2433; --muted: #5b6475; --rule: #e4e7ec; --back: #fff; --card: #f7f8fa;
  --came: #05603a; --went: #b42318; --changed: #8a4b00; --same: #5b6475; }
"""
    + DARK
    + """--ink: #e6e9ef; --muted: #a3acba; --rule: #343b49; --back: #151922; --card: #1d2330;
  --came: #6ce9a6; --went: #fda29b; --changed: #fdb022; --same: #a3acba; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 66rem; padding: 2.5rem 1.5rem 4rem; color: var(--ink); background: var(--back);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 .2rem; padding-top: 1.2rem; border-top: 2px solid var(--rule); }
.muted { color: var(--muted); }
.counts { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.4rem 0; padding: 0; list-style: none; }
.counts li { flex: 1 1 8rem; padding: .7rem 1rem; background: var(--card); border-radius: 8px; }
.counts b { display: block; font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .8rem 0; font-size: .92rem; }
th, td { padding: .45rem .9rem .45rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; }
td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
td.words { min-width: 15rem; overflow-wrap: anywhere; }
.status { white-space: nowrap; font-weight: 600; }
.came { color: var(--came); } .went { color: var(--went); } .changed { color: var(--changed); }
.same { color: var(--same); }
summary { cursor: pointer; }
@media (max-width: 40rem) {
  body { padding: 1.5rem 1rem 3rem; }
  .changes thead { display: none; }
  .changes tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--rule); }
  .changes td { display: block; padding: .1rem 0; border: 0; }
  .changes td[data-name]::before { content: attr(data-name) ": "; color: var(--muted); }
}
@media print { details { display: block; } tr { break-inside: avoid; } }
"""
)


def write_difference(
    difference: Difference, path: str | PathLike[str], names: tuple[str, str] = ("before", "after")
) -> None:
    """Write one self-contained HTML file, whole or not at all.

    Args:
        difference: What to show.
        path: The file; an existing one is replaced.
        names: What the two explanations are called.
    """
    with atomic_path(path) as temporary:
        temporary.write_text(difference_page(difference, names), encoding="utf-8", errors="replace")


def difference_page(difference: Difference, names: tuple[str, str]) -> str:
    """The page as text."""
    title = f"{names[0]} and {names[1]}"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta name="generator" content="{GENERATOR}">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Protograph: {escape(title)}</title>",
            f"<style>{CSS}</style>",
            "</head>",
            "<body>",
            "<main>",
            "<h1>What changed between two models</h1>",
            f'<p class="muted">From {escape(names[0])} to {escape(names[1])}, of the same classes</p>',
            _counts(difference),
            *(f'<p class="muted">Note: {escape(note)}.</p>' for note in difference.notes),
            *(_class_section(one, difference.class_names) for one in difference.classes),
            _graphs_section(difference, "h2", MOST_GRAPHS),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def difference_html(difference: Difference) -> str:
    """The same for a notebook: without the page around it, and with fewer graphs."""
    parts = [
        f"<p>{escape(repr(difference))}</p>",
        *(f"<p>Note: {escape(note)}.</p>" for note in difference.notes),
        *(_class_section(one, difference.class_names, "h4") for one in difference.classes),
        _graphs_section(difference, "h4", MOST_IN_NOTEBOOK),
    ]
    return f"<div>{''.join(parts)}</div>"


def _counts(difference: Difference) -> str:
    otherwise = sum(one.is_predicted_otherwise for one in difference.graphs)
    numbers = {status: len(difference.changes(status)) for status in COUNTED}
    items = [
        f'<li><b class="{status}">{SIGNS[status]} {numbers[status]}</b>{words}</li>'
        for status, words in COUNTED.items()
    ]
    items += [
        f"<li><b>{otherwise:,}</b>of {count_of(difference.num_common, 'graph')} predicted otherwise</li>",
        f"<li><b>{len(difference.graphs) - otherwise:,}</b>predicted the same for another reason</li>",
    ]
    return f'<ul class="counts">{"".join(items)}</ul>'


def _class_section(one: ClassDifference, names: Sequence[str], heading: str = "h2") -> str:
    told = [change for change in one.changes if change.status != SAME]
    same = [change for change in one.changes if change.status == SAME]
    title = class_label(one.target, names).capitalize()
    return "\n".join(
        [
            "<section>",
            f"<{heading}>{escape(title)}</{heading}>",
            f'<p class="muted">{escape(class_facts(one).replace("->", "→"))}</p>',
            _change_table(told) if told else "<p>Nothing came, went or changed.</p>",
            f"<details><summary>{len(same)} the same</summary>{_change_table(same)}</details>" if same else "",
            "</section>",
        ]
    )


def _change_table(changes: Iterable[Change]) -> str:
    rows = [
        f'<tr><td class="status {one.status}">{SIGNS[one.status]} {one.status}</td>'
        f"<td>{one.what} {_numbers(one)}</td>"
        f'<td class="words">{escape(one.words)}{_nearest(one)}</td>'
        f'<td class="number" data-name="of the class">{_shares(one, "share")}</td>'
        f'<td class="number" data-name="elsewhere">{_shares(one, "share_elsewhere")}</td></tr>'
        for one in changes
    ]
    return table(rows, head=_head("status", "which", "what it is", "of the class", "elsewhere"), style="changes")


def _head(*names: str) -> str:
    return "".join(f'<th scope="col">{name}</th>' for name in names)


def _numbers(change: Change) -> str:
    numbers = [str(one.number) for one in (change.before, change.after) if one is not None]
    return " → ".join(dict.fromkeys(numbers))


def _nearest(change: Change) -> str:
    words = nearest(change).removeprefix("; ")
    return f'<br><span class="muted">{escape(words)}</span>' if words else ""


def _shares(change: Change, name: str) -> str:
    both = [percent(getattr(one, name)) for one in (change.before, change.after) if one is not None]
    return " → ".join(both)


def _graphs_section(difference: Difference, heading: str, most: int) -> str:
    none = "<p>Every graph has the same prediction and the same reason.</p>"
    content = _graph_table(difference.graphs, difference.class_names, most) or none
    return f"<section><{heading}>Graphs that changed</{heading}>{content}</section>"


def _graph_table(graphs: Sequence[GraphChange], names: Sequence[str], most: int) -> str:
    """A row for graphs that changed in the same way; nothing where none did."""
    rows = []
    for several in alike(graphs):
        one, labels = several[0], [change.label for change in several]
        classes = dict.fromkeys(class_label(target, names) for target in one.predictions)
        rows.append(
            f'<tr><td class="number">{len(several):,}</td><td>{escape(" → ".join(classes))}</td>'
            f'<td class="words">{_reasons(one)}</td><td class="words">{_listed(labels, most)}</td></tr>'
        )
    return table(rows, head=_head("graphs", "prediction", "reason", "which"), style="changes") if rows else ""


def _reasons(one: GraphChange) -> str:
    before, after = (escape(reason or NO_REASON) for reason in one.reasons)
    return f'{before}<br><span aria-label="became">→</span> {after}'


def _listed(labels: Sequence[str], most: int) -> str:
    """The first graphs, and the others folded up; past so many they are counted."""
    first, rest = (", ".join(map(escape, some)) for some in (labels[:FEW_GRAPHS], labels[FEW_GRAPHS:most]))
    left = f" and {len(labels) - most:,} more" if len(labels) > most else ""
    folded = f"<details><summary>{len(labels) - FEW_GRAPHS:,} more</summary>{rest}{left}</details>" if rest else left
    return f"{first}{folded}"
