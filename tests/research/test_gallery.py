import torch
from matplotlib.colors import to_hex
from torch_geometric.data import Data

from protograph.report.palette import palette_of
from research.paper.gallery import ATTRIBUTION, Picture, Row, gallery

PATH = Data(x=torch.eye(2)[[0, 1, 0]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
PALETTE = palette_of([PATH], ["C", "O"], ["#4D4D4D", "#D55E00"])


def drawn(rows, columns=("left", "right"), note=""):
    return gallery("A title", columns, rows, PALETTE, note)


def words(figure):
    return [text.get_text() for text in figure.texts]


def parts(axes):
    return {one.get_label(): one for one in axes.collections}


def test_titles_captions_and_words_stand_in_the_figure():
    rows = [Row(cells=[Picture(graph=PATH, caption="p = 1"), "nothing found"], heading="Class 0")]
    figure = drawn(rows, note="what yellow is")
    assert words(figure) == ["A title", "what yellow is", "left", "right", "Class 0", "p = 1", "nothing found"]
    assert len(figure.axes) == 1


def test_a_higher_figure_for_more_rows():
    one, two = (drawn([Row(cells=[Picture(graph=PATH)] * 2)] * number) for number in (1, 2))
    assert len(two.axes) == 4
    assert two.get_size_inches()[1] > one.get_size_inches()[1]


def test_what_belongs_to_the_truth_is_underlaid():
    rows = [Row(cells=[Picture(graph=PATH, part={"nodes": [0, 1], "edges": [[0, 1]]}), Picture(graph=PATH)])]
    marked, plain = drawn(rows).axes
    assert len(parts(marked)["halo nodes"].get_offsets()) == 2
    assert "halo" not in parts(plain)


def test_shares_colour_nodes_from_white_to_red():
    rows = [Row(cells=[Picture(graph=PATH, shares=[0.0, 0.8, 0.2]), Picture(graph=PATH)])]
    shaded, by_kind = (parts(axes)["nodes"].get_facecolors() for axes in drawn(rows).axes)
    assert [to_hex(color) for color in shaded][:2] == ["#ffffff", ATTRIBUTION.lower()]
    assert [to_hex(color) for color in by_kind] == ["#4d4d4d", "#d55e00", "#4d4d4d"]


def test_one_graph_has_the_same_places_in_a_row():
    rows = [Row(cells=[Picture(graph=PATH), Picture(graph=PATH, shares=[1.0, 0.0, 0.0])])]
    left, right = (parts(axes)["nodes"].get_offsets().tolist() for axes in drawn(rows).axes)
    assert left == right
