from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.baselines import RandomSubgraph
from protograph.datasets import GraphDataset
from protograph.datasets.dataset import LazyGraphs
from protograph.evaluation import keeping
from protograph.evaluation.keeping import KeptFigures, fingerprint, keep_model, kept_model
from protograph.models.performance import Performance
from protograph.training import GCN, Trained, load_model, save_model
from protograph.training.split import Split


def data(**changes):
    graphs = [Data(x=torch.ones(2, 1), y=torch.tensor([number % 2]), word=f"w{number}") for number in range(2000)]
    truth = Data(x=torch.ones(1, 1), edge_index=torch.empty(2, 0, dtype=torch.long))
    facts = {
        "name": "mine", "class_names": ("no", "yes"), "feature_names": ("C",), "ground_truths": {1: (truth,)},
        "splits": {"train": torch.arange(9)},
    }  # fmt: skip
    return GraphDataset(**({"graphs": graphs} | facts | changes))


def changed(index, **values):
    other = data()
    for name, value in values.items():
        other[index][name] = value
    return other


def test_the_same_data_have_the_same_fingerprint():
    assert fingerprint(data()) == fingerprint(data())
    assert fingerprint(data()).startswith("mine, 2000 graphs, ")


@pytest.mark.parametrize(
    "other",
    [
        lambda: changed(1, y=torch.tensor([0])),  # one label of 2,000
        lambda: changed(1999, x=torch.ones(2, 1) + 1e-7),
        lambda: changed(1000, word="another"),
        lambda: changed(1000, motif=Data(num_nodes=5)),
        lambda: data(graphs=list(data())[::-1]),
        lambda: data(class_names=("yes", "no")),
        lambda: data(feature_names=("N",)),
        lambda: data(source="another"),
        lambda: data(ground_truths={}),
        lambda: data(ground_truths={0: data().ground_truths[1]}),
        lambda: data(splits={"train": torch.arange(8)}),
        lambda: data(paper_split="published"),
        lambda: data(hidden=(8,)),
        lambda: data(name="yours"),
    ],
)
def test_whatever_differs_gives_another_fingerprint(other):
    assert fingerprint(other()) != fingerprint(data())


def test_graphs_made_on_demand_are_told_apart_by_what_they_are_made_from():
    def lazy(values, made_from=True):
        calls.append(0)
        graphs = LazyGraphs(
            lambda at: calls.append(1) or Data(x=torch.tensor([values[at]])),
            torch.zeros(4, dtype=torch.long),
            made_from={"values": values} if made_from else None,
        )
        return GraphDataset(graphs=graphs, name="lazy", class_names=("no", "yes"))

    calls = []
    first, last = np.arange(4), np.array([0, 1, 2, 9])
    assert fingerprint(lazy(first)) == fingerprint(lazy(first.copy())) != fingerprint(lazy(last))
    assert fingerprint(lazy(first)[:2]) != fingerprint(lazy(first)[1:3])
    assert sum(calls) == 0  # none was made
    assert fingerprint(lazy(first, False)) == fingerprint(lazy(first.copy(), False)) != fingerprint(lazy(last, False))
    assert sum(calls) == 12


@pytest.fixture
def trained():
    torch.manual_seed(0)
    model, parts = GCN(1, 2, (4,)).eval(), (torch.tensor([2, 0]), torch.tensor([3]), torch.tensor([1]))
    all_right, half = Performance(((1, 0), (0, 1))), Performance(((1, 0), (1, 0)))
    return Trained(model, model, Split(*parts), all_right, all_right, half, None, (), 1, "patience")


def test_a_model_and_its_facts_are_one_file(tmp_path, trained):
    path = tmp_path / "model.pt"
    assert kept_model(path, {"data": "a"}) is None
    keep_model(path, trained, {"data": "a"})
    assert [file.name for file in tmp_path.iterdir()] == ["model.pt"]
    kept = kept_model(path, {"data": "a"})
    assert (kept.train, kept.rest, kept.test_accuracy) == ([2, 0], [1, 3], 0.5)
    assert torch.equal(kept.model.head.weight, trained.model.head.weight)
    assert load_model(path).hidden == (4,)
    assert kept_model(path, {"data": "b"}) is None
    save_model(trained, path)  # without facts
    assert kept_model(path, {"data": "a"}) is None


def test_figures_are_found_by_all_that_they_were_made_from(tmp_path, trained, monkeypatch):
    def key(model=trained, options=(), name="random", seed=0, with_robustness=False, kind=RandomSubgraph):
        keep_model(tmp_path / "model.pt", model, {"data": "a"})
        kept = kept_model(tmp_path / "model.pt", {"data": "a"})
        return KeptFigures(tmp_path, name, seed).made_from(kind(**dict(options)), kept, with_robustness)

    class Other(RandomSubgraph):
        """The same options, another method."""

    same = key()
    assert key() == same
    keys = [key(options={"max_nodes": 4}), key(name="walk"), key(seed=1), key(with_robustness=True), key(kind=Other)]
    keys += [key(replace(trained, test_performance=Performance(((1, 0), (3, 0)))))]
    keys += [key(replace(trained, split=Split(*(torch.tensor([n]) for n in range(3)))))]
    with torch.no_grad():
        trained.model.head.bias[0] += 1e-6
    keys += [key()]
    monkeypatch.setattr(keeping, "__version__", "9.9.9")
    keys += [key()]
    assert all(one != same for one in keys)
    figures = KeptFigures(tmp_path, "random", 0)
    figures.write(same, [{"seed": 0}], pg.Explanations({}))
    assert figures.read(same) == [{"seed": 0}]
    assert figures.model.key == same["model"]
    assert figures.read(figures.made_from(RandomSubgraph(), figures.model, False)) is None  # of another version
    assert KeptFigures(tmp_path, "walk", 0).model.key == ""  # there is no file
    assert all(figures.read(one) is None for one in keys)
    figures.prototypes.unlink()
    assert figures.read(same) is None
