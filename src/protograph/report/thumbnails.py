"""Small pictures of many graphs, which a page shows when they are asked for.

A plain graph is drawn by the page's script from the kinds of its nodes and its edges, since thousands of them are
quicker to draw one at a time than all at once; a molecule, an image or a sentence is drawn here as everywhere else.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph._utils.words import one_line
from protograph.explanation import Explanation
from protograph.graphs.validate import node_count
from protograph.report.depicted_images import Image, drawn_places, image_markup
from protograph.report.depicted_molecules import PlacedMolecule, stroke_markup
from protograph.report.layout import undirected_edges
from protograph.report.looks import look_of
from protograph.report.markup import Marks, svg
from protograph.report.palette import Palette, readable_on

# Drawings that are kept, and letters of all of them: more make a page that is slow to write and to open. Each graph on
# the map takes room too.
MOST_DRAWN, MOST_LETTERS, LEAST_LETTERS, LETTERS_A_POINT = 600, 2_500_000, 400_000, 36
# Nodes of a graph that is drawn small: more cannot be told apart, and a browser takes long to lay them out.
MOST_NODES = 400
# Around a molecule, in pixels.
MARGIN = 8.0

Thumbnail = dict[str, Any]


class Thumbnails:
    """Small pictures by the index of their graph, as JSON has them, and how each kind of a plain graph's nodes looks.

    Args:
        explanation: One of the explanations of the data.
        palette: Colours of nodes.
        graphs: The graphs, those that matter most first; once there is no room for more, others are left out.
    """

    def __init__(self, explanation: Explanation, palette: Palette, graphs: Iterable[tuple[int, Data]]) -> None:
        self.graphs: dict[int, Thumbnail] = {}
        self._explanation, self._palette = explanation, palette
        self._kinds: dict[tuple[str, str], int] = {}
        room = max(LEAST_LETTERS, MOST_LETTERS - LETTERS_A_POINT * explanation.num_graphs)
        drawn = letters = 0
        for index, graph in graphs:
            if letters >= room:
                break
            if index in self.graphs or drawn >= MOST_DRAWN or node_count(graph) > MOST_NODES:
                continue
            self.graphs[index] = thumbnail = self._thumbnail(graph)
            drawn += "k" not in thumbnail
            letters += len(str(thumbnail))

    @property
    def looks(self) -> list[list[str]]:
        """Of each kind the colour, the letters inside, and the colour of these."""
        return [[color, inside, readable_on(color)] for color, inside in self._kinds]

    def _thumbnail(self, graph: Data) -> Thumbnail:
        look = look_of(self._explanation, graph)
        edges = undirected_edges(graph)[0].ravel().tolist()
        if isinstance(look, PlacedMolecule):
            drawing = look.draw()
            strokes = map(stroke_markup, drawing.strokes)
            markup = svg(drawing.width, drawing.height, "", *strokes, kind="molecule", margin=MARGIN)
            return {"m": markup, "n": _places(dict(zip(look.shown.nodes, drawing.points, strict=True))), "e": edges}
        if isinstance(look, Image):
            # What is marked lies over the cells, which have no gaps.
            places = _places(dict(enumerate(drawn_places(look))))
            return {"m": image_markup(look, Marks(), ""), "n": places, "o": True, "e": edges}
        if look is not None:
            return {"s": [one_line(word) for word in look]}
        looks, own = self._palette.looks(self._explanation.named(graph).graph), graph.get("pos")
        made: Thumbnail = {
            "k": [self._kinds.setdefault((one.color, one_line(one.inside)), len(self._kinds)) for one in looks]
        }
        if own is not None and own.dim() == 2 and own.size(1) == 2 and bool(own.isfinite().all()):
            made["p"] = [round(float(value), 2) for value in own.flatten().tolist()]
        return {**made, "e": edges}


def _places(points: Mapping[int, Floats]) -> list[int]:
    """Each node that is drawn, and where: three numbers a node."""
    return [round(float(value)) for node, (x, y) in points.items() for value in (node, x, y)]
