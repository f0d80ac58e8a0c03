import re
from pathlib import Path

import pytest

from protograph.page.ablated import AblatedPAGE
from research.paper.ablations import BASE, DEFAULT_VARIANTS, WALK_VALUES, variant_at, walk_variants

METHOD = Path(__file__).parents[2] / "docs" / "method.md"


def test_every_row_of_the_table_in_the_documents_is_measured():
    table = METHOD.read_text(encoding="utf-8").split("| step | without it |\n|---|---|\n")[1].split("\n\n")[0]
    rows = [re.match(r"\| ([^|]+) \|", line)[1] for line in table.splitlines()]
    names = [variant.name for variant in DEFAULT_VARIANTS]
    assert names[0] == BASE
    assert names[1 : len(rows) + 1] == rows
    assert len(names) == len(rows) + 3


@pytest.mark.parametrize("variant", DEFAULT_VARIANTS, ids=lambda one: one.name)
def test_every_variant_of_the_default_can_be_built(variant):
    options = AblatedPAGE(max_reasons=0, **variant.options)._options()
    assert (options == AblatedPAGE(max_reasons=0)._options()) == (variant.name == BASE)


@pytest.mark.parametrize("variant", walk_variants(), ids=lambda one: one.name)
def test_every_variant_of_the_walk_can_be_built(variant):
    base = {"search": "walk", "num_clusters": 2}
    options = AblatedPAGE(**base | variant.options)._options()
    assert (options == AblatedPAGE(**base)._options()) == (variant.name == BASE)


def test_every_option_has_one_value_that_is_the_papers():
    papers = {option: [v for v in values if variant_at(option, v) == BASE] for option, values in WALK_VALUES.items()}
    assert papers == {
        "L": ["2"],
        "k": ["3"],
        "budget": ["5"],
        "decay": ["10"],
        "max_nodes": ["auto"],
        "scoring": ["product"],
        "match_features": ["yes"],
        "distinct_starts": ["yes"],
    }


def test_fewer_values_are_the_first_of_each_option():
    assert [one.name for one in walk_variants(1)] == [
        BASE,
        "L = 1",
        "k = 1",
        "budget = 1",
        "decay = 1",
        "max_nodes = 5",
        "scoring = arithmetic",
        "match_features = no",
        "distinct_starts = no",
    ]
