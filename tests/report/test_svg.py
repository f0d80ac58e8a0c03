import re

import numpy as np
import torch

from protograph.report.palette import palette_of
from protograph.report.svg import Frame, number_color, svg_of
from protograph.report.views import Highlight, View
from tests.metrics.small_graphs import path, ring


def test_nodes_edges_and_numbers_are_drawn():
    graph = path(3, kinds=[0, 1, 1])
    view = View(graph, np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), rings=(0,))
    palette = palette_of([graph], ("C", "O", "N"))
    picture = svg_of(view, palette, "a <path>", Frame(300, 100, {1: 4}, ("a", "b", "c")))
    assert 'aria-label="a &lt;path&gt;"' in picture
    assert len(re.findall(r'<g class="node"', picture)) == 3
    assert picture.count('data-m="4"') == 1
    assert f'fill="{number_color(4)}"' in picture
    assert 'class="ring"' in picture
    # In the middle of the frame, level, an edge being as long as may be.
    assert 'd="M72.0 50.0L150.0 50.0M150.0 50.0L228.0 50.0"' in picture
    assert "<title>b</title>" in picture


def test_what_is_not_highlighted_is_pale():
    graph = ring(4)
    part = Highlight([0, 1], np.array([[0, 1]]), np.zeros(0, np.int64))
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    picture = svg_of(View(graph, square, part), palette_of([graph]), "")
    assert picture.count('class="node pale"') == picture.count('class="node"') == 2
    pale, full = re.search(r'edge pale" d="([^"]*)"', picture), re.search(r'edge full" d="([^"]*)"', picture)
    assert (pale.group(1).count("M"), full.group(1).count("M")) == (3, 1)


def test_a_name_inside_a_node_is_text():
    graph = path(1, kinds=[0])
    picture = svg_of(View(graph, np.zeros((1, 2))), palette_of([graph], ("<b", "x", "y")), "")
    assert "&lt;b" in picture
    assert "<b" not in picture.replace("&lt;b", "")


def test_no_nodes_are_an_empty_picture():
    graph = path(0)
    graph.x = torch.zeros(0, 3)
    assert svg_of(View(graph, np.zeros((0, 2))), palette_of([path(2)]), "none").count("<") == 2
