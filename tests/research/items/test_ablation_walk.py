import pytest

from research.paper.ablations import BASE
from research.paper.items.ablation_walk import accuracies, changes, differences, write_lever, write_sentences
from research.paper.sheet import Sheet


def outcome(accuracy):
    return {"accuracy": accuracy, "probability": 0.5, "num_nodes": 5.0, "num_prototypes": 2, "seconds": 0.1}


def seeds(**by_variant):
    """Accuracies of three seeds by variant, whose names have ``is`` for the sign."""
    names = {one.replace("_is_", " = "): values for one, values in by_variant.items()}
    return [{one: outcome(values[number]) for one, values in names.items()} for number in range(3)]


def of(base, **by_variant):
    return [{BASE: outcome(value)} | one for value, one in zip(base, seeds(**by_variant), strict=True)]


def test_seeds_on_which_there_is_nothing_to_find_do_not_count():
    seeds = [{"a": outcome(0.5), BASE: outcome(0.25)}, {"a": outcome(None), BASE: outcome(0.5)}]
    assert accuracies(seeds, "a") == [0.5]
    assert differences(seeds, "a") == [0.25]
    assert changes({"ba-house": seeds}, "a") == ""  # one seed tells nothing of chance


def test_the_papers_sentences_on_its_options():
    base = (0.60, 0.62, 0.64)
    house = of(
        base,
        budget_is_1=base,
        decay_is_1=(0.4, 0.42, 0.45),
        L_is_1=(0.5, 0.53, 0.51),
        k_is_1=(0.1, 0.5, 0.9),
    )
    grid = of(base, budget_is_1=base, decay_is_1=(0.4, 0.42, 0.45), L_is_1=(0.9, 0.9, 0.9), k_is_1=(0.1, 0.5, 0.9))
    sheet = Sheet()
    write_sentences({"ba-house": house, "ba-grid": grid}, sheet)
    assert [(one.claim, one.ours.mean, one.paper, one.verdict, one.note) for one in sheet.parts] == [
        (
            "the number of sessions is not critical: accuracy with a budget of 1 less that with 5",
            0.0,
            "about 0",
            "agrees",
            "RQ3",
        ),
        (
            "decay makes the search more stable: accuracy without decay less that with 10",
            pytest.approx(-0.59 / 3),
            "lower",
            "agrees",
            "a footnote",
        ),
        (
            "BA-house is explained precisely due to clustering: accuracy with L = 1 less that with 2",
            pytest.approx(-0.32 / 3),
            "lower",
            "agrees",
            "RQ1",
        ),
        (
            "L = 2 and k = 3 give stable results: share of other L and k, on all sets, that spread more over seeds",
            0.5,  # k = 1 on both; of L = 1 neither
            "stable",
            "undecided",
            "the paper does not say by which measure; ours is the standard deviation of accuracy over seeds",
        ),
    ]


def test_the_size_of_a_prototype_is_told_apart_from_other_options():
    grid = of((0.6,) * 3, max_nodes_is_9=(0.9,) * 3, max_nodes_is_20=(0.2,) * 3, k_is_1=(0.8,) * 3)
    mutagens = of((0.4,) * 3, max_nodes_is_9=(0.61,) * 3, max_nodes_is_20=(0.2,) * 3, k_is_1=(0.63,) * 3)
    sheet = Sheet()
    write_lever({"ba-grid": grid, "mutagenicity": mutagens}, sheet)
    table, note = sheet.parts
    assert table.rows == (
        ("BA-grid", 0.8571, pytest.approx(0.6), "max_nodes = 9", pytest.approx(0.9), "k = 1", pytest.approx(0.8)),
        ("MUTAG", 0.9090, pytest.approx(0.4), "max_nodes = 9", pytest.approx(0.61), "k = 1", pytest.approx(0.63)),
    )
    assert note == (
        "Why the walk's accuracy is not the paper's. A session ends where the subgraph is as large as a pre-defined "
        "value, which the paper does not state; ours takes as many nodes as its graphs have in common. On 1 of 2 data "
        "sets this size raises accuracy further than any other option does: BA-grid 0.600, with max_nodes = 9 0.900, "
        "paper 0.857; MUTAG 0.400, with max_nodes = 9 0.610, paper 0.909. No option comes within 0.1 of the paper's on "
        "MUTAG."
    )


def test_without_sizes_nothing_is_said_of_them():
    sheet = Sheet()
    write_lever({"ba-house": of((0.6,) * 3, L_is_1=(0.5,) * 3)}, sheet)
    assert sheet.parts == []
