import math
from dataclasses import dataclass

import numpy as np
import pytest

from protograph._utils.options import check_count, check_number, check_options


@pytest.mark.parametrize(
    ("check", "kind", "message"),
    [
        (lambda: check_count("budget", np.int64(1), 2), ValueError, "budget must be at least 2, got 1"),
        (lambda: check_count("budget", 2.0), TypeError, "budget must be a whole number, got 2.0"),
        (lambda: check_count("budget", True), TypeError, "budget must be a whole number, got True"),
        (lambda: check_number("decay", -0.1), ValueError, "decay must be a finite number of at least 0, got -0.1"),
        (lambda: check_number("decay", 1, above=1), ValueError, "decay must be a finite number above 1, got 1"),
        (lambda: check_number("decay", math.nan), ValueError, "decay must be a finite number of at least 0, got nan"),
        (lambda: check_number("decay", True), TypeError, "decay must be a number, got True"),
        (lambda: check_number("decay", "1", above=0), TypeError, "decay must be a number, got '1'"),
    ],
)
def test_what_is_out_of_range_is_refused_by_name(check, kind, message):
    with pytest.raises(kind) as caught:
        check()
    assert str(caught.value) == message


@dataclass
class Options:
    count: int = 3
    start: int | None = None
    weight: float = 0.0
    random_state: int = 0


@pytest.mark.parametrize("options", [{}, {"count": 1}, {"start": 0}, {"weight": 0, "random_state": 7}])
def test_options_that_are_as_they_must_be(options):
    check_options(Options(**options), least={"start": 0})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"count": 0}, ValueError, "count must be at least 1, got 0"),
        ({"count": None}, TypeError, "count must be a whole number, got None"),
        ({"start": -1}, ValueError, "start must be at least 0, got -1"),
        ({"weight": -1}, ValueError, "weight must be a finite number of at least 0, got -1"),
        ({"weight": None}, TypeError, "weight must be a number, got None"),
        ({"random_state": -1}, ValueError, "random_state must be in [0, 2**32), got -1"),
    ],
)
def test_each_field_is_checked_by_its_type(options, error, message):
    with pytest.raises(error) as caught:
        check_options(Options(**options), least={"start": 0})
    assert str(caught.value) == message
