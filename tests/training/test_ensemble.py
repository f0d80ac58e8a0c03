from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph import datasets
from protograph.training import train
from protograph.training.collation import collate, propagated
from protograph.training.ensemble import ModelSpec, train_many
from protograph.training.split import make_split
from protograph.training.training import _fit, num_classes_of, seeded_gcn, seeds_of, weight_of_each

PAIR = torch.tensor([[0, 1], [1, 0]])
WIDTHS = ((4, 8), (16, 3), (64, 4), (20, 33), (8,), (5, 6, 7))


@pytest.fixture(scope="module")
def graphs():
    return datasets.load("ba-house", num_graphs=120)


@pytest.fixture(scope="module")
def noise():
    """Labels that have nothing to do with the graphs: the validation loss soon rises."""
    generator = torch.Generator().manual_seed(0)
    return [Data(x=torch.rand(2, 6, generator=generator), edge_index=PAIR, y=i % 2) for i in range(60)]


def wrong_labels(graphs):
    """Every third label is wrong, wherever its graph is."""
    return [(int(graph.y) + (number % 3 == 0)) % 2 for number, graph in enumerate(graphs)]


def one_by_one(graphs, spec, *, class_weights=None, **options):
    """The loop that trains one model, in 64 bits, on the seeds, labels and batches of a spec."""
    flat = collate(graphs)
    labels = flat.y if spec.labels is None else torch.as_tensor(spec.labels)
    flat = replace(flat, edge_weight=flat.edge_weight.double(), y=labels)
    seeds, state = seeds_of(spec.random_state), spec.weights_state
    weights_seed = seeds.weights if state is None else seeds_of(state).weights
    split = make_split("paper", graphs, len(flat), np.random.default_rng(seeds.split))
    model = seeded_gcn(graphs, flat.x.shape[1], num_classes_of(labels), spec.hidden, weights_seed).double()
    weights = weight_of_each(class_weights, labels[split.train], model.num_classes)
    options = {"learning_rate": 0.01, "batch_size": 16, "patience": 5} | options
    order = torch.Generator().manual_seed(seeds.order)
    weights = None if weights is None else weights.double()
    stopping, history = _fit(model, flat, split, order, None, weights=weights, **options)
    return model, stopping, history


def difference(first, second):
    pairs = zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    return max(float((one - other).abs().max()) for one, other in pairs)


def specs_of(graphs):
    """Many widths and depths, another seed, other first weights, other labels."""
    wrong = wrong_labels(graphs)
    special = {"random_state": 7}, {"weights_state": 5}, {"labels": wrong}, {"labels": torch.tensor(wrong)}
    return [
        *(ModelSpec(hidden=hidden) for hidden in WIDTHS),
        *(ModelSpec(hidden=(8, 8), **options) for options in special),
    ]


def assert_same(graphs, specs, **options):
    together = train_many(graphs, specs, dtype=torch.float64, **{"learning_rate": 0.01} | options)
    for spec, trained in zip(specs, together, strict=True):
        model, stopping, history = one_by_one(graphs, spec, **options)
        assert difference(model, trained.model) < 1e-9
        assert (trained.best_epoch, len(trained.history)) == (stopping.best_epoch, len(history))
        for ours, theirs in zip(trained.history, history, strict=True):
            assert ours.train_loss == pytest.approx(theirs.train_loss, abs=1e-9)
            assert ours.validation_loss == pytest.approx(theirs.validation_loss, abs=1e-9)
            assert ours.validation_accuracy == theirs.validation_accuracy


def test_two_epochs_give_the_weights_of_training_one_by_one(graphs):
    assert_same(graphs, specs_of(graphs), max_epochs=2)


def test_classes_may_have_weights(graphs):
    assert_same(graphs, specs_of(graphs)[-3:], max_epochs=2, class_weights="balanced")
    trained = train_many(graphs, [ModelSpec(hidden=(4,))], max_epochs=1, class_weights=(1.0, 3.0))
    assert trained[0].class_weights == (1.0, 3.0)


def test_each_model_stops_when_it_would_by_itself(noise):
    """Four of them are in one stack, and are dropped from it one after the other."""
    widths = enumerate((16, 4, 8, 64, 12))
    specs = [ModelSpec(hidden=(width,), weights_state=state) for state, width in widths]
    options = {"max_epochs": 60, "patience": 4, "learning_rate": 0.01}
    assert_same(noise, specs, **options)
    assert [len(one.history) for one in train_many(noise, specs, dtype=torch.float64, **options)] == [5, 8, 5, 5, 17]


def test_edges_may_lead_one_way(graphs):
    generator = torch.Generator().manual_seed(1)
    directed = []
    for number, graph in enumerate(graphs[:60]):
        kept = torch.rand(graph.edge_index.shape[1], generator=generator) < 0.6
        directed.append(Data(x=graph.x, edge_index=graph.edge_index[:, kept], y=number % 2))
    assert_same(directed, [ModelSpec(hidden=(6, 20)), ModelSpec(hidden=(4, 4, 4))], max_epochs=2)


def test_features_too_many_to_add_up_beforehand(graphs, monkeypatch):
    monkeypatch.setattr("protograph.training.ensemble.propagated", lambda flat: propagated(flat, most_bytes=0))
    assert_same(graphs, [ModelSpec(hidden=(6, 20))], max_epochs=2)


def test_three_classes_and_graphs_without_features():
    chains = [Data(edge_index=PAIR, num_nodes=2 + number % 3, y=number % 3) for number in range(60)]
    assert_same(chains, [ModelSpec(hidden=(8, 4)), ModelSpec(hidden=(4, 8))], max_epochs=3)


def test_a_model_is_what_train_gives(graphs):
    options = {"learning_rate": 0.01, "max_epochs": 2}
    (ours,) = train_many(graphs, [ModelSpec(hidden=(8, 8), random_state=3)], **options)
    theirs = train(graphs, hidden=(8, 8), random_state=3, **options)
    assert difference(ours.model, theirs.model) < 1e-5
    assert difference(ours.initial_model, theirs.initial_model) == 0
    assert (ours.model.class_names, ours.model.feature_names) == (graphs.class_names, graphs.feature_names)
    assert (ours.best_epoch, ours.stopped, ours.class_weights) == (theirs.best_epoch, theirs.stopped, None)
    for part in ("train", "validation", "test"):
        assert torch.equal(getattr(ours.split, part), getattr(theirs.split, part))
        assert getattr(ours, f"{part}_performance") == getattr(theirs, f"{part}_performance")
    assert not any(module.training for module in ours.model.modules())
    assert all(weight.requires_grad and weight.grad is None for weight in ours.model.parameters())


def test_no_test_graphs(graphs):
    (trained,) = train_many(graphs, [ModelSpec(hidden=(4,))], max_epochs=1, split=(0.9, 0.1, 0.0))
    assert trained.test_performance is None


def test_what_is_finished_can_be_left_out(graphs):
    """To the last bit: a run that was broken off goes on with the models that are missing."""
    specs = specs_of(graphs)
    together = train_many(graphs, specs, max_epochs=3)
    for missing in ([4], [0, 3, 5, 9], list(range(1, len(specs)))):
        for number, trained in zip(missing, train_many(graphs, [specs[i] for i in missing], max_epochs=3), strict=True):
            assert difference(trained.model, together[number].model) == 0
            assert trained.history == together[number].history


def test_each_model_is_handed_out_as_soon_as_it_is_finished(noise):
    specs = [ModelSpec(hidden=(width,), weights_state=state) for state, width in enumerate((16, 4, 64))]
    handed, told = [], []
    found = train_many(
        noise,
        specs,
        learning_rate=0.003,
        patience=4,
        progress=lambda *step: told.append(step),
        on_finished=lambda number, trained: handed.append((number, trained)),
    )
    assert [found[number] for number, _ in handed] == [trained for _, trained in handed]
    lengths = [len(trained.history) for _, trained in handed]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]
    assert sorted(number for number, _ in handed) == [0, 1, 2]
    # After each epoch, how many have ended by then.
    expected = [sum(length <= epoch for length in lengths) for epoch in range(1, max(lengths) + 1)]
    assert told == [("training", num_finished, 3) for num_finished in expected]


def test_nothing_to_train(graphs):
    assert train_many(graphs, []) == []


def test_global_generators_are_left_as_they_were(graphs):
    before = torch.get_rng_state().tolist(), np.random.get_state()[1].tolist()
    train_many(graphs, [ModelSpec(hidden=(4,))], max_epochs=1)
    assert (torch.get_rng_state().tolist(), np.random.get_state()[1].tolist()) == before


@pytest.mark.parametrize(
    ("labels", "came"), [([0, 1], "shape [2] with 0 the least"), ([-1] + [1] * 119, "shape [120] with -1 the least")]
)
def test_labels_that_do_not_fit(graphs, labels, came):
    with pytest.raises(ValueError, match=r"^specs") as raised:
        train_many(graphs, [ModelSpec(), ModelSpec(labels=labels)])
    assert str(raised.value) == f"specs[1].labels must be one of at least 0 for each of the 120 graphs, got {came}"


def test_options_are_checked(graphs):
    with pytest.raises(ValueError, match=r"^patience must be at least 1, got 0$"):
        train_many(graphs, [ModelSpec()], patience=0)
    with pytest.raises(ValueError, match="random_state"):
        ModelSpec(random_state=-1)
    with pytest.raises(TypeError, match="width"):
        ModelSpec(width=3)


def test_a_model_that_diverges_is_named_when_the_others_are_trained(noise, monkeypatch):
    def spoiled(graphs, num_features, num_classes, hidden, seed):
        model = seeded_gcn(graphs, num_features, num_classes, hidden, seed)
        if hidden == (5,):
            torch.nn.init.constant_(model.head.bias, torch.nan)
        return model

    monkeypatch.setattr("protograph.training.ensemble.seeded_gcn", spoiled)
    handed = []
    message = (
        r"^training of specs\[1\] diverged: the validation loss was nan from the first epoch; "
        r"use a learning_rate below 0.05, or scale the features$"
    )
    with pytest.raises(RuntimeError, match=message):
        train_many(
            noise,
            [ModelSpec(hidden=(4,)), ModelSpec(hidden=(5,)), ModelSpec(hidden=(6,))],
            learning_rate=0.05,
            on_finished=lambda number, trained: handed.append((number, trained)),
        )
    monkeypatch.undo()
    for number, trained in handed:
        (alone,) = train_many(noise, [ModelSpec(hidden=(4 + number,))], learning_rate=0.05)
        assert difference(trained.model, alone.model) == 0  # what is not a number has not spread
    assert sorted(number for number, _ in handed) == [0, 2]
