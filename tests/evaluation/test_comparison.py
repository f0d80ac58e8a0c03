import dataclasses
import json

import pytest
import torch
from scipy import stats

import protograph as pg
from protograph.baselines import RandomSubgraph
from protograph.evaluation.comparison import (
    compared,
    given_model,
    holm,
    kept_apart,
    stability_over,
    summarised,
    trained_model,
    values_by_seed,
)
from protograph.training import GCN

EXPLAINERS = {
    "page": lambda seed: pg.PAGE(num_clusters=1, num_graphs=2, max_nodes=6, max_reasons=0, random_state=seed),
    "random": lambda seed: RandomSubgraph(max_nodes=6, num_candidates=5, random_state=seed),
}
pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


def told(*step):
    pass


def small(seed):
    data = pg.datasets.load("ba-house", random_state=seed, num_graphs=120)
    # Labels that cannot be learned, so that training soon stops.
    for number, graph in enumerate(data):
        graph.y = torch.tensor([number % 2])
    return data


def models(seed, progress):
    return trained_model(small(seed), seed, progress)


def test_explainers_are_judged_on_the_same_models_over_seeds():
    steps = []
    rows, explanations = compared(models, EXPLAINERS, range(2), progress=lambda *step: steps.append(step))
    assert [(row["explainer"], row["seed"], row["target"]) for row in rows] == [
        ("page", 0, 1), ("random", 0, 1), ("page", 1, 1), ("random", 1, 1),
    ]  # fmt: skip
    assert all(0 <= row["fidelity"][0] <= 1 and row["seconds"] > 0 and row["accuracy"] is not None for row in rows)
    assert explanations["random"][1][1].options["random_state"] == 1
    assert 0 <= stability_over(explanations["random"]) <= 1
    assert steps[-1] == ("comparing", 4, 4)
    again, _ = compared(models, {"random": EXPLAINERS["random"]}, [1], progress=told)
    assert {**again[0], "seconds": 0} == {**rows[3], "seconds": 0}


@pytest.fixture
def one_class(monkeypatch):
    """The explanation of the only class is replaced by an error."""

    def make(error):
        def fails(self, target):
            raise error

        monkeypatch.setattr(RandomSubgraph, "explain", fails)

    return make


def test_a_model_without_the_class_is_a_seed_without_success(one_class):
    one_class(ValueError("no graph is predicted as class 1"))
    (page, chance), explanations = compared(models, EXPLAINERS, [0], progress=told)
    assert chance["failed"] == "no graph is predicted as class 1"
    figures = summarised(values_by_seed([page, chance], "page"), "page")["random"]
    assert (figures["success"].mean, figures["slower"].mean) == (0.0, None)
    # No result is the worst, not one to leave out.
    assert [figures[key].mean for key in ("accuracy", "coverage", "fidelity")] == [0.0, 0.0, 0.0]
    assert len(explanations["random"][0]) == 0


def test_an_error_of_an_explainer_says_where_it_happened(one_class):
    one_class(IndexError("out of range"))
    with pytest.raises(IndexError, match="out of range") as failure:
        compared(models, {"random": EXPLAINERS["random"]}, [0], progress=told)
    assert failure.value.__notes__ == ["this happened while random explained class 1 of seed 0"]


def test_a_model_of_ones_own_is_explained_by_graphs_that_are_not_judged_by(monkeypatch):
    data = dataclasses.replace(small(0), class_names=(), ground_truths={})
    torch.manual_seed(3)
    model = pg.GraphClassifier(GCN(data[0].x.size(1), 3, (8,)).eval())
    case = given_model(model, data, 0)
    assert (len(case.graphs), len(case.held_out.graphs)) == (96, 24)
    assert {id(graph) for graph in case.graphs}.isdisjoint(map(id, case.held_out.graphs))
    devices, original = [], RandomSubgraph.fit

    def noted(self, *given, **options):
        devices.append(options.get("device"))
        return original(self, *given, **options)

    monkeypatch.setattr(RandomSubgraph, "fit", noted)
    rows, _ = compared(lambda *_: case, {"random": EXPLAINERS["random"]}, [0], device="cpu", progress=told)
    assert devices == ["cpu"]
    # A class of the model that it never predicts is no fault of an explainer.
    assert {row["target"] for row in rows} == {0, 1, 2}
    left_out = [row for row in rows if "left_out" in row]
    assert all(row["left_out"] == f"no graph is predicted as class {row['target']}" for row in left_out)
    assert all(row["accuracy"] is None for row in rows if "left_out" not in row)


def test_a_fifth_is_kept_apart_others_for_each_seed():
    assert len({tuple(kept_apart(100, seed)[0]) for seed in range(5)}) == 5
    assert [len(part) for part in kept_apart(100, 0)] == [20, 80]
    assert [len(part) for part in kept_apart(2, 0)] == [1, 1]
    with pytest.raises(ValueError, match=r"^graphs must be at least 2, to keep some apart, got 1$"):
        given_model(None, small(0)[:1], 0)


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
        {"explainer": "page", "seed": 0, "target": 7, "left_out": "no graph", "prototypes": []},
    ]
    found = summarised(values_by_seed(rows, "page"), "page")
    page, xgnn = found["page"], found["xgnn"]
    assert page["probability"].mean == pytest.approx(0.625)
    assert page["probability"].spread == pytest.approx(0.125 * 2**0.5)
    assert (page["success"].mean, xgnn["success"].mean) == (0.5, 1.0)
    assert [page[key].mean for key in ("fidelity", "num_reasons", "num_patterns")] == [0.8, 2, 3]
    assert (page["accuracy"].mean, page["accuracy"].num_seeds, page["accuracy"].spread) == (0.5, 1, None)
    assert (xgnn["accuracy"].mean, xgnn["accuracy"].spread) == (0.5, pytest.approx(0.25 * 2**0.5))
    assert (xgnn["slower"].mean, xgnn["slower"].spread) == (15.0, pytest.approx(5 * 2**0.5))
    assert (page["slower"].mean, page["margin_share"].mean) == (1.0, None)
    assert json.dumps({key: vars(figure) for key, figure in page.items()})


def test_differences_are_paired_over_seeds_and_corrected():
    shifts = (0.0, 0.01, -0.01)
    rows = [row("page", seed, 1.0, 0.5) for seed in range(3)]
    rows += [row("xgnn", seed, 1.0, 0.5, accuracy=0.9 + shift) for seed, shift in enumerate(shifts)]
    figures = summarised(values_by_seed(rows, "page"), "page")
    accuracy, number = figures["xgnn"]["accuracy"], sum(one.p_value is not None for one in figures["xgnn"].values())
    assert accuracy.p_value == pytest.approx(stats.ttest_rel([0.9, 0.91, 0.89], [0.5] * 3).pvalue)
    assert accuracy.corrected == pytest.approx(number * accuracy.p_value)
    assert accuracy.is_significant
    assert (figures["xgnn"]["probability"].p_value, figures["xgnn"]["probability"].is_significant) == (1.0, False)
    assert figures["xgnn"]["margin_share"].p_value is figures["page"]["accuracy"].p_value is None


@pytest.mark.parametrize(("num", "p_value"), [(1, None), (2, 0.5), (6, 2 / 64)])
def test_a_difference_that_is_always_the_same_is_tested_by_its_sign(num, p_value):
    rows = [row("page", seed, 1.0, 0.25) for seed in range(num)] + [row("xgnn", seed, 1.0, 0.75) for seed in range(num)]
    assert summarised(values_by_seed(rows, "page"), "page")["xgnn"]["probability"].p_value == p_value


def test_holm_by_hand():
    # 3 * .02, 2 * .03 and 1 * .04, none below the one before it.
    assert holm([0.04, 0.02, 0.03]) == [0.06, 0.06, 0.06]
    assert holm([0.001, 0.9, 0.02]) == pytest.approx([0.003, 0.9, 0.04])
    assert holm([]) == []
    assert holm([0.6, 0.7]) == [1.0, 1.0]
