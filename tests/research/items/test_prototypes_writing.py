import pytest

from research.paper.items.prototypes import ITEM
from research.paper.items.prototypes_writing import are_apart, from_to, num_below_truth
from research.paper.settings import Settings
from tests.research.small import written


def prototype(margin=2.0, truth=0, purity=1.0, words="a house; found in all", **more):
    return {
        **{"accuracy": 1.0, "truth": truth, "words": words, "purity": purity},
        **{"probability": 0.9, "truth_probability": 0.8, "sources_probability": 0.7},
        **{"margin": margin, "truth_margin": 2.0, "sources_margin": 1.0},
        **{"contribution_share": 0.5, "cluster_share": 0.4},
    } | more


def test_a_margin_is_below_the_truths_by_more_than_rounding():
    assert num_below_truth([prototype(1.9), prototype(2.0 - 1e-9), prototype(2.1)]) == 1


def test_motifs_are_apart_where_each_has_pure_clusters():
    assert are_apart([prototype(truth=0), prototype(truth=1)])
    assert not are_apart([prototype(truth=1), prototype(truth=1)])
    assert not are_apart([prototype(truth=0), prototype(truth=1, purity=0.98)])
    assert not are_apart([prototype(purity=None)])
    assert not are_apart([])


@pytest.mark.parametrize(("counts", "words"), [([3], "3"), ([2, 1, 2], "1 or 2"), ([4, 1], "1 to 4")])
def test_counts_in_words(counts, words):
    assert from_to(counts) == words


@pytest.fixture(scope="module")
def tables():
    values = {
        ("ba-house", "seed 0"): {"classes": {"1": [prototype(), prototype(truth=1, words="two houses; p")]}},
        ("ba-house", "seed 1"): {
            "classes": {"1": [prototype(1.0, words="a house; found in most", contribution_share=None)]}
        },
        ("solubility", "seed 0"): {
            "classes": {"0": [prototype(words="a ring", purity=None, sources_margin=None, accuracy=0.51234)], "1": []}
        },
    }
    return {part.name: part for part in written(ITEM, values, Settings(seeds=(0, 1)))}


def test_the_models_view_is_a_mean_over_all_prototypes(tables):
    assert tables["view"].columns[1:5] == (
        "p, prototype",
        "p, its truth",
        "p, its representatives",
        "margin, prototype",
    )
    house, solubility = tables["view"].rows
    assert house == ("BA-house", *map(pytest.approx, (0.9, 0.8, 0.7, 5 / 3, 2.0, 1.0)), "1 of 3", 0.5)
    assert solubility[6:] == (None, "0 of 1", 0.5)


def test_clusters_by_class(tables):
    assert tables["clusters"].rows == (
        ("BA-house", "1", "1 or 2", 0.4, 1.0, "2 of 2"),
        ("Solubility", "0", "1", 0.4, None, None),
        ("Solubility", "1", "0", None, None, None),
    )


def test_what_comes_out_is_counted_without_its_evidence(tables):
    assert tables["words"].rows == (
        ("BA-house", "1", "a house", 1.0, 2),
        ("BA-house", "1", "two houses", 1.0, 1),
        ("Solubility", "0", "a ring", 0.5123, 1),
    )


def test_the_first_seed_is_told_whole(tables):
    assert tables["first-seed"].rows[:2] == (
        ("BA-house", "1", 1, "a house; found in all", 0.9, 2.0),
        ("BA-house", "1", 2, "two houses; p", 0.9, 2.0),
    )
    assert len(tables["first-seed"].rows) == 3
