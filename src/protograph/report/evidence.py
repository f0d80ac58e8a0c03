"""What the report says about how a prototype is borne out: in how many graphs, node by node, and step by step."""

import math
from collections.abc import Sequence
from html import escape

from protograph.explanation.describing.sentences import share_of
from protograph.explanation.explanation import Evidence, Explanation, Prototype
from protograph.graphs.kinds import node_columns
from protograph.report.html import details, table
from protograph.report.text import shortened
from protograph.report.words import count

MAX_KIND = 40


def evidence_table(prototype: Prototype) -> str:
    """A table of where a prototype is found, each share with its bar; nothing where that was not counted."""
    evidence = prototype.evidence
    if evidence is None:
        return ""
    rows = [
        _counted("Predicted as the class", evidence.num_in_class, evidence.num_class),
        _counted("Predicted otherwise", evidence.num_elsewhere, evidence.num_others),
        _counted("Its cluster", evidence.num_in_cluster, prototype.cluster_size),
        _row("Information", f"{evidence.information:.2f} of 1 bit", evidence.information),
    ]
    if evidence.contribution_share is not None:
        percent = f"{100 * evidence.contribution_share:.0f}%"
        rows.append(_row("Contribution share", percent, evidence.contribution_share))
    return (
        '<div class="wide"><table class="evidence"><caption>Evidence: graphs that contain it</caption>'
        f"<tbody>{''.join(row for row in rows if row)}</tbody></table></div>"
    )


def _counted(title: str, number: int, total: int | None) -> str:
    """A row on so many of some graphs; nothing where there are none to be found in."""
    if not total:
        return ""
    return _row(title, f"{number:,} of {total:,} ({share_of(number, total)})", number / total)


def _row(title: str, text: str, share: float) -> str:
    width = 100 * min(1.0, max(0.0, share)) if math.isfinite(share) else 0.0
    bar = f'<span class="bar"><span style="width:{width:.1f}%"></span></span>'
    return f'<tr><th scope="row">{escape(title)}</th><td>{escape(text)}</td><td>{bar}</td></tr>'


def steps(prototype: Prototype) -> str:
    """The steps that led to a prototype, folded up."""
    taken = prototype.evidence.steps if prototype.evidence is not None else ()
    if not taken:
        return ""
    items = "".join(f"<li>{escape(step)}</li>" for step in taken)
    return details(f"{count(len(taken), 'step')} that led to it", f"<ol>{items}</ol>")


def part_tables(explanation: Explanation, prototype: Prototype) -> str:
    """In how many graphs each node and each edge is found, folded up; nothing where that was not counted."""
    evidence = prototype.evidence
    if evidence is None or not (evidence.node_graphs or evidence.node_sources or evidence.contributions):
        return ""
    kinds = _kinds(explanation, prototype)
    names = [f"{node}{f' ({kind})' if kind else ''}" for node, kind in enumerate(kinds)]
    joined = [f"{names[u]} and {names[v]}" for u, v in prototype.edges]
    counts = _columns(evidence, prototype, evidence.node_sources, evidence.node_graphs)
    if evidence.contributions:
        counts["Adds to the margin"] = [f"{value:+.3f}" for value in evidence.contributions]
    if prototype.nodes is not None:
        counts[f"Node of graph {prototype.source}"] = [str(node) for node in prototype.nodes]
    parts = [_table("Node", names, counts)]
    if joined:
        parts.append(_table("Edge", joined, _columns(evidence, prototype, evidence.edge_sources, evidence.edge_graphs)))
    return details("Evidence node by node and edge by edge", "".join(parts))


def _kinds(explanation: Explanation, prototype: Prototype) -> list[str]:
    """Name of each node's kind, empty where it has none."""
    names = explanation.feature_names
    columns = node_columns(prototype.graph, explanation.feature_colors)
    if columns is None or prototype.graph.x.size(1) != len(names):
        return [""] * prototype.num_nodes
    return [shortened(names[column], MAX_KIND) for column in columns]


def _columns(
    evidence: Evidence, prototype: Prototype, sources: Sequence[int], graphs: Sequence[int]
) -> dict[str, list[str]]:
    """Columns of the figures that are known."""
    columns = {}
    if sources:
        total = "" if prototype.sources is None else f" of {len(prototype.sources)}"
        columns["In sources"] = [f"{number}{total}" for number in sources]
    if graphs:
        columns["In graphs looked at"] = [f"{number:,} of {evidence.num_looked_at:,}" for number in graphs]
    return columns


def _table(first: str, names: Sequence[str], columns: dict[str, list[str]]) -> str:
    return table((first, *columns), zip(names, *columns.values(), strict=True))
