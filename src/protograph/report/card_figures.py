"""Figures of prototypes and reasons as cards show them: bars, tables, and the strip of sessions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from protograph._base.intervals import wilson
from protograph._base.words import class_label, count_of
from protograph.explanation import Evidence, Explanation, Prototype, Reason
from protograph.explanation.describing.rule_words import fidelity_words
from protograph.explanation.describing.sentences import chance, cluster_of, share_of
from protograph.explanation.prototype import describe_composition, formulas_of
from protograph.graphs.names import node_columns
from protograph.report.words import shortened, size

MAX_KIND = 40
# Margins of sessions that differ by less look alike: what is below is noise.
SMALLEST_SPAN = 0.05


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


@dataclass(frozen=True)
class SessionCell:
    """A session in the heat strip: how warm it is, from 0 to 1, and what is said of it."""

    warmth: float
    text: str
    words: str
    is_chosen: bool


def prototype_bars(prototype: Prototype) -> list[Bar]:
    """In which share of the class, of other graphs and of its cluster a prototype is found."""
    evidence = prototype.evidence
    if evidence is None:
        return []
    bars = [
        Bar("Predicted as the class", evidence.num_in_class, evidence.num_class),
        Bar("Predicted otherwise", evidence.num_elsewhere, evidence.num_others, "other"),
        Bar("Its cluster", evidence.num_in_cluster, prototype.cluster_size or 0, "cluster"),
    ]
    return [bar for bar in bars if bar.total]


def reason_bars(reason: Reason) -> list[Bar]:
    """In which share of the class and of other graphs a reason holds, of those kept apart where there are such."""
    support = reason.support if reason.kept_apart is None else reason.kept_apart
    where = "" if reason.kept_apart is None else ", kept apart"
    bars = [
        Bar(f"Predicted as the class{where}", support.num_in_class, support.num_class),
        Bar(f"Predicted otherwise{where}", support.num_elsewhere, support.num_others, "other"),
    ]
    return [bar for bar in bars if bar.total]


def prototype_facts(explanation: Explanation, prototype: Prototype) -> dict[str, str]:
    """What is known of a prototype, by name."""
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


def reason_facts(explanation: Explanation, reason: Reason, number: int) -> dict[str, str]:
    """What is known of a reason, by name."""
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


def session_cells(prototype: Prototype) -> list[SessionCell]:
    """The strip of sessions."""
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


def session_table(explanation: Explanation, prototype: Prototype) -> Table:
    """All sessions, a row each."""
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


def part_tables(explanation: Explanation, prototype: Prototype, evidence: Evidence) -> list[Table]:
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
