"""Pictures for a page: of prototypes, patterns, examples and graphs, each as what it is drawn as where it comes from.

Molecules are drawn as chemists do, superpixels over their image, sentences are text, and all else is a graph. Each
picture is made from an explanation alone, the same in every run. See :data:`~protograph.report.markup.CSS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph.explanation import Explanation, Pattern, Prototype, Reason
from protograph.graphs.conditions import Reading
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.molecules.functional_groups import found_groups
from protograph.report.depicted_graphs import graph_markup
from protograph.report.depicted_images import Image, image_markup
from protograph.report.depicted_molecules import PlacedMolecule, molecule_markup
from protograph.report.depicted_sentences import sentence_markup
from protograph.report.layout import layout, layout_around, undirected_edges
from protograph.report.looks import fragment_look, look_of
from protograph.report.markup import Marks
from protograph.report.palette import Palette
from protograph.report.views import MAX_SOURCE_NODES, nearest_nodes

MOLECULE, SUPERPIXELS, SENTENCE, GRAPH = "molecule", "superpixels", "sentence", "graph"

Places = Mapping[int, Floats]
NO_MARKS = Marks()
ALONE = "the prototype by itself"


@dataclass(frozen=True)
class Picture:
    """A picture, and what stands beside it.

    Attributes:
        markup: SVG, or of a sentence a paragraph of HTML; what is from the data is escaped.
        kind: What it is drawn as: ``"molecule"``, ``"superpixels"``, ``"sentence"`` or ``"graph"``.
        place: What the graph is called, with what is known of where it came from but its SMILES; plain text.
        smiles: Its SMILES; empty where it is no molecule.
        note: What is not drawn; empty where all is.
        groups: Functional groups and rings of this molecule that lie in what is marked, by their names.
    """

    markup: str
    kind: str
    place: str = ""
    smiles: str = ""
    note: str = ""
    groups: tuple[str, ...] = ()


def prototype_pictures(
    explanation: Explanation,
    prototype: Prototype,
    *,
    palette: Palette,
    titles: Sequence[str] = (),
    label: str = ALONE,
) -> tuple[Picture, list[Picture]]:
    """A prototype by itself, and marked in each graph that it was found in and that is kept, aligned alike.

    The same nodes have the same numbers, colours and places.

    Args:
        explanation: Its explanation.
        prototype: The prototype.
        palette: Colours of nodes.
        titles: What is said of each of its nodes, by itself, when it is pointed at; empty for its kind.
        label: What it is, for those who cannot see it by itself.
    """
    artist = _Artist(explanation, palette, label=label)
    first, marks, places = artist.found(prototype)
    drawn = [
        artist.graph(index, explanation.source_graphs[index], own, {} if index == first else places)
        for index, own in marks.items()
    ]
    return artist.alone(prototype, first, marks, places, None, titles), drawn


def prototype_picture(
    explanation: Explanation, prototype: Prototype, *, palette: Palette, label: str = ALONE
) -> Picture:
    """A prototype by itself, its nodes where they are in the graph that it was cut from."""
    artist = _Artist(explanation, palette, label=label)
    first, marks, places = artist.found(prototype)
    return artist.alone(prototype, first, marks, places, NO_MARKS)


def pattern_picture(
    explanation: Explanation,
    pattern: Prototype | Pattern,
    *,
    marks: Marks | None = None,
    palette: Palette,
    label: str,
) -> Picture:
    """A pattern by itself; where types of bonds did not count, it is drawn without them.

    Args:
        explanation: Its explanation.
        pattern: A pattern of a reason, or a prototype.
        marks: What of it is marked; ``None`` for its closed nodes, or the numbers of a prototype.
        palette: Colours of nodes.
        label: What it is, for those who cannot see it.
    """
    return _Artist(explanation, palette, label).fragment(pattern, None, marks)


def graph_like(
    explanation: Explanation,
    prototype: Prototype,
    graph: Data,
    *,
    label: str,
    marks: Marks = NO_MARKS,
    palette: Palette,
) -> Picture:
    """A small graph drawn as a prototype is by itself, such as a pattern that was not taken, or a ground truth."""
    rule = prototype.edge_rule if graph.edge_attr is not None else Reading()
    columns = ("feature_names", "feature_values", "edge_names", "edge_values", "node_rule")
    names = {name: getattr(prototype, name) for name in columns}
    like = Prototype(graph=graph, probability=0.0, margin=0.0, edge_rule=rule, **names)
    return pattern_picture(explanation, like, marks=marks, palette=palette, label=label)


def example_picture(explanation: Explanation, reason: Reason, *, palette: Palette) -> Picture | None:
    """The graph of a reason's example with its patterns marked; ``None`` where the reason has none.

    Of a graph that is not kept, the part is drawn that the example is.
    """
    example = reason.example
    if example is None:
        return None
    whole = explanation.source_graphs.get(example.source)
    node_of = example.nodes if whole is not None else tuple(range(len(example.nodes)))
    places = [pattern for pattern in reason.has for _ in range(pattern.at_least)]
    marked = {node_of[node]: None for nodes in example.marked for node in nodes}
    edges = [
        (node_of[nodes[u]], node_of[nodes[v]])
        for pattern, nodes in zip(places, example.marked, strict=True)
        for u, v in pattern.edges
    ]
    graph = example.graph if whole is None else whole
    return _Artist(explanation, palette).graph(example.source, graph, Marks(marked, edges), {})


def _images(explanation: Explanation, prototype: Prototype) -> dict[int, dict[int, int]]:
    """For each source that is kept, the prototype's nodes there: node of the source to node of the prototype."""
    images: dict[int, dict[int, int]] = {}
    if prototype.matches is not None and prototype.sources is not None:
        for column, index in enumerate(prototype.sources):
            rows = enumerate(prototype.matches[:, column].tolist())
            images.setdefault(index, {node: number for number, node in rows if node >= 0})
    if prototype.source is not None and prototype.nodes is not None:
        # What it was cut from has all its nodes, whatever the matches say.
        images[prototype.source] = {node: number for number, node in enumerate(prototype.nodes)}
    return {
        index: image
        for index, image in images.items()
        if index in explanation.source_graphs and max(image, default=-1) < node_count(explanation.source_graphs[index])
    }


def _marks(explanation: Explanation, prototype: Prototype, index: int, image: Mapping[int, int]) -> Marks:
    """The prototype in a source: the nodes that are matched there, and its edges that are there too."""
    there = {tuple(ends) for ends in undirected_edges(explanation.source_graphs[index])[0].tolist()}
    node_of = {number: node for node, number in image.items()}
    edges = [(node_of[u], node_of[v]) for u, v in prototype.edges if u in node_of and v in node_of]
    return Marks(image, [ends for ends in edges if (min(ends), max(ends)) in there], (), is_numbered=True)


@dataclass(frozen=True)
class _Artist:
    """Draws what an explanation has, with one palette."""

    explanation: Explanation
    palette: Palette
    label: str = ""  # of what is drawn by itself

    def found(self, prototype: Prototype) -> tuple[int | None, dict[int, Marks], dict[int, Floats]]:
        """The source that says where nodes lie, the prototype in each source, and the places by its own numbers."""
        images = _images(self.explanation, prototype)
        if not images:
            return None, {}, {}
        # The graph that it was cut from comes first; the others follow.
        first = prototype.source if prototype.source in images else next(iter(images))
        marks = {index: _marks(self.explanation, prototype, index, image) for index, image in images.items()}
        graph = self.explanation.source_graphs[first]
        look = look_of(self.explanation, graph, dict.fromkeys(images[first]))
        if isinstance(look, PlacedMolecule):
            found = {number: look.place_of(node) for node, number in images[first].items()}
            return first, marks, {number: place for number, place in found.items() if place is not None}
        if look is not None:
            return first, marks, {}
        graph, own = _cut(graph, marks[first])
        positions = layout(graph, list(own.nodes), _lines(own))
        return first, marks, {n: positions[node] for node, n in own.nodes.items() if n is not None}

    def graph(self, index: int, graph: Data, marks: Marks, places: Places) -> Picture:
        """A graph of the data, or a part of one; nodes whose number has a place lie there."""
        wanted = {node: None if number is None else places.get(number) for node, number in marks.nodes.items()}
        look = look_of(self.explanation, graph, wanted)
        origin, smiles = self.explanation.origin(index), graph.get("smiles")
        if isinstance(smiles, str) and not origin.smiles:
            origin = replace(origin, smiles=smiles)
        beside: dict[str, Any] = {"place": replace(origin, smiles="").label, "smiles": origin.smiles}
        if isinstance(look, tuple):
            return Picture(sentence_markup(look, marks, origin.label), SENTENCE, **beside)
        if isinstance(look, Image):
            return Picture(image_markup(look, marks, origin.label), SUPERPIXELS, **beside)
        if look is not None:
            beside["smiles"] = origin.smiles or look.smiles
            marked = {look.shown.atoms[node] for node in marks.nodes if node in look.shown.atoms}
            groups = dict.fromkeys(
                one.name for one in found_groups(look.shown.molecule) if marked.issuperset(one.nodes)
            )
            return Picture(molecule_markup(look, marks, origin.label), MOLECULE, **beside, groups=tuple(groups))
        size = node_count(graph)
        graph, own = _cut(graph, marks)
        held = {node: places[number] for node, number in own.nodes.items() if number is not None and number in places}
        if held:
            positions = layout_around(graph, list(held), np.array(list(held.values())), _lines(own))
        else:
            positions = layout(graph, list(own.nodes), _lines(own))
        drawn = node_count(graph)
        note = "" if drawn == size else f"{drawn} of {size:,} nodes drawn"
        markup = graph_markup(self.explanation.named(graph).graph, positions, self.palette, own, origin.label)
        return Picture(markup, GRAPH, **beside, note=note)

    def alone(
        self,
        prototype: Prototype,
        first: int | None,
        found: Mapping[int, Marks],
        places: Places,
        marks: Marks | None,
        titles: Sequence[str] = (),
    ) -> Picture:
        """A prototype by itself, its nodes where they are in its source, where it has one."""
        look = None if first is None else look_of(self.explanation, self.explanation.source_graphs[first])
        shown = NO_MARKS if first is None else found[first]
        if isinstance(look, tuple):
            return Picture(sentence_markup(look, shown, self.label, is_alone=True), SENTENCE)
        if isinstance(look, Image):
            return Picture(image_markup(look, shown, self.label, is_alone=True), SUPERPIXELS)
        known = [places[number] for number in range(prototype.num_nodes) if number in places]
        own = np.array(known) if len(known) == prototype.num_nodes else None
        return self.fragment(prototype, own, marks, titles)

    def fragment(
        self,
        record: Prototype | Pattern,
        places: Floats | None,
        marks: Marks | None = None,
        titles: Sequence[str] = (),
    ) -> Picture:
        """A prototype or a pattern of a reason by itself."""
        is_prototype, label = isinstance(record, Prototype), self.label
        numbers = {node: node for node in range(record.num_nodes)} if is_prototype else {}
        closed = () if isinstance(record, Prototype) else record.closed
        marks = marks or Marks(numbers, (), closed, is_numbered=is_prototype)
        own_titles = dict(enumerate(titles))
        look = fragment_look(self.explanation, record, places)
        if isinstance(look, Image):
            every = Marks(dict.fromkeys(range(record.num_nodes)), record.edges)
            return Picture(image_markup(look, every, label), SUPERPIXELS)
        if look is not None:
            return Picture(molecule_markup(look, marks, label, own_titles), MOLECULE)
        bare = Data(edge_index=record.graph.edge_index, num_nodes=record.num_nodes)
        positions = layout(bare) if places is None else places
        named = self.explanation.named(record.graph)
        return Picture(graph_markup(named.graph, positions, self.palette, marks, label, own_titles), GRAPH)


def _cut(graph: Data, marks: Marks) -> tuple[Data, Marks]:
    """A graph too large to be drawn cut to what surrounds what is marked; others as they are."""
    if node_count(graph) <= MAX_SOURCE_NODES:
        return graph, marks
    chosen = nearest_nodes(graph, list(marks.nodes) or [0], MAX_SOURCE_NODES)
    place_of = {node: place for place, node in enumerate(chosen)}
    nodes = {place_of[node]: number for node, number in marks.nodes.items()}
    edges = [(place_of[u], place_of[v]) for u, v in marks.edges]
    return induced_subgraph(graph, chosen), Marks(nodes, edges, (), marks.is_numbered)


def _lines(marks: Marks) -> Ints | None:
    return np.array(marks.edges, dtype=np.int64) if marks.edges else None
