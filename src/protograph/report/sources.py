"""The graphs that a prototype was found in, side by side: nodes that correspond have the same number and place."""

from typing import NamedTuple

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph.explanation import Explanation, Prototype
from protograph.graphs.cleaning import node_count
from protograph.graphs.cutting import induced_subgraph
from protograph.report.layout import layout
from protograph.report.views import MAX_SOURCE_NODES, Highlight, View, nearest_nodes


class SourceView(NamedTuple):
    """A source as it is drawn: its index, its picture, and the number of each node that corresponds to others."""

    source: int
    view: View
    numbers: dict[int, int]


def source_views(explanation: Explanation, prototype: Prototype) -> list[SourceView]:
    """All sources of a prototype that are kept, turned alike; nothing where it was not matched."""
    if prototype.matches is None or prototype.sources is None:
        return []
    columns = prototype.matches.T.tolist()
    views: list[SourceView] = []
    first: dict[int, Floats] = {}
    for index, column in zip(prototype.sources, columns, strict=True):
        if index in explanation.source_graphs:
            made = _view(explanation, prototype, index, column, first)
            views.append(made)
            if not first:
                first = {number: made.view.positions[node] for node, number in made.numbers.items()}
    return views


def _view(
    explanation: Explanation, prototype: Prototype, index: int, column: list[int], wanted: dict[int, Floats]
) -> SourceView:
    graph = explanation.source_graphs[index]
    # A walk may come by a node twice; it has the number of the first time.
    number_of = {node: number for number, node in reversed([*enumerate(column, start=1)]) if node >= 0}
    nodes = list(number_of)
    if node_count(graph) > MAX_SOURCE_NODES:
        graph = induced_subgraph(graph, nearest_nodes(graph, nodes or [0], MAX_SOURCE_NODES))
        number_of = {place: number_of[node] for place, node in enumerate(nodes)}
        column = [nodes.index(node) if node >= 0 else -1 for node in column]
        nodes = list(number_of)
    edges = _joined(graph.edge_index.T.tolist(), [(column[u], column[v]) for u, v in prototype.edges])
    positions = layout(graph, nodes, edges)
    shared = [(node, wanted[number]) for node, number in number_of.items() if number in wanted]
    if len(shared) > 1:
        positions = _turned_to(positions, [node for node, _ in shared], np.array([place for _, place in shared]))
    part = Highlight(nodes, edges, np.zeros(0, np.int64))
    return SourceView(index, View(explanation.named(graph).graph, positions, part), number_of)


def _joined(edges: list[list[int]], pairs: list[tuple[int, int]]) -> Ints:
    """The pairs that are edges."""
    own = {(min(u, v), max(u, v)) for u, v in edges}
    there = sorted({(min(u, v), max(u, v)) for u, v in pairs} & own)
    return np.array(there, dtype=np.int64).reshape(-1, 2)


def _turned_to(positions: Floats, nodes: list[int], places: Floats) -> Floats:
    """Positions turned, and mirrored where that is nearer, so that some nodes come near their places."""
    own, wanted = positions[nodes] - positions[nodes].mean(axis=0), places - places.mean(axis=0)
    left, _, right = np.linalg.svd(own.T @ wanted)
    turned: Floats = (positions - positions[nodes].mean(axis=0)) @ (left @ right)
    return turned
