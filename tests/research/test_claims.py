import pytest

from research.paper.claims import above_zero, against_count, mostly, occasionally
from research.paper.findings import Estimate


@pytest.mark.parametrize(
    ("successes", "is_claimed", "expected"),
    [
        (10, True, "agrees"),  # Wilson: 0.72 to 1
        (10, False, "differs"),
        (8, True, "undecided"),  # 0.49 to 0.94
        (0, True, "differs"),  # 0 to 0.28
        (0, False, "agrees"),
    ],
)
def test_mostly_asks_on_which_side_of_a_half_the_interval_lies(successes, is_claimed, expected):
    assert mostly(Estimate.share(successes, 10), is_claimed) == expected


def test_a_number_without_an_interval_decides_nothing():
    assert mostly(Estimate(1.0, None, None, 1)) == "undecided"
    assert above_zero(Estimate(1.0, None, None, 1)) == "undecided"


def test_a_difference_below_zero_differs():
    assert above_zero(Estimate(-0.2, -0.3, -0.1, 10)) == "differs"


@pytest.mark.parametrize(("successes", "expected"), [(0, "undecided"), (3, "agrees"), (10, "differs")])
def test_occasionally_is_neither_never_nor_mostly(successes, expected):
    assert occasionally(Estimate.share(successes, 10)) == expected


@pytest.mark.parametrize(
    ("ours", "larger_is_better", "expected"),
    [
        (Estimate.share(40, 100), None, "undecided"),  # 0.31 to 0.50; the paper's 7 of 10 goes from 0.40 to 0.89
        (Estimate.share(20, 100), None, "differs"),  # 0.13 to 0.29
        (Estimate.share(20, 100), True, "worse"),
        (Estimate.share(20, 100), False, "better"),
        (Estimate.share(99, 100), True, "better"),  # 0.95 to 1
        (Estimate.share(80, 100), True, "undecided"),
    ],
)
def test_counts_are_told_apart_where_their_intervals_do_not_overlap(ours, larger_is_better, expected):
    assert against_count(ours, Estimate.share(7, 10), larger_is_better) == expected
