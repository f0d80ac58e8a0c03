import math

import pytest

from protograph._utils.errors import ProtographWarning
from protograph._utils.intervals import wilson
from protograph.graphs.encoding import EncodedGraphs
from protograph.metrics import coverage, support
from tests.metrics.small_graphs import path, ring

GRAPHS = [ring(3), ring(4), path(3), ring(3), path(2), ring(5)]
CLASSES = [0, 0, 0, 1, 1, 2]


def test_counts_shares_and_lift_by_hand():
    found = support(ring(3), GRAPHS, CLASSES)
    assert found.contains.tolist() == [True, False, False, True, False, False]
    assert (found.counts, found.totals) == ((1, 1, 0), (3, 2, 1))
    assert found.shares == (1 / 3, 1 / 2, 0.0)
    assert found.lift(0) == pytest.approx((1 / 3) / (1 / 3))
    assert found.lift(1) == pytest.approx((1 / 2) / (1 / 4))
    assert found.lift(2) == 0.0
    assert float(found) == found.value == 2 / 6
    assert (found.is_exact, found.num_undecided) == (True, 0)
    assert found.interval(2) == pytest.approx((0.0, 0.7935), abs=5e-5)


def test_lift_where_it_has_no_number():
    only_here = support(ring(5), GRAPHS, CLASSES, num_classes=4)
    assert only_here.lift(2) == math.inf
    assert only_here.lift(0) == 0.0
    assert math.isnan(only_here.lift(3))
    assert math.isnan(only_here.shares[3])
    assert math.isnan(support(ring(6), GRAPHS, CLASSES).lift(0))
    assert math.isnan(support(path(2), GRAPHS, [0] * 6).lift(0))
    with pytest.raises(
        ValueError,
        match=r"^target must be in \[0, 4\), got 4; use an index into the model\'s output, not a class name$",
    ):
        only_here.lift(4)


def test_induced_and_edges():
    assert support(path(3), GRAPHS, CLASSES).counts == (3, 1, 1)
    assert support(path(3), GRAPHS, CLASSES, induced=True).counts == (2, 0, 1)
    bonds = [path(2, bonds=[0]), path(2, bonds=[1])]
    assert support(bonds[0], bonds, [0, 1]).counts == (1, 1)
    assert support(bonds[0], bonds, [0, 1], match_edges=True).counts == (1, 0)


def test_what_support_gave_up_is_said():
    with pytest.warns(ProtographWarning, match=r"^5 of 6 searches .* given up after 1 calls and count as not found"):
        found = support(path(3), GRAPHS, CLASSES, max_calls=1)
    assert (found.is_exact, found.num_undecided, found.counts) == (False, 5, (0, 0, 0))


@pytest.mark.parametrize(
    ("predictions", "options", "message"),
    [
        ([0, 1], {}, r"^predictions must be one class for each of the 6 graphs, got shape \[2\]$"),
        ([0.5] * 6, {}, r"^predictions must be classes, whole numbers from 0, got float64 down to 0.5$"),
        ([0, 0, 0, 0, 0, -1], {}, r"got int64 down to -1$"),
        (CLASSES, {"num_classes": 2}, r"^predictions must be in \[0, 2\), got 2; num_classes is 2$"),
    ],
)
def test_bad_input_of_support(predictions, options, message):
    with pytest.raises(ValueError, match=message):
        support(ring(3), GRAPHS, predictions, **options)


def test_encoded_graphs_must_fit():
    with pytest.raises(ValueError, match=r"^match_features and match_edges must be those .* got True and True$"):
        support(ring(3), EncodedGraphs(GRAPHS), CLASSES, match_edges=True)


# Of class 1: two triangles, a square, a path of three, an edge. Of class 0: a triangle, which must not count.
COVERED = [ring(3), ring(3), ring(4), path(3), path(2), ring(3)]
COVERED_CLASSES = [1, 1, 1, 1, 1, 0]
# In the graphs of class 1: the square in one, triangles in two, paths of three in four.
PROTOTYPES = [ring(4), ring(3), path(3)]


def test_coverage():
    found = coverage(PROTOTYPES, COVERED, COVERED_CLASSES, 1)
    assert float(found) == found.value == 4 / 5
    assert (found.low, found.high) == wilson(4, 5)
    assert (found.num_graphs, found.confidence, found.is_exact) == (5, 0.95, True)
    assert coverage(PROTOTYPES[:2], COVERED, COVERED_CLASSES, 1).value == 3 / 5
    assert coverage(PROTOTYPES, COVERED, COVERED_CLASSES, 1, confidence=0.5).low == wilson(4, 5, 0.5)[0]


@pytest.mark.parametrize(("prototypes", "target", "covered"), [([], 1, 0.0), (PROTOTYPES, 2, math.nan)])
def test_without_prototypes_or_graphs_of_the_class(prototypes, target, covered):
    assert coverage(prototypes, COVERED, COVERED_CLASSES, target).value == pytest.approx(covered, nan_ok=True)


def test_what_coverage_gave_up_is_said():
    with pytest.warns(ProtographWarning, match=r"^4 of 5 searches") as caught:
        found = coverage([path(3)], COVERED, COVERED_CLASSES, 1, max_calls=1)
    assert caught[0].filename == __file__
    assert (found.is_exact, found.num_undecided) == (False, 4)


def test_bad_input_of_coverage():
    with pytest.raises(ValueError, match=r"^confidence must be between 0 and 1, got 95$"):
        coverage(PROTOTYPES, COVERED, COVERED_CLASSES, 1, confidence=95)
