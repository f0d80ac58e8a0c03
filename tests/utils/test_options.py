import math
from dataclasses import dataclass

import numpy as np
import pytest

from protograph._utils.options import check_count, check_number, check_options


@pytest.mark.parametrize("value", [1, 7, np.int64(3)])
def test_whole_numbers_that_are_large_enough_are_taken(value):
    check_count("budget", value)


@pytest.mark.parametrize(
    ("value", "least", "kind", "message"),
    [
        (0, 1, ValueError, "budget must be at least 1, got 0"),
        (-3, 0, ValueError, "budget must be at least 0, got -3"),
        (np.int64(1), 2, ValueError, "budget must be at least 2, got 1"),
        (2.0, 1, TypeError, "budget must be a whole number, got 2.0"),
        (True, 1, TypeError, "budget must be a whole number, got True"),
        ("3", 1, TypeError, "budget must be a whole number, got '3'"),
        (None, 1, TypeError, "budget must be a whole number, got None"),
    ],
)
def test_anything_else_is_refused_by_name(value, least, kind, message):
    with pytest.raises(kind) as caught:
        check_count("budget", value, least)
    assert str(caught.value) == message


@pytest.mark.parametrize(("value", "above"), [(0, None), (0.5, 0), (2, 1), (np.float32(0.1), 0)])
def test_numbers_in_range_are_taken(value, above):
    check_number("decay", value, above=above)


@pytest.mark.parametrize(
    ("value", "above", "kind", "message"),
    [
        (-0.1, None, ValueError, "decay must be a finite number of at least 0, got -0.1"),
        (1, 1, ValueError, "decay must be a finite number above 1, got 1"),
        (math.inf, 0, ValueError, "decay must be a finite number above 0, got inf"),
        (math.nan, None, ValueError, "decay must be a finite number of at least 0, got nan"),
        (True, None, TypeError, "decay must be a number, got True"),
        ("1", 0, TypeError, "decay must be a number, got '1'"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(value, above, kind, message):
    with pytest.raises(kind) as caught:
        check_number("decay", value, above=above)
    assert str(caught.value) == message


@dataclass
class Options:
    count: int = 3
    start: int | None = None
    rate: float = 0.5
    weight: float = 0.0
    random_state: int = 0


@pytest.mark.parametrize("options", [{}, {"count": 1}, {"start": 0}, {"weight": 0, "rate": 1e-9, "random_state": 7}])
def test_options_that_are_as_they_must_be(options):
    check_options(Options(**options), least={"start": 0}, above_zero=("rate",))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"count": 0}, ValueError, "count must be at least 1, got 0"),
        ({"count": None}, TypeError, "count must be a whole number, got None"),
        ({"start": -1}, ValueError, "start must be at least 0, got -1"),
        ({"rate": 0}, ValueError, "rate must be a finite number above 0, got 0"),
        ({"weight": -1}, ValueError, "weight must be a finite number of at least 0, got -1"),
        ({"weight": None}, TypeError, "weight must be a number, got None"),
        ({"random_state": -1}, ValueError, "random_state must be in [0, 2**32), got -1"),
    ],
)
def test_each_field_is_checked_by_its_type(options, error, message):
    with pytest.raises(error) as caught:
        check_options(Options(**options), least={"start": 0}, above_zero=("rate",))
    assert str(caught.value) == message
