"""What the cards of prototypes and reasons show, as the templates read it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.intervals import wilson
from protograph._utils.words import class_label, count_of, listed, with_article
from protograph.explanation import Evidence, Explanation, Pattern, Prototype, Reason, Support
from protograph.explanation.describing.rule_words import example_words, fidelity_words, support_words
from protograph.explanation.describing.sentences import chance, cluster_of, share_of, taken_for, what_it_is, where_found
from protograph.explanation.prototype import TakenOut, describe_composition, formulas_of, smiles_of
from protograph.graphs.names import node_columns
from protograph.metrics.accuracy import accuracy
from protograph.report.depicting import GRAPH, example_picture, graph_like, pattern_picture, prototype_pictures
from protograph.report.depicting import Picture as Depicted
from protograph.report.doubting import shortcut
from protograph.report.markup import Marks
from protograph.report.palette import Palette
from protograph.report.reason_scene import MAX_PATTERNS, drawn_patterns
from protograph.report.shown_graphs import ShownGraphs
from protograph.report.templating import trusted
from protograph.report.words import shortened, size

# Pairs of nodes to try: prototypes and truths are small, and a page is not to wait.
MAX_CALLS = 200_000
# As the templates read them.
Picture = dict[str, Any]
Table = dict[str, Any]
Card = dict[str, Any]
PROTOTYPE = "the prototype, what it shares with the ground truth marked"


def truth_overlay(explanation: Explanation, prototype: Prototype, palette: Palette) -> dict[str, str] | None:
    """The prototype over the truth that is nearest to it; ``None`` where there is none of the same columns."""
    graph = prototype.graph
    ways: Any = {"match_features": prototype.node_rule, "match_edges": prototype.edge_rule}
    try:
        found = [(accuracy(graph, truth, **ways, max_calls=MAX_CALLS), truth) for truth in explanation.truths]
        best, truth = max(found, key=lambda one: float(one[0]))
    except ValueError:
        return None
    partner = dict(best.mapping)
    joined = {frozenset(ends) for ends in truth.edge_index.T.tolist()}
    edges = [
        (u, v)
        for u, v in prototype.edges
        if u in partner and v in partner and frozenset((partner[u], partner[v])) in joined
    ]
    marks = Marks(dict.fromkeys(sorted(partner)), edges)
    own = graph_like(explanation, prototype, graph, label=PROTOTYPE, marks=marks, palette=palette)
    other = graph_like(explanation, prototype, truth, label="the ground truth", palette=palette)
    words = f"Accuracy {float(best):.3f}: {len(partner)} nodes and {len(edges)} edges of the prototype are in the truth"
    return {"prototype": trusted(own.markup), "truth": trusted(other.markup), "words": words}


def prototype_texts(prototype: Prototype) -> dict[str, str]:
    """What a prototype is copied as, by the name of the form; those that it has none of are left out."""
    texts = {"SMILES": smiles_of(prototype) or "", "SMARTS": prototype.smarts or ""}
    return {**{name: text for name, text in texts.items() if text}, **graph_texts(prototype.graph)}


def reason_texts(reason: Reason) -> dict[str, str]:
    """The same of a reason: SMARTS where all that it asks for is one pattern that can be said so, and its patterns."""
    patterns = {"has": reason.has, "lacks": reason.lacks}
    if not reason.patterns:
        return {}
    texts = {}
    if len(reason.has) == 1 and not reason.lacks and not reason.unless and (smarts := _smarts(reason.has[0])):
        texts["SMARTS"] = smarts
    parts = {name: [json.loads(pattern.query) for pattern in some] for name, some in patterns.items()}
    code = ["import torch", "from torch_geometric.data import Data", "", "# Each pattern, and how it is asked for."]
    for name, some in patterns.items():
        rows = [f"    (Data({', '.join(_arguments(one.graph))}), {_how(one)!r})," for one in some]
        code += [f"{name} = [", *rows, "]"]
    return {**texts, "JSON": json.dumps(parts), "Python": "\n".join(code)}


def _how(pattern: Pattern) -> dict[str, Any]:
    """How a pattern is asked for."""
    return {"kind": pattern.kind, "closed": pattern.closed, "at_least": pattern.at_least}


def _smarts(pattern: Pattern) -> str:
    # What SMARTS cannot say here is how often.
    return "" if pattern.at_least > 1 else pattern.smarts or ""


def graph_texts(graph: Data) -> dict[str, str]:
    """A graph as JSON and as Python.

    >>> import torch
    >>> texts = graph_texts(Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]])))
    >>> texts["JSON"]
    '{"num_nodes": 2, "x": [[1.0, 0.0], [0.0, 1.0]], "edge_index": [[0, 1], [1, 0]]}'
    >>> print(texts["Python"])
    import torch
    from torch_geometric.data import Data
    <BLANKLINE>
    graph = Data(
        num_nodes=2,
        x=torch.tensor([[1.0, 0.0], [0.0, 1.0]]),
        edge_index=torch.tensor([[0, 1], [1, 0]]),
    )
    """
    lines = [f"    {one}," for one in _arguments(graph)]
    code = ["import torch", "from torch_geometric.data import Data", "", "graph = Data(", *lines, ")"]
    return {"JSON": json.dumps(_arrays(graph)), "Python": "\n".join(code)}


def _arrays(graph: Data) -> dict[str, Any]:
    parts: dict[str, Any] = {"num_nodes": int(graph.num_nodes or 0)}
    for key in ("x", "edge_index", "edge_attr", "pos"):
        value = graph.get(key)
        if isinstance(value, Tensor) and not value.is_complex():
            parts[key] = value.tolist()
    return parts


def _arguments(graph: Data) -> list[str]:
    """What ``Data`` is called with to make a graph."""
    return [
        f"{key}=torch.tensor({value!r})" if isinstance(value, list) else f"{key}={value!r}"
        for key, value in _arrays(graph).items()
    ]


MAX_KIND = 40
# Margins of sessions that differ by less look alike: what is below is noise.
SMALLEST_SPAN = 0.05


def _bars(counts: Support, where: str = "", *others: tuple[str, int, int, str]) -> list[dict[str, Any]]:
    """Shares of the class and of other graphs, and further ones, as per cent with Wilson's 95% interval.

    Each has a label, a number, a total and a style.
    """
    shares = (
        (f"Predicted as the class{where}", counts.num_in_class, counts.num_class, ""),
        (f"Predicted otherwise{where}", counts.num_elsewhere, counts.num_others, "other"),
        *others,
    )
    return [
        {
            "label": label,
            "number": number,
            "total": total,
            "style": style,
            "share": 100 * number / total,
            "interval": [100 * end for end in wilson(number, total)],
            "text": share_of(number, total),
        }
        for label, number, total, style in shares
        if total
    ]


def _table(columns: Mapping[str, Sequence[str]]) -> Table:
    """Columns of text, each with its name; those without cells are left out."""
    shown = {name: cells for name, cells in columns.items() if cells}
    return {"names": list(shown), "rows": list(zip(*shown.values(), strict=True))}


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


def session_cells(prototype: Prototype) -> list[dict[str, Any]]:
    """The strip of sessions: how warm each is, from 0 to 1, and what is said of it."""
    margins = np.array([session.margin for session in prototype.sessions])
    finite = margins[np.isfinite(margins)]
    low, span = (float(finite.min()), max(float(np.ptp(finite)), SMALLEST_SPAN)) if finite.size else (0.0, 1.0)
    chosen = min(range(len(margins)), key=lambda at: abs(margins[at] - prototype.margin), default=-1)
    return [
        {
            "warmth": float(np.clip((session.margin - low) / span, 0, 1)) if np.isfinite(session.margin) else 0.0,
            "text": f"{session.margin:.1f}",
            "words": f"Session {number}: {count_of(session.size, 'node')}, {chance(session.probability)}, "
            f"margin {session.margin:.2f}, stopped: {session.stopped}",
            "is_chosen": number - 1 == chosen,
        }
        for number, session in enumerate(prototype.sessions, start=1)
    ]


def session_table(explanation: Explanation, prototype: Prototype) -> Table:
    """All sessions, a row each."""
    sessions = prototype.sessions
    return _table(
        {
            "Session": [str(number) for number in range(1, len(sessions) + 1)],
            "Start": [", ".join(map(str, session.start)) for session in sessions],
            "Probability": [f"{session.probability:.4f}" for session in sessions],
            "Margin": [f"{session.margin:.2f}" for session in sessions],
            "Nodes": [str(session.size) for session in sessions],
            "Source": [f"graph {explanation.origin(session.source).position}" for session in sessions],
            "Steps": [str(session.num_iterations) for session in sessions],
            "Stopped": [session.stopped for session in sessions],
            "Exact": ["yes" if session.is_exact else "no" for session in sessions],
        }
    )


def part_tables(
    explanation: Explanation, prototype: Prototype, evidence: Evidence, names: Sequence[str]
) -> list[Table]:
    """In how many graphs each node and each edge is found; nothing where that was not counted."""
    if not (evidence.node_graphs or evidence.node_sources or evidence.contributions):
        return []
    total = "" if prototype.sources is None else f" of {len(prototype.sources)}"

    def counts(sources: Sequence[int], graphs: Sequence[int]) -> dict[str, list[str]]:
        return {
            "In sources": [f"{number}{total}" for number in sources],
            "In graphs looked at": [f"{number:,} of {evidence.num_looked_at:,}" for number in graphs],
        }

    place = "" if prototype.source is None else explanation.origin(prototype.source).position
    nodes = {
        "Node": names,
        **counts(evidence.node_sources, evidence.node_graphs),
        "Adds to the margin": [f"{value:+.3f}" for value in evidence.contributions],
        f"Node of graph {place}": [str(node) for node in prototype.nodes or ()],
    }
    joined = [f"{names[u]} and {names[v]}" for u, v in prototype.edges]
    edges = {"Edge": joined, **counts(evidence.edge_sources, evidence.edge_graphs)}
    return [table for table in (_table(nodes), _table(edges)) if table["rows"]]


def node_names(explanation: Explanation, prototype: Prototype) -> list[str]:
    """Number of each node as pictures have it, from 1, with its kind where that has a name."""
    graph, names, _ = explanation.named(prototype.graph)
    kinds = node_columns(graph, explanation.feature_colors)
    numbers = range(1, prototype.num_nodes + 1)
    if kinds is None or graph.x.size(1) != len(names):
        return [str(number) for number in numbers]
    return [f"{number} ({shortened(names[kind], MAX_KIND)})" for number, kind in zip(numbers, kinds, strict=True)]


# What a card has only where there is something to show.
NOTHING: Card = {
    **dict.fromkeys(("probability", "sentence", "note"), ""),
    **dict.fromkeys(("bars", "warnings", "sources", "counterparts", "taken_out", "taken_labels", "sessions"), ()),
    **dict.fromkeys(("steps", "parts", "next_best"), ()),
    **dict.fromkeys(("example", "truth", "session_table")),
}


def prototype_card(explanation: Explanation, number: int, palette: Palette, shown: ShownGraphs) -> Card:
    """What is shown of a prototype, by its number in its class, from 1."""
    prototype = explanation.prototypes[number - 1]
    evidence, names = prototype.evidence, node_names(explanation, prototype)
    name = what_it_is(prototype)
    alone, sources = prototype_pictures(
        explanation,
        prototype,
        palette=palette,
        titles=_node_titles(evidence, names),
        label=f"Prototype {number}: {name}",
    )
    taken, members = taken_for(prototype, explanation.class_names), prototype.cluster_size or 0
    return NOTHING | {
        "id": f"class-{explanation.target}-prototype-{number}",
        "kind": "Prototype",
        "number": number,
        "title": name,
        "sentence": where_found(evidence, explanation.class_name),
        "probability": chance(prototype.probability),
        "pictures": [_shown(alone)],
        "bars": _bars(evidence, "", ("Its cluster", evidence.num_in_cluster, members, "cluster")) if evidence else [],
        "warnings": [taken] if taken else [],
        "facts": prototype_facts(explanation, prototype),
        "sources": list(map(_source, sources)),
        # Nodes are named where their counterparts are looked for.
        "counterparts": names if prototype.matches is not None else [],
        **_taken(explanation, explanation.prototypes_taken_out, number),
        "sessions": session_cells(prototype),
        "session_table": session_table(explanation, prototype),
        "steps": evidence.steps if evidence else (),
        "parts": part_tables(explanation, prototype, evidence, names) if evidence else [],
        "next_best": [
            _shown(
                graph_like(explanation, prototype, one.graph, label=size(one.graph), palette=palette),
                f"{size(one.graph)}; {chance(one.probability)}, margin {one.margin:.2f}",
            )
            for one in prototype.next_best
        ],
        "copies": prototype_texts(prototype),
        "truth": truth_overlay(explanation, prototype, palette),
        "examples": shown.of_prototype(prototype, explanation.target),
    }


def reason_card(explanation: Explanation, number: int, palette: Palette, shown: ShownGraphs) -> Card:
    """What is shown of a reason, by its number in its class, from 1."""
    reason = explanation.reasons[number - 1]
    doubt, pictures = shortcut(explanation, reason), pattern_pictures(explanation, reason, palette)
    return NOTHING | {
        "id": f"class-{explanation.target}-reason-{number}",
        "kind": "Reason",
        "number": number,
        "title": reason.describe(),
        "sentence": support_words(reason, explanation.class_name),
        "pictures": pictures,
        "note": _reason_note(reason, pictures),
        "bars": _bars(reason.support) if reason.kept_apart is None else _bars(reason.kept_apart, ", kept apart"),
        "warnings": [f"It {doubt}."] if doubt else [],
        "facts": reason_facts(explanation, reason, number),
        "example": _example(explanation, reason, palette),
        **_taken(explanation, explanation.reasons_taken_out, number),
        "copies": reason_texts(reason),
        "examples": shown.of_reason(reason, explanation.target),
    }


def _taken(explanation: Explanation, all_of: Sequence[Sequence[TakenOut]], number: int) -> dict[str, Any]:
    """What a prototype or reason taken out of graphs does to their margins, and what the graphs are called."""
    out = all_of[number - 1] if all_of else ()
    origins = [explanation.origin(one.index) for one in out]
    labels = [shortened(origin.name, MAX_KIND) or f"graph {origin.position}" for origin in origins]
    return {"taken_out": out, "taken_labels": labels}


def _node_titles(evidence: Evidence | None, titles: list[str]) -> list[str]:
    """What is said of nodes when they are pointed at, after what they are called."""
    if evidence is not None and evidence.node_graphs:
        counts = [f"in {n:,} of {evidence.num_looked_at:,} graphs looked at" for n in evidence.node_graphs]
        titles = [f"{title}: {count}" for title, count in zip(titles, counts, strict=True)]
    if evidence is not None and evidence.contributions:
        titles = [f"{t}; adds {c:+.2f} to the margin" for t, c in zip(titles, evidence.contributions, strict=True)]
    return titles


def _shown(
    picture: Depicted, words: str = "", *, smiles: str = "", is_lacking: bool = False, at_least: int = 1
) -> Picture:
    """A picture of ours, what stands above it, and how it counts."""
    return {
        "drawing": trusted(picture.markup),
        "words": "; ".join(part for part in (words, picture.note) if part),
        "is_plain": picture.kind == GRAPH,
        "smiles": smiles,
        "is_lacking": is_lacking,
        "at_least": at_least,
    }


def _source(picture: Depicted) -> Picture:
    groups = f"has {listed([with_article(name) for name in picture.groups])} there" if picture.groups else ""
    return _shown(picture, "; ".join(part for part in (picture.place, groups) if part), smiles=picture.smiles)


def pattern_pictures(explanation: Explanation, reason: Reason, palette: Palette) -> list[Picture]:
    """The patterns of a reason as they are drawn."""
    return [
        _shown(
            pattern_picture(explanation, part.pattern, palette=palette, label=part.words),
            part.words,
            is_lacking=part.is_lacking,
            at_least=part.pattern.at_least,
        )
        for part in drawn_patterns(reason)[:MAX_PATTERNS]
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
        "What is hatched is not to be there." if any(one["is_lacking"] for one in pictures) else "",
        f"{count_of(left_out, 'further pattern')} not drawn." if left_out else "",
    ]
    return " ".join(note for note in notes if note)
