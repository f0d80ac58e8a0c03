import pytest

from protograph.explanation import Pattern
from tests.explanation.by_hand import asking, house, reason
from tests.metrics.small_graphs import path, ring

TRIANGLE, SQUARE, HOUSE = Pattern(graph=ring(3)), Pattern(graph=ring(4)), Pattern(graph=house())
TWO = Pattern(graph=ring(3), at_least=2)
ENDS = Pattern(graph=path(4), closed=(0, 3))
NITRO = asking(path(3, kinds=[2, 1, 2]), ("C", "N", "O"))


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"has": (TRIANGLE, SQUARE, HOUSE)}, "a triangle, a ring of four nodes and a house"),
        ({"has": (TRIANGLE,), "lacks": (HOUSE,)}, "a triangle, without a house"),
        ({"has": (TRIANGLE,), "lacks": (HOUSE, SQUARE)}, "a triangle, without a house or a ring of four nodes"),
        ({"has": (TRIANGLE,), "lacks": (TWO,)}, "a triangle, with fewer than two triangles"),
        ({"lacks": (TWO, HOUSE)}, "without a house, with fewer than two triangles"),
        (
            {"has": (ENDS, HOUSE)},
            "a path of four nodes, whose ends have no other neighbours, and also a house",
        ),
        (
            {"has": (HOUSE,), "lacks": (ENDS, TRIANGLE)},
            "a house, without a path of four nodes, whose ends have no other neighbours, without a triangle",
        ),
        (
            {"unless": (reason(has=(HOUSE,)),), "lacks": (Pattern(graph=house()),)},
            "none of what marks the others: no house",
        ),
        (
            {"unless": (reason(has=(HOUSE,)), reason(has=(TRIANGLE, SQUARE)), reason(lacks=(TRIANGLE,)))},
            "none of what marks the others: no house, and also not at once (a triangle and a ring of four nodes), "
            "and also a triangle",
        ),
        (
            {"unless": (reason(has=(HOUSE, TRIANGLE)), reason(has=(SQUARE,), lacks=(TRIANGLE, HOUSE)))},
            "none of what marks the others: none of their two reasons holds",
        ),
        (
            {"unless": (reason(has=(HOUSE, TRIANGLE, SQUARE), lacks=(ENDS, TWO)),)},
            "none of what marks the others: their reason does not hold",
        ),
        (
            {"unless": (reason(has=(HOUSE,)),), "lacks": (TRIANGLE,)},
            "none of what marks the others: no house, without a triangle",
        ),
        ({"has": (NITRO, TRIANGLE)}, "a nitrogen joined to two oxygens, and also a triangle"),
        ({"lacks": (NITRO, TRIANGLE)}, "without a nitrogen joined to two oxygens, without a triangle"),
    ],
)
def test_words_by_hand(parts, words):
    assert reason(**parts).describe() == words
