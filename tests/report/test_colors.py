"""Colours that stand for something differ for everybody."""

import re
from itertools import combinations

import pytest

from protograph.report.markup import MATCH_COLORS
from protograph.report.palette import COLORS
from protograph.report.templating import asset
from tests.colour_blind import SEEN_AS, distance

# Five times what is just seen to differ side by side: points of a map are small and apart.
FAR = 10.0
MAP_COLORS = re.findall(r"#\w{6}", re.search(r"COLORS = \[(.*?)\]", asset("map.js")).group(1))
PARTING = re.findall(r"#\w{6}", re.search(r"partingColors = \[(.*?)\]", asset("map.js")).group(1))


def lighter(color):
    """As the map does on a dark page."""
    return "#" + "".join(f"{round(int(color[at : at + 2], 16) * 0.7 + 255 * 0.3):02x}" for at in (1, 3, 5))


@pytest.mark.parametrize("sight", list(SEEN_AS))
@pytest.mark.parametrize(
    "colors",
    [COLORS, MATCH_COLORS, MAP_COLORS, [lighter(color) for color in MAP_COLORS], PARTING],
    ids=["nodes", "matches", "map", "map on dark", "parting"],
)
def test_any_two_are_far_apart(colors, sight):
    near = {pair: round(distance(*pair, sight), 1) for pair in combinations(colors, 2)}
    assert len(colors) >= 3
    assert {pair: gap for pair, gap in near.items() if gap < FAR} == {}


def test_the_simulation_is_right():
    assert distance("#000000", "#ffffff", "full vision") == pytest.approx(100, abs=0.1)
    # Red and green of one brightness are far apart, but not for those without one of the two cones.
    assert distance("#b05050", "#508050", "full vision") > 50
    assert distance("#b05050", "#508050", "deuteranopia") < 15


def test_classes_have_the_same_colours_in_the_list_and_on_the_map():
    styles = asset("report.css")
    listed = [re.search(r"\.swatch \{[^}]*background: (#\w{6})", styles).group(1)]
    listed += [re.search(rf"\.c{number} \{{ background: (#\w{{6}})", styles).group(1) for number in range(1, 10)]
    assert [color.upper() for color in listed] == MAP_COLORS
