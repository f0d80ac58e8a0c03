import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.class_weight import compute_class_weight
from torch_geometric.data import Batch, Data

from protograph import ProtographWarning, datasets
from protograph.training import GCN, train
from protograph.training.collation import collate, propagated
from protograph.training.training import _train_epoch, evaluate, seeded_gcn, weight_of_each

FAST = {"hidden": (16, 16), "learning_rate": 0.01, "max_epochs": 3}


@pytest.fixture(scope="module")
def graphs():
    return datasets.load("ba-house", num_graphs=200)


@pytest.fixture(scope="module")
def noise():
    """Labels that have nothing to do with the graphs: the validation loss soon rises."""
    generator = torch.Generator().manual_seed(0)
    pair = torch.tensor([[0, 1], [1, 0]])
    return [Data(x=torch.rand(2, 6, generator=generator), edge_index=pair, y=i % 2) for i in range(60)]


@pytest.fixture(scope="module")
def trained(graphs):
    return train(graphs, **FAST)


def weights(model):
    return torch.cat([weight.flatten() for weight in model.state_dict().values()])


def test_it_learns_the_house(graphs):
    trained = train(graphs, hidden=(32, 32), learning_rate=0.01, max_epochs=40, patience=40)
    _, before = evaluate(trained.initial_model, collate(graphs), trained.split.train)
    assert before.accuracy < 0.7
    assert trained.train_accuracy > 0.85


def test_an_epoch_is_plain_training_step_by_step(graphs):
    torch.manual_seed(0)
    ours, reference = GCN(3, 2, (8, 8)), GCN(3, 2, (8, 8))
    reference.load_state_dict(ours.state_dict())
    order = torch.randperm(200, generator=torch.Generator().manual_seed(0))
    optimizer = torch.optim.Adam(ours.parameters(), lr=0.01, fused=True)
    batches = map(propagated(collate(graphs)).take, order.split(16))
    total = _train_epoch(ours, batches, optimizer)

    optimizer = torch.optim.Adam(reference.parameters(), lr=0.01)
    expected = 0.0
    for part in torch.split(order, 16):
        batch = Batch.from_data_list(graphs[part])
        logits = reference(batch.x, batch.edge_index, batch.batch)
        loss = torch.nn.functional.cross_entropy(logits, batch.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        expected += loss.item() * len(part)
    assert total == pytest.approx(expected, rel=1e-4)
    assert torch.allclose(weights(ours), weights(reference), atol=1e-4)


def test_the_seed_alone_decides(graphs, trained):
    def states():
        return random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()

    before = states()
    calls = []
    with torch.no_grad():  # gradients that are off change nothing
        same = train(graphs, **FAST, progress=lambda *call: calls.append(call))
    assert states() == before
    assert calls == [("training", 1, None), ("training", 2, None), ("training", 3, None)]
    assert torch.equal(weights(same.model), weights(trained.model))
    assert same.history == trained.history
    other = train(graphs, **FAST, random_state=5)
    assert not torch.equal(weights(other.initial_model), weights(trained.initial_model))
    assert not torch.equal(other.split.train, trained.split.train)
    wide = train(graphs, hidden=(4,), learning_rate=0.1, max_epochs=1, batch_size=100)
    assert torch.equal(wide.split.train, trained.split.train)
    assert [len(part) for part in (wide.split.train, wide.split.validation, wide.split.test)] == [180, 10, 10]


def test_models_come_ready_to_use(trained):
    assert type(trained.model) is GCN
    for model in (trained.model, trained.initial_model):
        assert not any(module.training for module in model.modules())
        assert all(weight.grad is None and weight.requires_grad for weight in model.parameters())
    assert not torch.equal(weights(trained.model), weights(trained.initial_model))


def test_training_stops_by_patience_with_the_best_weights(noise):
    trained = train(noise, hidden=(32,), learning_rate=0.05, split=(0.6, 0.2, 0.2), patience=4)
    losses = [epoch.validation_loss for epoch in trained.history]
    assert trained.stopped == "patience"
    assert trained.best_epoch == int(np.argmin(losses)) + 1
    assert len(losses) == trained.best_epoch + 4
    loss, kept = evaluate(trained.model, collate(noise), trained.split.validation)
    assert loss == pytest.approx(min(losses), rel=1e-6)
    assert kept.accuracy == trained.validation_accuracy
    assert kept.accuracy == trained.history[trained.best_epoch - 1].validation_accuracy


def test_training_stops_at_max_epochs(trained):
    assert trained.stopped == "max_epochs"
    assert len(trained.history) == 3
    assert trained.history[2].train_loss < trained.history[0].train_loss


def test_accuracies_are_those_of_the_model_on_the_split(graphs, trained):
    for indices, accuracy in (
        (trained.split.train, trained.train_accuracy),
        (trained.split.validation, trained.validation_accuracy),
        (trained.split.test, trained.test_accuracy),
    ):
        batch = Batch.from_data_list(graphs[indices])
        predicted = trained.model(batch.x, batch.edge_index, batch.batch).argmax(dim=1)
        assert accuracy == pytest.approx((predicted == batch.y).double().mean().item())
    performance = trained.test_performance
    assert performance.balanced_accuracy == pytest.approx(balanced_accuracy_score(batch.y, predicted))
    assert performance.predicted == tuple(torch.bincount(predicted, minlength=2).tolist())


def test_a_model_that_learned_nothing_is_warned_of(noise):
    with pytest.warns(ProtographWarning) as caught:
        trained = train(noise, hidden=(4,), learning_rate=1e-9, max_epochs=1, split=(0.6, 0.05, 0.35))
    guessing = trained.train_performance.balanced_accuracy, trained.test_performance.balanced_accuracy
    assert len(trained.doubts) >= 2
    assert trained.doubts[0].startswith(
        f"on 36 training graphs its balanced accuracy is {guessing[0]:.3f}, no more than guessing may give"
    )
    assert any(doubt.startswith("on 21 test graphs its") for doubt in trained.doubts)
    assert [str(one.message) for one in caught] == [f"the model may have learned nothing: {d}" for d in trained.doubts]


def test_balanced_weights_find_the_rare_class():
    """One graph in twenty is of class 1, and another one in twenty looks the same: without weights none is found."""
    pair = torch.tensor([[0, 1], [1, 0]])
    rare = [(1, 1)] * 10 + [(1, 0)] * 12 + [(0, 0)] * 178
    graphs = [Data(x=torch.full((2, 1), float(kind)), edge_index=pair, y=label) for kind, label in rare]
    options = {"hidden": (8,), "learning_rate": 0.05, "max_epochs": 15, "patience": 15, "split": (0.8, 0.2, 0.0)}
    plain = train(graphs, **options)
    balanced = train(graphs, **options, class_weights="balanced")
    assert plain.class_weights is None
    counts = plain.train_performance.labelled
    assert balanced.class_weights == pytest.approx([160 / (2 * count) for count in counts])
    assert plain.train_performance.recalls[1] == 0.0
    assert balanced.train_performance.recalls[1] == 1.0
    # Which it buys with accuracy: there is no reason to doubt it.
    assert balanced.train_performance.accuracy < balanced.train_performance.majority_share
    assert len(plain.doubts) > len(balanced.doubts) == 0
    same = train(graphs, **options, class_weights=balanced.class_weights)
    assert torch.equal(weights(same.model), weights(balanced.model))


def test_the_loss_of_a_part_is_weighted(graphs):
    model, flat, indices = GCN(3, 2, (4,)), collate(graphs), torch.arange(50)
    batch = Batch.from_data_list(graphs[indices])
    each = torch.tensor([1.0, 3.0])
    expected = torch.nn.functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y, weight=each)
    assert evaluate(model, flat, indices, each)[0] == pytest.approx(expected.item(), rel=1e-6)


def test_widths_may_come_from_the_data_set(graphs):
    narrow = replace(graphs, hidden=(5, 7))
    assert train(narrow, hidden=None, max_epochs=1).model.hidden == (5, 7)
    assert train(list(narrow), hidden=None, max_epochs=1).model.hidden == (32, 32, 32)
    assert train(narrow, max_epochs=1).model.hidden == (32, 32, 32)


def test_graphs_without_features_and_an_iterator(noise):
    bare = (Data(edge_index=g.edge_index, num_nodes=2, y=2 * g.y) for g in noise)
    model = train(bare, hidden=(4,), max_epochs=1).model
    assert (model.num_features, model.num_classes) == (1, 3)  # classes are counted by the highest label


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"random_state": -1}, r"^random_state must be in \[0, 2\*\*32\), got -1$"),
        ({"batch_size": 0}, r"^batch_size must be at least 1, got 0$"),
        ({"patience": 0}, r"^patience must be at least 1, got 0$"),
        ({"max_epochs": 0}, r"^max_epochs must be at least 1, got 0$"),
        ({"learning_rate": 0.0}, r"^learning_rate must be a finite number above 0, got 0.0$"),
        ({"learning_rate": float("nan")}, r"^learning_rate must be a finite number above 0, got nan$"),
        ({"hidden": ()}, r"^hidden must be one or more widths of at least 1, got \(\)$"),
        ({"split": (0.9, 0.0, 0.1)}, r"that sum to 1 \(test may be 0\), got \(0.9, 0.0, 0.1\)$"),
    ],
)
def test_impossible_options(noise, options, message):
    with pytest.raises(ValueError, match=message):
        train(noise, **options)


def test_graphs_that_cannot_be_trained_on(noise):
    bad = Data(x=torch.full((2, 6), torch.nan), edge_index=noise[0].edge_index, y=0)
    odd = [graph.clone() for graph in noise[:4]]
    odd[0].y = torch.tensor([10**10])
    for graphs, message in (
        ([graph for graph in noise if graph.y == 1], "graphs must have at least 2 classes, got only class 1"),
        (noise[:2], "graphs must be enough that .* has one, got 2; give more graphs"),
        ([*noise, bad], r"graphs\[60\].x must be finite, got nan; clean the features first"),
        (odd, r"labels must number the classes 0, 1, \.\.\., got 10000000000 for 4"),
    ):
        with pytest.raises(ValueError, match=message):
            train(graphs)


def test_names_are_taken_where_there_is_one_for_each():
    class Named:
        feature_names = ("a", "b", "c")
        class_names = ("yes", "no")

    model = seeded_gcn(Named(), 3, 3, (4,), seed=0)
    assert (model.feature_names, model.class_names) == (("a", "b", "c"), ())


def test_divergence_is_an_error(noise):
    with pytest.raises(RuntimeError, match=r"^training diverged: .* was nan .* use a learning_rate below 1e\+30"):
        train(noise, learning_rate=1e30, max_epochs=2)


def test_number_of_threads_is_left_as_it_was(graphs):
    before = torch.get_num_threads()

    def interrupt(*call):
        assert torch.get_num_threads() == 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(graphs, **FAST, progress=interrupt)
    assert torch.get_num_threads() == before


LABELS = torch.tensor([0] * 7 + [1] * 2 + [2])


def test_class_weights():
    expected = compute_class_weight("balanced", classes=np.arange(3), y=LABELS.numpy())
    assert weight_of_each("balanced", LABELS, 3).tolist() == pytest.approx(expected)
    assert weight_of_each("balanced", LABELS, 4).tolist() == pytest.approx([*expected, 1.0])
    assert weight_of_each((1, np.float64(2.5), 3.0), LABELS, 3).tolist() == [1.0, 2.5, 3.0]


@pytest.mark.parametrize(
    ("class_weights", "message"),
    [
        ("even", "class_weights must be 'balanced' or a number for each of the 2 classes, got 'even'"),
        (3, "class_weights must be 'balanced' or a number for each of the 2 classes, got 3"),
        ([1.0], r"class_weights must be 'balanced' or a number for each of the 2 classes, got \[1.0\]"),
        ([1.0, 0.0], r"class_weights\[1\] must be a finite number above 0, got 0.0"),
    ],
)
def test_weights_that_are_none(class_weights, message):
    with pytest.raises(ValueError, match=message):
        weight_of_each(class_weights, torch.tensor([0, 1]), 2)
