import numpy as np
from matplotlib.colors import to_hex

from research.paper.heat_map import CHOSEN, HeatMap, heat_maps

VALUES = np.array([[0.0, 1.0], [0.25, np.nan]])


def test_numbers_are_written_in_their_squares_and_one_is_boxed():
    left = HeatMap("p", ["1", "2"], VALUES, "{:.2f}", (0.0, 1.0), marked=[(0, 1)])
    right = HeatMap("wins", ["1", "2"], np.array([[3.0, 0.0], [0.0, 2.0]]), "{:.0f}", (0.0, 3.0))
    figure = heat_maps("Sessions", ["first", "second"], [left, right], "session")
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["0.00", "1.00", "0.25"]
    boxes = [one for one in axes.patches if to_hex(one.get_edgecolor()) == CHOSEN.lower()]
    assert [(round(one.get_x(), 2), round(one.get_y(), 2)) for one in boxes] == [(1.03, 0.04)]
    assert [text.get_text() for text in figure.axes[1].texts] == ["3", "0", "0", "2"]
    assert [text.get_text() for text in figure.texts] == ["Sessions", "first", "second", "p", "wins"]


def test_rows_go_downwards_and_columns_are_named():
    figure = heat_maps("t", ["a", "b"], [HeatMap("p", ["x", "y"], VALUES, "{:.1f}", (0.0, 1.0))], "session")
    (axes,) = figure.axes
    assert axes.get_ylim() == (2.0, 0.0)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["x", "y"]
