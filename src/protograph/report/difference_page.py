"""The difference of two explanations as one HTML file, and as a notebook shows it: static, all text escaped."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from protograph._utils.files import atomic_path
from protograph._utils.words import class_label, count_of
from protograph.explanation.difference import (
    CAME,
    CHANGED,
    FEW_GRAPHS,
    NO_REASON,
    SAME,
    WENT,
    Change,
    ClassDifference,
    Difference,
    GraphChange,
    alike,
    class_facts,
    nearest,
    percent,
)
from protograph.report.cards import Picture, pattern_pictures
from protograph.report.depicting import prototype_picture
from protograph.report.figure import shared_palette
from protograph.report.markup import CSS
from protograph.report.page import tile
from protograph.report.palette import Palette
from protograph.report.templating import asset, escape, rendered, trusted

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
    explanations = [one for side in difference.explained for one in side.values()]
    palette = shared_palette(explanations)
    return rendered(
        "difference.html",
        generator=GENERATOR,
        policy=POLICY,
        styles=trusted(CSS + asset("report.css")),
        names=names,
        tiles=_tiles(difference),
        notes=difference.notes,
        sections=[_section(difference, one, palette) for one in difference.classes],
        graphs=[_graph_row(several, difference.class_names) for several in alike(difference.graphs)],
    )


def _tiles(difference: Difference) -> list[dict[str, str]]:
    otherwise = sum(one.is_predicted_otherwise for one in difference.graphs)
    numbers = {status: len(difference.changes(status)) for status in COUNTED}
    return [
        *(tile(f"{SIGNS[status]} {numbers[status]}", words, style=status) for status, words in COUNTED.items()),
        tile(f"{otherwise:,}", f"of {count_of(difference.num_common, 'graph')} predicted otherwise"),
        tile(f"{len(difference.graphs) - otherwise:,}", "predicted the same for another reason"),
    ]


def _section(difference: Difference, one: ClassDifference, palette: Palette) -> dict[str, object]:
    cards = [_card(difference, one.target, number, change, palette) for number, change in enumerate(one.changes)]
    return {
        "target": one.target,
        "title": class_label(one.target, difference.class_names).capitalize(),
        "facts": class_facts(one).replace("->", "→"),
        "changed": [card for card in cards if card["status"] != SAME],
        "same": [card for card in cards if card["status"] == SAME],
    }


def _card(difference: Difference, target: int, number: int, change: Change, palette: Palette) -> dict[str, Any]:
    """What became of a reason or a prototype; it is drawn from the explanation that has it last."""
    before, after, last = change.before, change.after, change.standings[-1]
    explanation = difference.explained[after is not None][target]
    if change.what == "prototype":
        drawn = prototype_picture(explanation, explanation.prototypes[last.number - 1], palette=palette)
        pictures: list[Picture] = [{"drawing": trusted(drawn.markup), "is_lacking": False, "at_least": 1}]
    else:
        pictures = pattern_pictures(explanation, explanation.reasons[last.number - 1], palette)
    return {
        "id": f"class-{target}-change-{number}",
        "status": change.status,
        "sign": SIGNS[change.status],
        "which": f"{change.what} {_numbers(change)}",
        "words": change.words,
        "nearest": nearest(change).removeprefix("; "),
        "shares": (before.share if before else None, after.share if after else None),
        "elsewhere": (before.share_elsewhere if before else None, after.share_elsewhere if after else None),
        "pictures": pictures,
    }


def _graph_row(several: Sequence[GraphChange], names: Sequence[str]) -> dict[str, object]:
    one, labels = several[0], [change.label for change in several]
    left = len(labels) - MOST_GRAPHS
    return {
        "number": len(several),
        "classes": " → ".join(dict.fromkeys(class_label(target, names) for target in one.predictions)),
        "reasons": [reason or NO_REASON for reason in one.reasons],
        "first": ", ".join(labels[:FEW_GRAPHS]),
        "rest": ", ".join(labels[FEW_GRAPHS:MOST_GRAPHS]),
        "left": len(labels) - FEW_GRAPHS,
        "uncounted": f" and {left:,} more" if left > 0 else "",
    }


def difference_html(difference: Difference) -> str:
    """The same for a notebook: without the page around it, without pictures, and with fewer graphs."""
    parts = [
        f"<p>{escape(repr(difference))}</p>",
        *(f"<p>Note: {escape(note)}.</p>" for note in difference.notes),
        *(_class_tables(one, difference.class_names) for one in difference.classes),
        _graphs_table(difference),
    ]
    return f"<div>{''.join(parts)}</div>"


def _class_tables(one: ClassDifference, names: Sequence[str]) -> str:
    told = [change for change in one.changes if change.status != SAME]
    same = [change for change in one.changes if change.status == SAME]
    title = class_label(one.target, names).capitalize()
    return "".join(
        [
            f"<h4>{escape(title)}</h4>",
            f"<p>{escape(class_facts(one).replace('->', '→'))}</p>",
            _change_table(told) if told else "<p>Nothing came, went or changed.</p>",
            f"<details><summary>{len(same)} the same</summary>{_change_table(same)}</details>" if same else "",
        ]
    )


def _change_table(changes: Iterable[Change]) -> str:
    rows = []
    for one in changes:
        words = "<br>".join(escape(text) for text in (one.words, nearest(one).removeprefix("; ")) if text)
        inside = " → ".join(percent(standing.share) for standing in one.standings)
        elsewhere = " → ".join(percent(standing.share_elsewhere) for standing in one.standings)
        rows.append(
            f"<tr><td>{SIGNS[one.status]} {one.status}</td><td>{one.what} {_numbers(one)}</td>"
            f"<td>{words}</td><td>{inside}</td><td>{elsewhere}</td></tr>"
        )
    return _table(rows, "status", "which", "what it is", "of the class", "elsewhere")


def _table(rows: Iterable[str], *names: str) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    above = f"<thead><tr>{head}</tr></thead>"
    return f'<div class="wide"><table>{above}<tbody>{"".join(rows)}</tbody></table></div>'


def _numbers(change: Change) -> str:
    return " → ".join(dict.fromkeys(str(one.number) for one in change.standings))


def _graphs_table(difference: Difference) -> str:
    rows = []
    for several in alike(difference.graphs):
        one, labels = several[0], [change.label for change in several]
        classes = dict.fromkeys(class_label(target, difference.class_names) for target in one.predictions)
        before, after = (escape(reason or NO_REASON) for reason in one.reasons)
        left = f" and {len(labels) - MOST_IN_NOTEBOOK:,} more" if len(labels) > MOST_IN_NOTEBOOK else ""
        which = ", ".join(map(escape, labels[:MOST_IN_NOTEBOOK])) + left
        rows.append(
            f"<tr><td>{len(several):,}</td><td>{escape(' → '.join(classes))}</td>"
            f"<td>{before}<br>→ {after}</td><td>{which}</td></tr>"
        )
    none = "<p>Every graph has the same prediction and the same reason.</p>"
    content = _table(rows, "graphs", "prediction", "reason", "which") if rows else none
    return f"<h4>Graphs that changed</h4>{content}"
