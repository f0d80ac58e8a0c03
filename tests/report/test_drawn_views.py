import numpy as np
import pytest
import torch
from matplotlib.figure import Figure
from matplotlib.path import Path
from torch_geometric.data import Data

from protograph.graphs.named_graph import NamedGraph
from protograph.report.depicted_images import image_of
from protograph.report.depicted_molecules import placed_molecule
from protograph.report.markup import Marks
from protograph.report.views import draw_image, draw_placed_molecule, draw_words, svg_path


@pytest.fixture
def axes():
    return Figure(figsize=(3, 2)).add_axes((0, 0, 1, 1))


def labels(axes, name):
    return [artist for artist in axes.get_children() if artist.get_label() == name]


def test_commands_become_a_path():
    path = svg_path("M 0.5,-1 Q 1,1 2,0 C 1,2 3,4 5e-1,6 Z")
    kinds = [Path.MOVETO, *[Path.CURVE3] * 2, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    assert path.codes.tolist() == kinds
    assert path.vertices.tolist() == [[0.5, -1], [1, 1], [2, 0], [1, 2], [3, 4], [0.5, 6], [0.5, -1]]
    assert len(svg_path("").vertices) == 0


def test_a_molecule_is_drawn_inside_its_frame(axes):
    bonds = torch.tensor([[0, 1, 1], [1, 2, 3]])
    acid = placed_molecule(NamedGraph(Data(edge_index=bonds, num_nodes=4, smiles="CC(=O)O"), (), ()))
    draw_placed_molecule(axes, (3, 2), acid, Marks({1: None, 2: None}, [(1, 2)], closed=(2,)), [1.0, 0.5])
    assert len(labels(axes, "halo nodes")) == 2
    assert len(labels(axes, "rings")) == 1
    points = np.concatenate([patch.get_path().vertices for patch in labels(axes, "molecule")])
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert points[:, 0].min() >= left
    assert points[:, 0].max() <= right
    assert top <= points[:, 1].min() <= points[:, 1].max() <= bottom
    # A pixel is a point: a bond is as long here as on a page.
    assert (right - left, bottom - top) == pytest.approx((216, 144))


def test_superpixels_fill_the_frame(axes):
    pos = torch.tensor([[column, -row] for row in range(3) for column in range(3)], dtype=torch.float)
    image = image_of(Data(x=torch.linspace(0, 1, 9)[:, None], pos=pos, num_nodes=9), ())
    draw_image(axes, (3, 2), image, Marks({4: 0, 5: 1}, [(4, 5)]), is_alone=True)
    cells = labels(axes, "superpixels")
    assert [cell.get_facecolor()[3] for cell in cells] == [0, 0, 0, 0, 1, 1, 0, 0, 0]
    assert len(labels(axes, "halo nodes")) == 2
    assert axes.get_ylim() == pytest.approx((2.5, -0.5), abs=0.51)


def test_a_sentence_is_written_in_lines(axes):
    words = ["lovely"] * 9
    draw_words(axes, (3, 2), words, Marks({3: 0}), is_alone=False)
    assert [text.get_text() for text in axes.texts] == words
    assert [text.get_bbox_patch() is not None for text in axes.texts].index(True) == 3
    assert len({text.get_position()[1] for text in axes.texts}) == 2


def test_a_sentence_alone_is_its_marked_words(axes):
    draw_words(axes, (3, 2), ["a", "$lovely$", "film"], Marks({1: 0}), is_alone=True)
    assert [text.get_text() for text in axes.texts] == ["…", "$lovely$", "…"]
