import numpy as np
import torch
from torch_geometric.data import Data

from protograph.report.depicted_images import fragment_image, image_markup, image_of
from protograph.report.markup import Marks

NAMES = ("black", "dark", "bright", *(f"row {row}, column {column}" for row in range(3) for column in range(3)))


def checkers(**attributes):
    """Nine superpixels, three by three: the middle one bright, the others black."""
    levels = torch.eye(3)[[0, 0, 0, 0, 2, 0, 0, 0, 0]]
    pos = torch.tensor([[column, -row] for row in range(3) for column in range(3)], dtype=torch.float)
    edges = torch.tensor([[3, 4], [4, 3]])
    return Data(**{"x": torch.cat([levels, torch.eye(9)], 1), "pos": pos, "edge_index": edges} | attributes)


def test_cells_are_what_is_nearest_to_each_centre():
    image = image_of(checkers(), NAMES)
    middle = image.cells[4]
    assert sorted(map(tuple, middle.round(6).tolist())) == [(0.5, 0.5), (0.5, 1.5), (1.5, 0.5), (1.5, 1.5)]
    assert np.flatnonzero(image.greys > 0.5).tolist() == [4]


def test_a_single_column_of_greys_is_an_image_and_other_features_are_none():
    grey = checkers(x=torch.linspace(0, 1, 9)[:, None])
    assert image_of(grey, ()).greys[8] == 1
    assert image_of(checkers(x=torch.ones(9, 1)), ()) is None
    assert image_of(checkers(), ("a",) * 12) is None
    assert image_of(checkers(pos=None), NAMES) is None
    assert image_of(checkers(pos=torch.zeros(9, 2)), NAMES) is None


def test_columns_that_repeat_the_places_are_no_greys():
    greys, pos = torch.linspace(0, 1, 9)[:, None] ** 2, checkers().pos
    beside = image_of(checkers(x=torch.cat([pos[:, :1] / 28, greys, 1 - pos[:, 1:]], dim=1)), ())
    assert beside.greys.tolist() == greys.double().flatten().tolist()
    assert image_of(checkers(x=torch.cat([greys, greys], dim=1)), ()) is None
    assert image_of(checkers(x=pos / 28), ()) is None


def test_many_lines_are_thin_so_that_the_image_is_seen():
    image = image_of(checkers(), NAMES)
    every = [(u, v) for u in range(9) for v in range(u)]
    assert 'stroke-width="6"' in image_markup(image, Marks({}, every[:20]), "a digit")
    assert 'stroke-width="2"' in image_markup(image, Marks({}, every[:21]), "a digit")


def test_a_pattern_lies_in_the_rows_and_columns_that_it_names():
    graph = checkers()
    pattern = Data(x=graph.x[[5, 4]], edge_index=torch.tensor([[0, 1], [1, 0]]))
    image = fragment_image(pattern, NAMES)
    assert image.places.tolist() == [[2, 1], [1, 1]]
    assert image.box == (-0.5, -0.5, 2.5, 2.5)
    assert fragment_image(pattern, ("a",) * 12) is None


def test_alone_only_what_is_marked_has_its_grey():
    image = image_of(checkers(), NAMES)
    marks = Marks({4: 0, 3: 1}, [(3, 4)], is_numbered=True)
    whole, alone = (image_markup(image, marks, "a digit", is_alone=is_alone) for is_alone in (False, True))
    bright, black = 'fill="#f7f7f7"', 'fill="#121212"'
    assert (bright in whole, bright in alone, black in whole, black in alone) == (True,) * 4
    cells = [path.split('"')[1] for path in alone.split("<path ") if black in path]
    assert cells[0].count("Z") == 1
    assert 'data-node="4" data-match="0"' in whole
