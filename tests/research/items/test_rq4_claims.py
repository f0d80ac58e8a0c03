import pytest

from research.paper.item import Results
from research.paper.items.rq4_claims import of_seeds, write_pairs, write_signs
from research.paper.settings import Settings
from research.paper.sheet import Sheet


def figures(alpha=0.5, beta=0.1, auroc=0.5):
    return {"alpha": alpha, "beta": beta, "auroc": auroc}


def results(name, target, by_seed):
    """Of each seed the figures of Input x Gradient and of GNNExplainer, of one prototype."""
    return {
        (name, f"seed {seed}"): {
            "classes": {target: [{"figures": {"InputXGradient": gradient, "GNNExplainer": explainer}}]}
        }
        for seed, (gradient, explainer) in enumerate(by_seed)
    }


def found(write, cells, names):
    sheet = Sheet()
    write(Results(cells, Settings(), {}), names, sheet)
    return [(one.claim, one.ours.mean, one.paper, one.verdict, one.note) for one in sheet.parts]


def test_seeds_where_a_figure_is_not_defined_are_left_out():
    cells = results("benzene", "1", [(figures(auroc=None), figures()), (figures(auroc=0.25), figures())])
    assert of_seeds(Results(cells, Settings(), {}), "benzene", 1, "InputXGradient", "auroc") == {"seed 1": 0.25}


def test_the_order_of_methods_and_sets_is_compared_by_seeds():
    benzene = results(
        "benzene", "1", [(figures(0.4 + n / 100, auroc=n / 2), figures(0.7, auroc=0.5)) for n in range(3)]
    )
    house = results("ba-house", "1", [(figures(0.9), figures())] * 3)
    note = "the order is compared, seed by seed"
    assert found(write_pairs, house | benzene, ["ba-house", "benzene"]) == [
        (
            "Benzene: alpha of GNNExplainer less that of Input x Gradient",
            pytest.approx(0.29),
            pytest.approx(0.7028 - 0.4193),
            "agrees",
            note,
        ),
        (
            "Benzene: AUROC of GNNExplainer less that of Input x Gradient",
            pytest.approx(0.0),
            pytest.approx(0.8889),
            "undecided",
            note,
        ),
        (
            "alpha of Input x Gradient on BA-house less that on Benzene",
            pytest.approx(0.49),
            pytest.approx(0.9128 - 0.4193),
            "agrees",
            note,
        ),
    ]
    assert found(write_pairs, house, ["ba-house"]) == []


def test_sets_without_numbers_are_held_against_the_one_that_they_are_like():
    cells = results("solubility", "1", [(figures(beta=0.2), figures(beta=0.2))] * 10)
    cells |= results("ba-grid", "1", [(figures(beta=0.2), figures(beta=None))] * 10)
    rows = found(write_signs, cells, ["ba-grid", "solubility"])
    assert rows == [
        (
            "BA-grid: beta of Input x Gradient is positive, share of seeds",
            1.0,
            "similar, not shown",
            "agrees",
            "read as: the sign that it has on BA-house",
        ),
        (
            "Solubility, class 1: beta of Input x Gradient is negative, share of seeds",
            0.0,
            "similar, not shown",
            "differs",
            "read as: the sign that it has on Benzene",
        ),
        (
            "Solubility, class 1: beta of GNNExplainer is positive, share of seeds",
            1.0,
            "similar, not shown",
            "agrees",
            "read as: the sign that it has on Benzene",
        ),
    ]
