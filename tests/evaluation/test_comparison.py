import dataclasses
import functools
import json
import re

import pytest
import torch

import protograph as pg
from protograph.evaluation import comparison as module
from protograph.evaluation.comparison import Comparison, summarised
from protograph.evaluation.keeping import fingerprint
from protograph.training.storage import load_facts

EXPLAINERS = {
    "page": lambda seed: pg.PAGE(num_clusters=1, num_graphs=2, max_nodes=6, random_state=seed),
    "random": lambda seed: pg.RandomSubgraph(max_nodes=6, num_candidates=5, random_state=seed),
}
pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


class Told:
    def __init__(self):
        self.steps = []

    def __call__(self, stage, done, total):
        self.steps.append((stage, done, total))


def small(seed):
    data = pg.datasets.load("ba-house", random_state=seed, num_graphs=120)
    # Labels that cannot be learned, so that training soon stops.
    for number, graph in enumerate(data):
        graph.y = torch.tensor([number % 2])
    return data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("comparison")


def comparison(folder, explainers=EXPLAINERS):
    return Comparison(load=small, explainers=explainers, seeds=range(2), folder=folder)


def test_a_run_that_was_broken_off_goes_on_where_it_ended(folder, monkeypatch):
    first = comparison(folder).run(Told())
    assert [(row["explainer"], row["seed"], row["target"]) for row in first] == [
        ("page", 0, 1), ("random", 0, 1), ("page", 1, 1), ("random", 1, 1),
    ]  # fmt: skip
    kept = {path.name for path in folder.iterdir()}
    assert "model-seed0.pt" in kept
    assert "random-seed1-prototypes.json" in kept
    monkeypatch.setattr("protograph.evaluation.comparison.train", lambda *a, **o: pytest.fail("trained again"))
    monkeypatch.setattr(pg.PAGE, "explain", lambda *a, **o: pytest.fail("explained again"))
    told = Told()
    assert comparison(folder).run(told) == first
    assert told.steps[-1] == ("comparing", 4, 4)
    # One that is not there, or of other options, is made again, with the model that is there.
    (folder / "random-seed1.json").unlink()
    again = comparison(folder).run(Told())
    assert again[:3] == first[:3]
    drop = ("seconds",)
    assert {k: v for k, v in again[3].items() if k not in drop} == {k: v for k, v in first[3].items() if k not in drop}
    other = {**EXPLAINERS, "random": lambda seed: pg.RandomSubgraph(max_nodes=4, num_candidates=5, random_state=seed)}
    assert comparison(folder, other).run(Told())[1]["prototypes"][0]["num_nodes"] <= 4
    assert comparison(folder, other).explanations("random", 0)[1].options["max_nodes"] == 4


def test_what_was_interrupted_is_not_kept(tmp_path, monkeypatch):
    original = pg.RandomSubgraph.explain

    def interrupted(self, target):
        return dataclasses.replace(original(self, target), warnings=("interrupted after 1 of 5 subgraphs",))

    monkeypatch.setattr(pg.RandomSubgraph, "explain", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Comparison(load=small, explainers=EXPLAINERS, seeds=[0], folder=tmp_path).run(Told())
    assert (tmp_path / "page-seed0.json").exists()
    assert not (tmp_path / "random-seed0.json").exists()


def test_figures_of_other_data_are_not_taken(tmp_path):
    explainers = {"random": EXPLAINERS["random"]}
    (first,) = Comparison(load=small, explainers=explainers, seeds=[0], folder=tmp_path).run(Told())
    (other,) = Comparison(load=lambda seed: small(7), explainers=explainers, seeds=[0], folder=tmp_path).run(Told())
    assert other["prototypes"] != first["prototypes"]
    again = load_facts(tmp_path / "model-seed0.pt")["made_from"]["data"]
    assert again == fingerprint(small(7)) != fingerprint(small(0))


def test_prototypes_are_never_those_of_other_figures(tmp_path):
    """As after a kill between the two files."""
    explainers = {"random": EXPLAINERS["random"]}
    runs = Comparison(load=small, explainers=explainers, seeds=[0], folder=tmp_path)
    runs.run(Told())
    prototypes = tmp_path / "random-seed0-prototypes.json"
    pg.Explanations({}).save(prototypes)
    with pytest.raises(
        ValueError, match=r"-prototypes.json has other prototypes than random-seed0.json is of; compare"
    ):
        runs.explanations("random", 0)
    runs.run(Told())
    assert len(runs.explanations("random", 0)[1].prototypes) == 1


@pytest.mark.parametrize("name", ["model-seed0.pt", "random-seed0.json", "random-seed0-prototypes.json"])
def test_what_is_not_ours_is_not_replaced(tmp_path, name):
    (tmp_path / name).write_text('{"mine": 1}')
    runs = Comparison(load=lambda seed: pytest.fail("loaded"), explainers=EXPLAINERS, seeds=[0], folder=tmp_path)
    message = "is damaged, or not from a comparison, and would be replaced; move it away, or choose another folder"
    with pytest.raises(FileExistsError, match=f"^{re.escape(f'{tmp_path / name} {message}')}$"):
        runs.run(Told())
    assert (tmp_path / name).read_text() == '{"mine": 1}'


def test_robustness_is_asked_of_other_models(tmp_path, monkeypatch):
    """One explainer and seed, of models that are trained for an epoch only."""
    quick = functools.partial(module.train_others, max_epochs=1)
    monkeypatch.setattr("protograph.evaluation.comparison.train_others", quick)
    monkeypatch.setattr(module, "WIDTHS", (2, 3))
    monkeypatch.setattr(module, "SHARES", (0.0, 0.5))
    told = Told()
    explainers = {"random": EXPLAINERS["random"]}
    runs = Comparison(load=small, explainers=explainers, seeds=[0], folder=tmp_path, with_robustness=True)
    (found,) = runs.run(told)
    assert 0 <= found["consistency"] <= 0.5
    assert found["faithfulness"] in (None, -1.0, 1.0)  # of two models
    assert ("training other models", 4, 4) in told.steps
    plain = Comparison(load=small, explainers=explainers, seeds=[0], folder=tmp_path)
    assert "consistency" not in plain.run(Told())[0]  # what is kept was made with other settings


def test_other_models_are_trained_on_the_same_split():
    data = small(0)
    chosen = list(range(0, 120, 2))
    others = module.train_others(data, train_indices=chosen, random_state=0, progress=Told(), max_epochs=1)
    assert [one.model.hidden for one in others.widths] == [(width, width) for width in module.WIDTHS]
    assert [one.model.hidden for one in others.corrupted] == [data.hidden] * len(module.SHARES)
    split = pg.train(data, hidden=(2,), random_state=0, max_epochs=1).split
    assert all(torch.equal(one.split.train, split.train) for one in (*others.widths, *others.corrupted))


def row(name, seed, seconds, *chances, accuracy=0.5):
    same = {"density": 0.1, "support": 0.2, "support_elsewhere": 0.0, "margin_share": None}
    prototypes = [{"probability": chance, **same} for chance in chances]
    return {
        "explainer": name, "seed": seed, "seconds": seconds, "model_calls": 10, "prototypes": prototypes,
        "accuracy": accuracy, "coverage": [0.3, 0.1, 0.5], "fidelity": [0.8, 0.7, 0.9],
        "num_reasons": 2, "num_patterns": 3,
    }  # fmt: skip


def test_a_model_without_the_class_is_a_seed_without_success(tmp_path, monkeypatch):
    def nothing(self, target):
        raise ValueError(f"no graph is predicted as class {target}")

    monkeypatch.setattr(pg.RandomSubgraph, "explain", nothing)
    runs = Comparison(load=small, explainers=EXPLAINERS, seeds=[0], folder=tmp_path)
    page, chance = runs.run(Told())
    assert chance["failed"] == "no graph is predicted as class 1"
    assert "failed" not in page
    figures = summarised([page, chance], "page")["random"]
    assert figures["success"].mean == 0.0
    assert figures["slower"].mean is None
    # No result is the worst, not one to leave out.
    assert [figures[key].mean for key in ("accuracy", "coverage", "fidelity")] == [0.0, 0.0, 0.0]
    assert len(runs.explanations("random", 0)) == 0


def test_figures_by_hand():
    rows = [
        row("page", 0, 1.0, 0.95, 0.55),
        row("page", 1, 3.0, 0.5, accuracy=None),
        row("xgnn", 0, 10.0, 1.0, accuracy=0.25),
        row("xgnn", 1, 60.0, 1.0, accuracy=0.75),
    ]
    found = summarised(rows, "page")
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
