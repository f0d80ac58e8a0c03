"""Train the paper's GCN on labelled graphs."""

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._utils.errors import ProtographWarning
from protograph._utils.options import check_count, check_number
from protograph._utils.progress import Progress, shown_in_notebook
from protograph._utils.randomness import checked_seed, preserved_random_state
from protograph.models.performance import Performance, doubts_of
from protograph.training.collation import FlatGraphs, MiniBatch, collate, logits_of, propagated
from protograph.training.gcn import GCN
from protograph.training.split import HowToSplit, Split, check_split, make_split

PAPER_HIDDEN = (32, 32, 32)
EVALUATION_BATCH = 1024
MOST_CLASSES = 1000

ClassWeights = Literal["balanced"] | Sequence[float]


@dataclass(frozen=True)
class Epoch:
    """Figures of one pass over the training graphs; the validation ones are taken at its end."""

    train_loss: float
    validation_loss: float
    validation_accuracy: float


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model and how it came about.

    Attributes:
        model: The model with the weights of the best epoch, in evaluation mode.
        initial_model: The same model before training.
        split: Which graphs were trained on, validated on and tested on.
        train_performance: How ``model`` classifies the training graphs: accuracy, balanced accuracy, share of the
            largest class, and of each class how many graphs have it, are predicted as it, and its recall.
        validation_performance: The same for the validation graphs.
        test_performance: The same for the test graphs; ``None`` if the split has none.
        class_weights: What a graph of each class counted in the loss; ``None`` where all counted alike.
        history: One record an epoch.
        best_epoch: Number, from 1, of the epoch with the lowest validation loss.
        stopped: Why training ended.
    """

    model: GCN
    initial_model: GCN
    split: Split
    train_performance: Performance
    validation_performance: Performance
    test_performance: Performance | None
    class_weights: tuple[float, ...] | None
    history: tuple[Epoch, ...]
    best_epoch: int
    stopped: Literal["patience", "max_epochs"]

    @property
    def train_accuracy(self) -> float:
        """Share of the training graphs that ``model`` classifies right."""
        return self.train_performance.accuracy

    @property
    def validation_accuracy(self) -> float:
        """The same for the validation graphs."""
        return self.validation_performance.accuracy

    @property
    def test_accuracy(self) -> float | None:
        """The same for the test graphs; ``None`` if the split has none."""
        return None if self.test_performance is None else self.test_performance.accuracy

    @property
    def doubts(self) -> tuple[str, ...]:
        """Reasons to doubt that the model has learned to tell the classes apart, a sentence each; none where it has.

        Of the training graphs, and of the test graphs where these are at least 20.
        """
        named = {"training graphs": self.train_performance, "test graphs": self.test_performance}
        return tuple(
            doubt
            for graphs, performance in named.items()
            if performance is not None
            for doubt in doubts_of(performance, graphs, self.model.class_names)
        )


def train(
    graphs: Iterable[Data],
    *,
    hidden: Sequence[int] | None = PAPER_HIDDEN,
    random_state: int = 0,
    learning_rate: float = 0.001,
    batch_size: int = 16,
    patience: int = 5,
    max_epochs: int = 1000,
    split: HowToSplit = "paper",
    class_weights: ClassWeights | None = None,
    device: torch.device | str | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Train a :class:`GCN` as the paper does (Section "Experimental settings").

    Adam and the cross-entropy, with early stopping on the validation loss; the weights of the best epoch
    are kept. The same seed gives the same weights on a CPU, and no global generator is touched.

    Args:
        graphs: Graphs with one integer label ``y`` each; without ``x`` they get the constant feature 1.
        hidden: Width of each convolution; ``None`` takes ``graphs.hidden`` where a data set has it.
        random_state: Seed of the split, the first weights and the order of the graphs, at least 0.
        learning_rate: Step size of Adam.
        batch_size: Graphs a step.
        patience: Epochs without a lower validation loss after which training stops.
        max_epochs: Most passes over the training graphs.
        split: Shares of training, validation and test graphs, by chance (the last may be 0); ``"published"`` for the
            data set's own ``splits``; ``"paper"`` for what the paper does with the data set: 90, 5 and 5 percent
            by chance, except where it follows the published split.
        class_weights: What a graph of each class counts in the loss: a number above 0 for each, or ``"balanced"`` for
            numbers that let every class count alike, :math:`N / (C N_c)` with :math:`N_c` training graphs of class c
            of C, as scikit-learn has them. The validation loss, which ends the training, is weighted in the same way.
        device: Where to train and leave the models; the CPU if ``None``.
        progress: Called after each epoch as ``progress("training", epoch, None)``: how many epochs there
            will be is not known beforehand.

    Warns:
        ProtographWarning: If there is reason to doubt that the model has learned anything; see :attr:`Trained.doubts`.

    Raises:
        ValueError: If an option is out of range, or the graphs are too few, of one class or unfit.

    >>> import torch
    >>> edge_index = torch.tensor([[0, 1], [1, 0]])
    >>> graphs = [Data(x=torch.full((2, 1), float(y)), edge_index=edge_index, y=y) for y in (0, 1) * 20]
    >>> trained = train(graphs, hidden=(8,), learning_rate=0.1, max_epochs=20)
    >>> trained.test_accuracy
    1.0
    """
    check_number("learning_rate", learning_rate, above=0)
    for name, value in {"batch_size": batch_size, "patience": patience, "max_epochs": max_epochs}.items():
        check_count(name, value)
    check_split(split)
    if hidden is None:
        hidden = getattr(graphs, "hidden", PAPER_HIDDEN)
    # Seeds that have nothing to do with each other, of the three things that chance decides.
    split_seed, weights_seed, order_seed = np.random.SeedSequence(checked_seed(random_state)).generate_state(3).tolist()
    with one_thread():
        flat = collate(graphs)
        parts = make_split(split, graphs, len(flat), np.random.default_rng(split_seed))
        model = seeded_gcn(graphs, flat.x.shape[1], num_classes_of(flat.y), hidden, weights_seed)
        model, flat = model.to(device or "cpu"), flat.to(device or "cpu")
        weights = weight_of_each(class_weights, flat.y[parts.train.to(flat.y.device)], model.num_classes)
        with preserved_random_state():
            initial_model = deepcopy(model).eval()
        with shown_in_notebook(progress) as report:
            history, best_epoch = _fit(
                model,
                flat,
                parts,
                torch.Generator().manual_seed(order_seed),
                report,
                weights=weights,
                learning_rate=learning_rate,
                batch_size=batch_size,
                patience=patience,
                max_epochs=max_epochs,
            )
        trained = Trained(
            model=model,
            initial_model=initial_model,
            split=parts,
            train_performance=evaluate(model, flat, parts.train)[1],
            validation_performance=evaluate(model, flat, parts.validation)[1],
            test_performance=evaluate(model, flat, parts.test)[1] if len(parts.test) else None,
            class_weights=None if weights is None else tuple(weights.tolist()),
            history=history,
            best_epoch=best_epoch,
            stopped="patience" if len(history) - best_epoch >= patience else "max_epochs",
        )
    for doubt in trained.doubts:
        warnings.warn(f"the model may have learned nothing: {doubt}", ProtographWarning, stacklevel=2)
    return trained


def num_classes_of(labels: Tensor) -> int:
    """How many classes the labels number.

    >>> num_classes_of(torch.tensor([0, 2, 0, 2]))
    3
    """
    classes: list[int] = sorted(set(labels.tolist()))
    if len(classes) < 2:
        raise ValueError(f"graphs must have at least 2 classes, got only class {classes[0]}")
    if classes[-1] >= max(MOST_CLASSES, len(labels)):
        raise ValueError(f"labels must number the classes 0, 1, ..., got {classes[-1]} for {len(labels)} graphs")
    return classes[-1] + 1


def seeded_gcn(graphs: object, num_features: int, num_classes: int, hidden: Sequence[int], seed: int) -> GCN:
    """A model with its first weights, and with the names that a data set has for its features and classes."""
    # Not torch.manual_seed: that would start the CUDA generators too.
    with preserved_random_state():
        torch.default_generator.manual_seed(seed)
        model = GCN(num_features, num_classes, hidden)
    for attribute, count in (("feature_names", num_features), ("class_names", num_classes)):
        names = getattr(graphs, attribute, ())
        if isinstance(names, tuple | list) and len(names) == count:
            setattr(model, attribute, tuple(map(str, names)))
    return model


def weight_of_each(class_weights: Any, labels: Tensor, num_classes: int) -> Tensor | None:
    """The weight of each class as the loss takes it; ``None`` where all graphs count alike.

    Args:
        class_weights: As of :func:`protograph.train`.
        labels: Classes of the training graphs.
        num_classes: How many classes there are. One without training graphs cannot be balanced, and weighs 1.

    >>> weight_of_each("balanced", torch.tensor([0, 0, 0, 1]), 2)
    tensor([0.6667, 2.0000])
    >>> weight_of_each("even", torch.tensor([0, 1]), 2)
    Traceback (most recent call last):
    ...
    ValueError: class_weights must be 'balanced' or a number for each of the 2 classes, got 'even'
    """
    if class_weights is None:
        return None
    if class_weights == "balanced":
        counts = torch.bincount(labels, minlength=num_classes).float()
        present = counts > 0
        return torch.where(present, len(labels) / (present.sum() * counts.clamp(min=1)), 1.0)
    if isinstance(class_weights, str) or not hasattr(class_weights, "__len__") or len(class_weights) != num_classes:
        raise ValueError(
            f"class_weights must be 'balanced' or a number for each of the {num_classes} classes, got {class_weights!r}"
        )
    for number, weight in enumerate(class_weights):
        check_number(f"class_weights[{number}]", weight, above=0)
    return torch.tensor([float(weight) for weight in class_weights], device=labels.device)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch use one thread inside, and as many as before afterwards, also on error.

    A mini-batch of small graphs gains nothing from a second thread, and where another process holds the
    cores, waiting for it makes a step up to a hundred times slower.

    >>> before = torch.get_num_threads()
    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _fit(
    model: GCN,
    flat: FlatGraphs,
    split: Split,
    generator: torch.Generator,
    progress: Progress | None,
    *,
    weights: Tensor | None,
    learning_rate: float,
    batch_size: int,
    patience: int,
    max_epochs: int,
) -> tuple[tuple[Epoch, ...], int]:
    """Train until patience or epochs run out, and leave the model with its best weights: all epochs, and the best."""
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, fused=True)
    prepared = propagated(flat)
    history: list[Epoch] = []
    best_epoch, best_loss = 0, math.inf
    best_weights = deepcopy(model.state_dict())
    while len(history) < min(best_epoch + patience, max_epochs):
        order = split.train[torch.randperm(len(split.train), generator=generator)]
        batches = map(prepared.take, torch.split(order.to(prepared.x.device), batch_size))
        train_loss = _train_epoch(model, batches, optimizer, weights) / len(order)
        validation_loss, validation = evaluate(model, flat, split.validation, weights)
        history.append(Epoch(train_loss, validation_loss, validation.accuracy))
        if validation_loss < best_loss:  # nan never is
            best_epoch, best_loss = len(history), validation_loss
            best_weights = deepcopy(model.state_dict())
        if progress is not None:
            progress("training", len(history), None)
    if best_epoch == 0:
        raise RuntimeError(
            f"training diverged: the validation loss was {history[-1].validation_loss} from the first epoch; "
            f"use a learning_rate below {learning_rate}, or scale the features"
        )
    optimizer.zero_grad()
    model.load_state_dict(best_weights)
    model.eval()
    return tuple(history), best_epoch


@torch.enable_grad()
def _train_epoch(
    model: GCN, batches: Iterable[MiniBatch], optimizer: torch.optim.Optimizer, weights: Tensor | None = None
) -> float:
    """One step a mini-batch; the sum of the graphs' losses, each taken before its step."""
    model.train()
    losses = []
    for batch in batches:
        loss = nn.functional.cross_entropy(logits_of(model, batch), batch.y, weight=weights)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        losses.append(loss.detach() * len(batch.y))
    return torch.stack(losses).sum().item()


@torch.no_grad()
def evaluate(model: GCN, flat: FlatGraphs, indices: Tensor, weights: Tensor | None = None) -> tuple[float, Performance]:
    """Mean cross-entropy, weighted where classes are, and performance on the graphs at the indices.

    The model is left in evaluation mode.
    """
    model.eval()
    loss, total, predictions, labels = 0.0, 0.0, [], []
    for chunk in torch.split(indices, EVALUATION_BATCH):
        batch = flat.take(chunk.to(flat.x.device))
        logits = model(batch.x, batch.edge_index, batch.batch)
        loss += nn.functional.cross_entropy(logits, batch.y, weight=weights, reduction="sum").item()
        total += len(chunk) if weights is None else weights[batch.y].sum().item()
        predictions.append(logits.argmax(dim=1))
        labels.append(batch.y)
    agreement = Performance.of(
        torch.cat(labels).numpy(force=True), torch.cat(predictions).numpy(force=True), model.num_classes
    )
    return loss / total, agreement
