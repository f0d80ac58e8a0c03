import json

import pytest

from protograph.evaluation.summary import summarised, values_by_seed


def row(name, seed, seconds, *chances, accuracy=0.5):
    same = {"density": 0.1, "support": 0.2, "support_elsewhere": 0.0, "margin_share": None}
    prototypes = [{"probability": chance, **same} for chance in chances]
    return {
        "explainer": name, "seed": seed, "seconds": seconds, "model_calls": 10, "prototypes": prototypes,
        "accuracy": accuracy, "coverage": [0.3, 0.1, 0.5], "fidelity": [0.8, 0.7, 0.9],
        "num_reasons": 2, "num_patterns": 3,
    }  # fmt: skip


def test_figures_by_hand():
    rows = [
        row("page", 0, 1.0, 0.95, 0.55),
        row("page", 1, 3.0, 0.5, accuracy=None),
        row("xgnn", 0, 10.0, 1.0, accuracy=0.25),
        row("xgnn", 1, 60.0, 1.0, accuracy=0.75),
    ]
    found = summarised(values_by_seed(rows, "page"), "page")
    page, xgnn = found["page"], found["xgnn"]
    assert (page["probability"].mean, page["probability"].spread) == (
        pytest.approx(0.625),
        pytest.approx(0.125 * 2**0.5),
    )
    assert (page["success"].mean, xgnn["success"].mean) == (0.5, 1.0)
    assert [page[key].mean for key in ("fidelity", "num_reasons", "num_patterns")] == [0.8, 2, 3]
    assert (page["accuracy"].mean, page["accuracy"].num_seeds) == (0.5, 1)
    assert (xgnn["accuracy"].mean, xgnn["accuracy"].spread) == (0.5, pytest.approx(0.25 * 2**0.5))
    assert (xgnn["slower"].mean, xgnn["slower"].spread) == (15.0, pytest.approx(5 * 2**0.5))
    assert page["accuracy"].spread is None  # one seed has no spread
    assert page["slower"].mean == 1.0
    assert page["margin_share"].mean is None
    assert json.dumps({key: vars(figure) for key, figure in page.items()})


def test_differences_are_paired_over_seeds_and_corrected():
    # page is .5 on every seed; xgnn differs by .4, .41, .39: t = .4 / (.01 / sqrt 3) = 69.28, p = 0.000208 (2 d.f.).
    rows = [row("page", seed, 1.0, 0.5) for seed in range(3)]
    rows += [row("xgnn", seed, 1.0, 0.5, accuracy=0.9 + shift) for seed, shift in enumerate((0.0, 0.01, -0.01))]
    values = values_by_seed(rows, "page")
    figures = summarised(values, "page", ["accuracy", "probability"])["xgnn"]
    assert figures["accuracy"].p_value == pytest.approx(0.000208, abs=1e-6)
    assert figures["accuracy"].corrected == pytest.approx(2 * 0.000208, abs=2e-6)
    assert figures["accuracy"].is_significant
    assert (figures["probability"].p_value, figures["probability"].is_significant) == (1.0, False)
    assert figures["density"].p_value is None  # not asked for
    assert summarised(values, "page")["page"]["accuracy"].p_value is None


def test_metrics_of_ones_own_go_by_their_name_and_classes_without_graphs_do_not_count():
    rows = [row("page", 0, 1.0, 0.5) | {"own": {"mine:f": 3.0}}, row("page", 1, 1.0, 0.5) | {"own": {"mine:f": None}}]
    rows.append({"explainer": "page", "seed": 0, "target": 7, "left_out": "no graph", "prototypes": []})
    values = values_by_seed(rows, "page")
    assert values["page"]["mine:f"] == {0: 3.0, 1: None}
    assert values["page"]["fidelity"] == {0: 0.8, 1: 0.8}
