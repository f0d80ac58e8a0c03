import math

import pytest

from protograph._base.errors import ProtographWarning
from protograph.metrics import EncodedGraphs, coverage, gain_area, overlap
from protograph.metrics.intervals import hoeffding, wilson
from tests.metrics.small_graphs import graph_of, path, ring

# Of class 1: two triangles, a square, a path of three, an edge. Of class 0: a triangle, which must not count.
GRAPHS = [ring(3), ring(3), ring(4), path(3), path(2), ring(3)]
CLASSES = [1, 1, 1, 1, 1, 0]
# In the graphs of class 1: the square in one, triangles in two, paths of three in four.
PROTOTYPES = [ring(4), ring(3), path(3)]


def test_coverage():
    found = coverage(PROTOTYPES, GRAPHS, CLASSES, 1)
    assert float(found) == found.value == 4 / 5
    assert (found.low, found.high) == wilson(4, 5)
    assert (found.num_graphs, found.confidence, found.is_exact) == (5, 0.95, True)
    assert coverage(PROTOTYPES[:2], GRAPHS, CLASSES, 1).value == 3 / 5
    assert coverage(PROTOTYPES, GRAPHS, CLASSES, 1, confidence=0.5).low == wilson(4, 5, 0.5)[0]


def test_overlap():
    found = overlap(PROTOTYPES, GRAPHS, CLASSES, 1)
    assert found.value == (2 + 2 + 2 + 1) / 4
    assert found.num_graphs == 4
    # Deviation 0.5 over four graphs, t of three degrees of freedom 3.1824: 1.75 +- 0.7956, cut at 1.
    assert (found.low, found.high) == pytest.approx((1.0, 2.5456), abs=5e-5)


def test_gain_area():
    found = gain_area(PROTOTYPES, GRAPHS, CLASSES, 1)
    # The path covers four, which leaves nothing to the others.
    assert found.order == (2, 0, 1)
    assert found.curve == (4 / 5, 4 / 5, 4 / 5)
    assert found.value == pytest.approx(4 / 5)
    assert (found.low, found.high) == hoeffding(found.value, 5, num_orders=3)
    fewer = gain_area(PROTOTYPES[:2], GRAPHS, CLASSES, 1)
    assert fewer.order == (1, 0)
    assert fewer.curve == (2 / 5, 3 / 5)
    assert fewer.value == pytest.approx(1 / 2)


def test_the_order_counts_new_graphs_only():
    # Triangles are in three graphs; all four nodes joined are in two of these; the square is in the other one.
    joined = graph_of(4, [(u, v) for v in range(4) for u in range(v)])
    found = gain_area([ring(3), joined, ring(4)], [ring(3), joined, joined, ring(4)], [0] * 4, 0, induced=True)
    assert found.order == (0, 2, 1)
    assert found.curve == (3 / 4, 1.0, 1.0)


def test_encoded_graphs_and_options():
    encoded = EncodedGraphs(GRAPHS)
    assert coverage(PROTOTYPES, encoded, CLASSES, 1, workers=2).value == 4 / 5
    assert coverage([path(3)], encoded, CLASSES, 1, induced=True).value == 2 / 5
    assert coverage([path(2, bonds=[0])], [path(2, bonds=[1])], [0], 0, match_edges=True).value == 0.0


def test_no_prototypes():
    assert coverage([], GRAPHS, CLASSES, 1).value == 0.0
    assert gain_area([], GRAPHS, CLASSES, 1).value == 0.0
    found = overlap([], GRAPHS, CLASSES, 1)
    assert math.isnan(found.value)
    assert (found.low, found.high, found.num_graphs) == (1.0, 1.0, 0)


@pytest.mark.parametrize("measure", [coverage, overlap, gain_area])
def test_no_graphs_of_the_class(measure):
    found = measure(PROTOTYPES, GRAPHS, CLASSES, 2)
    assert math.isnan(float(found))
    assert found.num_graphs == 0
    assert (found.low, found.high) == ((1.0, 3.0) if measure is overlap else (0.0, 1.0))


def test_one_covered_graph_tells_nothing_of_the_spread():
    found = overlap(PROTOTYPES, GRAPHS[:1], [0], 0)
    assert (found.value, found.low, found.high) == (2.0, 1.0, 3.0)


@pytest.mark.parametrize("measure", [coverage, overlap, gain_area])
def test_what_was_given_up_is_said(measure):
    with pytest.warns(ProtographWarning, match=r"^4 of 5 searches") as caught:
        found = measure([path(3)], GRAPHS, CLASSES, 1, max_calls=1)
    assert caught[0].filename == __file__
    assert (found.is_exact, found.num_undecided) == (False, 4)


@pytest.mark.parametrize("measure", [coverage, overlap, gain_area])
def test_bad_input(measure):
    with pytest.raises(ValueError, match=r"^confidence must be between 0 and 1, got 95$"):
        measure(PROTOTYPES, GRAPHS, CLASSES, 1, confidence=95)
    with pytest.raises(ValueError, match=r"^predictions must be one class for each of the 6 graphs, got shape \[0\]$"):
        measure(PROTOTYPES, GRAPHS, [], 1)
