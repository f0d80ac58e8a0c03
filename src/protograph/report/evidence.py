"""What the report says about how a prototype is borne out: in how many graphs, node by node, and step by step."""

import math
from collections.abc import Sequence
from html import escape

from protograph._base.words import count_of
from protograph.explanation.describing.sentences import share_of
from protograph.explanation.explanation import Explanation, Prototype
from protograph.graphs.kinds import node_columns
from protograph.report.html import columns, details, row, table
from protograph.report.words import shortened

MAX_KIND = 40


def evidence_table(prototype: Prototype) -> str:
    """A table of where a prototype is found, each share with its bar; nothing where that was not counted."""
    evidence = prototype.evidence
    if evidence is None:
        return ""
    counts = [
        ("Predicted as the class", evidence.num_in_class, evidence.num_class),
        ("Predicted otherwise", evidence.num_elsewhere, evidence.num_others),
        ("Its cluster", evidence.num_in_cluster, prototype.cluster_size),
    ]
    rows = [
        _row(title, f"{number:,} of {total:,} ({share_of(number, total)})", number / total)
        for title, number, total in counts
        if total
    ]
    rows.append(_row("Information", f"{evidence.information:.2f} of 1 bit", evidence.information))
    share = evidence.contribution_share
    if share is not None:
        rows.append(_row("Contribution share", f"{100 * share:.0f}%", share))
    return table(rows, caption="Evidence: graphs that contain it", style="evidence")


def _row(title: str, text: str, share: float) -> str:
    width = 100 * min(1.0, max(0.0, share)) if math.isfinite(share) else 0.0
    bar = f'<span class="bar"><span style="width:{width:.1f}%"></span></span>'
    return row(title, f"<td>{escape(text)}</td><td>{bar}</td>")


def steps(prototype: Prototype) -> str:
    """The steps that led to a prototype, folded up."""
    if prototype.evidence is None or not prototype.evidence.steps:
        return ""
    items = [f"<li>{escape(step)}</li>" for step in prototype.evidence.steps]
    return details(f"{count_of(len(items), 'step')} that led to it", f"<ol>{''.join(items)}</ol>")


def part_tables(explanation: Explanation, prototype: Prototype) -> str:
    """In how many graphs each node and each edge is found, folded up; nothing where that was not counted."""
    evidence = prototype.evidence
    if evidence is None or not (evidence.node_graphs or evidence.node_sources or evidence.contributions):
        return ""
    total = "" if prototype.sources is None else f" of {len(prototype.sources)}"

    def counts(sources: Sequence[int], graphs: Sequence[int]) -> dict[str, list[str]]:
        both = {
            "In sources": [f"{number}{total}" for number in sources],
            "In graphs looked at": [f"{number:,} of {evidence.num_looked_at:,}" for number in graphs],
        }
        return {name: cells for name, cells in both.items() if cells}

    names = _node_names(explanation, prototype)
    nodes = {"Node": names, **counts(evidence.node_sources, evidence.node_graphs)}
    if evidence.contributions:
        nodes["Adds to the margin"] = [f"{value:+.3f}" for value in evidence.contributions]
    if prototype.nodes is not None:
        nodes[f"Node of graph {prototype.source}"] = [str(node) for node in prototype.nodes]
    joined = [f"{names[u]} and {names[v]}" for u, v in prototype.edges]
    edges = columns({"Edge": joined, **counts(evidence.edge_sources, evidence.edge_graphs)}) if joined else ""
    return details("Evidence node by node and edge by edge", columns(nodes) + edges)


def _node_names(explanation: Explanation, prototype: Prototype) -> list[str]:
    """Number of each node, with its kind where that has a name."""
    names = explanation.feature_names
    kinds = node_columns(prototype.graph, explanation.feature_colors)
    if kinds is None or prototype.graph.x.size(1) != len(names):
        return [str(node) for node in range(prototype.num_nodes)]
    return [f"{node} ({shortened(names[kind], MAX_KIND)})" for node, kind in enumerate(kinds)]
