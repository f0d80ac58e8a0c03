"""What the cards of prototypes and reasons show, as the templates read it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from protograph._base.words import count_of, listed, with_article
from protograph.explanation import Explanation, Prototype, Reason
from protograph.explanation.describing.rule_words import example_words, support_words
from protograph.explanation.describing.sentences import chance, taken_for, what_it_is, where_found
from protograph.explanation.prototype import TakenOut
from protograph.report.card_figures import (
    MAX_KIND,
    Bar,
    SessionCell,
    Table,
    node_names,
    part_tables,
    prototype_bars,
    prototype_facts,
    reason_bars,
    reason_facts,
    session_cells,
    session_table,
)
from protograph.report.copying import prototype_texts, reason_texts
from protograph.report.depicting import GRAPH, example_picture, graph_like, pattern_picture, prototype_pictures
from protograph.report.depicting import Picture as Depicted
from protograph.report.doubting import shortcut
from protograph.report.palette import Palette
from protograph.report.reason_scene import MAX_PATTERNS, drawn_patterns
from protograph.report.shown_graphs import Examples, ShownGraphs
from protograph.report.truths import Overlay, truth_overlay
from protograph.report.words import shortened, size


@dataclass(frozen=True)
class Picture:
    """A drawing, what stands above it, and how it counts."""

    drawing: Markup
    words: str = ""
    is_lacking: bool = False
    at_least: int = 1
    smiles: str = ""
    is_plain: bool = False


@dataclass(frozen=True, kw_only=True)
class Card:
    """A prototype or a reason."""

    id: str
    kind: str
    number: int
    title: str
    sentence: str
    probability: str = ""
    pictures: list[Picture]
    note: str = ""
    bars: list[Bar] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    sources: list[Picture] = field(default_factory=list)
    counterparts: list[str] = field(default_factory=list)
    example: Picture | None = None
    taken_out: Sequence[TakenOut] = ()
    taken_labels: Sequence[str] = ()
    sessions: list[SessionCell] = field(default_factory=list)
    session_table: Table = field(default_factory=lambda: Table({}))
    steps: Sequence[str] = ()
    parts: list[Table] = field(default_factory=list)
    next_best: list[Picture] = field(default_factory=list)
    copies: dict[str, str] = field(default_factory=dict)
    truth: Overlay | None = None
    examples: Examples = field(default_factory=lambda: Examples([], [], {}))


def prototype_card(explanation: Explanation, number: int, palette: Palette, shown: ShownGraphs) -> Card:
    """What is shown of a prototype, by its number in its class, from 1."""
    prototype = explanation.prototypes[number - 1]
    titles, name = _node_titles(explanation, prototype), what_it_is(prototype, explanation.feature_colors)
    label = f"Prototype {number}: {name}"
    pictures = prototype_pictures(explanation, prototype, palette=palette, titles=titles, label=label)
    taken = taken_for(prototype, explanation.class_names)
    examples = shown.of_prototype(prototype, explanation.target)
    out = _taken(explanation.prototypes_taken_out, number)
    evidence = prototype.evidence
    return Card(
        id=f"class-{explanation.target}-prototype-{number}",
        kind="Prototype",
        number=number,
        title=name,
        sentence=where_found(evidence, explanation.class_name),
        probability=chance(prototype.probability),
        pictures=[_shown(pictures.alone)],
        bars=prototype_bars(prototype),
        warnings=[taken] if taken else [],
        facts=prototype_facts(explanation, prototype),
        sources=list(map(_source, pictures.sources)),
        counterparts=_counterparts(explanation, prototype),
        taken_out=out,
        taken_labels=[_label(explanation, one.index) for one in out],
        sessions=session_cells(prototype),
        session_table=session_table(explanation, prototype),
        steps=evidence.steps if evidence else (),
        parts=part_tables(explanation, prototype, evidence) if evidence else [],
        next_best=_next_best(explanation, prototype, palette),
        copies=prototype_texts(prototype),
        truth=truth_overlay(explanation, prototype, palette),
        examples=examples,
    )


def reason_card(explanation: Explanation, number: int, palette: Palette, shown: ShownGraphs) -> Card:
    """What is shown of a reason, by its number in its class, from 1."""
    reason = explanation.reasons[number - 1]
    words = reason.describe(colors=explanation.feature_colors)
    doubt = shortcut(explanation, reason)
    out = _taken(explanation.reasons_taken_out, number)
    pictures = _patterns(explanation, reason, palette)
    return Card(
        id=f"class-{explanation.target}-reason-{number}",
        kind="Reason",
        number=number,
        title=words,
        sentence=support_words(reason, explanation.class_name),
        pictures=pictures,
        note=_reason_note(reason, pictures),
        bars=reason_bars(reason),
        warnings=[f"It {doubt}."] if doubt else [],
        facts=reason_facts(explanation, reason, number),
        example=_example(explanation, reason, palette),
        taken_out=out,
        taken_labels=[_label(explanation, one.index) for one in out],
        copies=reason_texts(reason),
        examples=shown.of_reason(reason, explanation.target),
    )


def _taken(all_of: Sequence[Sequence[TakenOut]], number: int) -> Sequence[TakenOut]:
    return all_of[number - 1] if all_of else ()


def _label(explanation: Explanation, index: int) -> str:
    origin = explanation.origin(index)
    return shortened(origin.name, MAX_KIND) or f"graph {origin.position}"


def _node_titles(explanation: Explanation, prototype: Prototype) -> list[str]:
    evidence, titles = prototype.evidence, node_names(explanation, prototype)
    if evidence is None:
        return titles
    if evidence.node_graphs:
        counts = [f"in {n:,} of {evidence.num_looked_at:,} graphs looked at" for n in evidence.node_graphs]
        titles = [f"{title}: {count}" for title, count in zip(titles, counts, strict=True)]
    if evidence.contributions:
        titles = [f"{t}; adds {c:+.2f} to the margin" for t, c in zip(titles, evidence.contributions, strict=True)]
    return titles


def _shown(picture: Depicted, words: str = "", **how: Any) -> Picture:
    """A picture of ours, whose text is escaped, for the template."""
    beside = [words, *((picture.note,) if picture.note else ())]
    return Picture(
        Markup(picture.markup),  # noqa: S704
        "; ".join(part for part in beside if part),
        is_plain=picture.kind == GRAPH,
        **how,
    )


def _source(picture: Depicted) -> Picture:
    groups = f"has {listed([with_article(name) for name in picture.groups])} there" if picture.groups else ""
    return _shown(picture, "; ".join(part for part in (picture.place, groups) if part), smiles=picture.smiles)


def _next_best(explanation: Explanation, prototype: Prototype, palette: Palette) -> list[Picture]:
    return [
        _shown(
            graph_like(explanation, prototype, one.graph, label=size(one.graph), palette=palette),
            f"{size(one.graph)}; {chance(one.probability)}, margin {one.margin:.2f}",
        )
        for one in prototype.next_best
    ]


def _counterparts(explanation: Explanation, prototype: Prototype) -> list[str]:
    """What each node is called where its counterparts are looked for; nothing where it has none."""
    return node_names(explanation, prototype) if prototype.matches is not None else []


def _patterns(explanation: Explanation, reason: Reason, palette: Palette) -> list[Picture]:
    return [
        _shown(
            pattern_picture(explanation, part.pattern, palette=palette, label=part.words),
            part.words,
            is_lacking=part.is_lacking,
            at_least=part.pattern.at_least,
        )
        for part in drawn_patterns(reason, explanation.feature_colors)[:MAX_PATTERNS]
    ]


def _example(explanation: Explanation, reason: Reason, palette: Palette) -> Picture | None:
    example, picture = reason.example, example_picture(explanation, reason, palette=palette)
    if example is None or picture is None:
        return None
    return _shown(picture, example_words(example, picture.place), smiles=picture.smiles)


def _reason_note(reason: Reason, pictures: Sequence[Picture]) -> str:
    parts = drawn_patterns(reason)
    left_out = len(parts) - len(pictures)
    notes = [
        "Ringed nodes have no other neighbours." if any(part.pattern.closed for part in parts) else "",
        "What is hatched is not to be there." if any(one.is_lacking for one in pictures) else "",
        f"{count_of(left_out, 'further pattern')} not drawn." if left_out else "",
    ]
    return " ".join(note for note in notes if note)
