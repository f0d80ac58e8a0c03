"""The loop that trains models which share every mini-batch, each until its own patience runs out."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.optim.adam import adam

from protograph._base.randomness import preserved_random_state
from protograph.models.performance import Performance
from protograph.training.collation import FlatGraphs
from protograph.training.gcn import GCN
from protograph.training.graph_rows import GraphRows, is_symmetric, rows_of
from protograph.training.split import Split
from protograph.training.stack import Stack
from protograph.training.stack_layout import REGISTER, StackLayout, padded_width
from protograph.training.stack_memory import ROWS
from protograph.training.stack_operations import weighted_losses
from protograph.training.training import EarlyStopping, Epoch, Trained

# Graphs a forward pass; more do not fit into a processor's cache for many models.
EVALUATION_BATCH = 64
# Adam's numbers, as PyTorch has them.
ADAM: dict[str, Any] = {
    "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0, "amsgrad": False, "maximize": False,
}  # fmt: skip


class FitOptions(NamedTuple):
    """Numbers of a training; see :func:`protograph.train`."""

    learning_rate: float
    batch_size: int
    patience: int
    max_epochs: int


@dataclass(frozen=True, eq=False)
class Trainee:
    """A model to train, with its first weights.

    Attributes:
        number: Its place among the specs.
        model: On its device, of its type.
        labels: Class of every graph.
        class_weights: What a graph of each class counts in the loss.
        is_weighted: Whether that was asked for.
    """

    number: int
    model: GCN
    labels: Tensor
    class_weights: Tensor
    is_weighted: bool


@dataclass(eq=False)
class Member:
    """How far a model has come."""

    trainee: Trainee
    stopping: EarlyStopping
    history: list[Epoch] = field(default_factory=list)


class Figures(NamedTuple):
    """Of each model of a stack on some graphs: the sum of losses, of what they are divided by, and predictions."""

    losses: Tensor
    counts: Tensor
    predictions: Tensor


class Moments(NamedTuple):
    """What Adam remembers: means of the gradients and of their squares, and how many steps were made."""

    first: Tensor
    second: Tensor
    num_steps: Tensor


class Part:
    """Models in one stack, with their labels, what Adam remembers of them, and how far they have come.

    Attributes:
        best: Weights of each model's best epoch.
        moments: What Adam remembers.
    """

    def __init__(self, members: Sequence[Member], stack: Stack, best: Tensor, moments: Moments) -> None:
        self.members, self.stack, self.best, self.moments = list(members), stack, best, moments
        self.labels = torch.stack([one.trainee.labels for one in members])
        self.class_weights = torch.stack([one.trainee.class_weights for one in members])

    def rows(self, rows: Sequence[int]) -> "Part":
        """The part with these of its models only."""
        best, first, second = (
            self.stack.layout.rows(values, len(self.members), rows)
            for values in (self.best, self.moments.first, self.moments.second)
        )
        moments = Moments(first, second, self.moments.num_steps)
        return Part([self.members[row] for row in rows], self.stack.rows(rows), best, moments)

    def step(self, rows: GraphRows) -> Tensor:
        """Gradients for a mini-batch, whose ``y`` are the numbers of its graphs; the models' mean losses."""
        return self.stack.step(rows, self.labels[:, rows.y], self.class_weights)

    def note_best(self, rows: Sequence[int]) -> None:
        """Keep the present weights of these models as their best."""
        if rows:
            num_models = len(self.members)
            self.stack.layout.copy(self.stack.values, num_models, rows, self.best, num_models, rows)


class Ensemble:
    """Models of the same depth that are trained on the same mini-batches."""

    def __init__(self, trainees: Sequence[Trainee], prepared: FlatGraphs, split: Split, options: FitOptions) -> None:
        # Labels differ among models, so a mini-batch tells which graphs it has instead.
        self._graphs = FlatGraphs(**(vars(prepared) | {"y": torch.arange(len(prepared), device=prepared.y.device)}))
        self._is_symmetric = is_symmetric(*_all_edges(prepared))
        self._split, self._options = split, options
        self._parts = _stacked(trainees, options.patience)
        self._diverged: list[str] = []

    def fit(
        self, generator: torch.Generator, tell_epoch: Callable[[], None], finish: Callable[[int, Trained], None]
    ) -> None:
        """Train until the patience or the epochs of every model have run out; ``finish`` is called at its end."""
        train, num_epochs = self._split.train, 0
        while self._parts:
            order = train[torch.randperm(len(train), generator=generator)]
            losses = self._train_epoch(order)
            num_epochs += 1
            self._note_epoch([each / len(order) for each in losses])
            is_last = num_epochs == self._options.max_epochs
            for part in self._parts:
                for member, trained in self._finished(part, is_last):
                    finish(member.trainee.number, trained)
            self._drop_finished(is_last)
            tell_epoch()
        # Last, so that one model does not take the others with it.
        if self._diverged:
            raise RuntimeError(self._diverged[0])

    def _train_epoch(self, order: Tensor) -> list[Tensor]:
        """One step a mini-batch for all models; the sums of the graphs' losses, each taken before its step."""
        totals = [part.stack.values.new_zeros(len(part.members)) for part in self._parts]
        for rows in self._batches(order, self._options.batch_size):
            for part, total in zip(self._parts, totals, strict=True):
                total.add_(part.step(rows), alpha=len(rows.y))
            self._adam_step()
        return totals

    def _adam_step(self) -> None:
        adam(
            [part.stack.values for part in self._parts],
            [part.stack.gradients for part in self._parts],
            [part.moments.first for part in self._parts],
            [part.moments.second for part in self._parts],
            [],
            [part.moments.num_steps for part in self._parts],
            fused=True,
            lr=self._options.learning_rate,
            **ADAM,
        )

    def _note_epoch(self, losses: Sequence[Tensor]) -> None:
        """Write down how the epoch ended for each model, and keep the weights of those that were never better."""
        for part, loss in zip(self._parts, losses, strict=True):
            figures = self._evaluate(part, self._split.validation)
            validation = (figures.losses / figures.counts).tolist()
            labels = part.labels[:, self._split.validation.to(part.labels.device)]
            accuracy = (figures.predictions == labels).double().mean(1).tolist()
            for member, *numbers in zip(part.members, loss.tolist(), validation, accuracy, strict=True):
                member.history.append(Epoch(*numbers))
            is_best = [member.stopping.update(value) for member, value in zip(part.members, validation, strict=True)]
            part.note_best([row for row, one in enumerate(is_best) if one])

    def _finished(self, part: Part, is_last: bool) -> Iterator[tuple[Member, Trained]]:
        rows = [row for row, member in enumerate(part.members) if is_last or member.stopping.is_over]
        self._diverged += [self._told(part.members[row]) for row in rows if not part.members[row].stopping.best_epoch]
        rows = [row for row in rows if part.members[row].stopping.best_epoch]
        if not rows:
            return
        layout, best = part.stack.layout, part.rows(rows)
        best.stack.values.copy_(best.best)
        train, validation, test = (
            self._performances(best, indices)
            for indices in (self._split.train, self._split.validation, self._split.test)
        )
        for row, member in enumerate(best.members):
            trainee, stopping = member.trainee, member.stopping
            yield (
                member,
                Trained(
                    model=_with_weights(trainee.model, layout, best.best, len(rows), row),
                    initial_model=trainee.model,
                    split=self._split,
                    train_performance=train[row],
                    validation_performance=validation[row],
                    test_performance=test[row] if test else None,
                    class_weights=tuple(trainee.class_weights.tolist()) if trainee.is_weighted else None,
                    history=tuple(member.history),
                    best_epoch=stopping.best_epoch,
                    stopped="patience" if stopping.is_over else "max_epochs",
                ),
            )

    def _told(self, member: Member) -> str:
        return (
            f"training of specs[{member.trainee.number}] diverged: the validation loss was "
            f"{member.history[-1].validation_loss} from the first epoch; "
            f"use a learning_rate below {self._options.learning_rate}, or scale the features"
        )

    def _drop_finished(self, is_last: bool) -> None:
        """Leave models that are finished out of their stacks."""
        parts = []
        for part in self._parts:
            rows = [row for row, one in enumerate(part.members) if not (is_last or one.stopping.is_over)]
            if rows:
                parts.append(part if len(rows) == len(part.members) else part.rows(rows))
        self._parts = parts

    def _evaluate(self, part: Part, indices: Tensor) -> Figures:
        losses, counts, predictions = [], [], []
        for rows in self._batches(indices, EVALUATION_BATCH):
            logits = part.stack.logits(rows)
            loss, count = weighted_losses(logits, part.labels[:, rows.y], part.class_weights)
            losses.append(loss)
            counts.append(count)
            predictions.append(logits.argmax(2))
        return Figures(torch.cat(losses, 1).sum(1), torch.cat(counts, 1).sum(1), torch.cat(predictions, 1))

    def _performances(self, part: Part, indices: Tensor) -> list[Performance]:
        """How each model classifies the graphs at the indices; nothing where there are none."""
        if not len(indices):
            return []
        predictions = self._evaluate(part, indices).predictions.numpy(force=True)
        labels = part.labels[:, indices.to(part.labels.device)].numpy(force=True)
        num_classes = part.stack.layout.num_classes
        return [Performance.of(*pair, num_classes) for pair in zip(labels, predictions, strict=True)]

    def _batches(self, order: Tensor, batch_size: int) -> Iterator[GraphRows]:
        for batch in self._graphs.batches(order.to(self._graphs.x.device), batch_size):
            yield rows_of(batch, self._is_symmetric, ROWS)


def _stacked(trainees: Sequence[Trainee], patience: int) -> list[Part]:
    """The models in stacks of the same padded width."""
    # A GPU takes about as long for one product of any size as for another, so there all models are one stack. On a CPU
    # the narrow ones are apart: padded as the widest, they would take several times as long.
    is_cpu = trainees[0].labels.device.type == "cpu"
    least = REGISTER if is_cpu else max(padded_width(max(one.model.hidden)) for one in trainees)
    found: dict[int, list[Trainee]] = {}
    for one in trainees:
        found.setdefault(padded_width(max(one.model.hidden), least), []).append(one)
    parts = []
    for width, same in found.items():
        like = same[0].model
        layout = StackLayout(like.num_features, (width,) * len(like.hidden), like.num_classes)
        values = layout.values_of([one.model for one in same])
        members = [Member(one, EarlyStopping(patience)) for one in same]
        moments = Moments(torch.zeros_like(values), torch.zeros_like(values), torch.zeros((), device=values.device))
        parts.append(Part(members, Stack(layout, values, len(same)), values.clone(), moments))
    return parts


def _with_weights(initial: GCN, layout: StackLayout, values: Tensor, num_models: int, number: int) -> GCN:
    with preserved_random_state():
        model = deepcopy(initial)
    layout.load_into(model, values, num_models, number)
    return model


def _all_edges(flat: FlatGraphs) -> tuple[Tensor, Tensor]:
    """Edges between the nodes of all graphs laid end to end, and their weights."""
    first_node = flat.node_bounds[:-1].repeat_interleave(flat.edge_bounds.diff())
    return flat.edge_index + first_node, flat.edge_weight
