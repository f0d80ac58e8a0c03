"""The report: one HTML file that needs nothing else, no network and no scripts."""

import math
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import Any

from protograph._base.files import atomic_path
from protograph._base.words import class_label, clean_name, count_of
from protograph.explanation import Evidence, Explanation, Prototype
from protograph.explanation.describing.sentences import FEW, cluster_of, interval_of, share_of
from protograph.explanation.figures import describe_composition, formulas_of
from protograph.graphs.kinds import node_columns
from protograph.models.performance import Performance, figures_line
from protograph.report.figure import classes_figure, embedding_figure, shared_palette
from protograph.report.html import columns, details, escape, facts, picture, row, table
from protograph.report.palette import Palette
from protograph.report.reason_card import reason_cards, rule_box
from protograph.report.scene import ClassScenes, Scene, lay_out
from protograph.report.sheet import figure_bytes, our_style
from protograph.report.words import (
    NO_PROTOTYPE,
    class_facts,
    class_title,
    heading,
    origin,
    pale_note,
    sentence,
    shortened,
    size,
)

# A scatter of more points is smaller as pixels than as shapes.
MAX_VECTOR_POINTS = 2000
MAX_KIND = 40
EMPTY: Mapping[int, str] = MappingProxyType({})

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

CSS = """
:root { color-scheme: light dark; --ink: #1d2433; --muted: #667085; --rule: #e4e7ec; --back: #fff; --card: #f7f8fa;
  --notice: #fff6db; --hit: #e3eefb; --bar: #3b82c4; --alarm: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --muted: #98a2b3; --rule: #343b49; --back: #151922;
  --card: #1d2330; --notice: #3a3116; --hit: #1f3350; --bar: #6aa9e0; --alarm: #f97066; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.5rem 4rem; color: var(--ink); background: var(--back);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.45rem; margin: 3.2rem 0 .3rem; padding-top: 1.4rem; border-top: 2px solid var(--rule); }
h3 { font-size: 1.1rem; margin: 2.2rem 0 .2rem; }
p { margin: .3rem 0 .8rem; }
.muted, caption, figcaption { color: var(--muted); }
.sentence { font-size: 1.05rem; max-width: 48rem; }
nav a { margin-right: 1.2rem; }
a { color: inherit; }
figure { margin: 1rem 0; padding: .5rem; background: #fff; border: 1px solid var(--rule); border-radius: 8px; }
figure img { display: block; width: 100%; height: auto; }
figure.small { max-width: 44rem; }
figcaption { padding: .1rem .8rem .4rem; font-size: .85rem; color: #667085; }
.beside { display: flex; flex-wrap: wrap; gap: 0 3rem; align-items: flex-start; }
.beside > * { flex: 1 1 22rem; min-width: 0; }
table.evidence td { white-space: nowrap; }
.bar { display: block; width: 6rem; height: .5rem; margin-top: .45rem; background: var(--rule); border-radius: 3px; }
.bar span { display: block; height: 100%; background: var(--bar); border-radius: 3px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0 1.2rem; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { padding: .32rem .9rem .32rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule);
  overflow-wrap: anywhere; }
th { font-weight: 600; }
tbody th { color: var(--muted); font-weight: 400; min-width: 6.5rem; overflow-wrap: break-word; }
td.number, th.number { text-align: right; padding-left: .9rem; }
td.hit { background: var(--hit); font-weight: 600; }
ul.notice { list-style: none; margin: 1rem 0; padding: .7rem 1rem; background: var(--notice); border-radius: 8px; }
.rule { margin: 1rem 0; padding: .7rem 1rem; background: var(--hit); border-radius: 8px; }
.rule p:last-child { margin-bottom: 0; }
article.reason { margin: 1.6rem 0; padding: .2rem 1rem .4rem; border-left: 4px solid var(--bar); }
article.reason h3 { margin-top: .6rem; }
.doubt { margin: 1rem 0; padding: .7rem 1rem; border: 2px solid var(--alarm); border-left-width: 10px;
  border-radius: 8px; }
.doubt strong { color: var(--alarm); }
details { margin: .6rem 0; padding: .5rem .9rem; background: var(--card); border-radius: 8px; }
summary { cursor: pointer; }
details ol { margin: .5rem 0; padding-left: 1.4rem; }
@media print { details { display: block; } figure { break-inside: avoid; } }
"""


def write_report(
    explanations: Sequence[Explanation], path: str | PathLike[str], *, not_explained: Mapping[int, str] | None = None
) -> None:
    """Write one self-contained HTML file on some classes: pictures, evidence, and how it was made.

    Args:
        explanations: The explanations, one a class.
        path: The file; an existing one is replaced.
        not_explained: Why other classes have no explanation, by class.

    Raises:
        ImportError: If matplotlib is not installed.
        ValueError: If there is nothing to report.
        OSError: If the file cannot be written there.
    """
    if not explanations:
        raise ValueError("explanations must have at least one class to report, got none")
    with atomic_path(path) as temporary, our_style():
        temporary.write_text(
            report_html(lay_out(explanations), not_explained or {}), encoding="utf-8", errors="replace"
        )


def report_html(classes: Sequence[ClassScenes], not_explained: Mapping[int, str] = EMPTY) -> str:
    """The report as text; see :func:`write_report`."""
    explanations = [of_class.explanation for of_class in classes]
    title = class_title(explanations[0]) if len(explanations) == 1 else f"{len(explanations)} classes"
    palette = shared_palette(explanations)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Protograph: {escape(title)}</title>",
            f"<style>{CSS}</style>",
            "</head>",
            "<body>",
            "<h1>What the model has learned</h1>",
            f'<p class="muted">Prototypes of {escape(title)}, found by {escape(explanations[0].explainer)}</p>',
            *_doubts(explanations),
            *_not_explained(not_explained, explanations[0].class_names),
            _contents(explanations),
            *(_class_section(of_class, palette) for of_class in classes),
            *_shared("The model's predictions", explanations, _confusion),
            *_shared("How this was made", explanations, _making),
            "</body>",
            "</html>",
            "",
        ]
    )


def _doubts(explanations: Sequence[Explanation]) -> list[str]:
    """What there is to doubt about the model, on top of the page and not to be overlooked."""
    doubts = dict.fromkeys(doubt for one in explanations for doubt in one.doubts)
    items = "".join(f"<li>{escape(doubt)}</li>" for doubt in doubts)
    title = "<strong>The model may have learned nothing</strong>"
    return [f'<div class="doubt" role="alert">{title}<ul>{items}</ul></div>'] if doubts else []


def _not_explained(reasons: Mapping[int, str], class_names: Sequence[str]) -> list[str]:
    items = "".join(
        f"<li>Not explained: {escape(class_label(target, class_names))}: {escape(reason)}</li>"
        for target, reason in reasons.items()
    )
    return [f'<ul class="notice">{items}</ul>'] if items else []


def _contents(explanations: Sequence[Explanation]) -> str:
    links = [f'<a href="#class-{item.target}">{escape(class_title(item))}</a>' for item in explanations]
    return f"<nav>{' '.join(links)}</nav>" if len(links) > 1 else ""


def _class_section(of_class: ClassScenes, palette: Palette) -> str:
    explanation, scenes = of_class.explanation, of_class.scenes
    how_many = f"{count_of(len(scenes), 'prototype')}, best first." if scenes else NO_PROTOTYPE
    if of_class.reasons:
        how_many = f"{how_many.removesuffix('.')}; {count_of(len(of_class.reasons), 'reason')}."
    notes = "".join(f"<li>Note: {escape(warning)}</li>" for warning in explanation.warnings)
    return "\n".join(
        [
            f'<section id="class-{explanation.target}">',
            f"<h2>{escape(class_title(explanation))}</h2>",
            f"<p>{escape(class_facts(explanation))}. {how_many}</p>",
            f'<ul class="notice">{notes}</ul>' if notes else "",
            rule_box(explanation),
            *(_prototype_section(explanation, scene, palette) for scene in scenes),
            reason_cards(of_class, palette),
            _map_section(explanation),
            "</section>",
        ]
    )


def _prototype_section(explanation: Explanation, scene: Scene, palette: Palette) -> str:
    prototype = scene.prototype
    drawing = classes_figure([ClassScenes(explanation, [scene])], palette=palette, with_titles=False)
    words = f"Prototype {scene.number} of {class_title(explanation)}: {origin(explanation, prototype)}"
    own = facts(_prototype_facts(explanation, prototype), "Prototype")
    evidence = prototype.evidence
    return "\n".join(
        [
            f"<h3>Prototype {scene.number}: {escape(heading(prototype))}</h3>",
            f'<p class="sentence">{escape(sentence(explanation, prototype))}</p>',
            picture(figure_bytes(drawing, ".svg"), ".svg", words, caption=pale_note(prototype)),
            f'<div class="beside">{_evidence_table(prototype, evidence) if evidence else ""}{own}</div>',
            _steps(evidence) if evidence else "",
            _part_tables(explanation, prototype, evidence) if evidence else "",
            _sessions(explanation, prototype),
        ]
    )


def _prototype_facts(explanation: Explanation, prototype: Prototype) -> dict[str, str]:
    composition = describe_composition(*explanation.named(prototype.graph)[:2])
    cluster = cluster_of(prototype.cluster, prototype.num_clusters)
    members = "" if prototype.cluster_size is None else f"{prototype.cluster_size:,} of {explanation.num_predicted:,}"
    taken = prototype.predicted
    rows = {
        "Probability of the class": f"{prototype.probability:.7f}",
        "Margin (log-odds)": f"{prototype.margin:.4f}",
        "The model takes it for": "" if taken is None else class_label(taken, explanation.class_names),
        "Size": size(prototype.graph) + (f" ({composition})" if composition else ""),
        "Cluster": cluster.removeprefix("cluster "),
        "Cluster size": members and f"{members} graphs predicted as the class",
        "Representatives (sources)": ", ".join(map(explanation.graph_label, prototype.sources or ())),
        "Cut from (source)": "" if prototype.source is None else explanation.graph_label(prototype.source),
        "Its nodes there": ", ".join(map(str, prototype.nodes or ())),
        "To look for it": "; ".join(formulas_of(prototype)),
    }
    return {name: value for name, value in rows.items() if value}


def _evidence_table(prototype: Prototype, evidence: Evidence) -> str:
    counts = [
        ("Predicted as the class", evidence.num_in_class, evidence.num_class),
        ("Predicted otherwise", evidence.num_elsewhere, evidence.num_others),
        ("Its cluster", evidence.num_in_cluster, prototype.cluster_size),
    ]
    rows = [
        _share_row(title, f"{number:,} of {total:,} ({_share_text(number, total)})", number / total)
        for title, number, total in counts
        if total
    ]
    rows.append(_share_row("Information", f"{evidence.information:.2f} of 1 bit", evidence.information))
    share = evidence.contribution_share
    if share is not None:
        rows.append(_share_row("Contribution share", f"{100 * share:.0f}%", share))
    return table(rows, caption="Evidence: graphs that contain it", style="evidence")


def _share_text(number: int, total: int) -> str:
    return share_of(number, total) if total >= FEW else interval_of(number, total)


def _share_row(title: str, text: str, share: float) -> str:
    width = 100 * min(1.0, max(0.0, share)) if math.isfinite(share) else 0.0
    bar = f'<span class="bar"><span style="width:{width:.1f}%"></span></span>'
    return row(title, f"<td>{escape(text)}</td><td>{bar}</td>")


def _steps(evidence: Evidence) -> str:
    items = "".join(f"<li>{escape(step)}</li>" for step in evidence.steps)
    return details(f"{count_of(len(evidence.steps), 'step')} that led to it", items and f"<ol>{items}</ol>")


def _part_tables(explanation: Explanation, prototype: Prototype, evidence: Evidence) -> str:
    """In how many graphs each node and each edge is found, folded up; nothing where that was not counted."""
    if not (evidence.node_graphs or evidence.node_sources or evidence.contributions):
        return ""
    total = "" if prototype.sources is None else f" of {len(prototype.sources)}"

    def counts(sources: Sequence[int], graphs: Sequence[int]) -> dict[str, list[str]]:
        return {
            "In sources": [f"{number}{total}" for number in sources],
            "In graphs looked at": [f"{number:,} of {evidence.num_looked_at:,}" for number in graphs],
        }

    names = _node_names(explanation, prototype)
    place = "" if prototype.source is None else _place(explanation, prototype.source)
    nodes = {
        "Node": names,
        **counts(evidence.node_sources, evidence.node_graphs),
        "Adds to the margin": [f"{value:+.3f}" for value in evidence.contributions],
        f"Node of graph {place}": [str(node) for node in prototype.nodes or ()],
    }
    joined = [f"{names[u]} and {names[v]}" for u, v in prototype.edges]
    edges = {"Edge": joined, **counts(evidence.edge_sources, evidence.edge_graphs)}
    return details("Evidence node by node and edge by edge", columns(nodes) + columns(edges))


def _node_names(explanation: Explanation, prototype: Prototype) -> list[str]:
    """Number of each node, with its kind where that has a name."""
    graph, names, _ = explanation.named(prototype.graph)
    kinds = node_columns(graph, explanation.feature_colors)
    if kinds is None or graph.x.size(1) != len(names):
        return [str(node) for node in range(prototype.num_nodes)]
    return [f"{node} ({shortened(names[kind], MAX_KIND)})" for node, kind in enumerate(kinds)]


def _place(explanation: Explanation, index: int) -> int:
    """Place of a graph in the user's own data."""
    return explanation.origins[index].position if index in explanation.origins else index


def _sessions(explanation: Explanation, prototype: Prototype) -> str:
    sessions = prototype.sessions
    content = {
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
    return details(count_of(len(sessions), "search session"), columns(content))


def _map_section(explanation: Explanation) -> str:
    embeddings = explanation.embedding_map
    if embeddings is None or not embeddings.indices:
        return ""
    number = len(embeddings.indices)
    ending = ".svg" if number <= MAX_VECTOR_POINTS else ".png"
    words = f"Map of the {count_of(number, 'graph')} predicted as {class_title(explanation)}, by cluster"
    drawing = figure_bytes(embedding_figure(explanation, embeddings), ending)
    return f"<h3>Graph embeddings of the class</h3>\n{picture(drawing, ending, words, 'small')}"


def _shared(title: str, explanations: Sequence[Explanation], render: Callable[[Explanation], str]) -> list[str]:
    """A section of what each class has to say; what all say alike is said once."""
    parts: dict[str, list[str]] = {}
    for explanation in explanations:
        parts.setdefault(render(explanation), []).append(class_title(explanation))
    parts.pop("", None)
    if not parts:
        return []
    heads = [f"<h3>{escape(', '.join(names))}</h3>" if len(parts) > 1 else "" for names in parts.values()]
    return [f"<section><h2>{escape(title)}</h2>", *(a + b for a, b in zip(heads, parts, strict=True)), "</section>"]


def _confusion(explanation: Explanation) -> str:
    counts = explanation.confusion
    if not counts:
        return ""
    known = [clean_name(name) for name in explanation.class_names]
    names = [*known, *(str(i) for i in range(len(known), len(counts)))]
    right, total = sum(line[i] for i, line in enumerate(counts)), sum(map(sum, counts))
    share = f" ({right / total:.1%})" if total else ""
    figures = f"<p>{escape(figures_line(Performance(counts)))}</p>" if total else ""
    titles = [f'<th class="number" scope="col">{escape(name)}</th>' for name in names[: len(counts)]]
    rows = [
        row(
            names[i],
            "".join(f'<td class="number{" hit" if i == j else ""}">{value:,}</td>' for j, value in enumerate(line)),
        )
        for i, line in enumerate(counts)
    ]
    head = f'<th scope="col">label</th>{"".join(titles)}'
    return (
        f"<p>{right:,} of {count_of(total, 'graph')}{share} are predicted as they are labelled.</p>{figures}"
        f"{table(rows, head=head, caption='Rows: label. Columns: prediction.')}"
    )


def _making(explanation: Explanation) -> str:
    tables = {
        "Options": {name: option_text(value) for name, value in explanation.options.items()},
        "Seconds": {stage: f"{seconds:.3g}" for stage, seconds in explanation.timings.items()},
        "Versions": explanation.versions,
    }
    parts = [facts(rows, caption) for caption, rows in tables.items() if rows]
    return "\n".join([f"<p>Explainer: {escape(explanation.explainer)}</p>", *parts])


def option_text(value: Any) -> str:
    """The value of an option; a function by its name.

    >>> option_text("walk"), option_text((1, None)), option_text(count_of)
    ('walk', '(1, None)', 'protograph._base.words.count_of')
    """
    if isinstance(value, str):
        return value
    name = getattr(value, "__qualname__", None)
    return repr(value) if name is None else f"{value.__module__}.{name}"
