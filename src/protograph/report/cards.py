"""What the cards of prototypes and reasons show, as the templates read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from markupsafe import Markup

from protograph._base.intervals import wilson
from protograph._base.words import class_label, count_of
from protograph.explanation import Evidence, Explanation, Prototype, Reason
from protograph.explanation.describing.rule_words import example_words, fidelity_words, support_words
from protograph.explanation.describing.sentences import (
    chance,
    cluster_of,
    share_of,
    taken_for,
    what_it_is,
    where_found,
)
from protograph.explanation.figures import describe_composition, formulas_of
from protograph.explanation.survey import TakenOut
from protograph.graphs.kinds import node_columns
from protograph.report.copying import pattern_texts, prototype_texts
from protograph.report.doubting import shortcut
from protograph.report.layout import layout
from protograph.report.palette import Palette
from protograph.report.reason_scene import ReasonScene
from protograph.report.scene import ClassScenes, Scene
from protograph.report.shown_graphs import Examples, ShownGraphs
from protograph.report.sources import source_views
from protograph.report.svg import Frame, svg_of
from protograph.report.truths import Overlay, truth_overlay
from protograph.report.views import View
from protograph.report.words import pale_note, shortened, size

MAX_KIND = 40
# Margins of sessions that differ by less look alike: what is below is noise.
SMALLEST_SPAN = 0.05
SMALL, WIDE = Frame(190, 140), Frame(360, 240)


@dataclass(frozen=True)
class Bar:
    """A share of some graphs with its interval, all as per cent."""

    label: str
    number: int
    total: int
    style: str = ""

    @property
    def share(self) -> float:
        """The share."""
        return 100 * self.number / self.total

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval."""
        low, high = wilson(self.number, self.total)
        return 100 * low, 100 * high

    @property
    def text(self) -> str:
        """The share in words."""
        return share_of(self.number, self.total)


@dataclass(frozen=True)
class Picture:
    """A drawing, what stands above it, and how it counts."""

    drawing: Markup
    words: str = ""
    is_lacking: bool = False
    at_least: int = 1


@dataclass(frozen=True)
class Table:
    """Columns of text, each with its name; those without cells are left out."""

    columns: Mapping[str, Sequence[str]]

    @property
    def names(self) -> list[str]:
        """The names of the columns with cells."""
        return [name for name, cells in self.columns.items() if cells]

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The rows."""
        return list(zip(*(self.columns[name] for name in self.names), strict=True))


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
    example: Picture | None = None
    taken_out: Sequence[TakenOut] = ()
    taken_labels: Sequence[str] = ()
    sessions: list["SessionCell"] = field(default_factory=list)
    session_table: Table = field(default_factory=lambda: Table({}))
    steps: Sequence[str] = ()
    parts: list[Table] = field(default_factory=list)
    next_best: list[Picture] = field(default_factory=list)
    copies: dict[str, str] = field(default_factory=dict)
    truth: Overlay | None = None
    examples: Examples = field(default_factory=lambda: Examples([], [], {}))


@dataclass(frozen=True)
class SessionCell:
    """A session in the heat strip: how warm it is, from 0 to 1, and what is said of it."""

    warmth: float
    text: str
    words: str
    is_chosen: bool


def prototype_card(of_class: ClassScenes, scene: Scene, palette: Palette, shown: ShownGraphs) -> Card:
    """What is shown of a prototype."""
    explanation, prototype = of_class.explanation, scene.prototype
    name = what_it_is(prototype, explanation.feature_colors)
    title = f"Prototype {scene.number}: {name}"
    taken = taken_for(prototype, explanation.class_names)
    examples = shown.of_prototype(prototype, explanation.target)
    out = _taken(explanation.prototypes_taken_out, scene.number)
    evidence = prototype.evidence
    return Card(
        id=f"class-{explanation.target}-prototype-{scene.number}",
        kind="Prototype",
        number=scene.number,
        title=name,
        sentence=where_found(evidence, explanation.class_name),
        probability=chance(prototype.probability),
        pictures=[Picture(svg_of(scene.alone, palette, title, _framed(explanation, prototype)))],
        note=pale_note(prototype),
        bars=_prototype_bars(prototype),
        warnings=[taken] if taken else [],
        facts=_prototype_facts(explanation, prototype),
        sources=_sources(explanation, prototype, palette),
        taken_out=out,
        taken_labels=[_label(explanation, one.index) for one in out],
        sessions=_session_cells(prototype),
        session_table=_sessions(explanation, prototype),
        steps=evidence.steps if evidence else (),
        parts=_part_tables(explanation, prototype, evidence) if evidence else [],
        next_best=[
            Picture(
                svg_of(View(explanation.named(one.graph).graph, layout(one.graph)), palette, size(one.graph), SMALL),
                f"{size(one.graph)}; {chance(one.probability)}, margin {one.margin:.2f}",
            )
            for one in prototype.next_best
        ],
        copies=prototype_texts(prototype),
        truth=truth_overlay(explanation, scene, palette),
        examples=examples,
    )


def reason_card(of_class: ClassScenes, scene: ReasonScene, palette: Palette, shown: ShownGraphs) -> Card:
    """What is shown of a reason."""
    explanation, reason = of_class.explanation, scene.reason
    words = reason.describe(colors=explanation.feature_colors)
    doubt = shortcut(explanation, reason)
    out = _taken(explanation.reasons_taken_out, scene.number)
    example = reason.example
    return Card(
        id=f"class-{explanation.target}-reason-{scene.number}",
        kind="Reason",
        number=scene.number,
        title=words,
        sentence=support_words(reason, explanation.class_name),
        pictures=[
            Picture(svg_of(one.view, palette, one.words, SMALL), one.words, one.is_lacking, one.at_least)
            for one in scene.patterns
        ],
        note=_reason_note(scene),
        bars=_reason_bars(reason),
        warnings=[f"It {doubt}."] if doubt else [],
        facts=_reason_facts(explanation, reason, scene.number),
        example=None
        if example is None or scene.example is None
        else Picture(
            svg_of(scene.example, palette, f"Example of reason {scene.number}: {words}", WIDE),
            example_words(example, explanation.graph_label(example.source)),
        ),
        taken_out=out,
        taken_labels=[_label(explanation, one.index) for one in out],
        copies=pattern_texts(reason.has[0]) if len(reason.has) == 1 else {},
        examples=shown.of_reason(reason, explanation.target),
    )


def _taken(all_of: Sequence[Sequence[TakenOut]], number: int) -> Sequence[TakenOut]:
    return all_of[number - 1] if all_of else ()


def _label(explanation: Explanation, index: int) -> str:
    origin = explanation.origin(index)
    return shortened(origin.name, MAX_KIND) or f"graph {origin.position}"


def _framed(explanation: Explanation, prototype: Prototype) -> Frame:
    numbers = {node: node + 1 for node in range(prototype.num_nodes)} if prototype.matches is not None else {}
    return Frame(300, 210, numbers, _node_titles(explanation, prototype))


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


def _sources(explanation: Explanation, prototype: Prototype, palette: Palette) -> list[Picture]:
    pictures = []
    for index, view, numbers in source_views(explanation, prototype):
        label = explanation.graph_label(index)
        frame = Frame(300, 220, numbers)
        pictures.append(Picture(svg_of(view, palette, f"Where the prototype is in {label}", frame), label))
    return pictures


def _prototype_bars(prototype: Prototype) -> list[Bar]:
    evidence = prototype.evidence
    if evidence is None:
        return []
    bars = [
        Bar("Predicted as the class", evidence.num_in_class, evidence.num_class),
        Bar("Predicted otherwise", evidence.num_elsewhere, evidence.num_others, "other"),
        Bar("Its cluster", evidence.num_in_cluster, prototype.cluster_size or 0, "cluster"),
    ]
    return [bar for bar in bars if bar.total]


def _reason_bars(reason: Reason) -> list[Bar]:
    support = reason.support if reason.kept_apart is None else reason.kept_apart
    where = "" if reason.kept_apart is None else ", kept apart"
    bars = [
        Bar(f"Predicted as the class{where}", support.num_in_class, support.num_class),
        Bar(f"Predicted otherwise{where}", support.num_elsewhere, support.num_others, "other"),
    ]
    return [bar for bar in bars if bar.total]


def _prototype_facts(explanation: Explanation, prototype: Prototype) -> dict[str, str]:
    composition = describe_composition(*explanation.named(prototype.graph)[:2])
    cluster = cluster_of(prototype.cluster, prototype.num_clusters)
    members = "" if prototype.cluster_size is None else f"{prototype.cluster_size:,} of {explanation.num_predicted:,}"
    taken, evidence = prototype.predicted, prototype.evidence
    share = None if evidence is None else evidence.contribution_share
    rows = {
        "Probability of the class": f"{prototype.probability:.7f}",
        "Margin (log-odds)": f"{prototype.margin:.4f}",
        "The model takes it for": "" if taken is None else class_label(taken, explanation.class_names),
        "Size": size(prototype.graph) + (f" ({composition})" if composition else ""),
        "Cluster": cluster.removeprefix("cluster "),
        "Cluster size": members and f"{members} graphs predicted as the class",
        "Information": "" if evidence is None else f"{evidence.information:.2f} of 1 bit",
        "Contribution share": "" if share is None else f"{100 * share:.0f}%",
        "Representatives (sources)": ", ".join(map(explanation.graph_label, prototype.sources or ())),
        "Cut from (source)": "" if prototype.source is None else explanation.graph_label(prototype.source),
        "Its nodes there": ", ".join(map(str, prototype.nodes or ())),
        "To look for it": "; ".join(formulas_of(prototype)),
    }
    return {name: value for name, value in rows.items() if value}


def _reason_facts(explanation: Explanation, reason: Reason, number: int) -> dict[str, str]:
    curve, example = explanation.fidelity_curve, reason.example
    which = "by itself" if number == 1 else f"with reasons 1 to {number}"
    nodes = "" if example is None or example.is_whole else ", ".join(map(str, example.nodes))
    parts = {"Searched": reason.searched, "Confirming": reason.confirming, "Kept apart": reason.kept_apart}
    rows = {
        "Fidelity": f"{fidelity_words(curve[number - 1])}, {which}" if number <= len(curve) else "",
        "Nodes of the example": nodes,
        **{
            name: f"{one.num_in_class:,} of {one.num_class:,} of the class, {one.num_elsewhere:,} of "
            f"{one.num_others:,} others"
            for name, one in parts.items()
            if one is not None
        },
    }
    return {name: value for name, value in rows.items() if value}


def _reason_note(scene: ReasonScene) -> str:
    left_out = scene.num_patterns - len(scene.patterns)
    notes = [
        "Ringed nodes have no other neighbours." if any(one.view.rings for one in scene.patterns) else "",
        "What is struck out is not to be there." if any(one.is_lacking for one in scene.patterns) else "",
        f"{count_of(left_out, 'further pattern')} not drawn." if left_out else "",
    ]
    return " ".join(note for note in notes if note)


def _session_cells(prototype: Prototype) -> list[SessionCell]:
    margins = np.array([session.margin for session in prototype.sessions])
    finite = margins[np.isfinite(margins)]
    low, span = (float(finite.min()), max(float(np.ptp(finite)), SMALLEST_SPAN)) if finite.size else (0.0, 1.0)
    chosen = min(range(len(margins)), key=lambda at: abs(margins[at] - prototype.margin), default=-1)
    return [
        SessionCell(
            warmth=float(np.clip((session.margin - low) / span, 0, 1)) if np.isfinite(session.margin) else 0.0,
            text=f"{session.margin:.1f}",
            words=f"Session {number}: {count_of(session.size, 'node')}, {chance(session.probability)}, "
            f"margin {session.margin:.2f}, stopped: {session.stopped}",
            is_chosen=number - 1 == chosen,
        )
        for number, session in enumerate(prototype.sessions, start=1)
    ]


def _sessions(explanation: Explanation, prototype: Prototype) -> Table:
    sessions = prototype.sessions
    return Table(
        {
            "Session": [str(number) for number in range(1, len(sessions) + 1)],
            "Start": [", ".join(map(str, session.start)) for session in sessions],
            "Probability": [f"{session.probability:.4f}" for session in sessions],
            "Margin": [f"{session.margin:.2f}" for session in sessions],
            "Nodes": [str(session.size) for session in sessions],
            "Source": [f"graph {_place(explanation, session.source)}" for session in sessions],
            "Steps": [str(session.num_iterations) for session in sessions],
            "Stopped": [session.stopped for session in sessions],
            "Exact": ["yes" if session.is_exact else "no" for session in sessions],
        }
    )


def _place(explanation: Explanation, index: int) -> int:
    """Place of a graph in the user's own data."""
    return explanation.origin(index).position


def _part_tables(explanation: Explanation, prototype: Prototype, evidence: Evidence) -> list[Table]:
    """In how many graphs each node and each edge is found; nothing where that was not counted."""
    if not (evidence.node_graphs or evidence.node_sources or evidence.contributions):
        return []
    total = "" if prototype.sources is None else f" of {len(prototype.sources)}"

    def counts(sources: Sequence[int], graphs: Sequence[int]) -> dict[str, list[str]]:
        return {
            "In sources": [f"{number}{total}" for number in sources],
            "In graphs looked at": [f"{number:,} of {evidence.num_looked_at:,}" for number in graphs],
        }

    names = node_names(explanation, prototype)
    place = "" if prototype.source is None else _place(explanation, prototype.source)
    nodes = {
        "Node": names,
        **counts(evidence.node_sources, evidence.node_graphs),
        "Adds to the margin": [f"{value:+.3f}" for value in evidence.contributions],
        f"Node of graph {place}": [str(node) for node in prototype.nodes or ()],
    }
    joined = [f"{names[u]} and {names[v]}" for u, v in prototype.edges]
    edges = {"Edge": joined, **counts(evidence.edge_sources, evidence.edge_graphs)}
    return [table for table in (Table(nodes), Table(edges)) if table.rows]


def node_names(explanation: Explanation, prototype: Prototype) -> list[str]:
    """Number of each node as pictures have it, from 1, with its kind where that has a name."""
    graph, names, _ = explanation.named(prototype.graph)
    kinds = node_columns(graph, explanation.feature_colors)
    numbers = range(1, prototype.num_nodes + 1)
    if kinds is None or graph.x.size(1) != len(names):
        return [str(number) for number in numbers]
    return [f"{number} ({shortened(names[kind], MAX_KIND)})" for number, kind in zip(numbers, kinds, strict=True)]
