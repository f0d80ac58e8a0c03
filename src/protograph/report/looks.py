"""What a graph is drawn as where it is no plain graph: a molecule, superpixels over an image, or a sentence."""

from collections.abc import Mapping

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph.explanation import Explanation, Pattern, Prototype
from protograph.graphs.validate import node_count
from protograph.report.depicted_images import Image, fragment_image, image_of
from protograph.report.depicted_molecules import PlacedMolecule, placed_fragment, placed_molecule
from protograph.report.depicted_sentences import words_of

# More atoms cannot be told apart.
MAX_ATOMS = 500

Look = PlacedMolecule | Image | tuple[str, ...] | None


def look_of(explanation: Explanation, graph: Data, kept: Mapping[int, Floats | None] | None = None) -> Look:
    """What a graph of the data is drawn as; ``None`` for a plain graph.

    Args:
        explanation: An explanation of the data, which knows its names.
        graph: The graph.
        kept: Nodes that are drawn in any case, with the places that they are to have, ``None`` for any.
    """
    if (words := words_of(graph)) is not None:
        return words
    named = explanation.named(graph)
    if (image := image_of(graph, named.feature_names)) is not None:
        return image
    return placed_molecule(named, kept) if node_count(graph) <= MAX_ATOMS else None


def fragment_look(
    explanation: Explanation, record: Prototype | Pattern, places: Floats | None = None
) -> PlacedMolecule | Image | None:
    """What a prototype or a pattern is drawn as by itself; ``None`` for a plain graph, as where nodes do not count.

    A molecule is drawn with the atoms and the types of bonds that are asked for, and no others.

    Args:
        explanation: Its explanation.
        record: The prototype or pattern.
        places: Of each of its nodes, where it is a molecule; ``None`` for any.
    """
    nodes = record.node_reading if isinstance(record, Pattern) else record.node_rule
    if nodes.is_empty:
        return None
    named = explanation.named(record.graph)
    if (image := fragment_image(*named[:2])) is not None:
        return image
    asked = record if isinstance(record, Pattern) else record.pattern
    if asked is not None:
        return placed_fragment(asked.named, places, has_orders=bool(asked.named.edge_names))
    assert isinstance(record, Prototype)
    return placed_fragment(named, places, has_orders=not record.edge_rule.is_empty)


def places_in(look: Look, nodes: list[int]) -> Floats | None:
    """Where nodes lie in the drawing of a molecule; ``None`` where it is none, or lacks one of them."""
    if not isinstance(look, PlacedMolecule):
        return None
    found = [place for node in nodes if (place := look.place_of(node)) is not None]
    return np.array(found) if found and len(found) == len(nodes) else None
