import re

import pytest

import protograph as pg
from protograph.testing import CHECKS, ContractError, check_explainer
from tests.testing.broken import Sound

pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


def test_an_explainer_of_twenty_lines_keeps_the_contract():
    check_explainer(Sound)


def test_all_failures_are_told_at_once_by_the_name_of_the_check():
    class Fails(Sound):
        def find(self, target):
            raise RuntimeError("disk full")

    with pytest.raises(ContractError) as failure:
        check_explainer(Fails, checks=["before_fit_is_an_error", "facts_are_told", "progress_is_told"])
    assert str(failure.value).splitlines() == [
        "Fails does not keep the contract of explainers:",
        "  facts_are_told: wanted no error, got RuntimeError: disk full",
        "  progress_is_told: wanted no error, got RuntimeError: disk full",
    ]


def test_unknown_checks_are_named():
    message = f"checks must be among {', '.join(CHECKS)}, got 'magic'"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_explainer(Sound, checks=["magic"])


def test_what_is_no_explainer_is_refused():
    with pytest.raises(ContractError, match=r"wanted a protograph\.Explainer, got dict$"):
        check_explainer(dict, checks=["before_fit_is_an_error"])


def test_an_option_that_is_not_stored_is_named():
    class Loses(pg.Explainer):
        def __init__(self, depth=3):
            self.size = depth

    with pytest.raises(ContractError, match=r"Loses has no attribute 'depth'; the constructor must store each option"):
        check_explainer(Loses, checks=["constructor_stores_options"])
