import pytest

from protograph._base.slices import timed_slices


def taken(size, first, seconds_of):
    """The slices, where work on each takes as long as the function says of its length."""
    now, slices = [0.0], []
    for part in timed_slices(size, first, lambda: now[0]):
        slices.append((part.start, part.stop))
        now[0] += seconds_of(part.stop - part.start)
    return slices


def test_quick_slices_get_longer():
    assert taken(20, 2, lambda length: 0.01) == [(0, 2), (2, 6), (6, 14), (14, 20)]


def test_slow_slices_get_shorter_down_to_one():
    assert taken(9, 4, lambda length: 1.0) == [(0, 4), (4, 6), (6, 7), (7, 8), (8, 9)]


def test_a_length_that_suits_stays():
    assert taken(10, 3, lambda length: 0.2) == [(0, 3), (3, 6), (6, 9), (9, 10)]


@pytest.mark.parametrize("size", range(4))
def test_what_fits_into_one_slice_is_one(size):
    assert taken(size, 4, lambda length: 0.0) == [(0, size)]


def test_a_first_slice_has_at_least_one():
    assert taken(3, 0, lambda length: 0.0) == [(0, 1), (1, 3)]


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.1, 3.0])
def test_every_place_is_in_one_slice(seconds):
    parts = taken(1000, 7, lambda length: seconds * length)
    assert [place for start, stop in parts for place in range(start, stop)] == list(range(1000))
