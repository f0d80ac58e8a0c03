"""Prototypes by themselves and in the graphs they were cut from: laid out once, drawn often, one graph in one frame."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from torch_geometric.data import Data

from protograph.explanation import Explanation, Prototype
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.report.depicted_images import Image
from protograph.report.layout import layout, undirected_edges
from protograph.report.looks import fragment_look, look_of, places_in
from protograph.report.reason_scene import ReasonScene, reason_scenes
from protograph.report.views import MAX_SOURCE_NODES, Highlight, View, nearest_nodes


@dataclass(frozen=True)
class Scene:
    """A prototype's pictures.

    Attributes:
        prototype: The prototype.
        number: Its number in its class, from 1.
        alone: The prototype itself.
        within: The source graph with the prototype highlighted; ``None`` where it was not cut from a graph.
        num_source_nodes: Number of nodes of the source graph, drawn or not.
    """

    prototype: Prototype
    number: int
    alone: View
    within: View | None = None
    num_source_nodes: int | None = None

    @property
    def views(self) -> list[View]:
        """All that is drawn."""
        return [self.alone] if self.within is None else [self.alone, self.within]


class ClassScenes(NamedTuple):
    """A class and the scenes of its prototypes, best first, and of its reasons."""

    explanation: Explanation
    scenes: Sequence[Scene]
    reasons: Sequence[ReasonScene] = ()


def lay_out(explanations: Iterable[Explanation]) -> list[ClassScenes]:
    """Lay out all prototypes and reasons of some classes."""
    return [
        ClassScenes(
            one,
            [scene_of(one, prototype, number) for number, prototype in enumerate(one.prototypes, start=1)],
            reason_scenes(one),
        )
        for one in explanations
    ]


def scene_of(explanation: Explanation, prototype: Prototype, number: int = 1) -> Scene:
    """Lay out a prototype and its source graph; nodes have the same places in both where there is a source."""
    drawn, source = explanation.named(prototype.graph).graph, source_of(explanation, prototype)
    evidence = prototype.evidence
    # In which share of the graphs looked at each node and each edge is found.
    shares: tuple[list[float], dict[tuple[int, int], float]] = [], {}
    if evidence is not None and (total := evidence.num_looked_at):
        edge_shares = zip(prototype.edges, (number / total for number in evidence.edge_graphs), strict=False)
        shares = [number / total for number in evidence.node_graphs], dict(edge_shares)
    if source is None or prototype.nodes is None:
        own = fragment_look(explanation, prototype)
        return Scene(prototype, number, View(drawn, layout(prototype.graph), None, *shares, look=own))
    num_nodes, nodes = node_count(source), list(prototype.nodes)
    look = look_of(explanation, source, dict.fromkeys(nodes))
    if look is None and num_nodes > MAX_SOURCE_NODES:
        # The prototype's nodes come first, in their own order.
        source = induced_subgraph(source, nearest_nodes(source, nodes, MAX_SOURCE_NODES))
        nodes = list(range(len(nodes)))
    edges, loops = undirected_edges(prototype.graph)
    index = np.asarray(nodes, dtype=np.int64)
    part = Highlight(nodes, index[edges], index[loops])
    # A molecule has its own places.
    positions = np.zeros((node_count(source), 2)) if look is not None else layout(source, nodes, part.edges)
    within = View(explanation.named(source).graph, positions, part, look=look)
    if isinstance(look, Image | tuple):
        # Its nodes are known by where they are in the image or the sentence.
        return Scene(prototype, number, replace(within, is_alone=True), within, num_nodes)
    own = fragment_look(explanation, prototype, places_in(look, nodes))
    return Scene(prototype, number, View(drawn, positions[index], None, *shares, look=own), within, num_nodes)


def source_of(explanation: Explanation, prototype: Prototype) -> Data | None:
    """The graph that a prototype was cut from, where it is kept."""
    return None if prototype.source is None else explanation.source_graphs.get(prototype.source)
