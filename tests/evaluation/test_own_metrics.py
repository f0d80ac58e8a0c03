import math
import re

import pytest

from protograph.evaluation.own_metrics import measured


@pytest.mark.parametrize(("value", "number"), [(3, 3.0), (None, None), (math.nan, None), (math.inf, None), (True, 1.0)])
def test_what_a_metric_gives(value, number):
    assert measured("mine:f", lambda explanation: value, "explanation", "case") == number


def test_a_metric_may_look_at_the_case():
    assert measured("mine:f", lambda explanation, case: len(explanation + case), "ab", "cde") == 5.0
    assert measured("mine:f", lambda explanation, case="xy": len(case), "ab", "cde") == 3.0


def test_what_is_no_number_is_refused():
    with pytest.raises(TypeError, match=r"^the metric mine:f must give a number, or None where .*, got list$"):
        measured("mine:f", lambda explanation: [], "explanation", "case")


@pytest.mark.parametrize("metric", [lambda: 1, lambda a, b, c: 1])
def test_a_metric_that_cannot_be_called_is_refused(metric):
    message = "the metric mine:f must be called as f(explanation) or f(explanation, case), got f("
    with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
        measured("mine:f", metric, "explanation", "case")


def test_an_error_of_a_metric_says_which_it_is():
    class Explained:
        target = 3

    with pytest.raises(AttributeError, match="nothing") as failure:
        measured("mine:f", lambda explanation: explanation.nothing, Explained(), "case")
    assert failure.value.__notes__ == ["this happened in the metric mine:f, for class 3"]
