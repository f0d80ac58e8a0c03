"""Reasons as they are drawn: each of their patterns by itself, and marked in the example."""

from collections.abc import Iterator, Sequence
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


@dataclass(frozen=True)
class PatternView:
    """A pattern's picture.

    Attributes:
        view: The pattern itself, its closed nodes ringed.
        words: What it is, in words.
        is_lacking: Whether it is not to be there.
        at_least: In how many places it is asked for.
    """

    view: View
    words: str
    is_lacking: bool
    at_least: int = 1


@dataclass(frozen=True)
class ReasonScene:
    """A reason's pictures.

    Attributes:
        reason: The reason.
        number: Its number in its class, from 1.
        patterns: Its patterns, those that are there first.
        num_patterns: How many it has, drawn or not.
        example: Its example with the patterns marked; ``None`` where there is none.
    """

    reason: Reason
    number: int
    patterns: tuple[PatternView, ...]
    num_patterns: int
    example: View | None = None

    @property
    def views(self) -> list[View]:
        """All that is drawn."""
        return [*(one.view for one in self.patterns), *([] if self.example is None else [self.example])]


def reason_scenes(explanation: Explanation) -> list[ReasonScene]:
    """Lay out all reasons of a class."""
    return [_scene(explanation, reason, number) for number, reason in enumerate(explanation.reasons, start=1)]


def _scene(explanation: Explanation, reason: Reason, number: int) -> ReasonScene:
    parts = drawn_patterns(reason, explanation.feature_colors)
    views = tuple(_pattern_view(explanation, part) for part in parts[:MAX_PATTERNS])
    example = None if reason.example is None else _example_view(explanation, reason, reason.example)
    return ReasonScene(reason, number, views, len(parts), example)


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


def drawn_patterns(reason: Reason, colors: Sequence[str] = ()) -> list[DrawnPattern]:
    """The patterns of a reason in the order in which they are drawn; of what is left, those that mark the others.

    Where these are too many to be said again, they are drawn with the reasons of the others alone.
    """
    others = reason.unless if are_marks_named(reason) else ()
    parts = [*_of_reason(reason, colors), *(part for other in others for part in _not(other, colors))]
    # A pattern that is named as lacking may mark the others too.
    return list({(part.words, part.is_lacking): part for part in parts}.values())


def _of_reason(reason: Reason, colors: Sequence[str]) -> Iterator[DrawnPattern]:
    for pattern in reason.has:
        yield DrawnPattern(pattern, False, pattern_words(pattern, colors).present)
    for pattern in reason.lacks:
        yield DrawnPattern(pattern, True, pattern_words(pattern, colors).absent)


def _not(other: Reason, colors: Sequence[str]) -> Iterator[DrawnPattern]:
    """What a reason that must not hold asks for: the opposite where that is one thing, else not all of it at once."""
    if len(other.patterns) == 1:
        (pattern,), words = other.patterns, pattern_words(other.patterns[0], colors)
        yield DrawnPattern(pattern, bool(other.has), words.absent if other.has else words.present)
        return
    for part in _of_reason(other, colors):
        yield DrawnPattern(part.pattern, True, f"not at once: {part.words}")


def _pattern_view(explanation: Explanation, part: DrawnPattern) -> PatternView:
    pattern = part.pattern
    graph = Data(edge_index=pattern.graph.edge_index, num_nodes=pattern.num_nodes)
    look = fragment_look(explanation, pattern)
    positions = layout(graph) if look is None else np.zeros((pattern.num_nodes, 2))
    drawn = View(explanation.named(pattern.graph).graph, positions, rings=pattern.closed, look=look)
    return PatternView(drawn, part.words, part.is_lacking, pattern.at_least)


def _example_view(explanation: Explanation, reason: Reason, example: Example) -> View:
    """The example, with what its patterns have in full colour and the rest pale; all in full where none are there."""
    if (shown := _whole_view(explanation, reason, example)) is not None:
        return shown
    graph, marked = example.graph, [list(nodes) for nodes in example.marked]
    nodes = list(dict.fromkeys(node for place in marked for node in place))
    if node_count(graph) > MAX_SOURCE_NODES:
        chosen = nearest_nodes(graph, nodes or [0], MAX_SOURCE_NODES)
        place_of = {node: place for place, node in enumerate(chosen)}
        graph, marked = induced_subgraph(graph, chosen), [[place_of[node] for node in place] for place in marked]
        nodes = [place_of[node] for node in nodes]
    edges = _marked_edges(reason.has, marked)
    positions = layout(graph, nodes, edges)
    part = Highlight(nodes, edges, np.zeros(0, np.int64)) if nodes else None
    return View(explanation.named(graph).graph, positions, part)


def _whole_view(explanation: Explanation, reason: Reason, example: Example) -> View | None:
    """The graph that an example was cut from, where that is no plain graph: a part of a molecule is no molecule."""
    whole = explanation.source_graphs.get(example.source)
    if whole is None:
        return None
    marked = [[example.nodes[node] for node in place] for place in example.marked]
    nodes = list(dict.fromkeys(node for place in marked for node in place))
    look = look_of(explanation, whole, dict.fromkeys(nodes))
    if look is None:
        return None
    part = Highlight(nodes, _marked_edges(reason.has, marked), np.zeros(0, np.int64)) if nodes else None
    return View(explanation.named(whole).graph, np.zeros((node_count(whole), 2)), part, look=look)


def _marked_edges(patterns: Sequence[Pattern], marked: Sequence[Sequence[int]]) -> np.ndarray:
    """The edges of the patterns where they lie in the example."""
    places = [pattern for pattern in patterns for _ in range(pattern.at_least)]
    found = [
        np.asarray(nodes, dtype=np.int64)[undirected_edges(pattern.graph)[0]]
        for pattern, nodes in zip(places, marked, strict=True)
    ]
    return np.concatenate([np.zeros((0, 2), np.int64), *found])
