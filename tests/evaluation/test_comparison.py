import dataclasses
import functools
import pickle
import re

import pytest
import torch

import protograph as pg
from protograph.baselines import RandomSubgraph
from protograph.evaluation import comparison as module
from protograph.evaluation.comparison import Comparison
from protograph.evaluation.keeping import fingerprint
from protograph.evaluation.summary import summarised, values_by_seed
from protograph.training import GCN
from protograph.training.gcn import load_facts

EXPLAINERS = {
    "page": lambda seed: pg.PAGE(num_clusters=1, num_graphs=2, max_nodes=6, random_state=seed),
    "random": lambda seed: RandomSubgraph(max_nodes=6, num_candidates=5, random_state=seed),
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
    steps = [(seed, name) for seed in range(2) for name in ("training", "page", "random")]
    assert dict.fromkeys(steps, 0.0).keys() == comparison(folder).expected(120, 1).keys()
    assert 0.0 not in comparison(folder).expected(120, 1).values()
    first = comparison(folder).run(Told())
    assert [(row["explainer"], row["seed"], row["target"]) for row in first] == [
        ("page", 0, 1), ("random", 0, 1), ("page", 1, 1), ("random", 1, 1),
    ]  # fmt: skip
    kept = {path.name for path in folder.iterdir()}
    assert "model-seed0.pt" in kept
    assert "random-seed1-prototypes.json" in kept
    assert comparison(folder).expected(120, 1) == dict.fromkeys(steps, 0.0)  # all of it is kept
    monkeypatch.setattr("protograph.evaluation.comparison.train", lambda *a, **o: pytest.fail("trained again"))
    monkeypatch.setattr(pg.PAGE, "explain", lambda *a, **o: pytest.fail("explained again"))
    told = Told()
    assert comparison(folder).run(told) == first
    assert told.steps[-1] == ("comparing", 4, 4)
    # One that is not there, or of other options, is made again, with the model that is there.
    (folder / "random-seed1.json").unlink()
    assert [key for key, seconds in comparison(folder).expected(120, 1).items() if seconds] == [(1, "random")]
    again = comparison(folder).run(Told())
    assert again[:3] == first[:3]
    drop = ("seconds",)
    assert {k: v for k, v in again[3].items() if k not in drop} == {k: v for k, v in first[3].items() if k not in drop}
    other = {
        **EXPLAINERS,
        "random": lambda seed: RandomSubgraph(max_nodes=4, num_candidates=5, random_state=seed),
    }
    assert comparison(folder, other).run(Told())[1]["prototypes"][0]["num_nodes"] <= 4
    assert comparison(folder, other).explanations("random", 0)[1].options["max_nodes"] == 4


def test_what_was_interrupted_is_not_kept(tmp_path, monkeypatch):
    original = RandomSubgraph.explain

    def interrupted(self, target):
        return dataclasses.replace(original(self, target), warnings=("interrupted after 1 of 5 subgraphs",))

    monkeypatch.setattr(RandomSubgraph, "explain", interrupted)
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
    assert any(stage.startswith("comparing (seed 0, other models: 4 of 4") for stage, _, _ in told.steps)
    assert runs.expected(100, 1) == {(0, "training"): 0.0, (0, "other models"): 0.0, (0, "random"): 0.0}
    more = {**EXPLAINERS, "walk": lambda seed: pg.PAGE(search="walk", random_state=seed)}
    further = dataclasses.replace(runs, explainers=more).expected(100, 1)  # one more asks the other models too
    assert (further[0, "training"], further[0, "other models"], further[0, "random"]) == (0.0, 1.0, 0.0)
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


def test_a_model_without_the_class_is_a_seed_without_success(tmp_path, monkeypatch):
    def nothing(self, target):
        raise ValueError(f"no graph is predicted as class {target}")

    monkeypatch.setattr(RandomSubgraph, "explain", nothing)
    runs = Comparison(load=small, explainers=EXPLAINERS, seeds=[0], folder=tmp_path)
    page, chance = runs.run(Told())
    assert chance["failed"] == "no graph is predicted as class 1"
    assert "failed" not in page
    figures = summarised(values_by_seed([page, chance], "page"), "page")["random"]
    assert figures["success"].mean == 0.0
    assert figures["slower"].mean is None
    # No result is the worst, not one to leave out.
    assert [figures[key].mean for key in ("accuracy", "coverage", "fidelity")] == [0.0, 0.0, 0.0]
    assert len(runs.explanations("random", 0)) == 0


def test_a_model_of_ones_own_is_explained_by_graphs_that_are_not_judged_by(tmp_path):
    data = small(0)
    torch.manual_seed(3)
    model = pg.GraphClassifier(GCN(data[0].x.size(1), 3, (8,)).eval())

    def compared(metrics):
        runs = Comparison(
            load=lambda seed: dataclasses.replace(data, class_names=(), ground_truths={}),
            explainers={"random": EXPLAINERS["random"]},
            seeds=[0, 1],
            folder=tmp_path,
            model=lambda: model,
            metrics=metrics,
        )
        return runs, runs.run(Told())

    def sizes(explanation, case):
        assert {id(graph) for graph in case.graphs}.isdisjoint(map(id, case.held_out))
        return len(case.graphs) + len(case.held_out) / 1000 + case.seed

    runs, rows = compared({"mine:sizes": sizes})
    explained = [row for row in rows if "left_out" not in row]
    assert {(row["seed"], row["own"]["mine:sizes"]) for row in explained} == {(0, 96.024), (1, 97.024)}
    assert [row["accuracy"] for row in explained] == [None] * len(explained)
    # A class of the model that it never predicts is no fault of an explainer.
    assert {row["target"] for row in rows} == {0, 1, 2}
    assert all(
        row["left_out"] == f"no graph is predicted as class {row['target']}" for row in rows if "left_out" in row
    )
    assert 0 < runs.stability("random") <= 1
    assert not list(tmp_path.glob("model-*"))
    again = [row for row in compared({"mine:sizes": lambda explanation: 5})[1] if "left_out" not in row]
    assert {row["own"]["mine:sizes"] for row in again} == {
        5.0
    }  # another function: figures kept of the first do not count


def test_an_error_of_an_explainer_says_where_it_happened(tmp_path, monkeypatch):
    def breaks(self, target):
        raise IndexError("out of range")

    monkeypatch.setattr(RandomSubgraph, "explain", breaks)
    runs = Comparison(load=small, explainers={"random": EXPLAINERS["random"]}, seeds=[0], folder=tmp_path)
    with pytest.raises(IndexError, match="out of range") as failure:
        runs.run(Told())
    assert failure.value.__notes__ == ["this happened while random explained class 1 of seed 0"]


def test_seed_and_explainer_are_on_the_line_of_progress(folder):
    told = Told()
    comparison(folder).run(told, size=(1000, 1))
    (folder / "random-seed1.json").unlink()
    comparison(folder).run(told, size=(1000, 1))
    stages = [stage for stage, _, _ in told.steps]
    assert any(stage.startswith("comparing (seed 1, random: sampling 5 of 5") for stage in stages)


def make_page(seed):
    return EXPLAINERS["page"](seed)


def make_random(seed):
    return EXPLAINERS["random"](seed)


def test_seeds_side_by_side_give_what_they_give_one_by_one(tmp_path, monkeypatch):
    """Each by a comparison that was pickled, as another process has it; processes are tested where they are made."""

    def pickled(work, items, jobs, hear):
        assert jobs == 2
        return [pickle.loads(pickle.dumps(work))(item, hear) for item in items]

    rows = []
    for jobs in (1, 2):
        (tmp_path / str(jobs)).mkdir()
        runs = Comparison(
            load=small,
            explainers={"random": make_random},
            seeds=range(2),
            folder=tmp_path / str(jobs),
            training={"max_epochs": 2},
        )
        rows.append([{**row, "seconds": None} for row in runs.run(Told(), jobs=jobs)])
        monkeypatch.setattr(module, "in_processes", pickled)
    assert rows[0] == rows[1]
    assert [row["seed"] for row in rows[0]] == [0, 1]


def test_a_device_is_handed_on_and_told_apart(tmp_path, monkeypatch):
    devices = []
    original = RandomSubgraph.fit

    def noted(self, *given, **options):
        devices.append(options.get("device", "none given"))
        return original(self, *given, **options)

    monkeypatch.setattr(RandomSubgraph, "fit", noted)
    explainers = {"random": EXPLAINERS["random"]}
    for device in (None, "cpu", "cpu"):
        Comparison(
            load=small, explainers=explainers, seeds=[0], folder=tmp_path, device=device, training={"max_epochs": 1}
        ).run(Told())
    assert devices == ["none given", "cpu"]  # the third was kept
