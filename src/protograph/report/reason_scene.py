"""Reasons as they are drawn: each of their patterns by itself, and marked in the example."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from torch_geometric.data import Data

from protograph.explanation import Example, Explanation, Pattern, Reason
from protograph.explanation.describing.pattern_words import pattern_words
from protograph.explanation.describing.rule_words import are_marks_named
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.report.layout import layout, undirected_edges
from protograph.report.looks import fragment_look, look_of
from protograph.report.views import MAX_SOURCE_NODES, Highlight, View, nearest_nodes

# More patterns than these are not drawn: they are in the words.
MAX_PATTERNS = 6


class DrawnPattern(NamedTuple):
    """A pattern of a reason, how it counts there, and what stands above it.

    Attributes:
        pattern: The pattern.
        is_lacking: Whether it is not to be there, or not together with others.
        words: What it is, in words.
    """

    pattern: Pattern
    is_lacking: bool
    words: str


@dataclass(frozen=True)
class ReasonScene:
    """A reason's pictures.

    Attributes:
        reason: The reason.
        number: Its number in its class, from 1.
        patterns: Those of its patterns that are drawn, what is there first, each with its picture: closed nodes ringed.
        example: Its example with the patterns marked; ``None`` where there is none.
    """

    reason: Reason
    number: int
    patterns: list[tuple[DrawnPattern, View]]
    example: View | None = None

    @property
    def views(self) -> list[View]:
        """All that is drawn."""
        return [*(view for _, view in self.patterns), *([] if self.example is None else [self.example])]


def reason_scenes(explanation: Explanation) -> list[ReasonScene]:
    """Lay out all reasons of a class."""
    scenes = []
    for number, reason in enumerate(explanation.reasons, start=1):
        parts = drawn_patterns(reason)[:MAX_PATTERNS]
        views = [(part, _pattern_view(explanation, part.pattern)) for part in parts]
        example = None if reason.example is None else _example_view(explanation, reason, reason.example)
        scenes.append(ReasonScene(reason, number, views, example))
    return scenes


def drawn_patterns(reason: Reason) -> list[DrawnPattern]:
    """The patterns of a reason in the order in which they are drawn; of what is left, those that mark the others.

    Where these are too many to be said again, they are drawn with the reasons of the others alone.
    """
    others = reason.unless if are_marks_named(reason) else ()
    parts = [*_of_reason(reason), *(part for other in others for part in _not(other))]
    # A pattern that is named as lacking may mark the others too.
    return list({(part.words, part.is_lacking): part for part in parts}.values())


def _of_reason(reason: Reason) -> Iterator[DrawnPattern]:
    for pattern in reason.has:
        yield DrawnPattern(pattern, False, pattern_words(pattern).present)
    for pattern in reason.lacks:
        yield DrawnPattern(pattern, True, pattern_words(pattern).absent)


def _not(other: Reason) -> Iterator[DrawnPattern]:
    """What a reason that must not hold asks for: the opposite where that is one thing, else not all of it at once."""
    if len(other.patterns) == 1:
        (pattern,), words = other.patterns, pattern_words(other.patterns[0])
        yield DrawnPattern(pattern, bool(other.has), words.absent if other.has else words.present)
        return
    for part in _of_reason(other):
        yield DrawnPattern(part.pattern, True, f"not at once: {part.words}")


def _pattern_view(explanation: Explanation, pattern: Pattern) -> View:
    graph = Data(edge_index=pattern.graph.edge_index, num_nodes=pattern.num_nodes)
    look = fragment_look(explanation, pattern)
    positions = layout(graph) if look is None else np.zeros((pattern.num_nodes, 2))
    return View(explanation.named(pattern.graph).graph, positions, rings=pattern.closed, look=look)


def _example_view(explanation: Explanation, reason: Reason, example: Example) -> View:
    """The example, with what its patterns have in full colour and the rest pale; all in full where none are there.

    Where the graph that it was cut from is no plain graph, that is drawn: a part of a molecule is no molecule.
    """
    graph, marked = example.graph, [list(nodes) for nodes in example.marked]
    look, whole = None, explanation.source_graphs.get(example.source)
    if whole is not None:
        there = [[example.nodes[node] for node in place] for place in marked]
        look = look_of(explanation, whole, dict.fromkeys(node for place in there for node in place))
        graph, marked = (graph, marked) if look is None else (whole, there)
    nodes = list(dict.fromkeys(node for place in marked for node in place))
    if look is None and node_count(graph) > MAX_SOURCE_NODES:
        chosen = nearest_nodes(graph, nodes or [0], MAX_SOURCE_NODES)
        place_of = {node: place for place, node in enumerate(chosen)}
        graph, marked = induced_subgraph(graph, chosen), [[place_of[node] for node in place] for place in marked]
        nodes = [place_of[node] for node in nodes]
    # The edges of the patterns where they lie in what is drawn.
    places = [pattern for pattern in reason.has for _ in range(pattern.at_least)]
    found = [
        np.asarray(own, dtype=np.int64)[undirected_edges(pattern.graph)[0]]
        for pattern, own in zip(places, marked, strict=True)
    ]
    edges = np.concatenate([np.zeros((0, 2), np.int64), *found])
    positions = layout(graph, nodes, edges) if look is None else np.zeros((node_count(graph), 2))
    part = Highlight(nodes, edges, np.zeros(0, np.int64)) if nodes else None
    return View(explanation.named(graph).graph, positions, part, look=look)
