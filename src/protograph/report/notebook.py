"""Explanations as a notebook shows them: static HTML, no scripts, styled in place, all text from data escaped."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from protograph._utils.words import class_label, count_of
from protograph.explanation import Explanation, Names, Pattern, Prototype, Reason, Survey
from protograph.explanation.describing.rule_words import fidelity_words, support_words
from protograph.explanation.prototype import formulas_of
from protograph.graphs.names import ColumnNames
from protograph.report.depicting import SENTENCE, Picture, pattern_picture, prototype_picture
from protograph.report.figure import shared_palette
from protograph.report.looks import fragment_look
from protograph.report.palette import Palette, palette_of
from protograph.report.reason_scene import MAX_PATTERNS, drawn_patterns
from protograph.report.templating import escape
from protograph.report.words import NO_PROTOTYPE, class_title

# Pixels that a picture may be wide and tall.
WIDEST, TALLEST = 240, 190
# Styles stand with their elements: a notebook has one page for all outputs, and viewers drop style sheets.
_CARD = "flex:0 1 17rem;min-width:12rem;padding:.6rem .8rem;border:1px solid rgba(128,128,128,.4);border-radius:8px"
_ROW = "display:flex;flex-wrap:wrap;gap:.7rem;margin:.5rem 0"
_PICTURES = "display:flex;flex-wrap:wrap;gap:.5rem"
_MUTED = "opacity:.75;font-size:.9em"
_NOTICE = "margin:.4rem 0;padding:.4rem .8rem;border-left:6px solid #b42318"
_RULE = "margin:.4rem 0;padding:.4rem .8rem;border-left:6px solid #3b82c4"
_FRAME = {False: "#d0d5dd", True: "#b42318"}


def explanations_html(explanations: Sequence[Explanation], not_explained: Mapping[int, str]) -> str:
    """Several classes, one below the other, with what holds for all of them on top."""
    names = next((one.class_names for one in explanations), ())
    missing = [
        f"<p>Not explained: {escape(class_label(target, names))}: {escape(reason)}</p>"
        for target, reason in not_explained.items()
    ]
    palette = shared_palette(explanations) if explanations else palette_of([])
    doubts = dict.fromkeys(doubt for one in explanations for doubt in one.doubts)
    items = "".join(f"<br>{escape(doubt)}" for doubt in doubts)
    notice = f'<div style="{_NOTICE}"><b>The model may have learned nothing</b>{items}</div>' if doubts else ""
    parts = [_class(one, palette) for one in explanations]
    return _whole([notice, _legend(palette, explanations), *parts, *missing])


def prototype_html(prototype: Prototype) -> str:
    """One prototype by itself, as a card."""
    alone = _told_alone(prototype, prototypes=[prototype])
    palette = shared_palette([alone])
    return _whole([_legend(palette, [alone]), _row([_prototype_card(alone, prototype, palette)])])


def reason_html(reason: Reason) -> str:
    """One reason by itself: its patterns, what it asks for, and where it holds."""
    patterns = [part.pattern for part in drawn_patterns(reason)]
    alone = _told_alone(next((one for one in patterns if one.node_reading.noun), patterns[0] if patterns else None))
    drawn = [one.named for one in patterns if not one.node_reading.is_empty]
    palette = palette_of([one.graph for one in drawn], drawn[0].feature_names if drawn else ())
    return _whole([_legend(palette, [alone]), _row([_reason_card(alone, reason, "its class", palette)])])


def _told_alone(record: Prototype | Pattern | None, **parts: Any) -> Explanation:
    """As much of an explanation as is known where a prototype or a reason shows itself: what columns are called."""
    target = getattr(record, "target", None) or 0
    features, edges = ColumnNames(), ColumnNames()
    if isinstance(record, Prototype):
        features = ColumnNames(record.feature_names, record.feature_values)
        edges = ColumnNames(record.edge_names, record.edge_values)
    elif record is not None:
        parts["node_rule"], edges = record.node_reading, ColumnNames(record.named.edge_names)
    classes = tuple(map(str, range(max(target, getattr(record, "predicted", None) or 0) + 1)))
    names = Names(classes=classes, features=features, edges=edges)
    return Explanation(target=target, **{"prototypes": [], **parts}, survey=Survey(predictions=()), names=names)


def _whole(parts: Iterable[str]) -> str:
    return f'<div style="line-height:1.4;max-width:62rem">{"".join(parts)}</div>'


def _row(cards: Iterable[str]) -> str:
    return f'<div style="{_ROW}">{"".join(cards)}</div>'


def _legend(palette: Palette, explanations: Sequence[Explanation]) -> str:
    """What the colours of nodes mean; nothing where all are alike, or graphs are not drawn as plain ones."""
    records = [one for each in explanations for one in each.prototypes]
    is_plain = not records or any(fragment_look(explanations[0], one) is None for one in records)
    if len(palette.categories) < 2 or not is_plain:
        return ""
    dot = "display:inline-block;width:.8em;height:.8em;border-radius:50%;border:1px solid rgba(128,128,128,.7)"
    items = (
        f'<span style="white-space:nowrap"><span style="{dot};background:{escape(one.color)}"></span> '
        f"{escape(one.label)}</span>"
        for one in palette.categories
    )
    return f'<div style="{_ROW};{_MUTED}">{"".join(items)}</div>'


def _class(explanation: Explanation, palette: Palette) -> str:
    verb = "is" if explanation.num_predicted == 1 else "are"
    graphs, rule, fidelity = count_of(explanation.num_graphs, "graph"), "", explanation.fidelity
    if explanation.rule is not None:
        words = "" if fidelity is None else f'<div style="{_MUTED}">fidelity {escape(fidelity_words(fidelity))}</div>'
        found = escape(str(explanation.rule) or "no reason was found")
        rule = f'<div style="{_RULE}"><b>Rule:</b> {found}{words}</div>'
    prototypes = [
        _prototype_card(explanation, one, palette, number) for number, one in enumerate(explanation.prototypes, start=1)
    ]
    reasons = [
        _reason_card(explanation, one, explanation.class_name, palette, number)
        for number, one in enumerate(explanation.reasons, start=1)
    ]
    return "".join(
        [
            f"<h4 style='margin:.9rem 0 .1rem'>{escape(class_title(explanation))}</h4>",
            f'<div style="{_MUTED}">{explanation.num_predicted:,} of {graphs} {verb} predicted as it</div>',
            rule,
            "" if prototypes else f"<p>{NO_PROTOTYPE}</p>",
            _row([*prototypes, *reasons]),
            *(f'<div style="{_MUTED}">Note: {escape(note)}</div>' for note in explanation.warnings),
        ]
    )


def _prototype_card(explanation: Explanation, prototype: Prototype, palette: Palette, number: int | None = None) -> str:
    title = "Prototype" if number is None else f"Prototype {number}"
    names = () if number is None else explanation.class_names
    target = prototype.target
    known = target is not None and target < len(names)
    words = prototype.describe(names[target or 0] if known else None, class_names=names)
    formulas = "".join(f"<br><code>{escape(formula)}</code>" for formula in formulas_of(prototype))
    what, _, rest = words.partition("; ")
    picture = prototype_picture(explanation, prototype, palette=palette, label=words)
    return (
        f'<div style="{_CARD}">{_picture(picture, words)}'
        f"<div><b>{title}:</b> {escape(what)}</div>"
        f'<div style="{_MUTED}">{escape(rest)}{formulas}</div></div>'
    )


def _reason_card(
    explanation: Explanation, reason: Reason, class_name: str, palette: Palette, number: int | None = None
) -> str:
    parts = drawn_patterns(reason)
    drawn = []
    for part in parts[:MAX_PATTERNS]:
        picture = pattern_picture(explanation, part.pattern, palette=palette, label=part.words)
        # How it counts, where it is not just to be there.
        times = part.pattern.at_least
        if part.is_lacking:
            counts = "not to be there" if times == 1 else f"in fewer than {times} places"
        else:
            counts = "" if times == 1 else f"in at least {times} places"
        caption = f'<div style="{_MUTED}">{counts}</div>' if counts else ""
        drawn.append(f"<div>{_picture(picture, part.words, part.is_lacking)}{caption}</div>")
    more = len(parts) - len(drawn)
    left_out = f'<div style="{_MUTED}">{count_of(more, "further pattern")} not drawn</div>' if more > 0 else ""
    title = "Reason" if number is None else f"Reason {number}"
    return (
        f'<div style="{_CARD}"><div style="{_PICTURES}">{"".join(drawn)}</div>{left_out}'
        f"<div><b>{title}:</b> {escape(reason.describe())}</div>"
        f'<div style="{_MUTED}">{escape(support_words(reason, class_name))}</div></div>'
    )


def _picture(picture: Picture, words: str, is_lacking: bool = False) -> str:
    """A drawing as an image within the page; what is not to be there has a red frame."""
    style = f"background:#fff;border:2px solid {_FRAME[is_lacking]};border-radius:6px;max-width:100%"
    if picture.kind == SENTENCE:
        return f'<div style="{style};color:#1d2433;padding:.3rem .6rem">{picture.markup}</div>'
    alt = escape(f"not to be there: {words}" if is_lacking else words)
    data = b64encode(picture.markup.encode()).decode("ascii")
    return (
        f'<img alt="{alt}" title="{alt}" src="data:image/svg+xml;base64,{data}" '
        f'style="{style};max-height:{TALLEST}px;max-width:min(100%, {WIDEST}px);padding:.4rem">'
    )
