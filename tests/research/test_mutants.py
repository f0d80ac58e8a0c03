"""Mutants follow the code: each can be put into it, and its tests are there."""

import ast

from research.certificate import ROOT
from research.mutants import LEAST_KILLED, MUTANTS, limits_of


def test_every_mutant_fits_the_code_and_its_tests_are_there():
    for mutant in MUTANTS:
        ast.parse(mutant.file(ROOT).read_text().replace(mutant.old, mutant.new))
        assert [name for name in mutant.tests.split() if not (ROOT / "tests" / name).exists()] == []
    assert len({(mutant.place, mutant.old) for mutant in MUTANTS}) == len(MUTANTS) == 40


def test_thirty_six_must_be_killed():
    rows = [{"is_killed": number < LEAST_KILLED} for number in range(len(MUTANTS))]
    assert [one["holds"] for one in limits_of(rows)] == [True]
    assert [one["holds"] for one in limits_of(rows[1:])] == [False]
