"""Explanations as a notebook shows them: static HTML, no scripts, styled in place, all text from data escaped."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence

from torch_geometric.data import Data

from protograph._base.words import class_label, count_of
from protograph.explanation import Explanation, Prototype, Reason
from protograph.explanation.describing.rule_words import fidelity_words, support_words
from protograph.explanation.figures import formulas_of
from protograph.report.figure import shared_palette
from protograph.report.html import escape
from protograph.report.layout import layout
from protograph.report.palette import Palette, palette_of
from protograph.report.reason_scene import MAX_PATTERNS, DrawnPattern, drawn_patterns
from protograph.report.sheet import figure_bytes, our_style
from protograph.report.views import View, draw_view
from protograph.report.words import NO_PROTOTYPE, class_title

# In inches and in pixels: what is drawn at this size is shown at that one.
SIZE, PIXELS = (2.2, 1.7), (198, 153)
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
    parts = [_class(one, palette) for one in explanations]
    return _whole([*_doubts(explanations), _legend(palette), *parts, *missing])


def explanation_html(explanation: Explanation) -> str:
    """One class: its rule, and a card for each prototype and reason."""
    palette = shared_palette([explanation])
    return _whole([*_doubts([explanation]), _legend(palette), _class(explanation, palette)])


def prototype_html(prototype: Prototype) -> str:
    """One prototype by itself, as a card."""
    graph, names, _ = prototype.named
    palette = palette_of([graph], names)
    return _whole([_legend(palette), _row([_prototype_card(prototype, palette)])])


def reason_html(reason: Reason) -> str:
    """One reason by itself: its patterns, what it asks for, and where it holds."""
    drawn = [part.pattern.named for part in drawn_patterns(reason) if part.pattern.are_nodes_matched]
    palette = palette_of([one.graph for one in drawn], drawn[0].feature_names if drawn else ())
    return _whole([_legend(palette), _row([_reason_card(reason, "its class", palette)])])


def _whole(parts: Iterable[str]) -> str:
    return f'<div style="line-height:1.4;max-width:62rem">{"".join(parts)}</div>'


def _row(cards: Iterable[str]) -> str:
    return f'<div style="{_ROW}">{"".join(cards)}</div>'


def _legend(palette: Palette) -> str:
    """What the colours of nodes mean; nothing where all are alike, or colours are a scale."""
    if len(palette.categories) < 2:
        return ""
    dot = "display:inline-block;width:.8em;height:.8em;border-radius:50%;border:1px solid rgba(128,128,128,.7)"
    items = (
        f'<span style="white-space:nowrap"><span style="{dot};background:{escape(one.color)}"></span> '
        f"{escape(one.label)}</span>"
        for one in palette.categories
    )
    return f'<div style="{_ROW};{_MUTED}">{"".join(items)}</div>'


def _doubts(explanations: Sequence[Explanation]) -> list[str]:
    doubts = dict.fromkeys(doubt for one in explanations for doubt in one.doubts)
    items = "".join(f"<br>{escape(doubt)}" for doubt in doubts)
    return [f'<div style="{_NOTICE}"><b>The model may have learned nothing</b>{items}</div>'] if doubts else []


def _class(explanation: Explanation, palette: Palette) -> str:
    verb = "is" if explanation.num_predicted == 1 else "are"
    graphs = count_of(explanation.num_graphs, "graph")
    colors, names = explanation.feature_colors, explanation.class_names
    prototypes = [
        _prototype_card(one, palette, number, colors, names)
        for number, one in enumerate(explanation.prototypes, start=1)
    ]
    reasons = [
        _reason_card(one, explanation.class_name, palette, number, colors)
        for number, one in enumerate(explanation.reasons, start=1)
    ]
    return "".join(
        [
            f"<h4 style='margin:.9rem 0 .1rem'>{escape(class_title(explanation))}</h4>",
            f'<div style="{_MUTED}">{explanation.num_predicted:,} of {graphs} {verb} predicted as it</div>',
            _rule(explanation),
            "" if prototypes else f"<p>{NO_PROTOTYPE}</p>",
            _row([*prototypes, *reasons]),
            *(f'<div style="{_MUTED}">Note: {escape(note)}</div>' for note in explanation.warnings),
        ]
    )


def _rule(explanation: Explanation) -> str:
    if explanation.is_rule_of_prototypes:
        return ""
    fidelity = explanation.fidelity
    words = "" if fidelity is None else f'<div style="{_MUTED}">fidelity {escape(fidelity_words(fidelity))}</div>'
    return f'<div style="{_RULE}"><b>Rule:</b> {escape(explanation.rule or "no reason was found")}{words}</div>'


def _prototype_card(
    prototype: Prototype,
    palette: Palette,
    number: int | None = None,
    colors: Sequence[str] = (),
    class_names: Sequence[str] = (),
) -> str:
    graph = prototype.named.graph
    title = "Prototype" if number is None else f"Prototype {number}"
    target = prototype.target
    known = target is not None and target < len(class_names)
    words = prototype.describe(class_names[target or 0] if known else None, class_names=class_names, colors=colors)
    formulas = "".join(f"<br><code>{escape(formula)}</code>" for formula in formulas_of(prototype))
    what, _, rest = words.partition("; ")
    return (
        f'<div style="{_CARD}">{_picture(View(graph, layout(prototype.graph)), palette, words)}'
        f"<div><b>{title}:</b> {escape(what)}</div>"
        f'<div style="{_MUTED}">{escape(rest)}{formulas}</div></div>'
    )


def _reason_card(
    reason: Reason,
    class_name: str,
    palette: Palette,
    number: int | None = None,
    colors: Sequence[str] = (),
) -> str:
    parts = drawn_patterns(reason, colors)
    drawn = [_pattern_picture(part, palette) for part in parts[:MAX_PATTERNS]]
    more = len(parts) - len(drawn)
    left_out = f'<div style="{_MUTED}">{count_of(more, "further pattern")} not drawn</div>' if more > 0 else ""
    title = "Reason" if number is None else f"Reason {number}"
    return (
        f'<div style="{_CARD}"><div style="{_PICTURES}">{"".join(drawn)}</div>{left_out}'
        f"<div><b>{title}:</b> {escape(reason.describe(colors=colors))}</div>"
        f'<div style="{_MUTED}">{escape(support_words(reason, class_name))}</div></div>'
    )


def _pattern_picture(part: DrawnPattern, palette: Palette) -> str:
    pattern, graph = part.pattern, part.pattern.named.graph
    place = layout(Data(edge_index=pattern.graph.edge_index, num_nodes=pattern.num_nodes))
    caption = f'<div style="{_MUTED}">not to be there</div>' if part.is_lacking else ""
    drawn = _picture(View(graph, place, rings=pattern.closed), palette, part.words, part.is_lacking)
    return f"<div>{drawn}{caption}</div>"


def _picture(view: View, palette: Palette, words: str, is_lacking: bool = False) -> str:
    """A drawing as an image within the page; what is not to be there has a red frame."""
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=SIZE, facecolor="white")
        draw_view(figure.add_axes((0.02, 0.02, 0.96, 0.96)), (0.96 * SIZE[0], 0.96 * SIZE[1]), view, palette)
        data = b64encode(figure_bytes(figure, ".svg")).decode("ascii")
    alt = escape(f"not to be there: {words}" if is_lacking else words)
    return (
        f'<img alt="{alt}" title="{alt}" width="{PIXELS[0]}" height="{PIXELS[1]}" '
        f'src="data:image/svg+xml;base64,{data}" '
        f'style="background:#fff;border:2px solid {_FRAME[is_lacking]};border-radius:6px;max-width:100%">'
    )
